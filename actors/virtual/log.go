package virtual

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/reviewctl/reviewctl/events"
)

// Log is an events.Store in memory. Positions count from 1. Its events must not
// be changed by those who read them.
type Log struct {
	mu      sync.Mutex
	all     []*events.Event
	streams map[events.StreamName][]*events.Event
	grown   chan struct{} // closed by the next append
}

// NewLog returns an empty log.
func NewLog() *Log {
	return &Log{streams: map[events.StreamName][]*events.Event{}, grown: make(chan struct{})}
}

// Append writes at the exact version and hash, or not at all.
func (l *Log) Append(ctx context.Context, a events.Append) (events.Appended, error) {
	if err := events.CheckAppend(a); err != nil {
		return events.Appended{}, err
	}
	if err := ctx.Err(); err != nil {
		return events.Appended{}, fmt.Errorf("append to %s: %w", a.Stream, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	stream := l.streams[a.Stream]
	actual := events.Version(len(stream)) - 1
	if a.Retry {
		if out, done, err := l.again(a, stream); done {
			return out, err
		}
	}
	if actual != a.Expected || (actual >= 0 && stream[actual].Hash != a.Previous) ||
		(actual < 0 && a.Previous != events.Hash{}) {
		return events.Appended{}, &events.ConflictError{Stream: a.Stream, Expected: a.Expected, Actual: actual}
	}
	for i := range a.Events {
		e := a.Events[i]
		e.Position = events.Position(len(l.all) + 1)
		l.all = append(l.all, &e)
		stream = append(stream, &e)
	}
	l.streams[a.Stream] = stream
	close(l.grown)
	l.grown = make(chan struct{})
	return landed(stream[len(stream)-1]), nil
}

func landed(last *events.Event) events.Appended {
	return events.Appended{Last: last.Version, Position: last.Position}
}

// again looks whether a repeat is stored already.
func (l *Log) again(a events.Append, stream []*events.Event) (out events.Appended, done bool, err error) {
	for i := range a.Events {
		e := &a.Events[i]
		if int(e.Version) >= len(stream) || stream[e.Version].ID != e.ID {
			return events.Appended{}, false, nil
		}
		if !same(stream[e.Version], e) {
			return events.Appended{}, true, fmt.Errorf("append to %s: %w", a.Stream, events.ErrDiffers)
		}
	}
	return landed(stream[a.Events[len(a.Events)-1].Version]), true, nil
}

func same(stored, e *events.Event) bool {
	return stored.Previous == e.Previous &&
		bytes.Equal(events.AppendHashed(nil, stored), events.AppendHashed(nil, e))
}

// ReadStream yields one stream in order.
func (l *Log) ReadStream(ctx context.Context, name events.StreamName, from events.Version, yield func(*events.Event) bool) error {
	l.mu.Lock()
	stream := l.streams[name]
	l.mu.Unlock()
	for i := int(max(from, 0)); i < len(stream); i++ {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if !yieldCopy(stream[i], yield) {
			return nil
		}
	}
	return ctx.Err()
}

// ReadBack yields one stream from its last event backwards.
func (l *Log) ReadBack(ctx context.Context, name events.StreamName, yield func(*events.Event) bool) error {
	l.mu.Lock()
	stream := l.streams[name]
	l.mu.Unlock()
	for i := len(stream) - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if !yieldCopy(stream[i], yield) {
			return nil
		}
	}
	return ctx.Err()
}

// ReadAll yields the whole log behind a position.
func (l *Log) ReadAll(ctx context.Context, after events.Position, yield func(*events.Event) bool) error {
	l.mu.Lock()
	all := l.all
	l.mu.Unlock()
	for i := int(min(after, events.Position(len(all)))); i < len(all); i++ {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		if !yieldCopy(all[i], yield) {
			return nil
		}
	}
	return ctx.Err()
}

func yieldCopy(e *events.Event, yield func(*events.Event) bool) bool {
	kept := *e
	return yield(&kept)
}

// Follow waits for an event behind a position.
func (l *Log) Follow(ctx context.Context, after events.Position) error {
	for {
		l.mu.Lock()
		there, grown := events.Position(len(l.all)) > after, l.grown
		l.mu.Unlock()
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("follow the log: %w", err)
		}
		if there {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-grown:
		}
	}
}

func (l *Log) at(ref events.Ref) *events.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.streams[ref.Stream][ref.Version]
}

// Len is the position of the last event.
func (l *Log) Len() events.Position {
	l.mu.Lock()
	defer l.mu.Unlock()
	return events.Position(len(l.all))
}

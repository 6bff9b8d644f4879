package rowstest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Log is a small events.Store in memory.
type Log struct {
	mu      sync.Mutex
	events  []*events.Event
	streams map[events.StreamName][]*events.Event
	grown   chan struct{} // closed and replaced at each append
	reads   int           // events handed out
	now     time.Time
}

// NewLog returns an empty log. Its clock starts at a fixed time.
func NewLog() *Log {
	return &Log{
		streams: map[events.StreamName][]*events.Event{}, grown: make(chan struct{}),
		now: time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC),
	}
}

// Add appends payloads to a stream, a second later.
func (l *Log) Add(stream events.StreamName, payloads ...events.Payload) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(time.Second)
	for _, p := range payloads {
		text, err := events.Encode(p)
		if err != nil {
			panic(err)
		}
		l.add(&events.Event{Stream: stream, Type: p.Type(), Revision: 1, Time: l.now, Payload: text, Correlation: "c", By: "reviewctl"})
	}
	close(l.grown)
	l.grown = make(chan struct{})
}

func (l *Log) add(e *events.Event) {
	s := l.streams[e.Stream]
	var previous events.Hash
	if len(s) > 0 {
		previous = s[len(s)-1].Hash
	}
	e.Version = events.Version(len(s))
	e.ID = events.EventID(fmt.Sprintf("00000000-0000-4000-8000-%012d", len(l.events)))
	events.Link(previous, e)
	e.Position = events.Position(len(l.events) + 1)
	l.streams[e.Stream] = append(s, e)
	l.events = append(l.events, e)
}

// Now is the time of the last event.
func (l *Log) Now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// Len is the number of events.
func (l *Log) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.events)
}

// Reads is the number of events that were read so far.
func (l *Log) Reads() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reads
}

// Cut returns a log that holds the first n events.
func (l *Log) Cut(n int) *Log {
	cut := NewLog()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events[:n] {
		copied := *e
		cut.add(&copied)
		cut.now = e.Time
	}
	return cut
}

// All returns the events, in order.
func (l *Log) All() []*events.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.events[:len(l.events):len(l.events)]
}

// Append writes events that were linked elsewhere.
func (l *Log) Append(_ context.Context, a events.Append) (events.Appended, error) {
	if err := events.CheckAppend(a); err != nil {
		return events.Appended{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if actual := events.Version(len(l.streams[a.Stream]) - 1); actual != a.Expected {
		return events.Appended{}, &events.ConflictError{Stream: a.Stream, Expected: a.Expected, Actual: actual}
	}
	for i := range a.Events {
		e := a.Events[i]
		l.add(&e)
		l.now = e.Time
	}
	close(l.grown)
	l.grown = make(chan struct{})
	return events.Appended{Last: a.Expected + events.Version(len(a.Events)), Position: events.Position(len(l.events))}, nil
}

// read hands out events while yield wants them.
func (l *Log) read(ctx context.Context, list []*events.Event, yield func(*events.Event) bool) error {
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.mu.Lock()
		l.reads++
		l.mu.Unlock()
		copied := *e
		if !yield(&copied) {
			break
		}
	}
	return nil
}

// ReadStream reads one stream forwards.
func (l *Log) ReadStream(ctx context.Context, stream events.StreamName, from events.Version, yield func(*events.Event) bool) error {
	l.mu.Lock()
	list := l.streams[stream]
	l.mu.Unlock()
	return l.read(ctx, list[min(max(0, int(from)), len(list)):], yield)
}

// ReadBack reads one stream backwards.
func (l *Log) ReadBack(ctx context.Context, stream events.StreamName, yield func(*events.Event) bool) error {
	l.mu.Lock()
	list := l.streams[stream]
	l.mu.Unlock()
	back := make([]*events.Event, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		back = append(back, list[i])
	}
	return l.read(ctx, back, yield)
}

// ReadAll reads the log.
func (l *Log) ReadAll(ctx context.Context, after events.Position, yield func(*events.Event) bool) error {
	all := l.All()
	return l.read(ctx, all[min(int(after), len(all)):], yield)
}

// Follow waits until the log is longer.
func (l *Log) Follow(ctx context.Context, after events.Position) error {
	for {
		l.mu.Lock()
		grown, length := l.grown, len(l.events)
		l.mu.Unlock()
		if length > int(after) {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

package sqlite

import (
	"context"
	"fmt"
	"sync"

	"github.com/reviewctl/reviewctl/events"
)

// tide is the highest position that this process knows to be stored.
type tide struct {
	mu    sync.Mutex
	high  events.Position
	moved chan struct{} // closed when high moves; nil while nobody waits
	over  chan struct{} // closed with the log
}

func (t *tide) init() { t.over = make(chan struct{}) }

func (t *tide) raise(to events.Position) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if to <= t.high {
		return
	}
	t.high = to
	if t.moved != nil {
		close(t.moved)
		t.moved = nil
	}
}

// look returns the position, and what is closed when it moves.
func (t *tide) look() (events.Position, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.moved == nil {
		t.moved = make(chan struct{})
	}
	return t.high, t.moved
}

func (t *tide) close() { close(t.over) }

// Follow waits until the log holds an event behind a position. An append of this
// process wakes it at once, one of another through the watch.
func (l *Log) Follow(ctx context.Context, after events.Position) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if high, _ := l.tide.look(); high > after {
		return nil
	}
	if err := l.watch.add(); err != nil {
		return fmt.Errorf("follow the log: %w", err)
	}
	defer l.watch.leave()
	if err := l.readTide(ctx); err != nil { // what was stored before the watch began
		return fmt.Errorf("follow the log: %w", err)
	}
	for {
		high, moved := l.tide.look()
		if high > after {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		case <-l.tide.over:
			return fmt.Errorf("follow the log: %w", errClosed)
		}
	}
}

func (l *Log) readTide(ctx context.Context) error {
	return l.read(ctx, func(r *reader) error {
		last, err := r.lastPosition()
		if err == nil {
			l.tide.raise(last)
		}
		return err
	})
}

func (r *reader) lastPosition() (events.Position, error) {
	if _, err := r.last.Step(); err != nil {
		return 0, translate(err)
	}
	last := events.Position(r.last.ColumnInt64(0))
	return last, translate(r.last.Reset())
}

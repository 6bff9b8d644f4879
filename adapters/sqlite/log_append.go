package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// commitGrace is how long an append whose context has ended waits for the
// transaction that it is already part of. The outcome is only unknown when the
// disk takes longer.
const commitGrace = 5 * time.Second

// request is an append on its way to the writer and back.
type request struct {
	append *events.Append
	size   int
	state  atomic.Int32
	done   chan struct{} // closed when out and err are set
	out    events.Appended
	err    error
	stored bool // by the group that it is in: its fate is that of the commit
}

const (
	requestWaits int32 = iota
	requestTaken       // by the writer
	requestWithdrawn
)

func (r *request) answer(out events.Appended, err error) {
	r.out, r.err = out, err
	close(r.done)
}

// Append writes at the exact expected version. It shares a transaction with the
// appends that wait at the same time, and fails alone. The events must not be
// changed after an unknown outcome.
func (l *Log) Append(ctx context.Context, a events.Append) (events.Appended, error) {
	if err := events.CheckAppend(a); err != nil {
		return events.Appended{}, err
	}
	if err := checkEnvelopes(&a); err != nil {
		return events.Appended{}, err
	}
	if l.ro {
		return events.Appended{}, fmt.Errorf("append to %s: %w", a.Stream, events.ErrReadOnly)
	}
	if err := ctx.Err(); err != nil {
		return events.Appended{}, fmt.Errorf("append to %s: %w", a.Stream, err)
	}
	r := &request{append: &a, done: make(chan struct{})}
	for i := range a.Events {
		r.size += len(a.Events[i].Payload) + len(a.Events[i].Decided)
	}
	if !l.queue.put(r) {
		return events.Appended{}, fmt.Errorf("append to %s: %w", a.Stream, errClosed)
	}
	if err := r.wait(ctx); err != nil {
		return events.Appended{}, wrapAppend(a.Stream, err)
	}
	return r.out, nil
}

func wrapAppend(stream events.StreamName, err error) error {
	var conflict *events.ConflictError
	if errors.As(err, &conflict) {
		return conflict
	}
	return fmt.Errorf("append to %s: %w", stream, err)
}

func (r *request) wait(ctx context.Context) error {
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
	}
	if r.state.CompareAndSwap(requestWaits, requestWithdrawn) {
		return ctx.Err() // certainly not stored
	}
	grace := time.NewTimer(commitGrace)
	defer grace.Stop()
	select {
	case <-r.done:
		return r.err
	case <-grace.C:
		return fmt.Errorf("%w: %w", events.ErrUnknownOutcome, ctx.Err())
	}
}

// queue holds the appends that no group has taken yet. It is bounded by those who
// wait in Append.
type queue struct {
	mu      sync.Mutex
	waiting []*request
	filled  chan struct{} // holds one token while there may be something to take
	closed  bool
}

func (q *queue) init() { q.filled = make(chan struct{}, 1) }

func (q *queue) put(r *request) bool {
	q.mu.Lock()
	closed := q.closed
	if !closed {
		q.waiting = append(q.waiting, r)
	}
	q.mu.Unlock()
	if closed {
		return false
	}
	q.signal()
	return true
}

func (q *queue) signal() {
	select {
	case q.filled <- struct{}{}:
	default:
	}
}

func (q *queue) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// take moves appends from the queue to a group, as many as its bounds allow. A
// group takes at least one.
func (q *queue) take(group []*request, maxEvents, maxBytes int) []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, counted, bytes := 0, 0, 0
	for _, r := range q.waiting {
		counted += len(r.append.Events)
		bytes += r.size
		if n > 0 && (counted > maxEvents || bytes > maxBytes) {
			break
		}
		n++
		if r.state.CompareAndSwap(requestWaits, requestTaken) {
			group = append(group, r)
		}
	}
	rest := copy(q.waiting, q.waiting[n:])
	clear(q.waiting[rest:])
	q.waiting = q.waiting[:rest]
	return group
}

// close refuses later appends; those that wait are answered by the writer.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
}

package mirror

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/reviewctl/reviewctl/adapters/git"
)

// mirror is one mirror, and those who wait for it in this process.
type mirror struct {
	store  *Store
	name   string
	dir    string
	format git.ObjectFormat

	// Of the round that is under way, which holds the lock.
	looked bool // for what killed processes left, once in this process
	prune  bool // branches stand in the way of others

	mu      sync.Mutex
	src     Source
	waiting []*waiter
	present int // waiters who still wait, those of the round included
	busy    bool
	copying bool // from a folder on this machine
	suspect bool // an object was missing: make it anew
	cancel  context.CancelCauseFunc
	unpin   []string
}

// waiter is one want in the line.
type waiter struct {
	want Want
	refs []string // its pins, one for each commit
	done chan struct{}
	err  error // set before done is closed
	left bool  // nobody waits for it any more
}

var errAllLeft = errors.New("nobody waits for it any more")

// enter puts a want into the line, and starts a round where none is under way.
func (m *mirror) enter(src Source, w *waiter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.src = src
	m.waiting = append(m.waiting, w)
	m.present++
	if !m.busy {
		m.busy = true
		m.store.tasks.Go(m.serve)
	}
}

// await waits for the want's end. Whoever leaves ends nobody else's fetch, and the
// last one who leaves ends it (case W16), unless it copies from this machine: that
// comes to an end, and the next try finds it done, however large the repository is.
func (m *mirror) await(ctx context.Context, w *waiter) error {
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-w.done: // it came after all: nobody will read it
		if w.err == nil {
			m.unpin = append(m.unpin, w.refs...)
		}
		return context.Cause(ctx)
	default:
	}
	w.left = true
	if m.present--; m.present == 0 && m.cancel != nil && !m.copying {
		m.cancel(errAllLeft)
	}
	return context.Cause(ctx)
}

// serve takes rounds while anybody waits.
func (m *mirror) serve() {
	for {
		m.mu.Lock()
		m.waiting = slices.DeleteFunc(m.waiting, func(w *waiter) bool { return w.left })
		if len(m.waiting) == 0 {
			m.busy = false
			m.mu.Unlock()
			return
		}
		limit, done := context.WithTimeout(m.store.alive, FetchTimeout)
		ctx, cancel := context.WithCancelCause(limit)
		m.cancel = cancel
		m.mu.Unlock()
		m.round(ctx)
		cancel(nil)
		done()
	}
}

// take takes all who wait.
func (m *mirror) take() []*waiter {
	m.mu.Lock()
	defer m.mu.Unlock()
	batch := m.waiting
	m.waiting = nil
	return batch
}

// end answers waiters. Those who came when all others had just left begin again.
func (m *mirror) end(ctx context.Context, err error, batch ...*waiter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	again := err != nil && errors.Is(context.Cause(ctx), errAllLeft)
	for _, w := range batch {
		switch {
		case w.left && err == nil:
			m.unpin = append(m.unpin, w.refs...)
		case w.left:
		case again:
			m.waiting = append(m.waiting, w)
		default:
			m.present--
			w.err = err
			close(w.done)
		}
	}
}

// Release gives a pin back. It is removed with others. (hard-parts §2)
func (s *Store) Release(p Pin) {
	if p.mirror == nil {
		return
	}
	m := p.mirror
	m.mu.Lock()
	m.unpin = append(m.unpin, p.refs...)
	many := len(m.unpin) >= UnpinBatch
	m.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if many && !s.closed {
		s.tasks.Go(m.flush)
	}
}

// Suspect says that a mirror lacks an object that it should have: it is made anew
// before its next use.
func (s *Store) Suspect(p Pin) {
	if p.mirror == nil {
		return
	}
	p.mirror.mu.Lock()
	defer p.mirror.mu.Unlock()
	p.mirror.suspect = true
}

// IsZero reports whether nothing is pinned.
func (p Pin) IsZero() bool { return p.mirror == nil }

package sqlite

import (
	"errors"
	"fmt"
	"math"
	"runtime"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
)

// The bounds of a group. (engine-facts D.5)
const (
	groupEvents = 1024
	groupBytes  = 4 << 20
	idleYields  = 3   // then the queue has stopped growing (performance §1.1)
	askedYields = 100 // the same, while fewer are back than the last commit woke
)

// writer owns the connection that writes. Its loop is the only one that uses it.
type writer struct {
	log   *Log
	conn  *zombie.Conn // nil after a disk error, until it is opened again
	store *statements
	group []*request
	woken int // whom the last commit has answered
	pages int // about so many have come into the cache since it was emptied
}

// loop commits group after group until the log is closed.
func (w *writer) loop() {
	defer w.log.writing.Done()
	for {
		select {
		case <-w.log.stopping:
			w.group = w.log.queue.take(w.group[:0], math.MaxInt, math.MaxInt)
			answerAll(w.group, errClosed)
			return
		case <-w.log.queue.filled:
		}
		w.gather()
		w.commitNext()
		if w.log.queue.size() > 0 {
			w.log.queue.signal()
		}
	}
}

// gather lets others run while the queue still grows: those whom the last commit
// woke come back with their next append. It never waits: where nobody else wants to
// run, all yields together take a few microseconds, and a lone writer needs few.
func (w *writer) gather() {
	for idle, last := 0, w.log.queue.size(); last < groupEvents; idle++ {
		if idle >= askedYields || idle >= idleYields && last >= w.woken {
			return
		}
		runtime.Gosched()
		if n := w.log.queue.size(); n > last {
			idle, last = -1, n
		}
	}
}

// commitNext stores what is queued in one transaction and answers everyone.
func (w *writer) commitNext() {
	if err := w.begin(); err != nil {
		w.group = w.log.queue.take(w.group[:0], math.MaxInt, math.MaxInt)
		answerAll(w.group, err)
		return
	}
	w.group = w.log.queue.take(w.group[:0], groupEvents, groupBytes)
	w.woken = len(w.group)
	sum, err := w.write()
	switch {
	case err != nil:
		w.rollBack(err)
		answerGroup(w.group, outcomeOf(err))
	case sum.appends == 0:
		w.rollBack(nil)
		answerGroup(w.group, nil)
	default:
		answerGroup(w.group, w.commit(sum))
		w.emptyCache(sum)
	}
	clear(w.group)
}

// written is what a group has put into its transaction.
type written struct {
	appends, events int
	last            events.Position
}

// eventsPerPage is how many events of common size a page holds, at the least.
const eventsPerPage = 2

// emptyCache gives the page cache back before it is full. SQLite drops each page
// that it is done with, the hottest first, once its cache holds one too many:
// measured, a quarter of the appends for the same processor time, for good.
func (w *writer) emptyCache(sum written) {
	if w.pages += (sum.events + 1) / eventsPerPage; w.pages < writerCache*3/4 || w.conn == nil {
		return
	}
	w.pages = 0
	if err := run(w.conn, "PRAGMA shrink_memory"); err != nil {
		w.pages = writerCache // the next commit tries again
	}
}

func (w *writer) commit(sum written) error {
	if w.log.beforeCommit != nil {
		w.log.beforeCommit(len(w.group))
	}
	if err := step(w.store.commit); err != nil {
		return w.afterFailedCommit(err)
	}
	w.log.counts.commits.Add(1)
	w.log.counts.appends.Add(int64(sum.appends))
	w.log.counts.events.Add(int64(sum.events))
	w.log.tide.raise(sum.last)
	return nil
}

// write executes the group's appends. One that conflicts writes nothing and fails
// alone; an error of the file fails the transaction.
func (w *writer) write() (sum written, err error) {
	if sum.last, err = w.store.back.lastPosition(); err != nil {
		return written{}, err
	}
	for _, r := range w.group {
		r.out, r.stored, r.err = w.store.write(r.append, sum.last)
		if broken := (*fileError)(nil); errors.As(r.err, &broken) {
			return written{}, broken.err
		}
		if r.stored {
			sum.last = r.out.Position
			sum.appends++
			sum.events += len(r.append.Events)
		}
	}
	return sum, nil
}

// begin takes the write lock, in bounded tries, so that Close is not kept waiting
// by another process's transaction.
func (w *writer) begin() error {
	if w.conn == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	tries := max(1, int(w.log.busy/busyTry))
	for {
		err := step(w.store.begin)
		if err == nil {
			return nil
		}
		if errors.Is(err, errDisk) || errors.Is(err, events.ErrDamaged) {
			w.drop()
		}
		if tries--; tries <= 0 || !errors.Is(err, errBusy) {
			return err
		}
		select {
		case <-w.log.stopping:
			return errClosed
		default:
		}
	}
}

func (w *writer) rollBack(cause error) {
	if w.conn != nil && !w.conn.AutocommitEnabled() {
		if err := step(w.store.rollback); err != nil && cause == nil {
			cause = errDisk
		}
	}
	if errors.Is(cause, errDisk) || errors.Is(cause, events.ErrDamaged) {
		w.drop()
	}
}

// afterFailedCommit says what became of the group. A full disk cannot have taken
// the frame that ends a transaction, because it is the last one written; that is
// looked up through a new connection. Of any other failure nothing is known.
func (w *writer) afterFailedCommit(err error) error {
	position, hash := w.firstStored()
	w.rollBack(err)
	w.drop()
	if errors.Is(err, errBusy) {
		return err
	}
	if !errors.Is(err, events.ErrFull) {
		return fmt.Errorf("%w: %w", events.ErrUnknownOutcome, err)
	}
	if open := w.open(); open != nil {
		return fmt.Errorf("%w: %w", events.ErrUnknownOutcome, err)
	}
	there, look := w.store.has(position, hash)
	if look != nil || there {
		return fmt.Errorf("%w: %w", events.ErrUnknownOutcome, err)
	}
	return err
}

// firstStored returns the last event of the first append that the group wrote.
func (w *writer) firstStored() (events.Position, events.Hash) {
	for _, r := range w.group {
		if r.stored {
			return r.out.Position, r.append.Events[len(r.append.Events)-1].Hash
		}
	}
	return 0, events.Hash{}
}

func (w *writer) drop() {
	if w.conn != nil {
		w.conn.Close()
		w.conn, w.store = nil, nil
	}
}

// outcomeOf translates an error before the commit: after one of the disk it is
// not trusted that nothing was stored.
func outcomeOf(err error) error {
	if errors.Is(err, errDisk) {
		return fmt.Errorf("%w: %w", events.ErrUnknownOutcome, err)
	}
	return err
}

// answerGroup answers each with its own outcome, or with the transaction's error.
// An answer that rests on what the same group wrote, a conflict too, falls with it.
func answerGroup(group []*request, failed error) {
	for _, r := range group {
		if failed != nil {
			r.err = failed
		}
		r.answer(r.out, r.err)
	}
}

func answerAll(group []*request, err error) {
	for _, r := range group {
		r.answer(events.Appended{}, err)
	}
	clear(group)
}

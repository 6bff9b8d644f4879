package sqlite

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Options are what an owner of a log may choose. The zero value is right for all
// but tests and imports.
type Options struct {
	// ReadOnly opens an existing log that is not to be written, even on a medium
	// that cannot be; Append answers ErrReadOnly.
	ReadOnly bool
	// Busy is how long an append waits for another process's transaction before
	// ErrUnavailable; 0 = BusyDefault.
	Busy time.Duration
	// MaxPages bounds the file; an append beyond it answers ErrFull. 0 = the disk.
	MaxPages int
}

// BusyDefault is how long an append waits for another process's transaction.
const BusyDefault = 10 * time.Second

const (
	readersMax      = 4       // connections that read at one time
	mappedBytes     = 1 << 30 // of the file, in each reader
	checkpointPages = 2000    // the write-ahead log is used again from the start after these (performance §1.2)
	// writerCache holds the head rows of more than 100,000 streams. Where they do not
	// fit, each page that is dropped costs two system calls (measured: 10 times the
	// processor time of an append).
	writerCache = 8 << 10 // pages of 4 KiB
	busyTry     = 250 * time.Millisecond
)

// Log is an events.Store in one file. It is safe for many goroutines, and for
// many processes on one file.
type Log struct {
	path   string
	busy   time.Duration
	max    int
	ro     bool
	pool   *pool
	names  nameCache
	tide   tide
	watch  *watch
	queue  queue
	writer *writer // nil where the log is read-only
	counts counters

	stopping chan struct{} // closed by Close
	writing  sync.WaitGroup
	once     sync.Once
	closed   error

	// beforeCommit, where a test sets it, is called with each group inside its
	// transaction.
	beforeCommit func(appends int)
}

var _ events.Store = (*Log)(nil)

// Open opens the log at path, and makes one where there is no file. A file of
// another application or a damaged one answers ErrDamaged, one of a newer format
// ErrNewer.
func Open(ctx context.Context, path string, o Options) (*Log, error) {
	return open(ctx, path, o, nil)
}

func open(ctx context.Context, path string, o Options, beforeCommit func(int)) (*Log, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	l := &Log{
		path: path, busy: o.Busy, max: o.MaxPages, ro: o.ReadOnly,
		stopping: make(chan struct{}), beforeCommit: beforeCommit,
	}
	if l.busy <= 0 {
		l.busy = BusyDefault
	}
	l.queue.init()
	l.tide.init()
	frozen := false
	if o.ReadOnly {
		var err error
		if frozen, err = checkReadOnly(path); err != nil {
			return nil, err
		}
	}
	l.pool = newPool(path, l.busy, frozen)
	l.watch = newWatch(l)
	if !o.ReadOnly {
		w, err := l.openWriter()
		if err != nil {
			return nil, err
		}
		l.writer = w
		l.writing.Add(1)
		go w.loop()
	}
	return l, nil
}

// Close ends the log. An append that is being committed is finished, those that
// wait are answered ErrUnavailable. Closing again does nothing.
func (l *Log) Close() error {
	l.once.Do(func() {
		l.queue.close()
		close(l.stopping)
		l.writing.Wait()
		l.watch.close()
		l.tide.close()
		l.closed = l.pool.close()
		if l.writer != nil { // the last one: it copies the write-ahead log back
			l.writer.drop()
		}
	})
	return l.closed
}

// Counters says what the log has done since it was opened.
type Counters struct {
	Commits int64 // transactions that stored something
	Appends int64 // that were stored
	Events  int64 // that were stored
	Reads   int64 // transactions that read, those of the watch included
	Wakeups int64 // looks for other processes' appends, because of a notice or a poll
}

type counters struct {
	commits, appends, events, reads, wakeups atomic.Int64
}

// Counters says what the log has done since it was opened. While nobody appends,
// reads or follows, no figure moves.
func (l *Log) Counters() Counters {
	c := &l.counts
	return Counters{
		Commits: c.commits.Load(), Appends: c.appends.Load(), Events: c.events.Load(),
		Reads: c.reads.Load(), Wakeups: c.wakeups.Load(),
	}
}

// errClosed answers whoever uses a log that was closed.
var errClosed = fmt.Errorf("%w: it was closed", events.ErrUnavailable)

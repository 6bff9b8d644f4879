package sqlite

import (
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
)

// walSuffix ends the name of the write-ahead log.
const walSuffix = "-wal"

// pollEvery is how often a log is looked at that somebody waits on, should no
// notice come at all.
const pollEvery = time.Second

// lookAgain are the pauses between looks after a notice. It comes 1 to 4 ms before
// the other's commit is visible, and 100 ms are enough. (hard-parts §7)
var lookAgain = [...]time.Duration{
	time.Millisecond, time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond,
	8 * time.Millisecond, 16 * time.Millisecond, 32 * time.Millisecond, 36 * time.Millisecond,
}

// watch notices other processes' appends while somebody waits in Follow. It is
// made with the first who waits. A poll that finds nobody waiting parks it: no
// timer runs, nothing is watched and nothing is read until somebody waits again.
type watch struct {
	log *Log
	wal string // what the system is asked to watch
	// every makes the slow poll's ticks; a test has its own.
	every func(time.Duration) (ticks <-chan time.Time, stop func())

	mu      sync.Mutex
	waiting int
	begun   bool
	parked  bool
	kick    chan struct{} // somebody waits again
	ended   sync.WaitGroup
}

func newWatch(l *Log) *watch {
	return &watch{log: l, wal: l.path + walSuffix, every: tick, kick: make(chan struct{}, 1)}
}

func tick(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}

// add counts one who waits.
func (w *watch) add() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.log.stopping:
		return errClosed
	default:
	}
	w.waiting++
	switch {
	case !w.begun:
		conn, err := openConn(w.log.path, w.log.pool.settings)
		if err != nil {
			w.waiting--
			return err
		}
		w.begun = true
		w.ended.Add(1)
		go (&lookout{watch: w, conn: conn}).loop()
	case w.parked:
		w.parked = false
		w.kick <- struct{}{}
	}
	return nil
}

// leave counts one less.
func (w *watch) leave() {
	w.mu.Lock()
	w.waiting--
	w.mu.Unlock()
}

// park reports whether nobody waits; the next who does kicks.
func (w *watch) park() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parked = w.waiting == 0
	return w.parked
}

// close waits for the watch to end.
func (w *watch) close() {
	w.mu.Lock()
	w.mu.Unlock() //nolint:staticcheck // whoever is in add has begun it, or sees that the log is stopping
	w.ended.Wait()
}

// lookout is the watch's goroutine.
type lookout struct {
	*watch
	conn    *zombie.Conn
	version int64             // of the file's content, as SQLite counts it
	notices *fsnotify.Watcher // nil where the system has none, or no log to watch: then there is the poll
}

func (o *lookout) loop() {
	defer o.ended.Done()
	defer o.conn.Close()
	for {
		if !o.whileWaiting() {
			return
		}
		select {
		case <-o.kick:
			o.look()
		case <-o.log.stopping:
			return
		}
	}
}

// whileWaiting looks on notices and on the poll until nobody waits (true) or the
// log is closed (false).
func (o *lookout) whileWaiting() bool {
	poll, stop := o.every(pollEvery)
	defer stop()
	o.open()
	defer o.close()
	again := time.NewTimer(time.Hour)
	defer again.Stop()
	left := lookAgain[:0]
	for {
		// A commit is many writes, so notices are left to pile up, where the system
		// merges them, until the first look after one.
		var notices <-chan fsnotify.Event
		var troubles <-chan error
		if o.notices != nil {
			troubles = o.notices.Errors
		}
		if o.notices != nil && len(left) < len(lookAgain) {
			notices = o.notices.Events
		}
		select {
		case <-notices:
			left = lookAgain[:]
			again.Reset(left[0])
			o.look()
		case <-troubles: //nolint:errcheck // an overflow, mostly: what was missed is looked for
			left = lookAgain[:]
			again.Reset(left[0])
		case <-again.C:
			if len(left) == 0 {
				continue
			}
			if left = left[1:]; len(left) > 0 {
				again.Reset(left[0])
			}
			o.look()
		case <-poll:
			if o.park() {
				return true
			}
			o.open()
			o.look()
		case <-o.log.stopping:
			return false
		}
	}
}

// look reads whether the file has changed, and if so up to where the log goes. An
// error is left to whoever reads next.
func (o *lookout) look() {
	o.log.counts.wakeups.Add(1)
	o.log.counts.reads.Add(1)
	version, err := queryInt(o.conn, "PRAGMA data_version")
	if err != nil || version == o.version {
		return
	}
	last, err := queryInt(o.conn, "SELECT max(position) FROM events")
	if err != nil {
		return
	}
	o.version = version
	o.log.tide.raise(events.Position(last))
}

// open begins to watch the write-ahead log, if it is there.
func (o *lookout) open() {
	if o.notices != nil {
		return
	}
	notices, err := fsnotify.NewWatcher()
	if err != nil {
		return
	}
	if err := notices.Add(o.wal); err != nil {
		notices.Close()
		return
	}
	o.notices = notices
}

func (o *lookout) close() {
	if o.notices != nil {
		o.notices.Close()
		o.notices = nil
	}
}

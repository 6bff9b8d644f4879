package main

import (
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/adapters/localgit"
	"github.com/reviewctl/reviewctl/events"
)

// runWatch follows one run through the log: it says how far it is on stderr, and
// when it is over.
type runWatch struct {
	app  *App
	live bool // a screen shows the board; else each change is a line
	// daemon reports whether one runs: who waits hears where none does.
	daemon func() bool

	mu   sync.Mutex
	runs map[events.RunID]*watchedRun // seen before anybody asked for them, too
}

// watchedRun is a run and its ends.
type watchedRun struct {
	id      events.RunID
	stream  events.StreamName // of its pull request
	over    bool              // the run has ended
	noted   bool              // its pull request has taken note
	placed  bool              // the fleet has it running or in its line
	freed   bool              // the fleet has it no more
	ended   chan struct{}
	settled chan struct{} // it is over, noted, and has no place
	board   board
	early   []string // what there was to say before somebody asked for it
}

func newRunWatch(app *App, live bool) *runWatch {
	return &runWatch{app: app, live: live, runs: map[events.RunID]*watchedRun{}}
}

// of returns the run to wait for.
func (w *runWatch) of(id events.RunID, stream events.StreamName) *watchedRun {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.run(id)
	r.stream = stream
	for _, line := range r.early {
		w.app.Progress(line)
	}
	r.early = nil
	return r
}

func (w *runWatch) run(id events.RunID) *watchedRun {
	r := w.runs[id]
	if r == nil {
		r = &watchedRun{id: id, ended: make(chan struct{}), settled: make(chan struct{})}
		w.runs[id] = r
	}
	return r
}

// observe is told of every event, in order.
func (w *runWatch) observe(e *events.Event, p events.Payload) {
	if e.Correlation == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.run(events.RunID(e.Correlation))
	switch p.(type) {
	case *events.RunEnded:
		if !r.over {
			r.over = true
			close(r.ended)
		}
	case *events.HeadSettled, *events.HeadSuperseded, *events.HeadCancelled, *events.HeadClosed:
		r.noted = true
	case *events.RunAdmitted, *events.RunHeld:
		r.placed = true
	case *events.RunFreed, *events.RunRefused:
		r.freed = true
	}
	// The fleet may never hear of a run whose head another process took at once: a
	// later request of the same pull request came to it first. Nothing is freed then.
	if r.over && r.noted && (r.freed || !r.placed) {
		select {
		case <-r.settled:
		default:
			close(r.settled)
		}
	}
	w.tell(r, r.board.fold(e.Time, p))
	if _, held := p.(*events.RunHeld); held {
		w.waits(r)
	}
}

// waits says once where a run waits and no daemon runs. The lock is held.
func (w *runWatch) waits(r *watchedRun) {
	if !r.board.alone && w.daemon != nil && !w.daemon() {
		r.board.alone = true
		w.tell(r, aloneWords)
	}
}

// tell says a line of the run that was asked for. The lock is held.
func (w *runWatch) tell(r *watchedRun, line string) {
	switch {
	case line == "" || w.live:
	case r.stream == "":
		r.early = append(r.early, line)
	default:
		w.app.Progress(line)
	}
}

// place is told at which place of a line a lane of the run waits.
func (w *runWatch) place(run events.RunID, lane events.LaneID, place int, line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.run(run)
	w.tell(r, r.board.place(lane, place, line))
	w.waits(r)
}

// lines draws the board of the run that was asked for.
func (w *runWatch) lines(now time.Time) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		if r.stream != "" { // there is one
			return r.board.lines(now)
		}
	}
	return []string{"preparing"}
}

func short(c events.Commit) string {
	return string(c[:min(len(c), localgit.ShortCommit)])
}

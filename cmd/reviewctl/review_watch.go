package main

import (
	"fmt"
	"sync"

	"github.com/reviewctl/reviewctl/adapters/localgit"
	"github.com/reviewctl/reviewctl/events"
)

// runWatch follows one run through the log: it says how far it is on stderr, and
// when it is over.
type runWatch struct {
	app *App

	mu   sync.Mutex
	runs map[events.RunID]*watchedRun // seen before anybody asked for them, too
}

// watchedRun is a run and its ends.
type watchedRun struct {
	id      events.RunID
	stream  events.StreamName // of its pull request
	over    bool              // the run has ended
	noted   bool              // its pull request has taken note
	freed   bool              // the fleet has
	ended   chan struct{}
	settled chan struct{} // all three
}

func newRunWatch(app *App) *runWatch {
	return &runWatch{app: app, runs: map[events.RunID]*watchedRun{}}
}

// of returns the run to wait for.
func (w *runWatch) of(id events.RunID, stream events.StreamName) *watchedRun {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.run(id)
	r.stream = stream
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
	case *events.RunFreed, *events.RunRefused:
		r.freed = true
	}
	if r.over && r.noted && r.freed {
		select {
		case <-r.settled:
		default:
			close(r.settled)
		}
	}
	if r.stream != "" {
		if line := progress(p); line != "" {
			w.app.Progress(line)
		}
	}
}

// progress says an event of the run in a few words, or nothing.
func progress(p events.Payload) string {
	switch p := p.(type) {
	case *events.RunHeld:
		return "waiting to start: " + p.Reason
	case *events.RunStarted:
		return fmt.Sprintf("reviewing %s %s", p.Repo, short(p.Head))
	case *events.WorkspaceReady:
		return fmt.Sprintf("%d files, %d lines changed", len(p.Files), p.Lines)
	case *events.WorkspaceWaiting:
		return "the code is not ready: " + p.Reason
	case *events.LaneQueued:
		return fmt.Sprintf("%s: waiting for a slot", p.Lane)
	case *events.LaneBegan:
		return fmt.Sprintf("%s: running", p.Lane)
	case *events.LaneCompleted:
		return fmt.Sprintf("%s: done, %d findings", p.Lane, p.Findings)
	case *events.LaneFailed:
		return fmt.Sprintf("%s: failed (%s): %s", p.Lane, p.Kind, p.Message)
	case *events.LaneDeferred:
		return fmt.Sprintf("%s: no capacity now: %s", p.Lane, p.Reason)
	case *events.RunStopping:
		return "stopping: " + p.Why
	}
	return ""
}

func short(c events.Commit) string {
	return string(c[:min(len(c), localgit.ShortCommit)])
}

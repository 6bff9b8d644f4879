package virtual

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/events"
)

// Result is what came of a world.
type Result struct {
	SHA256     string // of all events in log order
	Events     int
	Steps      int
	Took       time.Duration // virtual
	Counts     map[string]int
	Violations []Violation
	Log        *Log
}

// Run plays a scenario: a storm, and then a calm in which everything must come to
// rest. One seed gives one log, byte for byte.
func Run(s Scenario, seed uint64) Result {
	w, err := newWorld(s, seed)
	if err != nil {
		return Result{Violations: []Violation{{What: err.Error()}}}
	}
	w.populate()
	w.plan()
	w.until(func() bool { return !w.now.Before(Epoch.Add(s.Storm)) })
	w.settle()
	return w.result()
}

// populate opens the pull requests and starts the daemons.
func (w *World) populate() {
	for i := range w.scenario.Pulls {
		repo := [...]string{"acme/api", "acme/web"}[i%2]
		w.forge.add(events.RepoName(repo), [...]string{"1001", "1002"}[i%2], 1+i/2)
	}
	for range w.scenario.Daemons {
		w.serve()
	}
	w.at(w.scenario.Storm, func() {}) // so that the storm has an end
}

// serve starts a daemon; when it dies during the storm another follows.
func (w *World) serve() {
	d := w.start(true, "reviewctl")
	d.begin(func() {
		w.limit(w.scenario.SessionTokens)
		for i := range w.scenario.Engines {
			if size := w.scenario.PoolSize; size > 0 {
				w.configure(events.PoolStream(w.scenario.Engines[i].Rules.Pool), resize(size))
			}
		}
		w.poll(d)
	})
	w.guard(d)
}

// guard looks now and then whether a daemon lives, as an init system does.
func (w *World) guard(d *process) {
	w.at(w.between(time.Second, 2*time.Minute), func() {
		switch {
		case d.alive && w.calm:
		case d.alive:
			w.guard(d)
		case w.calm && w.daemon() != nil:
		default:
			w.serve()
		}
	})
}

func (w *World) until(end func() bool) {
	for !end() && len(w.check.violations) == 0 {
		if w.steps > w.scenario.StepsMax {
			w.check.fail(events.Ref{}, "no rest after %d steps, at %s", w.steps, w.now)
			for _, d := range w.waiting.list() {
				w.check.fail(d.About, "it waits: %s", deadline(d))
			}
			return
		}
		if !w.step() {
			return
		}
	}
}

// settle ends the faults, lifts pauses and limits, shows the daemon the forge
// once more, and lets everything come to rest.
func (w *World) settle() {
	w.calm = true
	if w.daemon() == nil {
		w.serve()
	}
	w.until(func() bool { d := w.daemon(); return d != nil && d.node != nil })
	w.limit(0)
	for _, scope := range w.check.fleet.paused() {
		w.operate(events.FleetStream, fleet.Resume{Scope: scope})
	}
	for range 3 {
		w.poll(w.daemon())
		w.until(func() bool { return false })
	}
	w.atRest()
}

func (w *World) result() Result {
	sum := sha256.New()
	var b []byte
	_ = w.log.ReadAll(context.Background(), 0, func(e *events.Event) bool {
		b = events.AppendHashed(b[:0], e)
		sum.Write(b)
		sum.Write(e.Hash[:])
		return true
	})
	w.counts["append"] = int(w.log.Len())
	return Result{
		SHA256: hex.EncodeToString(sum.Sum(nil)), Events: int(w.log.Len()), Steps: w.steps,
		Took: w.now.Sub(Epoch), Counts: w.counts, Violations: w.check.violations, Log: w.log,
	}
}

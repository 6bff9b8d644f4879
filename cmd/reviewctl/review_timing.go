package main

import (
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// timing is where a run's time went, by the times of its events: git's from the
// intent to have the code to its outcome, the engines' from each lane's beginning
// to its end. What neither was at work in is our own.
type timing struct {
	asked        time.Time // for the code
	began        map[events.LaneID]time.Time
	git, engines []span
}

type span struct{ from, to time.Time }

func (t *timing) fold(at time.Time, p events.Payload) {
	switch p := p.(type) {
	case *events.WorkspaceRequested:
		t.asked = at
	case *events.WorkspaceReady, *events.WorkspaceWaiting, *events.WorkspaceFailed:
		t.git = append(t.git, span{t.asked, at})
	case *events.LaneBegan:
		if t.began == nil {
			t.began = map[events.LaneID]time.Time{}
		}
		t.began[p.Lane] = at
	case *events.LaneCompleted:
		t.end(p.Lane, at)
	case *events.LaneFailed:
		t.end(p.Lane, at)
	case *events.LaneStopped:
		t.end(p.Lane, at)
	case *events.LaneDeferred:
		t.end(p.Lane, at)
	}
}

func (t *timing) end(lane events.LaneID, at time.Time) {
	if from, ok := t.began[lane]; ok {
		t.engines = append(t.engines, span{from, at})
		delete(t.began, lane)
	}
}

// report sums it up within a run's bounds. The parts never exceed the whole, and
// make it up exactly where git and engines were not at work together. A clock
// that was set back makes nothing negative.
func (t *timing) report(started, finished time.Time) ReportTiming {
	whole := span{started, finished}
	git, engines := covered(whole, t.git), covered(whole, t.engines)
	either := covered(whole, append(slices.Clone(t.git), t.engines...))
	r := ReportTiming{
		TotalMS: max(0, finished.Sub(started)).Milliseconds(), GitMS: git.Milliseconds(), EnginesMS: engines.Milliseconds(),
	}
	both := (git + engines - either).Milliseconds()
	r.OwnMS = max(0, r.TotalMS-(r.GitMS+r.EnginesMS-both))
	return r
}

// covered is how long at least one of the spans was, within the whole.
func covered(whole span, spans []span) time.Duration {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	var sum time.Duration
	until := whole.from
	for _, s := range spans {
		if s.from.Before(until) {
			s.from = until
		}
		if s.to.After(whole.to) {
			s.to = whole.to
		}
		if s.to.After(s.from) {
			sum += s.to.Sub(s.from)
			until = s.to
		}
	}
	return sum
}

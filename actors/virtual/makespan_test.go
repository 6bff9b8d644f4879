package virtual_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/virtual"
	"github.com/reviewctl/reviewctl/events"
)

// TestNoSlotIsIdleWhileWorkWaits: many lanes of one length on few slots take as
// long as they must. (performance, goal 16; the invariant of the checker looks at
// every append to a pool)
func TestNoSlotIsIdleWhileWorkWaits(t *testing.T) {
	t.Parallel()
	const lanes, slots, session = 300, 6, 5 * time.Minute
	s := virtual.Quiet()
	s.Target, s.Pulls, s.PoolSize = events.TargetNone, lanes, slots
	s.Engines = s.Engines[:1]
	s.Engines[0].Least, s.Engines[0].Most = session, session
	s.Rules.Run.Phase1 = s.Rules.Run.Phase1[:1]
	s.Rules.Fleet.DefaultMaxRuns = lanes
	s.Rules.PR.RunDeadline = (48 * time.Hour).Milliseconds()
	result := virtual.Run(s, 1)
	for _, v := range result.Violations {
		t.Errorf("%s: %s", v.At, v.What)
	}
	var first, last time.Time
	ended := 0
	err := result.Log.ReadAll(t.Context(), 0, func(e *events.Event) bool {
		switch e.Type {
		case events.LaneBegan{}.Type():
			if first.IsZero() {
				first = e.Time
			}
		case events.LaneCompleted{}.Type():
			ended++
			last = e.Time
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	// What a slot's way from one lane to the next takes: a few appends of at most
	// 50 ms each.
	const handover = 300 * time.Millisecond
	least := lanes / slots * session
	most := least + session + lanes/slots*handover
	if took := last.Sub(first); ended != lanes || took < least || took > most {
		t.Errorf("%d lanes took %s, want %d in %s to %s", ended, took, lanes, least, most)
	}
}

package events_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// TestDeadlinesAreCleared: what one event makes wait, the event that ends the
// wait clears under the same key; else the sweeper looks again for ever.
func TestDeadlinesAreCleared(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const pull events.StreamName = "pr-github.com/1/2"
	run, ticket := events.RunStream("1111111111111111"), events.Ticket{Run: "1111111111111111", Deadline: at}
	for _, c := range []struct {
		name       string
		stream     events.StreamName
		set, clear events.Payload
	}{
		{
			"a deferred lane is requested again", run,
			&events.LaneDeferred{Lane: "alpha", Attempt: 3, NextAt: at}, &events.LaneRequested{Lane: "alpha", Attempt: 4},
		},
		{
			"a deferred lane is withdrawn", run,
			&events.LaneDeferred{Lane: "alpha", Attempt: 3, NextAt: at}, &events.LaneWithdrawn{Lane: "alpha", Attempt: 3},
		},
		{
			"a held run is refused", events.FleetStream,
			&events.RunHeld{Ticket: ticket}, &events.RunRefused{Run: ticket.Run},
		},
		{
			"an admitted run is freed", events.FleetStream,
			&events.RunAdmitted{Ticket: ticket}, &events.RunFreed{Run: ticket.Run},
		},
		{
			"a queued head is skipped", pull,
			&events.HeadQueued{NotBefore: at}, &events.HeadSkipped{Cause: events.HoldDraft},
		},
		{
			"a judged head is skipped", pull,
			&events.RunRequested{Run: ticket.Run}, &events.HeadSkipped{Cause: events.HoldDraft, Run: ticket.Run},
		},
		{
			"a wanted label is there", pull,
			&events.LabelWanted{Try: 1, Owner: "b1", Until: at}, &events.LabelSynced{Try: 1},
		},
		{
			"a wanted label rests", pull,
			&events.LabelFailed{Try: 1, NextAt: at}, &events.LabelFailed{Try: 2},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			open := map[string]bool{}
			for _, p := range []events.Payload{c.set, c.clear} {
				for _, d := range events.Deadlines(&events.Event{Stream: c.stream}, p) {
					open[d.Key] = !d.At.IsZero()
				}
			}
			for key, waits := range open {
				if waits && key != events.DeadlineRun { // which the run clears itself
					t.Errorf("%s still waits", key)
				}
			}
		})
	}
}

// TestAWantWithoutATryWaitsForNothing: the deadline of the try under way stays.
func TestAWantWithoutATryWaitsForNothing(t *testing.T) {
	t.Parallel()
	if d := events.Deadlines(&events.Event{Stream: "pr-github.com/1/2"}, &events.LabelWanted{Try: 1}); len(d) > 0 {
		t.Errorf("it sets %v", d)
	}
}

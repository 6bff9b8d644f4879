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
				if waits {
					t.Errorf("%s still waits", key)
				}
			}
		})
	}
}

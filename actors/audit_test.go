package actors_test

import (
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/virtual"
	"github.com/reviewctl/reviewctl/events"
)

// history returns the whole log of a world.
func history(t *testing.T, log *virtual.Log) []*events.Event {
	t.Helper()
	var all []*events.Event
	err := log.ReadAll(t.Context(), 0, func(e *events.Event) bool {
		all = append(all, e)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAuditRecomputesEveryDecisionOfStorms(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		result := virtual.Run(virtual.Storm(seed), seed)
		found, counts, err := actors.Recompute(history(t, result.Log))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			t.Errorf("seed %d: %s %s: %s\nrecorded   %s\nrecomputed %s", seed, m.Event, m.Command, m.Why, m.Recorded, m.Recomputed)
		}
		if counts.Decisions == 0 || counts.Plain == 0 || counts.Events != result.Events {
			t.Errorf("seed %d: %+v of %d events", seed, counts, result.Events)
		}
	}
}

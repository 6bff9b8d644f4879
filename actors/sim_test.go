package actors_test

import (
	"flag"
	"fmt"
	"sync"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/virtual"
	"github.com/reviewctl/reviewctl/events"
)

var (
	simSeeds = flag.Int("sim.seeds", 500, "how many worlds TestSimulate plays")
	simTrace = flag.Bool("sim.trace", false, "print the log of each world that fails")
	simFrom  = flag.Uint64("sim.from", 1, "the first seed of TestSimulate")
)

// TestSimulate plays one world a seed and checks every invariant of
// actors/virtual. A failure names the seed and how to play it again.
func TestSimulate(t *testing.T) {
	t.Parallel()
	seeds := *simSeeds
	if testing.Short() && seeds == 500 {
		seeds = 50
	}
	var mu sync.Mutex
	counts := map[string]int{}
	t.Run("seeds", func(t *testing.T) {
		for shard := range 4 {
			t.Run(fmt.Sprint(shard), func(t *testing.T) {
				t.Parallel()
				for i := shard; i < seeds; i += 4 {
					seed := *simFrom + uint64(i)
					result := virtual.Run(virtual.Storm(seed), seed)
					for _, v := range result.Violations {
						t.Errorf("seed %d: %s: %s", seed, v.At, v.What)
					}
					if len(result.Violations) > 0 {
						t.Errorf("again: go test ./actors -run TestSimulate -sim.from=%d -sim.seeds=1 -sim.trace", seed)
						trace(t, result)
					}
					if seed%5 == 0 {
						recompute(t, seed, result)
					}
					mu.Lock()
					for what, n := range result.Counts {
						counts[what] += n
					}
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d seeds: %v", seeds, counts)
}

// recompute makes every decision of a world again.
func recompute(t *testing.T, seed uint64, result virtual.Result) {
	t.Helper()
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

// trace prints the log of a world that failed, where it was asked for.
func trace(t *testing.T, result virtual.Result) {
	t.Helper()
	if !*simTrace {
		return
	}
	for _, e := range history(t, result.Log) {
		t.Logf("%s %s %s by %s because of %s: %s", events.FormatTime(e.Time), e.Ref(), e.Type, e.Node, e.Cause.Text(), e.Payload)
	}
}

package actors_test

import (
	"flag"
	"fmt"
	"sync"
	"testing"

	"github.com/reviewctl/reviewctl/actors/virtual"
)

var (
	simSeeds = flag.Int("sim.seeds", 500, "how many worlds TestSimulate plays")
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
						t.Errorf("again: go test ./actors -run TestSimulate -sim.from=%d -sim.seeds=1", seed)
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

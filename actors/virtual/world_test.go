package virtual_test

import (
	"testing"

	"github.com/reviewctl/reviewctl/actors/virtual"
)

func TestQuietWorldReviewsAndPublishesEachHeadOnce(t *testing.T) {
	t.Parallel()
	result := virtual.Run(virtual.Quiet(), 1)
	for _, v := range result.Violations {
		t.Errorf("%s: %s", v.At, v.What)
	}
	if got := result.Counts["publish.submitted"]; got != 2 {
		t.Errorf("%d reviews published, want 2", got)
	}
	if got := result.Counts["engine.start"]; got != 6 {
		t.Errorf("%d engines started, want 6", got)
	}
}

// TestOneSeedGivesOneLog: twice the same, and the same without snapshots, which
// are a cache and never truth.
func TestOneSeedGivesOneLog(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		scenario := virtual.Storm(seed)
		first, again := virtual.Run(scenario, seed), virtual.Run(scenario, seed)
		scenario.Snapshots = false
		bare := virtual.Run(scenario, seed)
		if first.SHA256 != again.SHA256 || first.Events == 0 {
			t.Errorf("seed %d: %d events %s, then %d events %s", seed, first.Events, first.SHA256, again.Events, again.SHA256)
		}
		if first.SHA256 != bare.SHA256 {
			t.Errorf("seed %d: snapshots make a difference: %d events, without %d", seed, first.Events, bare.Events)
		}
		if other := virtual.Run(virtual.Storm(seed), seed+1000); other.SHA256 == first.SHA256 {
			t.Errorf("seed %d: another seed gives the same log", seed)
		}
	}
}

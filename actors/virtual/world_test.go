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

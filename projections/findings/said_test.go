package findings_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/findings"
)

// said returns what a run said: the findings that count, the heaviest first, then
// by place, and what was withheld, by place.
func said(t *testing.T, rows projections.Rows, run events.RunID) (counting, withheld []findings.Finding) {
	t.Helper()
	page, err := findings.Get(t.Context(), rows, projections.Filter{ID: string(run) + "/"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range page.Items {
		if f.State == findings.StateWithheld {
			withheld = append(withheld, f)
		} else {
			counting = append(counting, f)
		}
	}
	place := func(a, b findings.Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.LineStart-b.LineStart, strings.Compare(string(a.Fingerprint), string(b.Fingerprint)))
	}
	slices.SortStableFunc(counting, func(a, b findings.Finding) int {
		return cmp.Or(b.Severity.Weight()-a.Severity.Weight(), place(a, b))
	})
	slices.SortStableFunc(withheld, place)
	return counting, withheld
}

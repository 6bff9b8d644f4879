package findings

import (
	"context"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Get lists remarks by age. An ID is a run, or run/fingerprint; a state is one of
// the States, and without one pending remarks are left out. What is open, fixed or
// dismissed stands on a pull request: it is listed by repository and number, and an
// ID is the pull request's stream.
func Get(ctx context.Context, rows projections.Rows, f projections.Filter) (projections.Page[Finding], error) {
	switch State(f.State) {
	case StateOpen, StateFixed, StateDismissed:
		return projections.List[Finding](ctx, rows, f.Query(Name, kindStanding))
	}
	page, err := projections.List[Finding](ctx, rows, f.Query(Name, kindFinding))
	if err == nil && f.State == "" {
		page.Items = slices.DeleteFunc(page.Items, func(f Finding) bool { return f.State == StatePending })
	}
	for i := range page.Items {
		page.Items[i].Candidates = nil
	}
	return page, err
}

// Of returns what a run said: the findings that count, in the order of a review
// (the heaviest first, then by file, line and fingerprint), and what was
// withheld, by file and line.
func Of(ctx context.Context, rows projections.Rows, run events.RunID) (raised, withheld []Finding, err error) {
	page, err := Get(ctx, rows, projections.Filter{ID: string(run) + "/"})
	if err != nil {
		return nil, nil, err
	}
	raised, withheld = []Finding{}, []Finding{}
	for _, f := range page.Items {
		if f.State == StateWithheld {
			withheld = append(withheld, f)
		} else {
			raised = append(raised, f)
		}
	}
	slices.SortStableFunc(raised, byWeight)
	slices.SortStableFunc(withheld, byPlace)
	return raised, withheld, nil
}

func byWeight(a, b Finding) int {
	if c := b.Severity.Weight() - a.Severity.Weight(); c != 0 {
		return c
	}
	return byPlace(a, b)
}

func byPlace(a, b Finding) int {
	if c := strings.Compare(a.File, b.File); c != 0 {
		return c
	}
	if c := a.LineStart - b.LineStart; c != 0 {
		return c
	}
	return strings.Compare(string(a.Fingerprint), string(b.Fingerprint))
}

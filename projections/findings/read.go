package findings

import (
	"context"
	"slices"

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

package status

import (
	"context"
	"strings"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Filter selects items of a list. Empty fields select everything.
type Filter = projections.Filter

// GetPRs lists pull requests by repository and number.
func GetPRs(ctx context.Context, rows projections.Rows, f Filter) (projections.Page[PR], error) {
	return projections.List[PR](ctx, rows, f.Query(Name, kindPR))
}

// GetHeads lists heads, the newest first.
func GetHeads(ctx context.Context, rows projections.Rows, f Filter) (projections.Page[Head], error) {
	return projections.List[Head](ctx, rows, newest(f.Query(Name, kindHead)))
}

// GetRuns lists runs, the newest first. An ID may be a prefix.
func GetRuns(ctx context.Context, rows projections.Rows, f Filter) (projections.Page[Run], error) {
	return projections.List[Run](ctx, rows, newest(f.Query(Name, kindRun)))
}

// GetLanes lists lanes by run. An ID is a run, or run/lane, or a prefix of it.
func GetLanes(ctx context.Context, rows projections.Rows, f Filter) (projections.Page[Lane], error) {
	return projections.List[Lane](ctx, rows, f.Query(Name, kindLane))
}

// GetPools lists pools by name.
func GetPools(ctx context.Context, rows projections.Rows, f Filter) (projections.Page[Pool], error) {
	return projections.List[Pool](ctx, rows, f.Query(Name, kindPool))
}

// GetAccounts lists accounts by name. Their state is the breaker's.
func GetAccounts(ctx context.Context, rows projections.Rows, f Filter) (projections.Page[Account], error) {
	return projections.List[Account](ctx, rows, f.Query(Name, kindAccount))
}

// GetRepos lists repositories by name.
func GetRepos(ctx context.Context, rows projections.Rows, f Filter) (projections.Page[Repo], error) {
	return projections.List[Repo](ctx, rows, f.Query(Name, kindRepo))
}

func newest(q projections.Query) projections.Query {
	q.Newest = true
	return q
}

// FindPR returns the pull request of this repository and number, or nil. A repository
// that was renamed is found by the name that the configuration has for it, unless
// another one is called so by now. (case G35)
func FindPR(ctx context.Context, rows projections.Rows, repo events.RepoName, number int) (*PR, error) {
	found, err := prNamed(ctx, rows, repo, number)
	if found != nil || err != nil {
		return found, err
	}
	renamed, err := projections.ListWhere(ctx, rows, projections.Query{View: Name, Kind: kindRepo}, func(r *Repo) bool {
		return r.Was == repo || r.Repo == repo
	})
	if err != nil || len(renamed.Items) != 1 || renamed.Items[0].Repo == repo { // else another one's pull request is taken for it
		return nil, err
	}
	return prNamed(ctx, rows, renamed.Items[0].Repo, number)
}

func prNamed(ctx context.Context, rows projections.Rows, repo events.RepoName, number int) (*PR, error) {
	before := projections.Row{Columns: projections.Columns{Sort: prSort(repo, number)}}
	q := projections.Query{View: Name, Kind: kindPR, Repo: string(repo), After: before.Cursor(), Limit: 1}
	page, err := projections.List[PR](ctx, rows, q)
	if err != nil || len(page.Items) == 0 || page.Items[0].Number != number {
		return nil, err
	}
	return &page.Items[0], nil
}

// PRByStream returns a pull request, or nil.
func PRByStream(ctx context.Context, rows projections.Rows, stream events.StreamName) (*PR, error) {
	return projections.Lookup[PR](ctx, rows, Name, kindPR, string(stream))
}

// HeadOf returns a head of a pull request, or nil.
func HeadOf(ctx context.Context, rows projections.Rows, stream events.StreamName, head events.Commit) (*Head, error) {
	return projections.Lookup[Head](ctx, rows, Name, kindHead, string(stream)+"/"+string(head))
}

// HeadsByPrefix lists the heads whose commit begins with the filter's ID, the
// newest first.
func HeadsByPrefix(ctx context.Context, rows projections.Rows, f Filter) (projections.Page[Head], error) {
	prefix := f.ID
	f.ID = ""
	return projections.ListWhere(ctx, rows, newest(f.Query(Name, kindHead)), func(h *Head) bool {
		return prefix != "" && strings.HasPrefix(string(h.Head), prefix)
	})
}

// RunsByPrefix returns the runs whose id begins so, the newest first.
func RunsByPrefix(ctx context.Context, rows projections.Rows, prefix string) ([]Run, error) {
	page, err := projections.List[Run](ctx, rows, projections.Query{View: Name, Kind: kindRun, Prefix: prefix, Newest: true})
	return page.Items, err
}

// RunOf returns a run, or nil.
func RunOf(ctx context.Context, rows projections.Rows, run events.RunID) (*Run, error) {
	return projections.Lookup[Run](ctx, rows, Name, kindRun, string(run))
}

// LanesOf returns the lanes of a run by name.
func LanesOf(ctx context.Context, rows projections.Rows, run events.RunID) ([]Lane, error) {
	page, err := projections.List[Lane](ctx, rows, projections.Query{View: Name, Kind: kindLane, Prefix: string(run) + "/"})
	return page.Items, err
}

// FleetNow returns what holds for all.
func FleetNow(ctx context.Context, rows projections.Rows) (Fleet, error) {
	f, err := projections.Lookup[Fleet](ctx, rows, Name, kindFleet, fleetKey)
	if err != nil || f == nil {
		return Fleet{Paused: []Pause{}}, err
	}
	return *f, nil
}

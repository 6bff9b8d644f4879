package projections

import "time"

// Filter selects items of a list, as the flags of `get` do. Empty fields select
// everything.
type Filter struct {
	ID    string // a key, or the beginning of one
	Repo  string
	State string
	Since time.Time
	Limit int
	After string // a cursor: Page.Next of the page before
}

// Query returns the scan that answers the filter.
func (f Filter) Query(view ViewName, kind Kind) Query {
	return Query{
		View: view, Kind: kind, Prefix: f.ID, Repo: f.Repo, State: f.State, Since: f.Since, Limit: f.Limit, After: f.After,
	}
}

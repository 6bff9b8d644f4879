package status

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Line names what is waited for. Their order is that of `queue`: what is served
// from a line of keys first, then what a time is awaited for.
type Line string

// The lines.
const (
	LineFleet    Line = "1-fleet"
	LinePool     Line = "2-pool"
	LineBudget   Line = "3-budget"
	LineDebounce Line = "4-debounce"
)

// Place is somebody who waits: an item of `queue`.
type Place struct {
	Place   int                `json:"place"` // from 1; set when it is read
	Kind    string             `json:"kind"`  // "head" or "lane"
	ID      string             `json:"id"`    // the head's commit, or run/lane
	Repo    events.RepoName    `json:"repo"`
	Number  int                `json:"number"`
	Pool    events.PoolName    `json:"pool,omitempty"`
	Rank    string             `json:"rank"` // the sort key within its line
	Why     string             `json:"why"`
	ETA     *time.Time         `json:"eta"`
	Line    Line               `json:"line"`
	Run     events.RunID       `json:"run,omitempty"`
	Account events.AccountName `json:"account,omitempty"`
	Since   time.Time          `json:"since"`
	Event   events.Ref         `json:"event"`
}

// line names its line: each pool and each account has one of its own.
func (p *Place) line() string {
	switch p.Line {
	case LinePool:
		return string(p.Line) + "/" + string(p.Pool)
	case LineBudget:
		return string(p.Line) + "/" + string(p.Account)
	}
	return string(p.Line)
}

func placeKey(line Line, who string) string { return string(line) + "/" + who }

func putPlace(tx *projections.Tx, p *Place, who string) {
	projections.Put(tx, kindLine, placeKey(p.Line, who), projections.Columns{
		Repo: string(p.Repo), State: p.line(), At: p.Since, Sort: p.line() + "/" + p.Rank,
	}, p)
}

func dropPlace(tx *projections.Tx, line Line, who string) {
	projections.Delete(tx, kindLine, placeKey(line, who))
}

// Package status is the view of how things stand: pull requests, heads, runs,
// lanes, pools, accounts, the fleet, and the lines in which they wait.
//
// A head is the commit of a pull request that is to be judged; its state is one
// of the States. A line is where heads and lanes wait: for the end of a debounce,
// for the fleet, for an account or for a pool. Each row cites the newest event
// behind it as "event", and, where a story has several, all as "events".
package status

import (
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Name is the view's.
const Name projections.ViewName = "status"

// version counts the shapes of the rows.
const version = 4

// The kinds of rows.
const (
	kindPR      projections.Kind = "pr"      // key: stream
	kindHead    projections.Kind = "head"    // key: stream/commit
	kindCounts  projections.Kind = "counts"  // key: countsKey
	kindRun     projections.Kind = "run"     // key: run
	kindActive  projections.Kind = "active"  // key: run that has not ended
	kindLane    projections.Kind = "lane"    // key: run/lane
	kindPool    projections.Kind = "pool"    // key: pool
	kindAccount projections.Kind = "account" // key: account
	kindRepo    projections.Kind = "repo"    // key: stream
	kindFleet   projections.Kind = "fleet"   // key: fleetKey
	kindLine    projections.Kind = "line"    // key: line/who
)

const (
	countsKey = "heads"
	fleetKey  = "main"
)

// View returns the view.
func View() projections.View {
	return projections.View{Name: Name, Version: version, Apply: apply}
}

func apply(tx *projections.Tx, e *events.Event, p events.Payload) error {
	switch e.Stream.Category() {
	case events.CategoryPR:
		return applyPR(tx, e, p)
	case events.CategoryRun:
		return applyRun(tx, e, p)
	case events.CategoryPool:
		return applyPool(tx, e, p)
	case events.CategoryAccount:
		return applyAccount(tx, e, p)
	case events.CategoryFleet:
		return applyFleet(tx, e, p)
	case events.CategoryRepo:
		return applyRepo(tx, e, p)
	}
	return nil // inbox, policy and seal say nothing about how things stand
}

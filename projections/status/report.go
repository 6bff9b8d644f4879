package status

import (
	"context"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Report is the answer of `status`.
type Report struct {
	Time     time.Time     `json:"time"`
	Mode     string        `json:"mode"` // "normal" or "paused"
	Heads    map[State]int `json:"heads"`
	Runs     []Run         `json:"runs"` // that have not ended
	Pools    []Pool        `json:"pools"`
	Accounts []Account     `json:"accounts"`
	Fleet    Fleet         `json:"fleet"`
	Watchdog Watchdog      `json:"watchdog"`
	Counters *Counters     `json:"counters"`
}

// Counters are those of the running daemon; whoever asked it fills them in.
type Counters struct {
	StoreReads int64 `json:"store_reads"`
	Appends    int64 `json:"appends"`
	Wakeups    int64 `json:"wakeups"`
}

// Status returns how things stand at a time.
func Status(ctx context.Context, rows projections.Rows, now time.Time) (Report, error) {
	r := Report{Time: now.UTC(), Mode: "normal", Heads: map[State]int{}}
	counts, err := projections.Lookup[map[State]int](ctx, rows, Name, kindCounts, countsKey)
	if err != nil {
		return Report{}, err
	}
	if counts != nil {
		r.Heads = *counts
	}
	if r.Runs, err = activeRuns(ctx, rows); err != nil {
		return Report{}, err
	}
	pools, err := GetPools(ctx, rows, Filter{})
	if err != nil {
		return Report{}, err
	}
	accounts, err := GetAccounts(ctx, rows, Filter{})
	if err != nil {
		return Report{}, err
	}
	r.Pools, r.Accounts = pools.Items, accounts.Items
	if r.Fleet, err = FleetNow(ctx, rows); err != nil {
		return Report{}, err
	}
	for _, p := range r.Fleet.Paused {
		if p.Scope == "" {
			r.Mode = "paused"
		}
	}
	r.Watchdog, err = watch(ctx, rows, now, &r)
	return r, err
}

// activeRuns returns the runs that have not ended, the oldest first.
func activeRuns(ctx context.Context, rows projections.Rows) ([]Run, error) {
	ids, err := projections.List[events.RunID](ctx, rows, projections.Query{View: Name, Kind: kindActive})
	if err != nil {
		return nil, err
	}
	runs := []Run{}
	for _, id := range ids.Items {
		run, err := RunOf(ctx, rows, id)
		if err != nil {
			return nil, err
		}
		if run != nil {
			runs = append(runs, *run)
		}
	}
	return runs, nil
}

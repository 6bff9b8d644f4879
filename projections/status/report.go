package status

import (
	"context"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/deadlines"
)

// WatchdogGrace is how long a deadline may be overdue before the watchdog says
// that nobody minds it.
const WatchdogGrace = 5 * time.Minute

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

// Watchdog says whether everything that waits is minded by somebody.
type Watchdog struct {
	OK  bool   `json:"ok"`
	Why string `json:"why"`
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
	r.Watchdog, err = watch(ctx, rows, now, r.Heads[StateStuck])
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

func watch(ctx context.Context, rows projections.Rows, now time.Time, stuck int) (Watchdog, error) {
	first, err := deadlines.First(ctx, rows)
	if err != nil {
		return Watchdog{}, err
	}
	if first != nil && now.Sub(first.At) > WatchdogGrace {
		return Watchdog{Why: fmt.Sprintf("%s of %s is due since %s and nobody minds it",
			first.Key, first.Stream, first.At.Format(time.RFC3339))}, nil
	}
	if stuck > 0 {
		return Watchdog{Why: fmt.Sprintf("publications that are stuck: %d", stuck)}, nil
	}
	return Watchdog{OK: true, Why: "nothing is overdue"}, nil
}

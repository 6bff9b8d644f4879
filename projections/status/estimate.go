package status

import (
	"context"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// estimateRuns is how many of the newest runs an estimate rests on.
const estimateRuns = 50

// Estimate says of those who wait for a slot or for the fleet when they may be
// served: at the pace of the newest runs, and never where there were none. Who
// waits for a time has it already.
func (q *QueueReport) Estimate(ctx context.Context, rows projections.Rows, now time.Time) error {
	p := pace{lanes: map[events.PoolName]mean{}, sizes: map[events.PoolName]int{}}
	place := map[string]int{}
	for i := range q.Items {
		item := &q.Items[i]
		if item.Line != LineFleet && item.Line != LinePool {
			continue
		}
		if err := p.learn(ctx, rows); err != nil {
			return err
		}
		place[item.line()]++
		each, width := p.runs.of(), p.fleet
		if item.Line == LinePool {
			each, width = p.lanes[item.Pool].of(), p.sizes[item.Pool]
		}
		if each > 0 && width > 0 {
			eta := now.Add(each * time.Duration(place[item.line()]) / time.Duration(width)).Round(time.Second)
			item.ETA = &eta
		}
	}
	return nil
}

// mean is one of durations.
type mean struct {
	sum time.Duration
	n   int
}

func (m mean) of() time.Duration {
	if m.n == 0 {
		return 0
	}
	return m.sum / time.Duration(m.n)
}

func (m mean) with(d time.Duration) mean { return mean{m.sum + max(d, 0), m.n + 1} }

// pace is how long runs and lanes took, and how many go side by side.
type pace struct {
	known bool
	runs  mean
	fleet int
	lanes map[events.PoolName]mean
	sizes map[events.PoolName]int
}

// learn looks at the newest runs, once.
func (p *pace) learn(ctx context.Context, rows projections.Rows) error {
	if p.known {
		return nil
	}
	p.known = true
	fleet, err := FleetNow(ctx, rows)
	if err != nil {
		return err
	}
	p.fleet = max(fleet.MaxRuns, fleet.Running)
	pools, err := GetPools(ctx, rows, Filter{})
	if err != nil {
		return err
	}
	for i := range pools.Items {
		p.sizes[pools.Items[i].Pool] = pools.Items[i].Size
	}
	runs, err := GetRuns(ctx, rows, Filter{State: string(StateEnded), Limit: estimateRuns})
	if err != nil {
		return err
	}
	for i := range runs.Items {
		run := &runs.Items[i]
		if run.Started.IsZero() || !run.Outcome.Reviewed() {
			continue
		}
		p.runs = p.runs.with(run.Ended.Sub(run.Started))
		lanes, err := LanesOf(ctx, rows, run.Run)
		if err != nil {
			return err
		}
		for _, lane := range lanes {
			if lane.Status == LaneCompleted && !lane.Began.IsZero() {
				p.lanes[lane.Pool] = p.lanes[lane.Pool].with(lane.Since.Sub(lane.Began))
			}
		}
	}
	return nil
}

package status

import (
	"slices"
	"strconv"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

func attemptKey(run events.RunID, lane events.LaneID, attempt int) string {
	return laneKey(run, lane) + "/" + strconv.Itoa(attempt)
}

func applyPool(tx *projections.Tx, e *events.Event, p events.Payload) error {
	name := events.PoolName(e.Stream.Subject())
	pool, err := projections.ReadOrNew[Pool](tx, kindPool, string(name))
	if err != nil {
		return err
	}
	pool.Pool = name
	switch p := p.(type) {
	case *events.PoolSized:
		pool.Size, pool.Reason, pool.Since = p.Size, p.Reason, e.Time
	case *events.LaneQueued:
		pool.Waiting++
		err = queueLane(tx, e, name, p)
	case *events.LaneGranted:
		pool.Waiting--
		pool.Used++
		dropPlace(tx, LinePool, attemptKey(p.Run, p.Lane, p.Attempt))
		err = withLane(tx, e, p.Run, p.Lane, LaneGranted, func(l *Lane) { l.Reason = "" })
	case *events.LaneReleased:
		err = releaseLane(tx, pool, p)
	case *events.LaneExpired:
		pool.Used--
	}
	if err != nil {
		return err
	}
	pool.Updated, pool.Event = e.Time, e.Ref()
	projections.Put(tx, kindPool, string(name), projections.Columns{At: e.Time, Sort: string(name)}, pool)
	return nil
}

// releaseLane frees a slot or a place. A lane that never came to the pool is
// released too, so that it cannot come any more.
func releaseLane(tx *projections.Tx, pool *Pool, p *events.LaneReleased) error {
	if p.Slot >= 0 {
		pool.Used--
		return nil
	}
	key := attemptKey(p.Run, p.Lane, p.Attempt)
	place, err := projections.Read[Place](tx, kindLine, placeKey(LinePool, key))
	if err != nil || place == nil {
		return err
	}
	pool.Waiting--
	dropPlace(tx, LinePool, key)
	return nil
}

func queueLane(tx *projections.Tx, e *events.Event, pool events.PoolName, p *events.LaneQueued) error {
	run, err := projections.ReadOrNew[Run](tx, kindRun, string(p.Run))
	if err != nil {
		return err
	}
	putPlace(tx, &Place{
		Line: LinePool, Kind: "lane", ID: laneKey(p.Run, p.Lane), Run: p.Run, Repo: run.Repo, Number: run.Number, Pool: pool,
		Account: p.Account, Rank: p.Key, Why: "no slot is free", Since: e.Time, Event: e.Ref(),
	}, attemptKey(p.Run, p.Lane, p.Attempt))
	return withLane(tx, e, p.Run, p.Lane, LaneQueued, func(l *Lane) { l.Reason = "" })
}

func applyAccount(tx *projections.Tx, e *events.Event, p events.Payload) error {
	name := events.AccountName(e.Stream.Subject())
	a, err := projections.ReadOrNew[Account](tx, kindAccount, string(name))
	if err != nil {
		return err
	}
	if a.Account == "" {
		a.Account, a.Breaker.State = name, "closed"
	}
	switch p := p.(type) {
	case *events.AccountConfigured:
		a.SessionTokens, a.WeeklyTokens = p.SessionTokens, p.WeeklyTokens
	case *events.BudgetReserved:
		a.Reserved += p.Tokens
		a.Open++
		if err = leaveBudgetLine(tx, a, p.Run, p.Lane, p.Attempt); err == nil {
			err = withLane(tx, e, p.Run, p.Lane, LaneReserved, func(l *Lane) { l.Reason = "" })
		}
	case *events.BudgetRefused:
		err = joinBudgetLine(tx, e, a, p)
	case *events.BudgetReleased:
		err = leaveBudgetLine(tx, a, p.Run, p.Lane, p.Attempt)
	case *events.BudgetSettled:
		a.Reserved -= p.Reserved
		a.Open--
		a.Spent += p.Used
	case *events.BreakerOpened:
		a.Breaker = Breaker{State: "open", Epoch: p.Epoch, Until: p.Until, Cause: p.Cause, Event: e.Ref()}
	case *events.BreakerProbing:
		a.Breaker.State, a.Breaker.Epoch, a.Breaker.Event = "probing", p.Epoch, e.Ref()
	case *events.BreakerClosed:
		a.Breaker = Breaker{State: "closed", Epoch: p.Epoch, Event: e.Ref()}
	}
	if err != nil {
		return err
	}
	a.Updated, a.Event = e.Time, e.Ref()
	projections.Put(tx, kindAccount, string(name), projections.Columns{
		State: a.Breaker.State, At: e.Time, Sort: string(name),
	}, a)
	return nil
}

// joinBudgetLine notes a place in the account's line. A lane that is refused
// again keeps its place; one that can never fit has none.
func joinBudgetLine(tx *projections.Tx, e *events.Event, a *Account, p *events.BudgetRefused) error {
	if p.Until.IsZero() {
		return leaveBudgetLine(tx, a, p.Run, p.Lane, p.Attempt)
	}
	key := attemptKey(p.Run, p.Lane, p.Attempt)
	before, err := projections.Read[Place](tx, kindLine, placeKey(LineBudget, key))
	if err != nil {
		return err
	}
	run, err := projections.ReadOrNew[Run](tx, kindRun, string(p.Run))
	if err != nil {
		return err
	}
	since := e.Time
	if before == nil {
		a.Waiting++
	} else {
		since = before.Since
	}
	putPlace(tx, &Place{
		Line: LineBudget, Kind: "lane", ID: laneKey(p.Run, p.Lane), Run: p.Run, Repo: run.Repo, Number: run.Number,
		Pool: p.Pool, Account: a.Account, Rank: p.Rank, Why: p.Reason, ETA: timeOrNil(p.Until), Since: since, Event: e.Ref(),
	}, key)
	return withLane(tx, e, p.Run, p.Lane, LaneNoBudget, func(l *Lane) { l.Reason, l.Until = p.Reason, p.Until })
}

func leaveBudgetLine(tx *projections.Tx, a *Account, run events.RunID, lane events.LaneID, attempt int) error {
	key := attemptKey(run, lane, attempt)
	before, err := projections.Read[Place](tx, kindLine, placeKey(LineBudget, key))
	if err != nil || before == nil {
		return err
	}
	a.Waiting--
	dropPlace(tx, LineBudget, key)
	return nil
}

func applyRepo(tx *projections.Tx, e *events.Event, p events.Payload) error {
	r, err := projections.ReadOrNew[Repo](tx, kindRepo, string(e.Stream))
	if err != nil {
		return err
	}
	switch p := p.(type) {
	case *events.RepoConfigured:
		if p.Repo != r.Was {
			r.Repo, r.Was = p.Repo, ""
		}
		r.Base, r.Enabled, r.Engines = p.Base, p.Enabled, p.Engines
	case *events.RepoRenamed:
		if r.Was == "" {
			r.Was = r.Repo
		}
		if r.Repo = p.To; r.Repo == r.Was {
			r.Was = ""
		}
	case *events.RepoUnreachable:
		r.Trouble = &Trouble{Reason: p.Reason, Since: e.Time, Event: e.Ref()}
	case *events.RepoReachable:
		r.Trouble = nil
	default:
		return nil
	}
	r.Stream, r.Updated, r.Event = e.Stream, e.Time, e.Ref()
	projections.Put(tx, kindRepo, string(e.Stream), projections.Columns{
		Repo: string(r.Repo), At: e.Time, Sort: string(r.Repo),
	}, r)
	return nil
}

func applyFleet(tx *projections.Tx, e *events.Event, p events.Payload) error {
	f, err := projections.ReadOrNew[Fleet](tx, kindFleet, fleetKey)
	if err != nil {
		return err
	}
	if f.Paused == nil {
		f.Paused = []Pause{}
	}
	switch p := p.(type) {
	case *events.FleetConfigured:
		f.MaxRuns = p.MaxRuns
	case *events.ConfigLoaded:
		f.Config = &Config{
			Digest: p.Digest, Rules: p.Rules, File: p.File, Since: e.Time, Event: e.Ref(),
			Changed: append([]string{}, p.Changed...), Kept: append([]string{}, p.Kept...),
		}
	case *events.ConfigRejected:
		if f.Config == nil {
			f.Config = &Config{File: p.File, Changed: []string{}, Kept: []string{}}
		}
		f.Config.Rejected = &Rejection{Reason: p.Reason, Since: e.Time, Event: e.Ref()}
	case *events.FleetPaused:
		f.unpause(p.Scope)
		f.Paused = append(f.Paused, Pause{Scope: p.Scope, Since: e.Time, Event: e.Ref()})
	case *events.FleetResumed:
		f.unpause(p.Scope)
	case *events.RunHeld:
		err = admission(tx, e, f, p.Ticket.Run, "held")
		putPlace(tx, &Place{
			Line: LineFleet, Kind: "head", ID: string(p.Ticket.Head), Run: p.Ticket.Run, Repo: p.Ticket.Repo,
			Number: p.Ticket.Number, Rank: p.Key, Why: p.Reason, Since: e.Time, Event: e.Ref(),
		}, string(p.Ticket.Run))
	case *events.RunAdmitted:
		err = admission(tx, e, f, p.Ticket.Run, "admitted")
	case *events.RunRefused:
		err = admission(tx, e, f, p.Run, "refused")
	case *events.RunFreed:
		err = admission(tx, e, f, p.Run, "freed")
	}
	if err != nil {
		return err
	}
	f.Event = e.Ref()
	projections.Put(tx, kindFleet, fleetKey, projections.Columns{At: e.Time}, f)
	return nil
}

func (f *Fleet) unpause(scope string) {
	f.Paused = slices.DeleteFunc(f.Paused, func(p Pause) bool { return p.Scope == scope })
}

// admission moves a run from one of the fleet's sets to another.
func admission(tx *projections.Tx, e *events.Event, f *Fleet, run events.RunID, now string) error {
	return withRun(tx, e, run, func(r *Run) {
		switch r.Admission {
		case "held":
			f.Waiting--
			dropPlace(tx, LineFleet, string(run))
		case "admitted":
			f.Running--
		}
		switch r.Admission = now; now {
		case "held":
			f.Waiting++
		case "admitted":
			f.Running++
		}
	})
}

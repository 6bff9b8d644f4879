package account

import (
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/actors/line"
	"github.com/reviewctl/reviewctl/events"
)

type candidate = line.Entry[events.LaneKey, Place]

// limit is a window with a bound.
type limit struct {
	name   string
	window time.Duration
	tokens int64
}

func limitsOf(session, weekly int64) []limit {
	var limits []limit
	if session > 0 {
		limits = append(limits, limit{"session", sessionWindow, session})
	}
	if weekly > 0 {
		limits = append(limits, limit{"weekly", weeklyWindow, weekly})
	}
	return limits
}

// desk is the account while one decision is made: the state, and what the events
// decided so far change about it.
type desk struct {
	rules   Rules
	state   *State
	at      time.Time
	limits  []limit
	open    int64                   // tokens held
	holders map[events.PoolName]int // change of the open reservations of a pool
	runs    map[events.RunID]int64  // change of a run's held and used tokens
	spent   spends                  // the state's, until this decision adds to it
	owned   bool                    // spent is a copy
	gone    map[events.LaneKey]bool // settled, reserved, or out of the line by this decision
	breaker Breaker
	decided []events.Payload
}

func (r Rules) desk(s *State, given events.Given) *desk {
	return &desk{
		rules: r, state: s, at: given.At, limits: limitsOf(s.SessionTokens, s.WeeklyTokens),
		open: s.OpenTokens, holders: map[events.PoolName]int{}, runs: map[events.RunID]int64{},
		spent: s.Spent, gone: map[events.LaneKey]bool{}, breaker: s.Breaker,
	}
}

func (d *desk) decide(p events.Payload) { d.decided = append(d.decided, p) }

// settle replaces what a lane held by what it used.
func (d *desk) settle(open *line.Entry[events.LaneKey, Open], p *events.BudgetSettled) {
	p.Run, p.Lane, p.Attempt, p.Reserved = open.ID.Run, open.ID.Lane, open.ID.Attempt, open.Value.Tokens
	d.decide(p)
	d.gone[open.ID] = true
	d.open -= open.Value.Tokens
	d.holders[open.Value.Pool]--
	d.runs[open.ID.Run] += p.Used - open.Value.Tokens
	if p.Used > 0 && len(d.limits) > 0 {
		if !d.owned {
			d.spent, d.owned = append(make(spends, 0, len(d.spent)+1), d.spent...), true
		}
		d.spent = d.spent.insert(p.SpentAt, p.Used)
	}
}

func (d *desk) release(key events.LaneKey, reason string) {
	d.decide(&events.BudgetReleased{Run: key.Run, Lane: key.Lane, Attempt: key.Attempt, Reason: reason})
	d.gone[key] = true
}

func (d *desk) refuse(c *candidate, until time.Time, reason string) {
	d.decide(&events.BudgetRefused{
		Run: c.ID.Run, Lane: c.ID.Lane, Attempt: c.ID.Attempt, Tokens: c.Value.Tokens, Pool: c.Value.Pool,
		Rank: c.Key, Owner: c.Value.Owner, Timeout: c.Value.Timeout, Deadline: c.Value.Deadline,
		Until: until, Reason: reason, MaxRunTokens: c.Value.MaxRunTokens,
	})
	d.gone[c.ID] = true
}

// grant reserves for the candidate; the first after an open period is the probe.
func (d *desk) grant(c *candidate) {
	if d.breaker.Phase == PhaseOpen {
		d.decide(&events.BreakerProbing{Epoch: d.breaker.Epoch, Run: c.ID.Run, Lane: c.ID.Lane, Attempt: c.ID.Attempt})
		d.breaker.Phase, d.breaker.Probe = PhaseProbing, c.ID
	}
	d.decide(&events.BudgetReserved{
		Run: c.ID.Run, Lane: c.ID.Lane, Attempt: c.ID.Attempt, Tokens: c.Value.Tokens, Pool: c.Value.Pool,
		Rank: c.Key, Owner: c.Value.Owner, Timeout: c.Value.Timeout,
		Lapses: c.Value.Deadline.Add(events.AdmissionGrace), Breaker: d.breaker.state(),
	})
	d.gone[c.ID] = true
	d.open += c.Value.Tokens
	d.holders[c.Value.Pool]++
	d.runs[c.ID.Run] += c.Value.Tokens
}

// look reserves for the best of the line, and of who joins it, as long as there is
// room for the best: nobody passes a better one that waits for money.
func (d *desk) look(joining *candidate) {
	cursors := make([]line.Cursor[events.LaneKey, Place], len(d.state.Pools))
	for i, pool := range d.state.Pools {
		cursors[i] = pool.Line.Cursor()
	}
	for range d.rules.Batch {
		best := d.best(cursors, joining)
		switch {
		case best == nil:
			return
		case d.lapsed(best): // guard: a lane whose run is over gets money
			d.release(best.ID, reasonLapsed)
			continue
		}
		if why := d.never(best); why != "" {
			d.refuse(best, time.Time{}, why)
			continue
		}
		if until, _ := d.blocks(); !until.IsZero() || !d.fits(best.Value.Tokens) { // guard: more is reserved than there is
			return
		}
		d.grant(best)
	}
}

// best returns the best candidate whose pool may hold one more reservation.
func (d *desk) best(cursors []line.Cursor[events.LaneKey, Place], joining *candidate) *candidate {
	var best *candidate
	if joining != nil && !d.gone[joining.ID] && !d.full(joining.Value.Pool) {
		best = joining
	}
	for i := range cursors {
		c := cursors[i].Peek()
		for c != nil && d.gone[c.ID] {
			cursors[i].Next()
			c = cursors[i].Peek()
		}
		if c == nil || d.full(c.Value.Pool) {
			continue
		}
		if best == nil || c.Key < best.Key || c.Key == best.Key && c.Seq < best.Seq {
			best = c
		}
	}
	return best
}

// full reports whether the pool's lanes hold as many reservations as they may.
// The account does not see lanes begin, so it counts all that have not settled: at
// most that many have not begun. Where nothing is metered, nothing is kept from
// others.
func (d *desk) full(pool events.PoolName) bool {
	return len(d.limits) > 0 && d.holding(pool) >= d.rules.Holders
}

func (d *desk) holding(pool events.PoolName) int {
	open := d.holders[pool]
	for _, b := range d.state.Pools {
		if b.Pool == pool {
			open += b.Open
		}
	}
	return open
}

func (d *desk) fits(tokens int64) bool {
	for _, l := range d.limits {
		if d.spent.within(d.at, l.window)+d.open+tokens > l.tokens {
			return false
		}
	}
	return true
}

// never says why there will be no room for the candidate, "" where there may be.
func (d *desk) never(c *candidate) string {
	for _, l := range d.limits {
		if c.Value.Tokens > l.tokens { // guard: a lane waits for what never fits
			return fmt.Sprintf("%d tokens are more than the account's %s limit of %d", c.Value.Tokens, l.name, l.tokens)
		}
	}
	if c.Value.MaxRunTokens <= 0 {
		return ""
	}
	used := d.runs[c.ID.Run]
	if book, ok := d.state.Runs.Get(c.ID.Run); ok {
		used += book.Value.Open + book.Value.Settled
	}
	if used+c.Value.Tokens > c.Value.MaxRunTokens { // guard: a run goes over its limit
		return fmt.Sprintf("%d tokens more would take the run over its limit of %d (%d held and used)",
			c.Value.Tokens, c.Value.MaxRunTokens, used)
	}
	return ""
}

// lapsed reports whether the candidate's run is long over.
func (d *desk) lapsed(c *candidate) bool {
	return !d.at.Before(c.Value.Deadline.Add(events.AdmissionGrace))
}

// wait says until when a candidate waits, and for what: the latest of all that
// stands in its way. It is always later than now.
func (d *desk) wait(c *candidate) (until time.Time, why string) {
	later := func(at time.Time, reason string) {
		if at.After(until) {
			until, why = at, reason
		}
	}
	if d.full(c.Value.Pool) {
		later(d.at.Add(ms(d.rules.LookMS)), fmt.Sprintf("%d lanes of pool %s hold a reservation", d.holding(c.Value.Pool), c.Value.Pool))
	}
	if at, reason := d.blocks(); !at.IsZero() {
		later(at, reason)
	}
	for _, l := range d.limits {
		over := d.spent.within(d.at, l.window) + d.open + c.Value.Tokens - l.tokens
		if over <= 0 {
			continue
		}
		if at, ok := d.spent.edge(d.at, l.window, over); ok {
			later(at, l.name+" limit")
		} else {
			// What is held is in the way. It settles sooner than it lapses.
			later(d.at.Add(ms(d.rules.LookMS)), l.name+" limit, by what other lanes hold")
		}
	}
	if until.IsZero() {
		later(d.at.Add(ms(d.rules.LookMS)), "a better rank waits for money")
	}
	return until, why
}

// place finds a place of the line.
func (d *desk) place(key events.LaneKey) *candidate {
	look, _ := d.state.Looks.Get(key)
	place, _ := d.state.pool(look.Value).Line.Get(key)
	return place
}

package account_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/events"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) events.Given { return events.Given{At: t0.Add(d), Boot: "b1"} }

func actor(r account.Rules) decidertest.Actor[account.State] {
	return actorOf("main", r)
}

func actorOf(name events.AccountName, r account.Rules) decidertest.Actor[account.State] {
	return decidertest.Actor[account.State]{
		Stream: events.AccountStream(name), Fold: account.Fold, Decide: r.Decide, Check: account.Check,
	}
}

const day = 24 * time.Hour

// ask is lane n of a run of its own, with a deadline ten days off.
func ask(n int, rank string, tokens int64) account.Reserve {
	return account.Reserve{
		Run: events.RunID(fmt.Sprint("run", n)), Lane: "a", Attempt: 1, Tokens: tokens, Pool: "gpt",
		Rank: rank, Owner: "b1", Timeout: 60_000, Deadline: t0.Add(10 * day),
	}
}

func from(pool events.PoolName, c account.Reserve) account.Reserve {
	c.Pool = pool
	return c
}

// of is the lane of a given run, which has a limit.
func of(run events.RunID, lane events.LaneID, tokens, most int64) account.Reserve {
	c := ask(0, "b", tokens)
	c.Run, c.Lane, c.MaxRunTokens = run, lane, most
	return c
}

func reserved(c account.Reserve) *events.BudgetReserved {
	return &events.BudgetReserved{
		Run: c.Run, Lane: c.Lane, Attempt: c.Attempt, Tokens: c.Tokens, Pool: c.Pool, Rank: c.Rank,
		Owner: c.Owner, Timeout: c.Timeout, Lapses: c.Deadline.Add(events.AdmissionGrace),
	}
}

func reservedAt(c account.Reserve, epoch int64, until time.Duration) *events.BudgetReserved {
	p := reserved(c)
	p.Breaker.Epoch = epoch
	if until != 0 {
		p.Breaker.Until = t0.Add(until)
	}
	return p
}

func waits(c account.Reserve, until time.Duration, reason string) *events.BudgetRefused {
	p := never(c, reason)
	p.Until = t0.Add(until)
	return p
}

func never(c account.Reserve, reason string) *events.BudgetRefused {
	return &events.BudgetRefused{
		Run: c.Run, Lane: c.Lane, Attempt: c.Attempt, Tokens: c.Tokens, Pool: c.Pool, Rank: c.Rank,
		Owner: c.Owner, Timeout: c.Timeout, Deadline: c.Deadline, Reason: reason, MaxRunTokens: c.MaxRunTokens,
	}
}

// used is the end of a lane that began at a time.
func used(c account.Reserve, tokens int64, began time.Duration) account.Settle {
	return account.Settle{
		Run: c.Run, Lane: c.Lane, Attempt: c.Attempt, Began: t0.Add(began), Ran: true, Reason: "completed",
		Usage: events.Usage{InputTokens: tokens, Confidence: events.ConfidenceExact},
	}
}

func settled(c account.Reserve, tokens int64, began time.Duration) *events.BudgetSettled {
	return &events.BudgetSettled{
		Run: c.Run, Lane: c.Lane, Attempt: c.Attempt, Reserved: c.Tokens, Used: tokens,
		Confidence: events.ConfidenceExact, Reason: "completed", SpentAt: t0.Add(began),
	}
}

func settledAs(c account.Reserve, tokens int64, began time.Duration, how events.Confidence, reason string) *events.BudgetSettled {
	p := settled(c, tokens, began)
	p.Confidence, p.Reason = how, reason
	return p
}

func released(c account.Reserve, reason string) events.Payload {
	return &events.BudgetReleased{Run: c.Run, Lane: c.Lane, Attempt: c.Attempt, Reason: reason}
}

func limits(session, weekly int64) events.Payload {
	return &events.AccountConfigured{SessionTokens: session, WeeklyTokens: weekly}
}

type recorded = []events.Payload

// row is a case whose events were recorded at t0, or at the times of steps.
type row struct {
	name    string
	given   recorded
	steps   []decidertest.Step
	at      time.Duration
	when    events.Command
	then    recorded
	refused string
}

func run(t *testing.T, rules account.Rules, rows []row) {
	t.Helper()
	cases := make([]decidertest.Case[account.State], len(rows))
	for i, r := range rows {
		cases[i] = decidertest.Case[account.State]{
			Name: r.name, Given: append(decidertest.Steps(t0, r.given...), r.steps...), With: at(r.at),
			When: r.when, Then: r.then, Refused: r.refused, Twice: r.refused == "",
		}
	}
	actor(rules).Run(t, cases...)
}

type otherCommand struct{}

func (otherCommand) Name() string { return "fleet.due" }

func TestConfigure(t *testing.T) {
	t.Parallel()
	a, b, c := ask(1, "a", 60), ask(2, "b", 60), ask(3, "c", 60)
	line := recorded{limits(100, 0), reserved(a), waits(b, time.Hour, "session limit"), waits(c, time.Hour, "session limit")}
	run(t, account.DefaultRules(), []row{
		{name: "limits", when: account.Configure{SessionTokens: 1, WeeklyTokens: 2}, then: recorded{limits(1, 2)}},
		{name: "the same", given: recorded{limits(1, 2)}, when: account.Configure{SessionTokens: 1, WeeklyTokens: 2}},
		{name: "no limits where there are none", when: account.Configure{}},
		{name: "negative session", when: account.Configure{SessionTokens: -1}, refused: "0 (none) or more"},
		{name: "negative week", when: account.Configure{WeeklyTokens: -1}, refused: "0 (none) or more"},
		{name: "more looks at the line", given: line, when: account.Configure{SessionTokens: 120}, then: recorded{limits(120, 0), reserved(b)}},
		{name: "no limit serves the line", given: line, when: account.Configure{}, then: recorded{limits(0, 0), reserved(b), reserved(c)}},
		{name: "less than a place ends it", given: line, when: account.Configure{SessionTokens: 50}, then: recorded{
			limits(50, 0), never(b, "60 tokens are more than the account's session limit of 50"),
			never(c, "60 tokens are more than the account's session limit of 50"),
		}},
		{name: "another actor's command", when: otherCommand{}, refused: "takes no fleet.due"},
	})
}

func TestReserve(t *testing.T) {
	t.Parallel()
	a, b, c := ask(1, "b", 60), ask(2, "b", 60), ask(3, "a", 10)
	capped := of("r", "x", 60, 100)
	late := ask(4, "b", 1)
	late.Deadline = t0.Add(-time.Hour)
	rules := account.DefaultRules()
	rules.Holders, rules.LineMax = 2, 2
	step := func(d time.Duration, p events.Payload) decidertest.Step {
		return decidertest.Step{At: t0.Add(d), Payload: p}
	}
	run(t, rules, []row{
		{name: "unmetered", when: ask(1, "a", 1e15), then: recorded{reserved(ask(1, "a", 1e15))}},
		{name: "unmetered has no holder bound", given: recorded{reserved(a), reserved(b)}, when: c, then: recorded{reserved(c)}},
		{name: "within the limits", given: recorded{limits(60, 60)}, when: a, then: recorded{reserved(a)}},
		{name: "known and held", given: recorded{reserved(a)}, when: a},
		{name: "known and waiting", given: recorded{limits(100, 0), reserved(a), waits(b, time.Hour, "x")}, when: b},
		{name: "again after it settled", given: recorded{reserved(a), settled(a, 5, 0)}, when: a},
		{name: "again after its place was given up", given: recorded{limits(100, 0), reserved(a), waits(b, time.Hour, "x"), released(b, "x")}, when: b},
		{name: "again after never", given: recorded{never(a, "x")}, when: a},
		{name: "no lane", when: account.Reserve{Run: "r", Deadline: t0}, refused: "a reservation needs"},
		{name: "no run", when: account.Reserve{Lane: "r", Deadline: t0}, refused: "a reservation needs"},
		{name: "no deadline", when: account.Reserve{Run: "r", Lane: "l"}, refused: "a reservation needs"},
		{name: "negative", when: ask(1, "a", -1), refused: "no negative tokens"},
		{name: "long over", when: late, then: recorded{never(late, "its run is long over")}},
		{name: "more than the session limit", given: recorded{limits(59, 0)}, when: a,
			then: recorded{never(a, "60 tokens are more than the account's session limit of 59")}},
		{name: "more than the weekly limit", given: recorded{limits(60, 59)}, when: a,
			then: recorded{never(a, "60 tokens are more than the account's weekly limit of 59")}},
		{name: "what is held is in the way", given: recorded{limits(100, 0), reserved(a)}, when: b,
			then: recorded{waits(b, account.LookAgain, "session limit, by what other lanes hold")}},
		{name: "what is held counts whatever its age", given: recorded{limits(100, 0), reserved(a)}, at: 6 * time.Hour, when: b,
			then: recorded{waits(b, 6*time.Hour+account.LookAgain, "session limit, by what other lanes hold")}},
		{name: "the session's edge", steps: []decidertest.Step{
			step(0, limits(100, 0)), step(0, reserved(a)), step(2*time.Hour, settled(a, 60, time.Hour)),
		}, at: 2 * time.Hour, when: b, then: recorded{waits(b, 6*time.Hour, "session limit")}},
		{name: "the first edge that is enough", steps: []decidertest.Step{
			step(0, limits(100, 0)), step(0, reserved(ask(7, "a", 10))), step(0, reserved(ask(8, "a", 30))), step(0, reserved(ask(9, "a", 50))),
			step(time.Hour, settled(ask(7, "a", 10), 10, 10*time.Minute)), step(time.Hour, settled(ask(9, "a", 50), 50, 30*time.Minute)),
			step(time.Hour, settled(ask(8, "a", 30), 30, 20*time.Minute)),
		}, at: time.Hour, when: b, then: recorded{waits(b, 5*time.Hour+30*time.Minute, "session limit")}},
		{name: "at the edge it fits", steps: []decidertest.Step{
			step(0, limits(100, 0)), step(0, reserved(a)), step(2*time.Hour, settled(a, 60, time.Hour)),
		}, at: 6 * time.Hour, when: b, then: recorded{reserved(b)}},
		{name: "just before it does not", steps: []decidertest.Step{
			step(0, limits(100, 0)), step(0, reserved(a)), step(2*time.Hour, settled(a, 60, time.Hour)),
		}, at: 6*time.Hour - 1, when: b, then: recorded{waits(b, 6*time.Hour, "session limit")}},
		{name: "the week's edge is the later", steps: []decidertest.Step{
			step(0, limits(100, 100)), step(0, reserved(a)), step(time.Hour, settled(a, 60, time.Hour)),
		}, at: 2 * time.Hour, when: b, then: recorded{waits(b, 7*day+time.Hour, "weekly limit")}},
		{name: "a run over its limit", given: recorded{reserved(capped)}, when: of("r", "y", 41, 100),
			then: recorded{never(of("r", "y", 41, 100), "41 tokens more would take the run over its limit of 100 (60 held and used)")}},
		{name: "a run up to its limit", given: recorded{reserved(capped)}, when: of("r", "y", 40, 100), then: recorded{reserved(of("r", "y", 40, 100))}},
		{name: "a run that used more than it held gets nothing more", given: recorded{reserved(capped), settled(capped, 100, 0)},
			when: of("r", "y", 1, 100), then: recorded{never(of("r", "y", 1, 100), "1 tokens more would take the run over its limit of 100 (100 held and used)")}},
	})
}

func TestReserveBesideTheLine(t *testing.T) {
	t.Parallel()
	a, b, c := ask(1, "b", 60), ask(2, "b", 60), ask(3, "a", 10)
	rules := account.DefaultRules()
	rules.Holders, rules.LineMax = 2, 2
	run(t, rules, []row{
		{name: "a worse rank does not pass", given: recorded{limits(100, 0), reserved(a), waits(b, time.Hour, "x")},
			when: ask(5, "c", 10), then: recorded{waits(ask(5, "c", 10), account.LookAgain, "a better rank waits for money")}},
		{name: "a better rank passes", given: recorded{limits(100, 0), reserved(a), waits(b, time.Hour, "x")}, when: c, then: recorded{reserved(c)}},
		{name: "too many holders of one pool", given: recorded{limits(1000, 0), reserved(a), reserved(b)}, when: c,
			then: recorded{waits(c, account.LookAgain, "2 lanes of pool gpt hold a reservation")}},
		{name: "another pool passes", given: recorded{limits(1000, 0), reserved(a), reserved(b), waits(c, time.Hour, "x")},
			when: from("glm", ask(6, "z", 10)), then: recorded{reserved(from("glm", ask(6, "z", 10)))}},
		{name: "the line is bounded", given: recorded{limits(60, 0), reserved(a), waits(b, time.Hour, "x"), waits(ask(5, "b", 60), time.Hour, "x")},
			when: ask(6, "b", 60), then: recorded{never(ask(6, "b", 60), "2 lanes wait for this account already")}},
	})
}

func TestSettle(t *testing.T) {
	t.Parallel()
	a, b, c := ask(1, "b", 60), ask(2, "c", 60), ask(3, "a", 60)
	end := func(began time.Time, reason string, usage events.Usage) account.Settle {
		return account.Settle{Run: a.Run, Lane: a.Lane, Attempt: 1, Began: began, Reason: reason, Usage: usage}
	}
	exact := events.Usage{InputTokens: 3, OutputTokens: 4, Confidence: events.ConfidenceExact}
	guess := events.Usage{InputTokens: 300, Confidence: events.ConfidenceEstimate}
	one := recorded{reserved(a)}
	later := at(time.Hour).At
	run(t, account.DefaultRules(), []row{
		{name: "what it used, dated at its begin", given: one, at: time.Hour, when: used(a, 7, time.Minute), then: recorded{settled(a, 7, time.Minute)}},
		{name: "more than it held", given: one, when: end(t0, "completed", guess), then: recorded{settledAs(a, 300, 0, events.ConfidenceEstimate, "completed")}},
		{name: "nobody says", given: one, when: end(t0, "lost", events.Usage{Confidence: events.ConfidenceUnknown}),
			then: recorded{settledAs(a, 60, 0, events.ConfidenceUnknown, "lost")}},
		{name: "no word of it", given: one, when: end(t0, "lost", events.Usage{}), then: recorded{settledAs(a, 60, 0, events.ConfidenceUnknown, "lost")}},
		{name: "it never began", given: one, at: time.Hour, when: end(time.Time{}, "superseded", events.Usage{}),
			then: recorded{settledAs(a, 0, time.Hour, events.ConfidenceExact, "superseded")}},
		{name: "withdrawn", given: one, when: end(t0, account.ReasonWithdrawn, events.Usage{}), then: recorded{settledAs(a, 0, 0, events.ConfidenceExact, "withdrawn")}},
		{name: "declined", given: one, when: end(t0, account.ReasonDeclined, events.Usage{}), then: recorded{settledAs(a, 0, 0, events.ConfidenceExact, "declined")}},
		{name: "before it started", given: one, when: end(t0, account.ReasonBefore, events.Usage{}), then: recorded{settledAs(a, 0, 0, events.ConfidenceExact, "before_start")}},
		{name: "deferred", given: one, when: end(t0, account.ReasonDeferred, events.Usage{}), then: recorded{settledAs(a, 0, 0, events.ConfidenceExact, "deferred")}},
		{name: "deferred and yet it used", given: one, when: end(t0, account.ReasonDeferred, exact), then: recorded{settledAs(a, 7, 0, events.ConfidenceExact, "deferred")}},
		{name: "negative usage is none", given: one, when: end(t0, "completed", events.Usage{InputTokens: -9, Confidence: events.ConfidenceExact}),
			then: recorded{settled(a, 0, 0)}},
		{name: "a begin that is yet to come", given: one, when: end(later, "completed", exact), then: recorded{settled(a, 7, 0)}},
		{name: "again after the end", given: recorded{reserved(a), settled(a, 7, 0)}, when: used(a, 7, 0)},
		{name: "unknown", when: used(a, 7, 0)},
		{name: "a place", given: recorded{limits(100, 0), reserved(b), waits(a, time.Hour, "x")}, when: end(time.Time{}, "withdrawn", events.Usage{}),
			then: recorded{released(a, "withdrawn")}},
		{name: "a place that stood in the way", given: recorded{limits(100, 0), reserved(b), waits(a, time.Hour, "x"), waits(ask(9, "z", 10), time.Hour, "x")},
			when: end(time.Time{}, "withdrawn", events.Usage{}), then: recorded{released(a, "withdrawn"), reserved(ask(9, "z", 10))}},
		{name: "the line is looked at, by rank", given: recorded{limits(100, 0), reserved(a), waits(b, time.Hour, "x"), waits(c, time.Hour, "x")},
			when: used(a, 30, 0), then: recorded{settled(a, 30, 0), reserved(c)}},
		{name: "the best does not fit, and nobody passes", given: recorded{limits(100, 0), reserved(a), waits(c, time.Hour, "x"), waits(ask(9, "z", 1), time.Hour, "x")},
			when: used(a, 50, 0), then: recorded{settled(a, 50, 0)}},
		{name: "a place whose run used too much ends", given: recorded{limits(100, 0), reserved(of("r", "x", 60, 90)), waits(of("r", "y", 50, 120), time.Hour, "x")},
			when: used(of("r", "x", 60, 90), 80, 0), then: recorded{
				settled(of("r", "x", 60, 90), 80, 0),
				never(of("r", "y", 50, 120), "50 tokens more would take the run over its limit of 120 (80 held and used)"),
			}},
	})
}

func TestDue(t *testing.T) {
	t.Parallel()
	a, b := ask(1, "b", 60), ask(2, "b", 60)
	a.Deadline = t0.Add(time.Hour)
	short := b
	short.Deadline = t0.Add(30 * time.Minute)
	big, more := of("r", "x", 60, 90), of("r", "y", 50, 120)
	lapse := time.Hour + events.AdmissionGrace
	line := recorded{limits(100, 0), reserved(a), waits(b, account.LookAgain, "x")}
	lapsed := settledAs(a, 60, 0, events.ConfidenceUnknown, "lapsed")
	run(t, account.DefaultRules(), []row{
		{name: "nothing", when: account.Due{}},
		{name: "not lapsed yet", given: recorded{reserved(a)}, at: lapse - 1, when: account.Due{}},
		{name: "lapsed", given: recorded{reserved(a)}, at: lapse, when: account.Due{}, then: recorded{lapsed}},
		{name: "a place is looked at again", given: line, at: account.LookAgain, when: account.Due{},
			then: recorded{waits(b, 2*account.LookAgain, "session limit, by what other lanes hold")}},
		{name: "a place is not due yet", given: line, at: account.LookAgain - 1, when: account.Due{}},
		{name: "lapsed, and the place waits for the edge", given: line, at: lapse, when: account.Due{},
			then: recorded{lapsed, waits(b, 5*time.Hour, "session limit")}},
		{name: "the edge", given: recorded{limits(100, 0), reserved(a), settled(a, 60, 0), waits(b, 5*time.Hour, "x")}, at: 5 * time.Hour,
			when: account.Due{}, then: recorded{reserved(b)}},
		{name: "a place of a run that is long over, behind a better one",
			given: recorded{limits(100, 0), reserved(ask(1, "b", 60)), waits(ask(5, "a", 60), day, "x"), waits(short, time.Hour, "x")},
			at:    90 * time.Minute, when: account.Due{}, then: recorded{released(short, "lapsed")}},
		{name: "a place of a run that used too much, behind a better one",
			given: recorded{limits(100, 0), reserved(big), waits(ask(5, "a", 60), day, "x"), waits(more, time.Hour, "x"), settled(big, 80, 0)},
			at:    time.Hour, when: account.Due{}, then: recorded{never(more, "50 tokens more would take the run over its limit of 120 (80 held and used)")}},
		{name: "a place of a run that is long over", given: recorded{limits(100, 0), reserved(ask(1, "b", 60)), waits(short, time.Hour, "x")},
			at: 90 * time.Minute, when: account.Due{}, then: recorded{released(short, "lapsed")}},
	})
}

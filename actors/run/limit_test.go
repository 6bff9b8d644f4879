package run_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// unmetered is a history whose lanes have no account of their own.
func unmetered(owner events.BootID, given recorded) recorded {
	out := make(recorded, len(given))
	copy(out, given)
	first := started(owner, "one")
	first.Steps[0].Lanes[0].Account = events.AccountUnmetered
	out[0] = first
	return out
}

// An engine without an account has no breaker that would wait for its limit.
func TestUsageLimitWithoutAnAccount(t *testing.T) {
	t.Parallel()
	met := func(reset time.Time) run.FailLane {
		return run.FailLane{
			Lane: "one", Attempt: 1, Generation: 7, Kind: events.FailureUsageLimit, Message: "m", Usage: used, Reset: reset,
		}
	}
	fails := func(reset time.Time) *events.LaneFailed {
		f := failed("one", 1, events.FailureUsageLimit, "m", used)
		f.Account, f.Reset = events.AccountUnmetered, reset
		return f
	}
	waits := func(until time.Duration) *events.LaneDeferred {
		return &events.LaneDeferred{
			Lane: "one", Attempt: 1, Generation: 7, Pool: "gpt", Account: events.AccountUnmetered, Began: t0,
			Reason: "usage limit: m", NextAt: t0.Add(until), Deferrals: 1,
		}
	}
	notRun := func(until time.Duration) recorded {
		stop := stopping(events.OutcomeNotRun, "", "usage limit: m")
		end := ended(events.OutcomeNotRun, "", "usage limit: m")
		stop.Until, end.Until = t0.Add(until), t0.Add(until)
		return recorded{stop, end}
	}
	daemons, ours := unmetered(events.OwnerAny, running), unmetered("terminal", running)
	table(t, rules(), []row{
		{name: "the daemon waits for the reset", given: daemons, when: met(t0.Add(hour)),
			then: recorded{fails(t0.Add(hour)), waits(hour)}},
		{name: "a reset that is past", given: daemons, when: met(t0.Add(-hour)),
			then: recorded{fails(t0.Add(-hour)), waits(10 * minute)}},
		{name: "beyond the run's deadline", given: daemons, when: met(t0.Add(deadline + 1)),
			then: append(recorded{fails(t0.Add(deadline + 1))}, notRun(deadline+1)...)},
		{name: "no reset", given: daemons, at: minute, when: met(time.Time{}),
			then: append(recorded{fails(time.Time{})}, notRun(6*hour+minute)...)},
		{name: "a review in a terminal does not wait", given: ours, when: met(t0.Add(hour)),
			then: append(recorded{fails(t0.Add(hour))}, notRun(hour)...)},
	})
}

package account_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/events"
)

// limited is the end of a lane that met the usage limit with nothing used.
func limited(c account.Reserve, began, reset time.Duration) account.Settle {
	s := used(c, 0, began)
	s.Limit, s.Ran, s.Reason = true, false, string(events.FailureUsageLimit)
	if reset != 0 {
		s.Reset = t0.Add(reset)
	}
	return s
}

func withReset(s account.Settle, reset time.Duration) account.Settle {
	s.Reset = t0.Add(reset)
	return s
}

func limitedAt(c account.Reserve, began time.Duration) events.Payload {
	return settledAs(c, 0, began, events.ConfidenceExact, string(events.FailureUsageLimit))
}

func opened(epoch int64, until time.Duration, cause string) events.Payload {
	return &events.BreakerOpened{Epoch: epoch, Until: t0.Add(until), Cause: cause}
}

func probing(epoch int64, c account.Reserve) events.Payload {
	return &events.BreakerProbing{Epoch: epoch, Run: c.Run, Lane: c.Lane, Attempt: c.Attempt}
}

func closed(epoch int64) events.Payload { return &events.BreakerClosed{Epoch: epoch} }

// stage has two lanes on an account whose breaker the first of them opened until
// 2 hours after t0, and then a probe.
type stage struct {
	a, b, c, d   account.Reserve
	open, probed recorded
}

const hour = time.Hour

func with(given recorded, more ...events.Payload) recorded {
	return append(append(recorded{}, given...), more...)
}

func onStage() stage {
	s := stage{a: ask(1, "b", 10), b: ask(2, "b", 10), c: ask(3, "c", 10), d: ask(4, "a", 10)}
	s.open = recorded{reserved(s.a), reserved(s.b), limitedAt(s.a, 0), opened(1, 2*hour, "usage limit")}
	s.probed = with(s.open, probing(1, s.c), reservedAt(s.c, 1, 2*hour))
	return s
}

func TestBreakerOpens(t *testing.T) {
	t.Parallel()
	s := onStage()
	a, b, c, open := s.a, s.b, s.c, s.open
	run(t, account.DefaultRules(), []row{
		{name: "a limit opens it until the reset", given: recorded{reserved(a)}, when: limited(a, 0, 2*hour),
			then: recorded{limitedAt(a, 0), opened(1, 2*hour, "usage limit")}},
		{name: "without a reset for six hours", given: recorded{reserved(a)}, when: limited(a, 0, 0),
			then: recorded{limitedAt(a, 0), opened(1, 6*hour, "usage limit")}},
		{name: "a reset that is over, for a while", given: recorded{reserved(a)}, at: hour, when: limited(a, 0, hour),
			then: recorded{limitedAt(a, 0), opened(1, hour+account.ProbeBackoff, "usage limit")}},
		{name: "a reset beyond all bounds, a week", given: recorded{reserved(a)}, when: limited(a, 0, 1000*hour),
			then: recorded{limitedAt(a, 0), opened(1, account.BreakerMax, "usage limit")}},
		{name: "a second lane extends it under the same epoch", given: open, when: limited(b, 0, 3*hour),
			then: recorded{limitedAt(b, 0), opened(1, 3*hour, "usage limit, met by another lane")}},
		{name: "an earlier reset extends nothing", given: open, when: limited(b, 0, hour), then: recorded{limitedAt(b, 0)}},
		{name: "an unknown reset extends nothing", given: open, when: limited(b, 0, 0), then: recorded{limitedAt(b, 0)}},
		{name: "a lane that runs on through it", given: open, when: used(b, 5, 0), then: recorded{settled(b, 5, 0)}},
		{name: "a lane that ran and names a later reset", given: open, when: withReset(used(b, 5, 0), 9*hour), then: recorded{settled(b, 5, 0)}},
		{name: "nobody reserves while it is open", given: open, when: c, then: recorded{waits(c, 2*hour, "usage limit")}},
		{name: "nobody is served while it is open", given: with(open, waits(c, 2*hour, "usage limit")), when: used(b, 5, 0), then: recorded{settled(b, 5, 0)}},
	})
}

func TestBreakerProbes(t *testing.T) {
	t.Parallel()
	s := onStage()
	a, b, c, d, open, probed := s.a, s.b, s.c, s.d, s.open, s.probed
	lost := used(c, 0, 2*hour)
	lost.Ran, lost.Reason, lost.Usage = false, "lost", events.Usage{}
	withdrawn := lost
	withdrawn.Began, withdrawn.Reason = time.Time{}, account.ReasonWithdrawn
	short := c
	short.Deadline = t0.Add(hour)
	probeLapse := hour + events.AdmissionGrace
	run(t, account.DefaultRules(), []row{
		{name: "the first after its time is the probe", given: open, at: 2 * hour, when: c,
			then: recorded{probing(1, c), reservedAt(c, 1, 2*hour)}},
		{name: "the best of those who wait is the probe", given: with(open, waits(c, 2*hour, "usage limit"), waits(d, 2*hour, "usage limit")),
			at: 2 * hour, when: account.Due{}, then: recorded{
				probing(1, d), reservedAt(d, 1, 2*hour),
				waits(c, 2*hour+account.ProbeLook, "usage limit: one lane tries whether it is over"),
			}},
		{name: "only one probes", given: probed, at: 2 * hour, when: d,
			then: recorded{waits(d, 2*hour+account.ProbeLook, "usage limit: one lane tries whether it is over")}},
		{name: "the probe came back", given: with(probed, waits(d, 3*hour, "x")), at: 2 * hour, when: used(c, 5, 2*hour),
			then: recorded{settled(c, 5, 2*hour), closed(1), reservedAt(d, 1, 0)}},
		{name: "the probe met the limit", given: with(probed, waits(d, 3*hour, "x")), at: 2 * hour, when: limited(c, 2*hour, 4*hour),
			then: recorded{limitedAt(c, 2*hour), opened(2, 4*hour, "usage limit, met by the probe")}},
		{name: "the probe was lost", given: probed, at: 3 * hour, when: lost, then: recorded{
			settledAs(c, 10, 2*hour, events.ConfidenceUnknown, "lost"), opened(2, 3*hour+account.ProbeBackoff, "the probe said nothing: lost"),
		}},
		{name: "the probe was withdrawn", given: probed, at: 3 * hour, when: withdrawn, then: recorded{
			settledAs(c, 0, 3*hour, events.ConfidenceExact, "withdrawn"), opened(2, 3*hour+account.ProbeBackoff, "the probe said nothing: withdrawn"),
		}},
		{name: "the probe lapsed", given: with(open, probing(1, short), reservedAt(short, 1, 2*hour)), at: probeLapse, when: account.Due{}, then: recorded{
			settledAs(short, 10, 0, events.ConfidenceUnknown, "lapsed"), opened(2, probeLapse+account.ProbeBackoff, "the probe said nothing: lapsed"),
		}},
		{name: "the probe again after the end", given: with(probed, settled(c, 5, 0), closed(1)), at: 3 * hour, when: used(c, 5, 0)},
		{name: "another lane says nothing while one probes", given: probed, at: 2 * hour, when: limited(b, 0, 9*hour), then: recorded{limitedAt(b, 0)}},
		{name: "another lane's success says nothing while one probes", given: probed, at: 2 * hour, when: used(b, 5, 0), then: recorded{settled(b, 5, 0)}},
		{name: "a late report of the limit that is over", steps: []decidertest.Step{
			{At: t0, Payload: reserved(a)}, {At: t0, Payload: reserved(b)}, {At: t0.Add(hour), Payload: limitedAt(a, 0)},
			{At: t0.Add(hour), Payload: opened(1, 2*hour, "x")}, {At: t0.Add(2 * hour), Payload: probing(1, c)},
			{At: t0.Add(2 * hour), Payload: reservedAt(c, 1, 2*hour)}, {At: t0.Add(2 * hour), Payload: settled(c, 5, 2*hour)}, {At: t0.Add(2 * hour), Payload: closed(1)},
		}, at: 3 * hour, when: limited(b, 0, 0), then: recorded{limitedAt(b, 0)}},
		{name: "an extension does not make a report late", steps: []decidertest.Step{
			{At: t0, Payload: reserved(a)}, {At: t0, Payload: reserved(b)}, {At: t0, Payload: limitedAt(a, 0)}, {At: t0, Payload: opened(1, hour, "x")},
			{At: t0.Add(hour), Payload: opened(1, 2*hour, "x")}, {At: t0.Add(2 * hour), Payload: probing(1, c)},
			{At: t0.Add(2 * hour), Payload: reservedAt(c, 1, 2*hour)}, {At: t0.Add(2 * hour), Payload: settled(c, 5, 2*hour)}, {At: t0.Add(2 * hour), Payload: closed(1)},
		}, at: 3 * hour, when: limited(b, hour/2, 0), then: recorded{limitedAt(b, hour/2), opened(2, 9*hour, "usage limit")}},
		{name: "a late report with a reset to come", steps: []decidertest.Step{
			{At: t0, Payload: reserved(a)}, {At: t0, Payload: reserved(b)}, {At: t0.Add(hour), Payload: limitedAt(a, 0)},
			{At: t0.Add(hour), Payload: opened(1, 2*hour, "x")}, {At: t0.Add(2 * hour), Payload: probing(1, c)},
			{At: t0.Add(2 * hour), Payload: reservedAt(c, 1, 2*hour)}, {At: t0.Add(2 * hour), Payload: settled(c, 5, 2*hour)}, {At: t0.Add(2 * hour), Payload: closed(1)},
		}, at: 3 * hour, when: limited(b, 0, 5*hour), then: recorded{limitedAt(b, 0), opened(2, 5*hour, "usage limit")}},
		{name: "the probe needs money too", given: with(recorded{limits(25, 0)}, with(open, reserved(d), waits(ask(9, "b", 20), 2*hour, "usage limit"))...),
			at: 2 * hour, when: account.Due{}, then: recorded{waits(ask(9, "b", 20), 2*hour+account.LookAgain, "session limit, by what other lanes hold")}},
		{name: "both in the way, the later counts", given: with(recorded{limits(25, 0)}, with(open, settled(b, 10, 0))...), at: hour, when: ask(9, "b", 20),
			then: recorded{waits(ask(9, "b", 20), 5*hour, "session limit")}},
	})
}

func TestUnmeteredAlwaysAdmits(t *testing.T) {
	t.Parallel()
	scene := actorOf(events.AccountUnmetered, account.DefaultRules()).Begin(t)
	a, b := ask(1, "a", 10), ask(2, "a", 10)
	scene.Then(at(0), a, reserved(a))
	scene.Then(at(0), limited(a, 0, time.Hour), limitedAt(a, 0))
	scene.Then(at(0), b, reserved(b))
	scene.CheckReplay()
}

// A run's settlements count as long as one of its reservations may still come, and
// are forgotten by time alone.
func TestRunBooksAreKeptAndForgotten(t *testing.T) {
	t.Parallel()
	scene := actor(account.DefaultRules()).Begin(t)
	first := of("r", "x", 60, 100)
	first.Deadline = t0.Add(2 * time.Hour)
	second, other := first, ask(9, "a", 1)
	second.Lane = "y"
	scene.Then(at(0), first, reserved(first))
	scene.Then(at(time.Hour), used(first, 60, 0), settled(first, 60, 0))
	scene.Then(at(3*time.Hour-1), used(first, 60, 0))
	scene.Then(at(3*time.Hour-1), first)
	scene.Then(at(3*time.Hour-1), second,
		never(second, "60 tokens more would take the run over its limit of 100 (60 held and used)"))
	scene.Then(at(3*time.Hour), other, reserved(other))
	if scene.State.Runs.Has("r") {
		t.Fatal("the run's book is kept beyond its last reservation")
	}
	scene.CheckReplay()
}

func TestEndedLanesOfARunAreBounded(t *testing.T) {
	t.Parallel()
	scene := actor(account.DefaultRules()).Begin(t).Quick()
	c := ask(1, "a", 0)
	for c.Attempt = 1; c.Attempt <= account.EndedMax+10; c.Attempt++ {
		scene.Given(decidertest.Steps(t0, reserved(c), settled(c, 0, 0))...)
	}
	book, _ := scene.State.Runs.Get(c.Run)
	if n := len(book.Value.Ended); n != account.EndedMax {
		t.Fatalf("%d ended lanes are remembered, want %d", n, account.EndedMax)
	}
}

func TestDecisionsAreBounded(t *testing.T) {
	t.Parallel()
	scene := actor(account.DefaultRules()).Begin(t).Quick()
	scene.Then(at(0), account.Configure{SessionTokens: 1}, limits(1, 0))
	scene.Then(at(0), ask(0, "a", 1), reserved(ask(0, "a", 1)))
	for n := 1; n <= 4*account.BatchDefault; n++ {
		if _, err := scene.When(at(0), ask(n, "a", 1)); err != nil {
			t.Fatal(err)
		}
	}
	for i, cmd := range []events.Command{
		account.Due{}, account.Due{}, account.Configure{}, account.Due{}, account.Due{},
	} {
		decided, err := scene.When(at(time.Duration(1+i)*time.Hour), cmd)
		if err != nil || len(decided) < account.BatchDefault || len(decided) > 3*account.BatchDefault+1 {
			t.Fatalf("%d: %s decided %d events, error %v", i, cmd.Name(), len(decided), err)
		}
	}
}

package pool_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/events"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) events.Given { return events.Given{At: t0.Add(d), Boot: "b1"} }

func actor(r pool.Rules) decidertest.Actor[pool.State] {
	return decidertest.Actor[pool.State]{
		Stream: events.PoolStream("gpt"), Fold: pool.Fold, Decide: r.Decide, Check: pool.Check,
	}
}

const (
	timeout = 10 * time.Minute
	lease   = timeout + pool.LeaseGrace
)

// request is lane n of run r, at a rank.
func request(n int, rank string) pool.Request {
	return pool.Request{
		Run: "r", Lane: events.LaneID(fmt.Sprint("lane", n)), Attempt: 1, Rank: rank, Owner: "b1",
		Timeout: timeout.Milliseconds(), Breaker: events.BreakerState{Epoch: 3}, Account: "main",
	}
}

func queued(n int, rank string) events.Payload {
	q := request(n, rank)
	return &events.LaneQueued{
		Run: q.Run, Lane: q.Lane, Attempt: q.Attempt, Key: q.Rank, Owner: q.Owner, Timeout: q.Timeout,
		Breaker: q.Breaker, Account: q.Account,
	}
}

func granted(n, slot int, generation int64, from time.Duration) events.Payload {
	q := request(n, "")
	return &events.LaneGranted{
		Run: q.Run, Lane: q.Lane, Attempt: q.Attempt, Slot: slot, Generation: generation,
		Lease: t0.Add(from + lease), Owner: q.Owner, Breaker: q.Breaker,
	}
}

func release(n int) pool.Release {
	return pool.Release{Run: "r", Lane: request(n, "").Lane, Attempt: 1, Reason: "ended"}
}

func released(n, slot int, generation int64) events.Payload {
	c := release(n)
	return &events.LaneReleased{Run: c.Run, Lane: c.Lane, Attempt: 1, Slot: slot, Generation: generation, Reason: c.Reason}
}

func expired(n, slot int, generation int64) events.Payload {
	return &events.LaneExpired{Run: "r", Lane: request(n, "").Lane, Attempt: 1, Slot: slot, Generation: generation}
}

func sized(n int) events.Payload { return &events.PoolSized{Size: n, Reason: "configured"} }
func size(n int) pool.Configure  { return pool.Configure{Size: n, Reason: "configured"} }

type recorded = []events.Payload

type otherCommand struct{}

func (otherCommand) Name() string { return "fleet.due" }

// row is a case whose events were recorded at t0.
type row struct {
	name    string
	given   recorded
	at      time.Duration
	when    events.Command
	then    recorded
	refused string
}

func run(t *testing.T, rows []row) {
	t.Helper()
	rules := pool.DefaultRules()
	rules.DefaultSize = 1
	cases := make([]decidertest.Case[pool.State], len(rows))
	for i, r := range rows {
		cases[i] = decidertest.Case[pool.State]{
			Name: r.name, Given: decidertest.Steps(t0, r.given...), With: at(r.at), When: r.when,
			Then: r.then, Refused: r.refused, Twice: r.refused == "",
		}
	}
	actor(rules).Run(t, cases...)
}

// one is a pool of one slot, which lane 1 holds.
func one(more ...events.Payload) recorded {
	return append(recorded{sized(1), queued(1, "a"), granted(1, 0, 1, 0)}, more...)
}

func TestRequest(t *testing.T) {
	t.Parallel()
	endless := request(1, "a")
	endless.Timeout = 0
	endlessQueued := *queued(1, "a").(*events.LaneQueued)
	endlessQueued.Timeout = 0
	endlessGrant := *granted(1, 0, 1, 0).(*events.LaneGranted)
	endlessGrant.Lease = t0.Add(pool.TimeoutMax + pool.LeaseGrace)
	run(t, []row{
		{name: "request a free slot", when: request(1, "a"), then: recorded{queued(1, "a"), granted(1, 0, 1, 0)}},
		{name: "request without a time limit", when: endless, then: recorded{&endlessQueued, &endlessGrant}},
		{name: "request the lowest free slot",
			given: recorded{sized(3), queued(1, "a"), granted(1, 0, 1, 0), queued(2, "b"), granted(2, 1, 2, 0), released(1, 0, 1)},
			when:  request(3, "c"), then: recorded{queued(3, "c"), granted(3, 0, 3, 0)}},
		{name: "request from a full pool", given: one(), when: request(2, "b"), then: recorded{queued(2, "b")}},
		{name: "request what is granted", given: one(), when: request(1, "a")},
		{name: "request what is queued", given: one(queued(2, "b")), when: request(2, "b")},
		{name: "request again after its release", given: one(released(1, 0, 1)), when: request(1, "a")},
		{name: "request again after its lease", given: one(expired(1, 0, 1)), when: request(1, "a")},
		{name: "request after its withdrawal", given: recorded{released(1, -1, 0)}, when: request(1, "a")},
		{name: "request the next attempt", given: one(released(1, 0, 1)),
			when: pool.Request{Run: "r", Lane: "lane1", Attempt: 2, Rank: "a", Timeout: 1},
			then: recorded{
				&events.LaneQueued{Run: "r", Lane: "lane1", Attempt: 2, Key: "a", Timeout: 1},
				&events.LaneGranted{Run: "r", Lane: "lane1", Attempt: 2, Slot: 0, Generation: 2, Lease: t0.Add(pool.LeaseGrace + time.Millisecond)},
			}},
		{name: "request without a lane", when: pool.Request{Run: "r"}, refused: "a run and a lane"},
		{name: "request without a run", when: pool.Request{Lane: "l"}, refused: "a run and a lane"},
	})
}

func TestRelease(t *testing.T) {
	t.Parallel()
	run(t, []row{
		{name: "release a slot", given: one(), when: release(1), then: recorded{released(1, 0, 1)}},
		{name: "release to the best of the line", given: one(queued(2, "b"), queued(3, "a")),
			when: release(1), then: recorded{released(1, 0, 1), granted(3, 0, 2, 0)}},
		{name: "release to who came first at one rank", given: one(queued(2, "b"), queued(3, "b")),
			when: release(1), then: recorded{released(1, 0, 1), granted(2, 0, 2, 0)}},
		{name: "release from the line", given: one(queued(2, "b")), when: release(2), then: recorded{released(2, -1, 0)}},
		{name: "release the next in line where the rules made room", given: recorded{queued(1, "a"), queued(2, "b")},
			when: release(1), then: recorded{released(1, -1, 0), granted(2, 0, 1, 0)}},
		{name: "release what has not come yet", when: release(1), then: recorded{released(1, -1, 0)}},
		{name: "release again after the end", given: one(released(1, 0, 1)), when: release(1)},
		{name: "release after its lease", given: one(expired(1, 0, 1)), when: release(1)},
	})
}

func TestConfigure(t *testing.T) {
	t.Parallel()
	run(t, []row{
		{name: "configure", when: size(2), then: recorded{sized(2)}},
		{name: "configure the same", given: recorded{sized(2)}, when: size(2)},
		{name: "configure none", when: size(0), refused: "must be 1 to 1024"},
		{name: "configure too many", when: size(pool.SizeMax + 1), refused: "the size is 1025"},
		{name: "grow to those who wait", given: one(queued(2, "c"), queued(3, "b"), queued(4, "a")),
			when: size(3), then: recorded{sized(3), granted(4, 1, 2, 0), granted(3, 2, 3, 0)}},
		{name: "shrink revokes nothing",
			given: recorded{sized(2), queued(1, "a"), granted(1, 0, 1, 0), queued(2, "b"), granted(2, 1, 2, 0), queued(3, "c")},
			when:  size(1), then: recorded{sized(1)}},
		{name: "a slot beyond the size counts while it is held",
			given: recorded{sized(2), queued(1, "a"), granted(1, 0, 1, 0), queued(2, "b"), granted(2, 1, 2, 0), queued(3, "c"), sized(1)},
			when:  release(1), then: recorded{released(1, 0, 1)}},
		{name: "a slot beyond the size is not granted again",
			given: recorded{sized(2), queued(1, "a"), granted(1, 0, 1, 0), queued(2, "b"), granted(2, 1, 2, 0), queued(3, "c"), sized(1), released(1, 0, 1)},
			when:  release(2), then: recorded{released(2, 1, 2), granted(3, 0, 3, 0)}},
	})
}

func TestDue(t *testing.T) {
	t.Parallel()
	run(t, []row{
		{name: "due too early", given: one(), at: lease - 1, when: pool.Due{}},
		{name: "due", given: one(), at: lease, when: pool.Due{}, then: recorded{expired(1, 0, 1)}},
		{name: "due to the best of the line", given: one(queued(2, "c"), queued(3, "b")), at: lease,
			when: pool.Due{}, then: recorded{expired(1, 0, 1), granted(3, 0, 2, lease)}},
		{name: "due for one of two", at: lease,
			given: recorded{sized(2), queued(1, "a"), granted(1, 1, 1, 0), queued(2, "b"), granted(2, 0, 2, time.Second)},
			when:  pool.Due{}, then: recorded{expired(1, 1, 1)}},
		{name: "another actor's command", when: otherCommand{}, refused: "takes no fleet.due"},
	})
}

func TestUnsizedPoolHasTheDefault(t *testing.T) {
	t.Parallel()
	scene := actor(pool.DefaultRules()).Begin(t)
	for n := range pool.SizeDefault {
		scene.Then(at(0), request(n, "a"), queued(n, "a"), granted(n, n, int64(n+1), 0))
	}
	scene.Then(at(0), request(9, "a"), queued(9, "a"))
}

func TestDecisionsAreBounded(t *testing.T) {
	t.Parallel()
	scene := actor(pool.DefaultRules()).Begin(t).Quick()
	scene.Then(at(0), size(1), sized(1))
	for n := range pool.SizeMax {
		if _, err := scene.When(at(0), request(n, "a")); err != nil {
			t.Fatal(err)
		}
	}
	for i, cmd := range []events.Command{size(pool.SizeMax), release(3000), release(3001), pool.Due{}, pool.Due{}} {
		decided, err := scene.When(at(time.Duration(48+i)*time.Hour), cmd)
		if err != nil || len(decided) < pool.BatchDefault || len(decided) > 2*pool.BatchDefault {
			t.Fatalf("%d: %s decided %d events, error %v", i, cmd.Name(), len(decided), err)
		}
	}
	for n := range 2 * pool.EndedMax {
		scene.Given(decidertest.Steps(t0, released(5000+n, -1, 0))...)
	}
	if n := scene.State.Ended.Len(); n != pool.EndedMax {
		t.Fatalf("%d ended lanes are remembered, want %d", n, pool.EndedMax)
	}
}

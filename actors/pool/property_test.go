package pool_test

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/events"
)

// model is the pool as a reader of its log would keep it, without an index.
type model struct {
	size       int
	generation int64
	waiting    map[events.LaneKey]string // key and arrival, as one text
	held       map[events.LaneKey]*events.LaneGranted
	arrivals   int
}

func (m *model) best() (best string) {
	for _, key := range m.waiting {
		if best == "" || key < best {
			best = key
		}
	}
	return best
}

func TestRandomPool(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 3))
			scene := actor(pool.DefaultRules()).Begin(t).Quick()
			m := &model{size: pool.SizeDefault, waiting: map[events.LaneKey]string{}, held: map[events.LaneKey]*events.LaneGranted{}}
			now := time.Duration(0)
			for step := range 500 {
				now += time.Duration(random.IntN(90)) * time.Second
				var cmd events.Command
				switch n := random.IntN(12); {
				case n == 0:
					cmd = size(1 + random.IntN(6))
				case n == 1:
					cmd = pool.Due{}
				case n < 6:
					cmd = release(max(0, step-random.IntN(25)))
				default:
					cmd = request(max(0, step-random.IntN(3)), fmt.Sprint(random.IntN(4)))
				}
				decided, err := scene.When(at(now), cmd)
				if err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
				for _, p := range decided {
					m.apply(t, t0.Add(now), p)
				}
				if len(m.held) < m.size && len(m.waiting) > 0 {
					t.Fatalf("step %d: after %s a slot is free and %s waits", step, cmd.Name(), m.best())
				}
				if again, _ := scene.Decide(at(now), cmd); len(again) != 0 {
					t.Fatalf("step %d: %s decides more when it comes again: %v", step, cmd.Name(), again)
				}
				if step%50 == 0 {
					scene.CheckReplay()
					scene.Reload()
				}
			}
		})
	}
}

func (m *model) apply(t *testing.T, now time.Time, p events.Payload) {
	t.Helper()
	switch p := p.(type) {
	case *events.PoolSized:
		m.size = p.Size
	case *events.LaneQueued:
		m.waiting[events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}] = fmt.Sprintf("%s|%09d", p.Key, m.arrivals)
		m.arrivals++
	case *events.LaneGranted:
		key := events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}
		if m.waiting[key] == "" || m.waiting[key] != m.best() {
			t.Fatalf("%v (%q) was granted before %q", key, m.waiting[key], m.best())
		}
		if p.Generation <= m.generation || len(m.held) >= m.size || p.Slot >= m.size || !p.Lease.After(now) {
			t.Fatalf("bad grant %+v with %d of %d held", p, len(m.held), m.size)
		}
		for other, grant := range m.held {
			if grant.Slot == p.Slot {
				t.Fatalf("slot %d is held by %v and granted to %v", p.Slot, other, key)
			}
		}
		m.generation = p.Generation
		delete(m.waiting, key)
		m.held[key] = p
	case *events.LaneReleased:
		m.left(t, events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}, p.Slot, p.Generation)
	case *events.LaneExpired:
		key := events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}
		if held := m.held[key]; held == nil || held.Lease.After(now) {
			t.Fatalf("%v expired at %s, its grant is %+v", key, now, held)
		}
		m.left(t, key, p.Slot, p.Generation)
	}
}

func (m *model) left(t *testing.T, key events.LaneKey, slot int, generation int64) {
	t.Helper()
	if held := m.held[key]; held != nil && (held.Slot != slot || held.Generation != generation) {
		t.Fatalf("%v left slot %d (%d), it held %d (%d)", key, slot, generation, held.Slot, held.Generation)
	} else if held == nil && slot != -1 {
		t.Fatalf("%v left slot %d, it held none", key, slot)
	}
	delete(m.held, key)
	delete(m.waiting, key)
}

// The recorded keys are the order in which a pool is drained, which is what the
// queue's view shows. (hard-parts §5)
func TestDrainFollowsTheRecordedKeys(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 4))
	scene := actor(pool.DefaultRules()).Begin(t).Quick()
	scene.Then(at(0), size(1), sized(1))
	scene.Then(at(0), request(0, "z"), queued(0, "z"), granted(0, 0, 1, 0))
	var shown []*events.LaneQueued
	for n := 1; n <= 200; n++ {
		decided, err := scene.When(at(0), request(n, fmt.Sprint(random.IntN(20))))
		if err != nil || len(decided) != 1 {
			t.Fatalf("decided %v, %v", decided, err)
		}
		shown = append(shown, decided[0].(*events.LaneQueued))
	}
	sort.SliceStable(shown, func(i, k int) bool { return shown[i].Key < shown[k].Key })
	holder := release(0)
	for i, want := range shown {
		decided, err := scene.When(at(0), holder)
		if err != nil || len(decided) != 2 {
			t.Fatalf("decided %v, %v", decided, err)
		}
		grant := decided[1].(*events.LaneGranted)
		if grant.Lane != want.Lane {
			t.Fatalf("place %d was %s, the view shows %s", i, grant.Lane, want.Lane)
		}
		holder.Lane = grant.Lane
	}
}

// BenchmarkDecision is one scheduling decision (performance, goal 10): a lane joins
// the line, another is released and the best is granted.
func BenchmarkDecision(b *testing.B) {
	decidertest.BenchLine(b, func(queued int) func() {
		poolOf := decidertest.Bench[pool.State]{Actor: actor(pool.DefaultRules()), At: t0}
		next := 0
		var holding []events.Payload
		join := func() {
			q := request(0, fmt.Sprintf("4|%016x", next))
			q.Run = events.RunID(fmt.Sprintf("%016x", next))
			if decided := poolOf.Do(b, q); len(decided) == 2 {
				holding = append(holding, decided[1])
			}
			next++
		}
		for range pool.SizeDefault + queued {
			join()
		}
		return func() {
			join()
			held := holding[0].(*events.LaneGranted)
			decided := poolOf.Do(b, pool.Release{Run: held.Run, Lane: held.Lane, Attempt: held.Attempt, Reason: "ended"})
			holding = append(holding[1:], decided[1])
		}
	})
}

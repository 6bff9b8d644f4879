package fleet_test

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/events"
)

// model is the fleet as a reader of its log would keep it, without an index.
type model struct {
	limit   int
	paused  map[string]bool
	running map[events.RunID]bool
	waiting map[events.RunID]events.Ticket
}

func (m *model) stops(t events.Ticket) bool {
	return m.paused[""] || m.paused[string(t.Repo)] || m.paused[string(t.PR)]
}

// best lists those who wait and are not paused, in the order of their keys.
func (m *model) best() []string {
	var keys []string
	for _, t := range m.waiting {
		if !m.stops(t) {
			keys = append(keys, fleet.Key(t))
		}
	}
	sort.Strings(keys)
	return keys
}

func TestRandomFleet(t *testing.T) {
	t.Parallel()
	rules := fleet.DefaultRules()
	rules.DefaultMaxRuns = 3
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 2))
			scene := actor(rules).Begin(t).Quick()
			m := &model{limit: 3, paused: map[string]bool{}, running: map[events.RunID]bool{}, waiting: map[events.RunID]events.Ticket{}}
			now := time.Duration(0)
			for step := range 400 {
				now += time.Duration(random.IntN(120)) * time.Second
				cmd := randomCommand(random, step, now)
				decided, err := scene.When(at(now), cmd)
				if err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
				for _, p := range decided {
					m.apply(t, p)
				}
				if best := m.best(); len(m.running) < m.limit && len(best) > 0 {
					t.Fatalf("step %d: after %s there is room and %s waits", step, cmd.Name(), best[0])
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

func randomCommand(random *rand.Rand, step int, now time.Duration) events.Command {
	scopes := []string{"", "o/a", "o/b", string(ticket(step - 3).PR)}
	switch random.IntN(12) {
	case 0:
		return fleet.Configure{MaxRuns: random.IntN(5)}
	case 1:
		return fleet.Pause{Scope: scopes[random.IntN(len(scopes))]}
	case 2, 3:
		return fleet.Resume{Scope: scopes[random.IntN(len(scopes))]}
	case 4, 5, 6:
		return fleet.Free{Run: ticket(max(0, step-random.IntN(30))).Run, Reason: "ended"}
	case 7:
		return fleet.Due{}
	default:
		tk := ticket(step)
		tk.QueuedAt, tk.Deadline = t0.Add(now), t0.Add(now+time.Duration(random.IntN(60))*time.Minute)
		tk.Priority = events.Priority(random.IntN(2))
		tk.Repo = []events.RepoName{"o/a", "o/b", "o/c"}[random.IntN(3)]
		if random.IntN(4) == 0 {
			tk.Owner = "b1"
		}
		return fleet.Admit{Ticket: tk}
	}
}

func (m *model) apply(t *testing.T, p events.Payload) {
	t.Helper()
	switch p := p.(type) {
	case *events.FleetConfigured:
		if m.limit = p.MaxRuns; m.limit == 0 {
			m.limit = 3
		}
	case *events.FleetPaused:
		m.paused[p.Scope] = true
	case *events.FleetResumed:
		delete(m.paused, p.Scope)
	case *events.RunHeld:
		m.waiting[p.Ticket.Run] = p.Ticket
	case *events.RunRefused:
		delete(m.waiting, p.Run)
	case *events.RunFreed:
		if _, waits := m.waiting[p.Run]; !waits && !m.running[p.Run] {
			t.Fatalf("%s was freed twice", p.Run)
		}
		delete(m.waiting, p.Run)
		delete(m.running, p.Run)
	case *events.RunAdmitted:
		if m.running[p.Ticket.Run] || m.stops(p.Ticket) || len(m.running) >= m.limit {
			t.Fatalf("%s was admitted: already %v, paused %v, %d running", p.Ticket.Run,
				m.running[p.Ticket.Run], m.stops(p.Ticket), len(m.running))
		}
		// Those of the same decision that lapse with it left before; among the others
		// nobody better is passed.
		if best := m.best(); len(best) > 0 && best[0] < fleet.Key(p.Ticket) {
			t.Fatalf("%s was admitted before %s", fleet.Key(p.Ticket), best[0])
		}
		delete(m.waiting, p.Ticket.Run)
		m.running[p.Ticket.Run] = true
	}
}

// BenchmarkDecision is one scheduling decision (performance, goal 10): a ticket
// joins the line, a run ends and the best is admitted.
func BenchmarkDecision(b *testing.B) {
	decidertest.BenchLine(b, func(queued int) func() {
		fleetOf := decidertest.Bench[fleet.State]{Actor: actor(fleet.DefaultRules()), At: t0}
		next := 0
		var running []events.RunID
		join := func() {
			tk := ticket(next)
			tk.Run = events.RunID(fmt.Sprintf("%016x", next))
			if decided := fleetOf.Do(b, fleet.Admit{Ticket: tk}); decided[0].Type() == "run.admitted" {
				running = append(running, tk.Run)
			}
			next++
		}
		for range fleet.MaxRunsDefault + queued {
			join()
		}
		return func() {
			join()
			decided := fleetOf.Do(b, fleet.Free{Run: running[0], Reason: "ended"})
			running = append(running[1:], decided[1].(*events.RunAdmitted).Ticket.Run)
		}
	})
}

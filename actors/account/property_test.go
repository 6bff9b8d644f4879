package account_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/events"
)

// model is the account as a reader of its log would keep it: lists, and no sums.
type model struct {
	t        *testing.T
	now      time.Time
	limits   events.AccountConfigured
	rules    account.Rules
	open     map[events.LaneKey]*events.BudgetReserved
	waiting  map[events.LaneKey]*events.BudgetRefused
	arrived  map[events.LaneKey]int
	settled  map[events.LaneKey]*events.BudgetSettled
	breaker  events.BreakerOpened
	phase    account.Phase
	probe    events.LaneKey
	maxOf    map[events.RunID]int64
	arrivals int
}

func (m *model) fits(tokens int64) bool {
	for _, w := range []struct {
		limit  int64
		window time.Duration
	}{{m.limits.SessionTokens, 5 * time.Hour}, {m.limits.WeeklyTokens, 7 * day}} {
		sum := tokens
		for _, p := range m.open {
			sum += p.Tokens
		}
		for _, p := range m.settled {
			if p.SpentAt.After(m.now.Add(-w.window)) {
				sum += p.Used
			}
		}
		if w.limit > 0 && sum > w.limit {
			return false
		}
	}
	return true
}

func (m *model) full(pool events.PoolName) bool {
	n := 0
	for _, p := range m.open {
		if p.Pool == pool {
			n++
		}
	}
	return n >= m.rules.Holders && (m.limits.SessionTokens > 0 || m.limits.WeeklyTokens > 0)
}

// best is who is served next: the best rank whose pool may hold one more.
func (m *model) best() (best events.LaneKey, found bool) {
	for key, p := range m.waiting {
		if m.full(p.Pool) {
			continue
		}
		if b := m.waiting[best]; !found || p.Rank < b.Rank || p.Rank == b.Rank && m.arrived[key] < m.arrived[best] {
			best, found = key, true
		}
	}
	return best, found
}

func (m *model) apply(p events.Payload) {
	m.t.Helper()
	switch p := p.(type) {
	case *events.AccountConfigured:
		m.limits = *p
	case *events.BudgetReserved:
		m.reserve(events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}, p)
	case *events.BudgetRefused:
		key := events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}
		if p.Until.IsZero() {
			delete(m.waiting, key)
			return
		}
		if !p.Until.After(m.now) {
			m.t.Fatalf("%v waits until %s, which is over", key, p.Until)
		}
		if _, already := m.waiting[key]; !already {
			m.arrived[key] = m.arrivals
			m.arrivals++
		}
		m.waiting[key] = p
	case *events.BudgetReleased:
		delete(m.waiting, events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt})
	case *events.BudgetSettled:
		key := events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}
		if m.open[key] == nil || m.settled[key] != nil || p.Reserved != m.open[key].Tokens {
			m.t.Fatalf("%v settled: held %+v, settled before %+v", key, m.open[key], m.settled[key])
		}
		delete(m.open, key)
		m.settled[key] = p
	case *events.BreakerOpened:
		grew := p.Epoch == m.breaker.Epoch+1 && m.phase != account.PhaseOpen
		if extended := p.Epoch == m.breaker.Epoch && m.phase == account.PhaseOpen && p.Until.After(m.breaker.Until); !grew && !extended {
			m.t.Fatalf("breaker %q of epoch %d opened as %+v", m.phase, m.breaker.Epoch, p)
		}
		m.breaker, m.phase = *p, account.PhaseOpen
	case *events.BreakerProbing:
		if m.phase != account.PhaseOpen || m.now.Before(m.breaker.Until) {
			m.t.Fatalf("breaker %q until %s probes at %s", m.phase, m.breaker.Until, m.now)
		}
		m.phase, m.probe = account.PhaseProbing, events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}
	case *events.BreakerClosed:
		if m.phase != account.PhaseProbing || m.settled[m.probe] == nil {
			m.t.Fatalf("breaker %q closed", m.phase)
		}
		m.phase = account.PhaseClosed
	}
}

func (m *model) reserve(key events.LaneKey, p *events.BudgetReserved) {
	m.t.Helper()
	if m.open[key] != nil || m.settled[key] != nil {
		m.t.Fatalf("%v got a second reservation", key)
	}
	if m.phase != account.PhaseClosed && m.probe != key {
		m.t.Fatalf("%v got a reservation while the breaker is %q", key, m.phase)
	}
	if !m.fits(p.Tokens) || m.full(p.Pool) {
		m.t.Fatalf("%v got %d tokens: fits %v, pool full %v", key, p.Tokens, m.fits(p.Tokens), m.full(p.Pool))
	}
	spent := p.Tokens
	for k, o := range m.open {
		if k.Run == key.Run {
			spent += o.Tokens
		}
	}
	for k, o := range m.settled {
		if k.Run == key.Run {
			spent += o.Used
		}
	}
	if most := m.maxOf[key.Run]; most > 0 && spent > most {
		m.t.Fatalf("%v takes its run to %d of %d", key, spent, most)
	}
	if best, found := m.best(); found && best != key {
		b := m.waiting[best]
		if _, waited := m.waiting[key]; waited || b.Rank <= p.Rank {
			m.t.Fatalf("%v (%s) passed %v (%s)", key, p.Rank, best, b.Rank)
		}
	}
	delete(m.waiting, key)
	m.open[key] = p
}

func TestRandomAccount(t *testing.T) {
	t.Parallel()
	rules := account.DefaultRules()
	rules.Holders = 4
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 6))
			scene := actor(rules).Begin(t).Quick()
			m := &model{
				t: t, rules: rules, open: map[events.LaneKey]*events.BudgetReserved{}, waiting: map[events.LaneKey]*events.BudgetRefused{},
				arrived: map[events.LaneKey]int{}, settled: map[events.LaneKey]*events.BudgetSettled{}, maxOf: map[events.RunID]int64{},
			}
			now := time.Duration(0)
			do := func(cmd events.Command) {
				m.now = t0.Add(now)
				decided, err := scene.When(at(now), cmd)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range decided {
					m.apply(p)
				}
				if again, _ := scene.Decide(at(now), cmd); len(again) != 0 {
					t.Fatalf("%s decides more when it comes again: %s", cmd.Name(), decidertest.Text(t, again))
				}
				if _, due := cmd.(account.Due); due && m.phase == account.PhaseClosed {
					if best, found := m.best(); found && m.fits(m.waiting[best].Tokens) {
						t.Fatalf("%v fits and waits", best)
					}
				}
			}
			var asked []account.Reserve
			for step := range 400 {
				now += time.Duration(random.IntN(900)) * time.Second
				do(randomCommand(random, step, now, &asked, m))
				if step%50 == 0 {
					scene.CheckReplay()
					scene.Reload()
				}
			}
			// Everything settles in the end, with nobody's help but time's.
			for range 100 {
				now += 12 * time.Hour
				do(account.Due{})
			}
			if len(m.open) != 0 || len(m.waiting) != 0 || scene.State.Open.Len() != 0 || scene.State.Looks.Len() != 0 {
				t.Fatalf("%d reservations and %d places are left", len(m.open), len(m.waiting))
			}
			if runs, spent := scene.State.Runs.Len(), len(scene.State.Spent); runs+spent > 100 {
				t.Fatalf("%d runs and %d spends are kept for ever", runs, spent)
			}
			scene.CheckReplay()
		})
	}
}

func randomCommand(random *rand.Rand, step int, now time.Duration, asked *[]account.Reserve, m *model) events.Command {
	n := random.IntN(20)
	switch {
	case step == 0, n == 0:
		return account.Configure{SessionTokens: int64(random.IntN(4)) * 300, WeeklyTokens: int64(random.IntN(3)) * 3000}
	case n < 3:
		return account.Due{}
	case n < 11 && len(*asked) > 0:
		c := (*asked)[max(0, len(*asked)-1-random.IntN(20))]
		end := used(c, int64(random.IntN(160)), now-time.Duration(random.IntN(1800))*time.Second)
		switch random.IntN(10) {
		case 0, 1:
			end.Limit, end.Ran, end.Usage = true, false, events.Usage{Confidence: events.ConfidenceExact}
			if random.IntN(2) == 0 {
				end.Reset = t0.Add(now + time.Duration(random.IntN(7200)-600)*time.Second)
			}
		case 2:
			end.Ran, end.Reason, end.Usage = false, "lost", events.Usage{}
		case 3:
			end.Ran, end.Reason, end.Began = false, account.ReasonWithdrawn, time.Time{}
		}
		return end
	default:
		run := events.RunID(fmt.Sprint("run", step/6))
		c := account.Reserve{
			Run: run, Lane: events.LaneID(fmt.Sprint(random.IntN(8))), Attempt: 1 + random.IntN(2), Tokens: int64(random.IntN(150)),
			Pool: []events.PoolName{"gpt", "glm", "muse"}[random.IntN(3)], Rank: fmt.Sprint(random.IntN(6)), Owner: "b1",
			Timeout: 60_000, Deadline: t0.Add(time.Duration(step/6+8) * time.Hour),
		}
		if random.IntN(2) == 0 || m.maxOf[run] > 0 {
			c.MaxRunTokens = 400
			m.maxOf[run] = 400
		}
		if c.Deadline.Before(t0.Add(now)) {
			c.Deadline = t0.Add(now + time.Hour)
		}
		*asked = append(*asked, c)
		return c
	}
}

// BenchmarkDecision is one scheduling decision (performance, goal 10): a lane joins
// the line, another settles and the best gets its money.
func BenchmarkDecision(b *testing.B) {
	decidertest.BenchLine(b, func(queued int) func() {
		rules := account.DefaultRules()
		rules.LineMax = 2 * decidertest.LineLong
		accountOf := decidertest.Bench[account.State]{Actor: actor(rules), At: t0}
		accountOf.Do(b, account.Configure{SessionTokens: 4})
		next := 0
		var holding []*events.BudgetReserved
		keep := func(decided []events.Payload) {
			if p, ok := decided[len(decided)-1].(*events.BudgetReserved); ok {
				holding = append(holding, p)
			}
		}
		join := func() {
			c := ask(next, fmt.Sprintf("4|%016x", next), 1)
			keep(accountOf.Do(b, c))
			next++
		}
		for range 4 + queued {
			join()
		}
		return func() {
			join()
			p := holding[0]
			holding = holding[1:]
			keep(accountOf.Do(b, account.Settle{
				Run: p.Run, Lane: p.Lane, Attempt: p.Attempt, Began: t0, Ran: true, Reason: "completed",
				Usage: events.Usage{Confidence: events.ConfidenceExact},
			}))
		}
	})
}

package account

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/actors/line"
	"github.com/reviewctl/reviewctl/events"
)

// EndedMax bounds the lanes of one run that are remembered as ended.
const EndedMax = 512

// Open is a reservation, ordered by its lapse.
type Open struct {
	Tokens int64           `json:"tokens"`
	Pool   events.PoolName `json:"pool"`
	At     time.Time       `json:"at"`
}

// Place is a lane in the account's line, ordered by its rank.
type Place struct {
	Tokens       int64           `json:"tokens"`
	Pool         events.PoolName `json:"pool"`
	Owner        events.BootID   `json:"owner"`
	Timeout      int64           `json:"timeout_ms"`
	Deadline     time.Time       `json:"deadline"`
	MaxRunTokens int64           `json:"max_run_tokens,omitempty"`
}

// PoolBook is what the account knows of one pool: how many of its lanes hold a
// reservation, and who waits for one.
type PoolBook struct {
	Pool events.PoolName                  `json:"pool"`
	Open int                              `json:"open"`
	Line line.Line[events.LaneKey, Place] `json:"line"`
}

// LaneEnd is a lane of a run for which nothing more is ever reserved.
type LaneEnd struct {
	Lane    events.LaneID `json:"lane"`
	Attempt int           `json:"attempt"`
}

// RunBook is a run's money, ordered by the lapse of its last reservation.
type RunBook struct {
	Open    int64     `json:"open"`    // tokens held
	Settled int64     `json:"settled"` // tokens used
	Lanes   int       `json:"lanes"`   // that hold a reservation or wait
	Ended   []LaneEnd `json:"ended,omitempty"`
}

// State is what the account's events say.
type State struct {
	Unmetered     bool                                       `json:"unmetered,omitempty"` // it is events.AccountUnmetered
	SessionTokens int64                                      `json:"session_tokens"`
	WeeklyTokens  int64                                      `json:"weekly_tokens"`
	Open          line.Line[events.LaneKey, Open]            `json:"open"`
	OpenTokens    int64                                      `json:"open_tokens"`
	Pools         []*PoolBook                                `json:"pools"` // by name
	Looks         line.Line[events.LaneKey, events.PoolName] `json:"looks"` // places by their until
	Spent         spends                                     `json:"spent"`
	Runs          line.Line[events.RunID, RunBook]           `json:"runs"`
	Breaker       Breaker                                    `json:"breaker"`
}

// Fold applies a recorded event.
func Fold(s *State, e *events.Event, p events.Payload) {
	s.Unmetered = e.Stream == events.AccountStream(events.AccountUnmetered)
	s.prune(e.Time)
	switch p := p.(type) {
	case *events.AccountConfigured:
		s.SessionTokens, s.WeeklyTokens = p.SessionTokens, p.WeeklyTokens
	case *events.BudgetReserved:
		s.reserve(e, p)
	case *events.BudgetRefused:
		s.refuse(e, p)
	case *events.BudgetSettled:
		s.settle(e, p)
	case *events.BudgetReleased:
		key := laneKey(p.Run, p.Lane, p.Attempt)
		if place := s.leave(key); place != nil {
			s.end(key, e.Version, place.Value.Deadline.Add(events.AdmissionGrace))
		}
	case *events.BreakerOpened:
		s.Breaker.opened(e.Time, p)
	case *events.BreakerProbing:
		s.Breaker.Phase, s.Breaker.Probe = PhaseProbing, laneKey(p.Run, p.Lane, p.Attempt)
	case *events.BreakerClosed:
		s.Breaker.Phase, s.Breaker.Until, s.Breaker.Probe = PhaseClosed, time.Time{}, events.LaneKey{}
	}
}

func laneKey(run events.RunID, lane events.LaneID, attempt int) events.LaneKey {
	return events.LaneKey{Run: run, Lane: lane, Attempt: attempt}
}

func (s *State) reserve(e *events.Event, p *events.BudgetReserved) {
	key := laneKey(p.Run, p.Lane, p.Attempt)
	s.leave(key)
	s.Open.Put(key, events.FormatTime(p.Lapses), int64(e.Version), Open{Tokens: p.Tokens, Pool: p.Pool, At: e.Time})
	s.OpenTokens += p.Tokens
	s.pool(p.Pool).Open++
	s.book(p.Run, e.Version, p.Lapses, func(b *RunBook) { b.Open, b.Lanes = b.Open+p.Tokens, b.Lanes+1 })
}

func (s *State) refuse(e *events.Event, p *events.BudgetRefused) {
	key := laneKey(p.Run, p.Lane, p.Attempt)
	arrived := int64(e.Version)
	if place := s.leave(key); place != nil {
		arrived = place.Seq
	}
	lapses := p.Deadline.Add(events.AdmissionGrace)
	if p.Until.IsZero() {
		s.end(key, e.Version, lapses)
		return
	}
	s.pool(p.Pool).Line.Put(key, p.Rank, arrived, Place{
		Tokens: p.Tokens, Pool: p.Pool, Owner: p.Owner, Timeout: p.Timeout, Deadline: p.Deadline,
		MaxRunTokens: p.MaxRunTokens,
	})
	s.Looks.Put(key, events.FormatTime(p.Until), int64(e.Version), p.Pool)
	s.book(p.Run, e.Version, lapses, func(b *RunBook) { b.Lanes++ })
}

func (s *State) settle(e *events.Event, p *events.BudgetSettled) {
	key := laneKey(p.Run, p.Lane, p.Attempt)
	open, ok := s.Open.Get(key)
	if !ok {
		return
	}
	s.Open.Remove(key)
	s.OpenTokens -= open.Value.Tokens
	s.pool(open.Value.Pool).Open--
	if p.Used > 0 {
		s.Spent = s.Spent.insert(p.SpentAt, p.Used)
	}
	s.book(p.Run, e.Version, time.Time{}, func(b *RunBook) {
		b.Open, b.Settled, b.Lanes = b.Open-open.Value.Tokens, b.Settled+p.Used, b.Lanes-1
	})
	s.end(key, e.Version, time.Time{})
}

// leave takes a place out of the line, and returns it.
func (s *State) leave(key events.LaneKey) *line.Entry[events.LaneKey, Place] {
	look, ok := s.Looks.Get(key)
	if !ok {
		return nil
	}
	pool := s.pool(look.Value)
	place, _ := pool.Line.Get(key)
	pool.Line.Remove(key)
	s.Looks.Remove(key)
	s.book(key.Run, 0, time.Time{}, func(b *RunBook) { b.Lanes-- })
	return place
}

// end remembers that nothing more is reserved for the lane.
func (s *State) end(key events.LaneKey, version events.Version, lapses time.Time) {
	s.book(key.Run, version, lapses, func(b *RunBook) {
		if len(b.Ended) >= EndedMax {
			b.Ended = slices.Delete(b.Ended, 0, 1)
		}
		b.Ended = append(b.Ended, LaneEnd{Lane: key.Lane, Attempt: key.Attempt})
	})
}

// ended reports whether nothing more is to be reserved for the lane.
func (s *State) ended(key events.LaneKey) bool {
	book, ok := s.Runs.Get(key.Run)
	return ok && slices.Contains(book.Value.Ended, LaneEnd{Lane: key.Lane, Attempt: key.Attempt})
}

// book changes a run's book, and keeps it until lapses at least.
func (s *State) book(run events.RunID, version events.Version, lapses time.Time, change func(*RunBook)) {
	key := events.FormatTime(lapses)
	if old, ok := s.Runs.Get(run); ok {
		change(&old.Value)
		if key > old.Key {
			s.Runs.Put(run, key, int64(version), old.Value)
		}
		return
	}
	fresh := RunBook{}
	change(&fresh)
	s.Runs.Put(run, key, int64(version), fresh)
}

// pool finds a pool's book, or opens it.
func (s *State) pool(name events.PoolName) *PoolBook {
	i, ok := slices.BinarySearchFunc(s.Pools, name, func(b *PoolBook, name events.PoolName) int {
		return strings.Compare(string(b.Pool), string(name))
	})
	if !ok {
		s.Pools = slices.Insert(s.Pools, i, &PoolBook{Pool: name})
	}
	return s.Pools[i]
}

// prune forgets spends that no window holds, and runs that are over.
func (s *State) prune(at time.Time) {
	if n := s.Spent.after(at.Add(-weeklyWindow)); n > 0 {
		s.Spent = slices.Delete(s.Spent, 0, n)
	}
	now := events.FormatTime(at)
	for first := s.Runs.First(); first != nil && first.Key <= now && first.Value.Lanes == 0; first = s.Runs.First() {
		s.Runs.Remove(first.ID)
	}
}

// Check reports a state that no sequence of decisions may reach.
func Check(s *State) error {
	var tokens int64
	opens, lanes := map[events.PoolName]int{}, map[events.RunID]int{}
	for _, e := range s.Open.All() {
		tokens += e.Value.Tokens
		opens[e.Value.Pool]++
		lanes[e.ID.Run]++
		if s.Looks.Has(e.ID) || s.ended(e.ID) {
			return fmt.Errorf("account: %v holds a reservation, and waits or has ended", e.ID)
		}
	}
	if tokens != s.OpenTokens {
		return fmt.Errorf("account: %d tokens are held, %d on the books", tokens, s.OpenTokens)
	}
	waiting := 0
	for _, b := range s.Pools {
		if b.Open != opens[b.Pool] {
			return fmt.Errorf("account: pool %s holds %d, %d on the books", b.Pool, opens[b.Pool], b.Open)
		}
		waiting += b.Line.Len()
		for _, e := range b.Line.All() {
			lanes[e.ID.Run]++
		}
	}
	if waiting != s.Looks.Len() {
		return fmt.Errorf("account: %d wait, %d are looked at again", waiting, s.Looks.Len())
	}
	for _, e := range s.Runs.All() {
		if e.Value.Lanes != lanes[e.ID] {
			return fmt.Errorf("account: run %s has %d lanes, %d on its book", e.ID, lanes[e.ID], e.Value.Lanes)
		}
	}
	if s.Breaker.Phase == PhaseProbing && !s.Open.Has(s.Breaker.Probe) {
		return fmt.Errorf("account: the probe %v holds no reservation", s.Breaker.Probe)
	}
	return nil
}

package pool

import (
	"fmt"

	"github.com/reviewctl/reviewctl/actors/line"
	"github.com/reviewctl/reviewctl/events"
)

// EndedMax bounds the memory of lanes that have left. A repeat comes within
// seconds, after a router's restart.
const EndedMax = 1024

// Waiting is a lane in the line, ordered by its rank.
type Waiting struct {
	Owner   events.BootID       `json:"owner"`
	Timeout int64               `json:"timeout_ms"`
	Breaker events.BreakerState `json:"breaker"`
}

// Grant is a lane with a slot, ordered by the end of its lease.
type Grant struct {
	Slot       int   `json:"slot"`
	Generation int64 `json:"generation"`
}

// State is what the pool's events say.
type State struct {
	Size       int                                 `json:"size"` // 0 = never sized
	Generation int64                               `json:"generation"`
	Taken      []bool                              `json:"taken"` // by slot
	Line       line.Line[events.LaneKey, Waiting]  `json:"line"`
	Held       line.Line[events.LaneKey, Grant]    `json:"held"`
	Ended      line.Line[events.LaneKey, struct{}] `json:"ended"`
}

// Fold applies a recorded event.
func Fold(s *State, e *events.Event, p events.Payload) {
	switch p := p.(type) {
	case *events.PoolSized:
		s.Size = p.Size
	case *events.LaneQueued:
		s.Line.Put(laneKey(p.Run, p.Lane, p.Attempt), p.Key, int64(e.Version),
			Waiting{Owner: p.Owner, Timeout: p.Timeout, Breaker: p.Breaker})
	case *events.LaneGranted:
		key := laneKey(p.Run, p.Lane, p.Attempt)
		s.leave(key)
		s.Held.Put(key, events.FormatTime(p.Lease), int64(e.Version), Grant{Slot: p.Slot, Generation: p.Generation})
		s.Generation = max(s.Generation, p.Generation)
		s.take(p.Slot, true)
	case *events.LaneReleased:
		s.end(laneKey(p.Run, p.Lane, p.Attempt), e.Version)
	case *events.LaneExpired:
		s.end(laneKey(p.Run, p.Lane, p.Attempt), e.Version)
	}
}

func laneKey(run events.RunID, lane events.LaneID, attempt int) events.LaneKey {
	return events.LaneKey{Run: run, Lane: lane, Attempt: attempt}
}

// end takes a lane out of the pool for good.
func (s *State) end(key events.LaneKey, version events.Version) {
	s.leave(key)
	line.Remember(&s.Ended, key, int64(version), EndedMax)
}

func (s *State) leave(key events.LaneKey) {
	s.Line.Remove(key)
	if grant, ok := s.Held.Get(key); ok {
		s.take(grant.Value.Slot, false)
		s.Held.Remove(key)
	}
}

func (s *State) take(slot int, taken bool) {
	for len(s.Taken) <= slot {
		s.Taken = append(s.Taken, false)
	}
	s.Taken[slot] = taken
}

// Check reports a state that no sequence of decisions may reach.
func Check(s *State) error {
	slots := make(map[int]events.LaneKey, s.Held.Len())
	for _, e := range s.Held.All() {
		slot := e.Value.Slot
		if other, twice := slots[slot]; twice {
			return fmt.Errorf("pool: slot %d is held by %v and by %v", slot, other, e.ID)
		}
		if !s.Taken[slot] {
			return fmt.Errorf("pool: slot %d is held by %v and marked free", slot, e.ID)
		}
		if s.Line.Has(e.ID) {
			return fmt.Errorf("pool: %v holds slot %d and waits", e.ID, slot)
		}
		if e.Value.Generation > s.Generation {
			return fmt.Errorf("pool: generation %d of %v was never given", e.Value.Generation, e.ID)
		}
		slots[slot] = e.ID
	}
	taken := 0
	for _, t := range s.Taken {
		if t {
			taken++
		}
	}
	if taken != len(slots) {
		return fmt.Errorf("pool: %d slots are marked taken, %d are held", taken, len(slots))
	}
	return nil
}

package pool

import (
	"fmt"
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/actors/line"
	"github.com/reviewctl/reviewctl/events"
)

// Defaults and bounds. A decision is one append of at most 1 MiB, hence the
// batch: slots that it leaves free are granted with the next that looks.
const (
	SizeDefault  = 4
	SizeMax      = 1024
	LeaseGrace   = time.Minute
	TimeoutMax   = 24 * time.Hour
	BatchDefault = 256
)

// Rules are a pool's parameters.
type Rules struct {
	Version      int   `json:"version"` // of the code that decides
	DefaultSize  int   `json:"default_size"`
	LeaseGraceMS int64 `json:"lease_grace_ms"`
	TimeoutMaxMS int64 `json:"timeout_max_ms"`
	Batch        int   `json:"batch"` // grants, or expiries, of one decision
}

// DefaultRules returns the rules that hold where nobody says otherwise.
func DefaultRules() Rules {
	return Rules{
		Version: 1, DefaultSize: SizeDefault, LeaseGraceMS: LeaseGrace.Milliseconds(),
		TimeoutMaxMS: TimeoutMax.Milliseconds(), Batch: BatchDefault,
	}
}

// Decide answers a command with events, with nothing where it is already so, or
// with a refusal.
func (r Rules) Decide(s *State, given events.Given, cmd events.Command) ([]events.Payload, error) {
	switch c := cmd.(type) {
	case Configure:
		return r.configure(s, given, c)
	case Request:
		return r.request(s, given, c)
	case Release:
		return r.release(s, given, c), nil
	case Due:
		return r.due(s, given), nil
	default:
		return nil, &events.Refusal{Reason: fmt.Sprintf("a pool takes no %s", cmd.Name())}
	}
}

func (r Rules) configure(s *State, given events.Given, c Configure) ([]events.Payload, error) {
	if c.Size < 1 || c.Size > SizeMax { // guard: a pool has no size
		return nil, &events.Refusal{Reason: fmt.Sprintf("the size is %d; it must be 1 to %d", c.Size, SizeMax)}
	}
	if c.Size == s.Size {
		return nil, nil
	}
	d := r.desk(s, given, &events.PoolSized{Size: c.Size, Reason: c.Reason})
	d.size = c.Size
	return d.grant(nil), nil
}

func (r Rules) request(s *State, given events.Given, c Request) ([]events.Payload, error) {
	key := laneKey(c.Run, c.Lane, c.Attempt)
	if s.Line.Has(key) || s.Held.Has(key) || s.Ended.Has(key) { // guard: a lane gets two slots
		return nil, nil
	}
	if c.Run == "" || c.Lane == "" {
		return nil, &events.Refusal{Reason: "a request needs a run and a lane"}
	}
	d := r.desk(s, given, &events.LaneQueued{
		Run: c.Run, Lane: c.Lane, Attempt: c.Attempt, Key: c.Rank, Owner: c.Owner,
		Timeout: c.Timeout, Breaker: c.Breaker, Account: c.Account,
	})
	return d.grant(&place{
		ID: key, Key: c.Rank, Value: Waiting{Owner: c.Owner, Timeout: c.Timeout, Breaker: c.Breaker},
	}), nil
}

// release takes a lane out. One that never came here is recorded all the same:
// its request may still be on its way from the account, behind a withdrawal that
// the run recorded before the money came, and must find that it is void.
func (r Rules) release(s *State, given events.Given, c Release) []events.Payload {
	key := laneKey(c.Run, c.Lane, c.Attempt)
	if s.Ended.Has(key) { // guard: a lane is released twice
		return nil
	}
	released := &events.LaneReleased{Run: c.Run, Lane: c.Lane, Attempt: c.Attempt, Slot: -1, Reason: c.Reason}
	d := r.desk(s, given, released)
	if held, ok := s.Held.Get(key); ok {
		released.Slot, released.Generation = held.Value.Slot, held.Value.Generation
		d.free(released.Slot)
	}
	d.leaving = key
	return d.grant(nil)
}

func (r Rules) due(s *State, given events.Given) []events.Payload {
	d := r.desk(s, given)
	now := events.FormatTime(given.At)
	for cursor := s.Held.Cursor(); len(d.decided) < r.Batch; {
		e := cursor.Next()
		if e == nil || e.Key > now {
			break
		}
		d.decided = append(d.decided, &events.LaneExpired{
			Run: e.ID.Run, Lane: e.ID.Lane, Attempt: e.ID.Attempt, Slot: e.Value.Slot, Generation: e.Value.Generation,
		})
		d.free(e.Value.Slot)
	}
	return d.grant(nil)
}

type place = line.Entry[events.LaneKey, Waiting]

// desk is the pool while one decision is made.
type desk struct {
	rules   Rules
	state   *State
	at      time.Time
	size    int
	freed   []int          // slots that this decision frees
	leaving events.LaneKey // the lane that leaves the line in this decision
	decided []events.Payload
}

func (r Rules) desk(s *State, given events.Given, decided ...events.Payload) *desk {
	d := &desk{rules: r, state: s, at: given.At, size: s.Size, decided: decided}
	if d.size == 0 {
		d.size = r.DefaultSize
	}
	return d
}

func (d *desk) free(slot int) { d.freed = append(d.freed, slot) }

// lowest returns the lowest free slot from here on. Slots beyond the size are left
// over from a larger pool: they come free and are not granted again.
func (d *desk) lowest(from int) (slot int, ok bool) {
	for slot = from; slot < d.size; slot++ {
		if slot >= len(d.state.Taken) || !d.state.Taken[slot] || slices.Contains(d.freed, slot) {
			return slot, true
		}
	}
	return 0, false
}

// room is how many grants there may be more: after a pool has shrunk, slots
// beyond its size that are still held count too.
func (d *desk) room() int {
	return min(d.size-d.state.Held.Len()+len(d.freed), d.rules.Batch)
}

// grant gives the lowest free slots to the best of the line and, among them, to
// the one that joins it in this decision.
func (d *desk) grant(joining *place) []events.Payload {
	cursor, slot, generation := d.state.Line.Cursor(), -1, d.state.Generation
	for room := d.room(); room > 0; room-- {
		best := cursor.Peek()
		if best != nil && best.ID == d.leaving { // guard: a lane that leaves gets a slot
			cursor.Next()
			best = cursor.Peek()
		}
		next, ok := d.lowest(slot + 1)
		switch {
		case !ok, best == nil && joining == nil:
			return d.decided
		case joining != nil && (best == nil || joining.Key < best.Key):
			best, joining = joining, nil
		default:
			cursor.Next()
		}
		slot, generation = next, generation+1
		d.decided = append(d.decided, &events.LaneGranted{
			Run: best.ID.Run, Lane: best.ID.Lane, Attempt: best.ID.Attempt, Slot: slot, Generation: generation,
			Lease: d.rules.lease(d.at, best.Value.Timeout), Owner: best.Value.Owner, Breaker: best.Value.Breaker,
		})
	}
	return d.decided
}

// lease is the end of a grant that is given now. A time limit that is none, or
// beyond all bounds, counts as the longest.
func (r Rules) lease(at time.Time, timeoutMS int64) time.Time {
	if timeoutMS <= 0 || timeoutMS > r.TimeoutMaxMS { // guard: a lease has no end
		timeoutMS = r.TimeoutMaxMS
	}
	return at.Add(time.Duration(timeoutMS+r.LeaseGraceMS) * time.Millisecond)
}

package virtual

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/events"
)

// Violation is an invariant that did not hold.
type Violation struct {
	At   events.Ref
	What string
}

// ViolationsMax bounds what one world reports.
const ViolationsMax = 20

// checker holds the log against the invariants, event by event. It knows nothing
// of the folds that it checks.
type checker struct {
	world      *World
	violations []Violation
	last       map[events.StreamName]*events.Event
	pulls      map[events.StreamName]*pullModel
	runs       map[events.RunID]*runModel
	pools      map[events.StreamName]*poolModel
	accounts   map[events.StreamName]*accountModel
	fleet      fleetModel
	messages   map[events.StreamName]bool // of operators: whether they were answered
}

func newChecker(w *World) *checker {
	return &checker{
		world: w, last: map[events.StreamName]*events.Event{}, pulls: map[events.StreamName]*pullModel{},
		runs: map[events.RunID]*runModel{}, pools: map[events.StreamName]*poolModel{},
		accounts: map[events.StreamName]*accountModel{}, messages: map[events.StreamName]bool{},
		fleet: fleetModel{state: map[events.RunID]string{}, scopes: map[string]bool{}, admitted: map[events.RunID]time.Time{}},
	}
}

func (c *checker) fail(at events.Ref, format string, args ...any) {
	if len(c.violations) < ViolationsMax {
		c.violations = append(c.violations, Violation{at, fmt.Sprintf(format, args...)})
	}
}

func (c *checker) observe(e *events.Event, p events.Payload) {
	previous := c.last[e.Stream]
	c.last[e.Stream] = e
	var hash events.Hash
	if previous != nil {
		hash = previous.Hash
		if e.Time.Before(previous.Time) {
			c.fail(e.Ref(), "time goes back from %s to %s", previous.Time, e.Time)
		}
	}
	if err := events.Verify(hash, e); err != nil {
		c.fail(e.Ref(), "%v", err)
	}
	switch e.Stream.Category() {
	case events.CategoryPR:
		c.pull(e, p)
	case events.CategoryRun:
		c.run(e, p)
	case events.CategoryPool:
		c.pool(e, p)
	case events.CategoryAccount:
		c.account(e, p)
	case events.CategoryFleet:
		c.fleet.observe(c, e, p)
	case events.CategoryInbox:
		_, c.messages[e.Stream] = p.(*events.CommandSettled)
		if e.Version > 1 {
			c.fail(e.Ref(), "a message with more than its answer")
		}
	}
}

// ordered holds a process's deliveries to one target against the order of the log.
// What a dead process left behind is delivered again out of order.
func (c *checker) ordered(p *process, d actors.Delivery) {
	if !d.Routed || len(p.buried) > 0 {
		return
	}
	cause := c.world.log.at(events.Ref{Stream: d.Cause.Stream, Version: d.Cause.Version})
	if cause.Position < p.sent[d.Target] {
		c.fail(cause.Ref(), "%s is told of it after position %d", d.Target, p.sent[d.Target])
	}
	p.sent[d.Target] = cause.Position
}

// state compares a live machine with the fold of its stream from the beginning.
func (c *checker) state(m *machine) {
	live := m.State()
	if live == nil {
		return
	}
	folded, err := c.world.fold(m.stream, m.Version())
	if err != nil {
		c.fail(events.Ref{Stream: m.stream}, "fold: %v", err)
		return
	}
	a, b := text(live), text(folded)
	if a != b {
		c.fail(events.Ref{Stream: m.stream, Version: m.Version()}, "the live state is not the fold:\nlive %s\nfold %s", a, b)
	}
}

func (c *checker) states(p *process) {
	for _, m := range p.order {
		if c.world.steps%5 == 0 || c.world.calm {
			c.state(m)
		}
	}
}

func text(state any) string {
	b, err := json.Marshal(state)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// fold folds a stream from the beginning up to a version.
func (w *World) fold(stream events.StreamName, to events.Version) (any, error) {
	kind, err := actors.CheckedKindOf(stream)
	if err != nil {
		return nil, err
	}
	state := kind.New()
	err = w.log.ReadStream(context.Background(), stream, 0, func(e *events.Event) bool {
		if e.Version > to {
			return false
		}
		p, derr := events.Decode(e)
		if derr != nil {
			err = derr
			return false
		}
		kind.Fold(state, e, p)
		return true
	})
	return state, err
}

// submitted is told of each review that the forge stores.
func (c *checker) submitted(p *pull, r review, seen events.Commit) {
	at := events.Ref{Stream: p.stream}
	if p.marked(r.head) {
		c.fail(at, "a second review of %s was published", r.head)
	}
	if seen != r.head {
		c.fail(at, "a review of %s was published after the head was seen to be %s", r.head, seen)
	}
	if p.head != r.head {
		c.world.count("publish.moved_in_flight")
	}
	if m := c.pulls[p.stream]; m == nil || !m.adopted[r.work.run] {
		c.fail(at, "a review of run %s was published without an adopted verdict", r.work.run)
	}
}

// intended reports whether the log holds the intent to start this engine.
func (c *checker) intended(job actors.LaneJob) bool {
	r := c.runs[job.Key.Run]
	if r == nil {
		return false
	}
	l := r.lanes[job.Key.Lane]
	return l != nil && l.began[job.Key.Attempt] == job.Generation && l.owner[job.Key.Attempt] == job.Boot
}

// poolModel: no slot twice, and never more than the size.
type poolModel struct {
	size       int
	slots      map[int]events.LaneKey
	state      map[events.LaneKey]string
	generation int64
}

func (c *checker) pool(e *events.Event, p events.Payload) {
	m := c.pools[e.Stream]
	if m == nil {
		m = &poolModel{
			size: c.world.scenario.Rules.Pool.DefaultSize, slots: map[int]events.LaneKey{},
			state: map[events.LaneKey]string{},
		}
		c.pools[e.Stream] = m
	}
	leave := func(run events.RunID, lane events.LaneID, attempt int) {
		key := events.LaneKey{Run: run, Lane: lane, Attempt: attempt}
		if m.state[key] == "left" {
			c.fail(e.Ref(), "%v leaves twice", key)
		}
		for slot, of := range m.slots {
			if of == key {
				delete(m.slots, slot)
			}
		}
		m.state[key] = "left"
	}
	switch p := p.(type) {
	case *events.PoolSized:
		m.size = p.Size
	case *events.LaneQueued:
		key := events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}
		if m.state[key] != "" {
			c.fail(e.Ref(), "%v is queued, and was %s", key, m.state[key])
		}
		m.state[key] = "queued"
	case *events.LaneGranted:
		key := events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}
		if of, taken := m.slots[p.Slot]; taken {
			c.fail(e.Ref(), "slot %d of %v is granted to %v", p.Slot, of, key)
		}
		if m.state[key] != "queued" || p.Generation <= m.generation || p.Slot >= m.size || len(m.slots) >= m.size {
			c.fail(e.Ref(), "%v (%s) is granted slot %d of %d (%d held), generation %d after %d",
				key, m.state[key], p.Slot, m.size, len(m.slots), p.Generation, m.generation)
		}
		m.slots[p.Slot], m.state[key], m.generation = key, "granted", p.Generation
	case *events.LaneReleased:
		leave(p.Run, p.Lane, p.Attempt)
	case *events.LaneExpired:
		leave(p.Run, p.Lane, p.Attempt)
	}
}

// idle: after an append to a pool no slot is free while a lane waits.
func (c *checker) idle(at events.Ref) {
	c.labelled(at)
	m := c.pools[at.Stream]
	if m == nil || len(m.slots) >= m.size {
		return
	}
	for key, state := range m.state {
		if state == "queued" {
			c.fail(at, "%v waits while %d of %d slots are held", key, len(m.slots), m.size)
			return
		}
	}
}

// accountModel: each reservation is settled exactly once, and a lane's is settled
// before that lane reserves again.
type accountModel struct {
	state map[events.LaneKey]string
}

func (c *checker) account(e *events.Event, p events.Payload) {
	m := c.accounts[e.Stream]
	if m == nil {
		m = &accountModel{state: map[events.LaneKey]string{}}
		c.accounts[e.Stream] = m
	}
	before := func(key events.LaneKey) {
		if earlier := (events.LaneKey{Run: key.Run, Lane: key.Lane, Attempt: key.Attempt - 1}); m.state[earlier] == "open" {
			c.fail(e.Ref(), "%v reserves before %v was settled", key, earlier)
		}
	}
	switch p := p.(type) {
	case *events.BudgetReserved:
		key := events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}
		before(key)
		if was := m.state[key]; was != "" && was != "waits" {
			c.fail(e.Ref(), "%v reserves, and was %s", key, was)
		}
		m.state[key] = "open"
	case *events.BudgetRefused:
		key := events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}
		before(key)
		if was := m.state[key]; was != "" && was != "waits" {
			c.fail(e.Ref(), "%v is refused, and was %s", key, was)
		}
		if m.state[key] = "waits"; p.Until.IsZero() {
			m.state[key] = "settled"
		}
	case *events.BudgetSettled:
		key := events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}
		if m.state[key] != "open" {
			c.fail(e.Ref(), "%v is settled, and was %q", key, m.state[key])
		}
		m.state[key] = "settled"
		if p.Reason == "lapsed" {
			c.world.count("reservation.lapsed")
		}
	case *events.BudgetReleased:
		key := events.LaneKey{Run: p.Run, Lane: p.Lane, Attempt: p.Attempt}
		if m.state[key] != "waits" {
			c.fail(e.Ref(), "%v is released, and was %q", key, m.state[key])
		}
		m.state[key] = "settled"
	}
}

// fleetModel: a run is admitted once and freed once, and never more at a time
// than there may be.
type fleetModel struct {
	max     int
	running int
	state   map[events.RunID]string
	scopes  map[string]bool // paused

	admitted map[events.RunID]time.Time
}

func (m *fleetModel) observe(c *checker, e *events.Event, p events.Payload) {
	move := func(run events.RunID, to string, from ...string) {
		was := m.state[run]
		for _, f := range from {
			if f == was {
				m.state[run] = to
				return
			}
		}
		c.fail(e.Ref(), "run %s becomes %s, and was %q", run, to, was)
		m.state[run] = to
	}
	limit := m.max
	if limit == 0 {
		limit = c.world.scenario.Rules.Fleet.DefaultMaxRuns
	}
	switch p := p.(type) {
	case *events.FleetConfigured:
		m.max = p.MaxRuns
	case *events.FleetPaused:
		m.scopes[p.Scope] = true
	case *events.FleetResumed:
		delete(m.scopes, p.Scope)
	case *events.RunHeld:
		if m.state[p.Ticket.Run] == "held" {
			c.world.count("run.lifted")
		}
		move(p.Ticket.Run, "held", "", "held")
	case *events.RunRefused:
		move(p.Run, "freed", "", "held")
	case *events.RunAdmitted:
		move(p.Ticket.Run, "running", "", "held")
		m.admitted[p.Ticket.Run] = e.Time
		if m.running++; m.running > limit {
			c.fail(e.Ref(), "%d runs of at most %d", m.running, limit)
		}
	case *events.RunFreed:
		if m.state[p.Run] == "running" {
			m.running--
		}
		move(p.Run, "freed", "held", "running")
		if p.Reason == "lapsed" {
			c.world.count("fleet.lapsed")
		}
	}
}

// deadline is when a deadline falls, for messages.
func deadline(d events.Deadline) string {
	return fmt.Sprintf("%s %s at %s of %s, set by %s", d.Stream, d.Key, d.At.Format(time.RFC3339), d.Owner, d.About)
}

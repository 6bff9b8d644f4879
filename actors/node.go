package actors

import (
	"time"

	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// StartedMax bounds the memory of effects that this process has started.
const StartedMax = 1 << 16

// Node is one process's business: it routes, sweeps and starts effects. It holds
// no goroutine, no lock and no clock; a driver calls it from one place, carries
// its deliveries to the actors and brings the answers back.
type Node struct {
	Boot    events.BootID
	Router  *Router
	Sweeper *Sweeper
	// Shared makes this process sweep pools, accounts and the fleet: the daemon
	// does, and without one whoever waits on them.
	Shared bool

	ports   Ports
	answer  func(target events.StreamName, cause events.Cause, cmds ...events.Command)
	effects map[events.Type]Effect
	started map[events.Ref]bool
	order   []events.Ref // of started, the oldest first
}

// NodeConfig says what a process is.
type NodeConfig struct {
	Boot   events.BootID
	Daemon bool
	Shared bool
	After  events.Position // what the router has gone past
	Ports  Ports
	// Answer takes the outcome of an effect, from any goroutine, and never blocks.
	// It must come to Node.Router.Post.
	Answer func(target events.StreamName, cause events.Cause, cmds ...events.Command)
}

// NewNode returns a process's business, with nothing known yet.
func NewNode(c NodeConfig) *Node {
	n := &Node{
		Boot: c.Boot, Router: NewRouter(c.Boot, c.Daemon, c.After), Sweeper: NewSweeper(),
		Shared: c.Shared || c.Daemon, ports: c.Ports, answer: c.Answer,
		effects: map[events.Type]Effect{}, started: map[events.Ref]bool{},
	}
	for _, e := range Effects {
		n.effects[e.On] = e
	}
	return n
}

// Restore takes what waits from the deadlines view.
func (n *Node) Restore(deadlines []events.Deadline) {
	for _, d := range deadlines {
		if d.Key == events.DeadlineRun {
			n.Router.Learn(events.RunID(d.Stream.Subject()), d.Owner)
		}
	}
	n.Sweeper.Observe(deadlines)
}

// Observe takes the next event of the log. Effects are started here, and only
// here: because their intent is in the log, names this boot, and was not started
// before. (hard-parts §2)
func (n *Node) Observe(e *events.Event, p events.Payload) []Delivery {
	if e.Position <= n.Router.seen { // guard: a doubled notice revives what has ended
		return nil // a doubled notice would set again what a later event has cleared
	}
	n.Sweeper.Observe(events.Deadlines(e, p))
	out := n.Router.Observe(e, p)
	n.start(e, p)
	return out
}

func (n *Node) start(e *events.Event, p events.Payload) {
	effect, ok := n.effects[e.Type]
	ref := e.Ref()
	if !ok || n.started[ref] || (effect.Owner != nil && effect.Owner(p) != n.Boot) { // guard: another boot's effect is started
		return
	}
	if n.order = append(n.order, ref); len(n.order) > StartedMax {
		delete(n.started, n.order[0])
		n.order = n.order[1:]
	}
	n.started[ref] = true
	cause := events.Cause{Stream: e.Stream, Version: e.Version, Row: "effect"}
	effect.Start(n.ports, e, p, func(cmds ...events.Command) { n.answer(e.Stream, cause, cmds...) })
}

// Answered takes the answer to a delivery.
func (n *Node) Answered(id uint64, a shell.Answer) []Delivery { return n.Router.Answered(id, a) }

// Due tells the actors that have something overdue.
func (n *Node) Due(now time.Time) []Delivery {
	return n.post(n.Sweeper.Due(now, n.minds))
}

func (n *Node) post(sweeps []Sweep) []Delivery {
	var out []Delivery
	for _, s := range sweeps {
		out = append(out, n.Router.Post(s.Stream, events.Cause{}, s.Command)...)
	}
	return out
}

// minds says whether something that waits is this process's to look at. What
// hangs on a run is its owner's.
func (n *Node) minds(d events.Deadline) bool {
	owner := d.Owner
	if d.Stream.Category() == events.CategoryRun {
		if of := n.Router.Owner(events.RunID(d.Stream.Subject())); of != "" { // guard: another boot's run is swept
			owner = of
		}
	}
	switch d.Stream.Category() {
	case events.CategoryPool, events.CategoryAccount, events.CategoryFleet:
		return n.Shared
	}
	return n.Router.Minds(owner)
}

// Bury ends the business of a dead boot: what it may not have delivered of its
// runs is delivered again, and then its actors are told. read reads a stream.
func (n *Node) Bury(boot events.BootID, read func(events.StreamName) ([]*events.Event, error)) ([]Delivery, error) {
	runs, sweeps := n.Sweeper.Gone(boot)
	n.Router.Adopt(boot)
	var out []Delivery
	for _, id := range runs {
		stream, err := read(events.RunStream(id))
		if err != nil {
			return out, err
		}
		for _, e := range stream {
			p, err := events.Decode(e)
			if err != nil {
				return out, err
			}
			out = append(out, n.Router.Again(e, p)...)
		}
	}
	return append(out, n.post(sweeps)...), nil
}

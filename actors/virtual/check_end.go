package virtual

import (
	"fmt"
	"sort"

	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// paused lists the scopes that are paused.
func (m *fleetModel) paused() []string {
	var scopes []string
	for scope := range m.scopes {
		scopes = append(scopes, scope)
	}
	sort.Strings(scopes)
	return scopes
}

// atRest checks what must hold once nothing is left to happen.
func (w *World) atRest() {
	c := w.check
	if len(c.violations) > 0 {
		return // the first fault is the one to look at
	}
	for _, d := range w.waiting.list() {
		c.fail(d.About, "it still waits: %s", deadline(d))
	}
	c.matters()
	for _, f := range w.forge.pulls {
		c.pullAtRest(f)
	}
	for _, p := range w.processes {
		if !p.alive || p.node == nil {
			continue
		}
		c.states(p)
		c.sweeper(p)
		if n := p.node.Router.Backlog(); n > 0 {
			c.fail(events.Ref{}, "%s has not delivered all of %d events", p.boot, n)
		}
	}
	w.snapshots()
}

// matters: no run is open or in a line, no lane holds a slot or money, and every
// operator has an answer.
func (c *checker) matters() {
	for id, r := range c.runs {
		if !r.ended {
			c.fail(events.Ref{Stream: events.RunStream(id)}, "the run has not ended")
		}
	}
	for name, answered := range c.messages {
		if !answered {
			c.fail(events.Ref{Stream: name}, "the operator was never answered")
		}
	}
	for run, state := range c.fleet.state {
		if state != "freed" {
			c.fail(events.Ref{Stream: events.FleetStream}, "run %s is still %s", run, state)
		}
	}
	for name, m := range c.pools {
		for key, state := range m.state {
			if state != "left" {
				c.fail(events.Ref{Stream: name}, "%v is still %s", key, state)
			}
		}
	}
	for name, m := range c.accounts {
		for key, state := range m.state {
			if state != "settled" {
				c.fail(events.Ref{Stream: name}, "%v is still %s", key, state)
			}
		}
	}
}

// pullAtRest: the head on the forge was seen, and its business is over.
func (c *checker) pullAtRest(f *pull) {
	m, at := c.pulls[f.stream], events.Ref{Stream: f.stream}
	switch {
	case m == nil && !f.closed:
		c.fail(at, "nobody saw the pull request")
	case m == nil:
	case m.open:
		c.fail(at, "head %s is still open", m.head)
	case !f.closed && m.head != f.head:
		c.fail(at, "head %s is on the forge, and %s was seen", f.head, m.head)
	case len(m.rounds.noted) > 0:
		c.fail(at, "a review was asked for, and nobody answered: %v", m.rounds.noted)
	case m.active != nil && !m.stuck:
		c.fail(at, "the review of run %s is neither published nor given up", *m.active)
	default:
		c.forgeAtRest(f, m)
	}
}

// sweeper compares what a process thinks is waiting with the log.
func (c *checker) sweeper(p *process) {
	want, got := fmt.Sprint(c.world.waiting.list()), fmt.Sprint(p.node.Sweeper.Entries())
	if want != got {
		c.fail(events.Ref{}, "%s waits for\n%s, the log for\n%s", p.boot, got, want)
	}
}

// snapshots loads each stream that has a snapshot twice, with it and without.
func (w *World) snapshots() {
	for _, stream := range w.streams() {
		s, ok := w.saved[stream]
		if !ok {
			continue
		}
		with := w.loaded(stream, &s)
		without := w.loaded(stream, nil)
		if a, b := text(with), text(without); a != b {
			w.check.fail(events.Ref{Stream: stream, Version: s.Version}, "a snapshot makes a difference:\nwith    %s\nwithout %s", a, b)
		}
	}
}

func (w *World) streams() []events.StreamName {
	names := make([]events.StreamName, 0, len(w.check.last))
	for name := range w.check.last {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool { return names[i] < names[j] })
	return names
}

type nothing struct{}

func (nothing) Name() string { return "virtual.nothing" }

func (w *World) loaded(stream events.StreamName, s *shell.Snapshot) any {
	kind, err := w.kindOf(stream)
	if err != nil {
		return err.Error()
	}
	m := shell.NewMachine(kind, stream)
	m.Step(shell.Ask{Command: nothing{}, Rules: w.rules})
	in := shell.Loaded{Snapshot: s}
	all, _ := w.stream(stream)
	if s != nil {
		all = all[s.Version+1:]
	}
	in.Events = all
	m.Step(in)
	return m.State()
}

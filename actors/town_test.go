package actors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	daemon   events.BootID     = "d1"
	terminal events.BootID     = "t1"
	prStream events.StreamName = "pr-local/x/3"
	gpt      events.StreamName = "pool-gpt"
	mainAcc  events.StreamName = "account-main"
)

// town is every actor's machine on one log in memory, with a daemon's router. It
// delivers one command at a time and each of them again at once.
type town struct {
	t        *testing.T
	rules    *shell.Rules
	now      time.Time
	log      []*events.Event
	machines map[events.StreamName]*shell.Machine
	asks     uint64
	router   *actors.Router
	read     int // events that the router has seen
	done     []actors.Delivery

	engine func(run events.RunID, p *events.LaneBegan) []events.Command // answers a session; nil = it never does
	before func(d actors.Delivery)                                      // looks at what is about to be delivered
}

func newTown(t *testing.T) *town {
	t.Helper()
	r := actors.DefaultRules()
	for _, name := range []events.EngineName{"one", "two"} {
		r.Run.Engines = append(r.Run.Engines, run.EngineRules{
			Engine: name, Kind: "exec", Model: "gpt-6", Pool: "gpt", Account: "main", Estimate: 100,
			Timeout: (30 * time.Minute).Milliseconds(),
		})
	}
	r.Run.Phase1 = []events.EngineName{"one"}
	sealed, err := r.Seal()
	if err != nil {
		t.Fatal(err)
	}
	return &town{
		t: t, rules: sealed, now: t0, machines: map[events.StreamName]*shell.Machine{},
		router: actors.NewRouter(daemon, true, 0), engine: good, before: func(actors.Delivery) {},
	}
}

func key(p *events.LaneBegan) run.CompleteLane {
	return run.CompleteLane{Lane: p.Lane, Attempt: p.Attempt, Generation: p.Generation}
}

func good(_ events.RunID, p *events.LaneBegan) []events.Command { return []events.Command{key(p)} }

// finds answers with one finding.
func finds(_ events.RunID, p *events.LaneBegan) []events.Command {
	return []events.Command{run.RaiseFindings{
		Lane: p.Lane, Attempt: p.Attempt, Generation: p.Generation,
		Findings: []events.Finding{{Fingerprint: "f", Severity: events.SeverityNitpick}},
	}, key(p)}
}

// ask has one machine answer one command.
func (x *town) ask(stream events.StreamName, c events.Command, cause events.Cause, routed bool) shell.Answer {
	x.t.Helper()
	m := x.machines[stream]
	if m == nil {
		kind, err := actors.CheckedKindOf(stream)
		if err != nil {
			x.t.Fatal(err)
		}
		m = shell.NewMachine(kind, stream)
		x.machines[stream] = m
	}
	x.asks++
	inputs := []shell.Input{shell.Ask{
		Ticket: shell.Ticket(x.asks), Command: c, Cause: cause, Routed: routed, By: actors.ByNode, Rules: x.rules,
		Given: events.Given{At: x.now, Boot: daemon, Draw: events.Draw(fmt.Sprintf("%016x%016x", x.asks, x.asks))},
	}}
	var answer shell.Answer
	for len(inputs) > 0 {
		in := inputs[0]
		inputs = inputs[1:]
		for _, out := range m.Step(in) {
			switch o := out.(type) {
			case shell.Load:
				inputs = append(inputs, shell.Loaded{Events: x.of(stream)})
			case shell.Write:
				x.store(o.Append)
				inputs = append(inputs, shell.Appended{})
			case shell.Reply:
				answer = o.Answer
			}
		}
	}
	if answer.Err != nil {
		x.t.Fatalf("%s to %s: %v", c.Name(), stream, answer.Err)
	}
	return answer
}

func (x *town) of(stream events.StreamName) []*events.Event {
	var out []*events.Event
	for _, e := range x.log {
		if e.Stream == stream {
			out = append(out, e)
		}
	}
	return out
}

func (x *town) store(a events.Append) {
	x.t.Helper()
	if err := events.CheckAppend(a); err != nil {
		x.t.Fatal(err)
	}
	for i := range a.Events {
		e := a.Events[i]
		e.Position = events.Position(len(x.log) + 1)
		x.log = append(x.log, &e)
	}
}

// tell asks from outside the log and lets everything follow.
func (x *town) tell(stream events.StreamName, c events.Command) {
	x.t.Helper()
	x.ask(stream, c, events.Cause{}, false)
	x.settle()
}

// settle delivers until nothing is left to deliver.
func (x *town) settle() {
	x.t.Helper()
	var queue []actors.Delivery
	for {
		for ; x.read < len(x.log); x.read++ {
			e := x.log[x.read]
			p := decode(x.t, e)
			queue = append(queue, x.router.Observe(e, p)...)
			queue = append(queue, x.effects(e, p)...)
		}
		if len(queue) == 0 {
			break
		}
		d := queue[0]
		queue = append(queue[1:], x.router.Answered(d.ID, x.deliver(d))...)
	}
	if x.router.Checkpoint() != events.Position(len(x.log)) || x.router.Backlog() != 0 {
		x.t.Fatalf("the router went past %d of %d events", x.router.Checkpoint(), len(x.log))
	}
}

func (x *town) deliver(d actors.Delivery) shell.Answer {
	x.t.Helper()
	x.before(d)
	answer := x.ask(d.Target, d.Command, d.Cause, d.Routed)
	if !d.Routed {
		return answer
	}
	x.done = append(x.done, d)
	x.void(d, true, "again at once")
	if d.Cause.Row != "message" { // an operator may say the same twice
		x.void(d, false, "again at once, to an actor that forgot its cause")
	}
	return answer
}

// void delivers again and fails where anything comes of it.
func (x *town) void(d actors.Delivery, routed bool, when string) {
	x.t.Helper()
	if again := x.ask(d.Target, d.Command, d.Cause, routed); len(again.Events) > 0 {
		last := x.log[len(x.log)-1]
		x.t.Errorf("%s of %s %s wrote %v: %s %s", d.Command.Name(), d.Cause.Text(), when, again.Events, last.Type, last.Payload)
	}
}

func (x *town) effects(e *events.Event, p events.Payload) []actors.Delivery {
	cause := events.Cause{Stream: e.Stream, Version: e.Version, Row: "effect"}
	switch p := p.(type) {
	case *events.WorkspaceRequested:
		return x.router.Post(e.Stream, cause, run.NoteWorkspace{Ready: events.WorkspaceReady{
			Try: p.Try, MergeBase: p.Base, Files: []events.ChangedFile{{Path: "a", Status: "M"}},
		}})
	case *events.LaneBegan:
		return x.router.Post(e.Stream, cause, x.engine(events.RunID(e.Stream.Subject()), p)...)
	case *events.LaneStopRequested:
		return x.router.Post(e.Stream, cause, run.NoteLaneStopped{Lane: p.Lane, Attempt: p.Attempt, Generation: p.Generation})
	}
	return nil
}

func decode(t *testing.T, e *events.Event) events.Payload {
	t.Helper()
	p, err := events.Decode(e)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// push shows a new head to the pull request's actor.
func (x *town) push(head string, change func(*pr.Observe)) {
	x.t.Helper()
	c := pr.Observe{
		Host: "local", RepoID: "x", Repo: "local/x", Number: 3, Ref: "topic", BaseRef: "main",
		Head: events.Commit(head), Base: "b", Owner: events.OwnerAny, Settings: events.Settings{Target: events.TargetNone},
	}
	if change != nil {
		change(&c)
	}
	x.tell(prStream, c)
}

// message sends an operator's message.
func (x *town) message(id string, target events.StreamName, c events.Command, fields string) {
	x.t.Helper()
	x.tell(events.InboxStream(id), actors.Receive{CommandReceived: events.CommandReceived{
		Target: target, Command: c.Name(), Fields: events.JSON(fields),
	}})
}

func (x *town) count(t events.Type) int {
	n := 0
	for _, e := range x.log {
		if e.Type == t {
			n++
		}
	}
	return n
}

// last decodes the newest event of a type.
func last[P any](x *town) *P {
	x.t.Helper()
	for i := len(x.log) - 1; i >= 0; i-- {
		if p, ok := any(decode(x.t, x.log[i])).(*P); ok {
			return p
		}
	}
	x.t.Fatalf("no %T is recorded", *new(P))
	return nil
}

// over fails unless every matter has ended and nothing is held.
func (x *town) over() {
	x.t.Helper()
	if asked, ended := x.count("run.requested"), x.count("run.ended"); asked != ended {
		x.t.Errorf("%d runs were asked for, %d have ended", asked, ended)
	}
	if reserved, settled := x.count("budget.reserved"), x.count("budget.settled"); reserved != settled {
		x.t.Errorf("%d reservations, %d settlements", reserved, settled)
	}
	for stream, m := range x.machines {
		held := 0
		switch s := m.State().(type) {
		case *fleet.State:
			held = s.Members.Len()
		case *pool.State:
			held = s.Held.Len() + s.Line.Len()
		case *account.State:
			held = s.Open.Len() + s.Looks.Len()
		}
		if held > 0 {
			x.t.Errorf("%s still holds %d", stream, held)
		}
	}
}

package shell_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const stream events.StreamName = "fleet-main"

// tally is a state that depends on every event, its order and its time.
type tally struct {
	Scopes []string  `json:"scopes"`
	Last   time.Time `json:"last"`
}

// say records one fleet.paused for each scope.
type say struct {
	Scopes []string `json:"scopes"`
}

// no is refused, fault fails otherwise, once is void where it was said already.
type (
	no    struct{}
	fault struct{}
	once  struct {
		Scope string `json:"scope"`
	}
)

func (say) Name() string   { return "fleet.say" }
func (no) Name() string    { return "fleet.no" }
func (fault) Name() string { return "fleet.fault" }
func (once) Name() string  { return "fleet.once" }

var errFault = errors.New("it broke")

func decide(_, state any, _ events.Given, cmd events.Command) ([]events.Payload, error) {
	var out []events.Payload
	switch c := cmd.(type) {
	case say:
		for _, s := range c.Scopes {
			out = append(out, &events.FleetPaused{Scope: s})
		}
	case once:
		for _, s := range state.(*tally).Scopes {
			if s == c.Scope {
				return nil, nil
			}
		}
		out = append(out, &events.FleetPaused{Scope: c.Scope})
	case no:
		return nil, &events.Refusal{Reason: "no"}
	case fault:
		return nil, errFault
	}
	return out, nil
}

// kind is a fleet that tallies what it is told.
func kind(change func(*shell.Kind)) *shell.Kind {
	k := &shell.Kind{
		Category: events.CategoryFleet, CausesMax: 4,
		New: func() any { return &tally{} },
		Fold: func(state any, e *events.Event, p events.Payload) {
			s := state.(*tally)
			s.Scopes, s.Last = append(s.Scopes, p.(*events.FleetPaused).Scope), e.Time
		},
		Decide: decide,
	}
	if change != nil {
		change(k)
	}
	return k
}

func snapshots(every int) *shell.Kind { return kind(func(k *shell.Kind) { k.SnapshotEvery = every }) }

// bench drives one machine by hand, on a log of one stream.
type bench struct {
	t       *testing.T
	m       *shell.Machine
	kind    *shell.Kind
	log     []*events.Event
	replies map[shell.Ticket]shell.Answer
	order   []shell.Ticket // of the replies
	load    *shell.Load    // that awaits Loaded
	write   *shell.Write   // that awaits Appended or Failed
	saved   *shell.Snapshot
	stopped int
	tickets shell.Ticket
}

func start(t *testing.T, k *shell.Kind) *bench {
	return &bench{t: t, m: shell.NewMachine(k, stream), kind: k, replies: map[shell.Ticket]shell.Answer{}}
}

// again is a second machine on the same log, with nothing in memory.
func (b *bench) again() *bench {
	other := start(b.t, b.kind)
	other.log, other.saved, other.tickets = b.log, b.saved, b.tickets+1000
	return other
}

func (b *bench) step(in shell.Input) {
	b.t.Helper()
	for _, out := range b.m.Step(in) {
		switch o := out.(type) {
		case shell.Load:
			b.load = &o
		case shell.Write:
			if err := events.CheckAppend(o.Append); err != nil {
				b.t.Fatal(err)
			}
			b.write = &o
		case shell.Reply:
			if _, twice := b.replies[o.Ticket]; twice {
				b.t.Fatalf("ask %d is answered twice", o.Ticket)
			}
			b.replies[o.Ticket] = o.Answer
			b.order = append(b.order, o.Ticket)
		case shell.Save:
			b.saved = &o.Snapshot
		case shell.Stopped:
			b.stopped++
		}
	}
}

// ask asks, by an effect or an operator, without a route.
func (b *bench) ask(c events.Command) shell.Ticket { return b.from(events.Cause{}, false, c) }

// routed asks because of an event.
func (b *bench) routed(of events.StreamName, v events.Version, c events.Command) shell.Ticket {
	return b.from(events.Cause{Stream: of, Version: v, Row: "row"}, true, c)
}

func (b *bench) from(cause events.Cause, routed bool, c events.Command) shell.Ticket {
	b.t.Helper()
	b.tickets++
	b.step(shell.Ask{
		Ticket: b.tickets, Command: c, Cause: cause, Routed: routed, By: "reviewctl", Rules: &shell.Rules{Digest: "d1"},
		Given: events.Given{At: t0.Add(time.Duration(b.tickets) * time.Second), Boot: "b1", Draw: events.Draw(fmt.Sprintf("%032x", b.tickets))},
	})
	return b.tickets
}

// loads answers Load with what the log holds.
func (b *bench) loads() {
	b.t.Helper()
	if b.load == nil {
		b.t.Fatal("no load is awaited")
	}
	in := shell.Loaded{}
	from := events.Version(0)
	if b.load.Snapshot && b.saved != nil {
		in.Snapshot, from = b.saved, b.saved.Version+1
	}
	b.load, in.Events = nil, b.log[from:]
	b.step(in)
}

// commits stores the write and says so.
func (b *bench) commits() {
	b.t.Helper()
	b.stores()
	b.step(shell.Appended{})
}

// stores stores the write and says nothing.
func (b *bench) stores() {
	b.t.Helper()
	if b.write == nil {
		b.t.Fatal("no write is awaited")
	}
	a := b.write.Append
	b.write = nil
	if a.Expected != events.Version(len(b.log)-1) {
		b.t.Fatalf("a write expects version %d of a log of %d events", a.Expected, len(b.log))
	}
	for i := range a.Events {
		e := a.Events[i]
		b.log = append(b.log, &e)
	}
}

// fails answers the write.
func (b *bench) fails(err error) {
	b.t.Helper()
	if b.write == nil {
		b.t.Fatal("no write is awaited")
	}
	b.write = nil
	b.step(shell.Failed{Err: err})
}

// foreign lets another process write one event.
func (b *bench) foreign(scope string) {
	b.t.Helper()
	other := b.again()
	other.tickets = shell.Ticket(5000 + len(b.log))
	other.ask(say{[]string{scope}})
	other.loads()
	other.commits()
	b.log = other.log
}

func (b *bench) conflict() {
	b.t.Helper()
	b.foreign("foreign")
	b.fails(&events.ConflictError{Stream: stream, Expected: b.m.Version()})
}

func (b *bench) answer(ticket shell.Ticket) shell.Answer {
	b.t.Helper()
	a, ok := b.replies[ticket]
	if !ok {
		b.t.Fatalf("ask %d has no answer", ticket)
	}
	return a
}

func (b *bench) unanswered(tickets ...shell.Ticket) {
	b.t.Helper()
	for _, ticket := range tickets {
		if a, ok := b.replies[ticket]; ok {
			b.t.Fatalf("ask %d is answered: %+v", ticket, a)
		}
	}
}

// accepted fails unless the ask was accepted and wrote events at these versions.
func (b *bench) accepted(ticket shell.Ticket, versions ...events.Version) {
	b.t.Helper()
	a := b.answer(ticket)
	if !a.Accepted || a.Err != nil || len(a.Events) != len(versions) {
		b.t.Fatalf("ask %d: %+v, want events at %v", ticket, a, versions)
	}
	for i, v := range versions {
		if a.Events[i] != (events.Ref{Stream: stream, Version: v}) {
			b.t.Fatalf("ask %d cites %v, want version %d", ticket, a.Events[i], v)
		}
	}
}

func (b *bench) erred(ticket shell.Ticket, want error) {
	b.t.Helper()
	if a := b.answer(ticket); a.Accepted || !errors.Is(a.Err, want) || len(a.Events) != 0 {
		b.t.Fatalf("ask %d: %+v, want the error %v", ticket, a, want)
	}
}

// holds fails unless the live state and the log say this.
func (b *bench) holds(scopes ...string) {
	b.t.Helper()
	state, ok := b.m.State().(*tally)
	if !ok {
		b.t.Fatal("the machine is not ready")
	}
	if got, want := strings.Join(state.Scopes, " "), strings.Join(scopes, " "); got != want {
		b.t.Fatalf("the state holds %q, want %q", got, want)
	}
	if len(b.log) != len(scopes) || b.m.Version() != events.Version(len(scopes)-1) {
		b.t.Fatalf("the log holds %d events at version %d, want %d", len(b.log), b.m.Version(), len(scopes))
	}
}

func one(scope string) say { return say{[]string{scope}} }

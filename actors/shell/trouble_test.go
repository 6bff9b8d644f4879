package shell_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

func TestConflict(t *testing.T) {
	t.Parallel()
	b := start(t, kind(nil))
	first, second := b.ask(one("a")), b.ask(once{"foreign"})
	b.loads()
	ids := b.write.Append.Events
	third := b.ask(one("c")) // comes while it is written
	b.conflict()
	b.unanswered(first, second, third)
	if b.m.State() != nil {
		t.Fatal("the state that lost is shown")
	}
	b.loads()
	for i, e := range b.write.Append.Events {
		for _, old := range ids {
			if e.ID == old.ID {
				t.Errorf("event %d is decided again under the id %s", i, e.ID)
			}
		}
	}
	b.commits()
	b.accepted(first, 1)
	b.accepted(second) // decided anew, against what the other wrote
	b.accepted(third, 2)
	b.holds("foreign", "a", "c")
	if b.order[0] != first || b.order[1] != second || b.order[2] != third {
		t.Errorf("the answers came as %v", b.order)
	}
}

func TestContended(t *testing.T) {
	t.Parallel()
	b := start(t, kind(nil))
	ticket := b.ask(one("a"))
	for range shell.TriesMax {
		b.loads()
		b.conflict()
		b.unanswered(ticket)
	}
	b.loads()
	b.conflict()
	b.erred(ticket, shell.ErrContended)
	if !b.m.Idle() || b.load != nil {
		t.Fatal("it goes on after it gave up")
	}
	next := b.ask(one("b"))
	b.loads()
	b.commits()
	b.accepted(next, events.Version(len(b.log)-1))
}

// TestContendedKeepsTheYoung: who came later still has its tries.
func TestContendedKeepsTheYoung(t *testing.T) {
	t.Parallel()
	b := start(t, kind(nil))
	old := b.ask(one("a"))
	for range shell.TriesMax {
		b.loads()
		b.conflict()
	}
	b.loads()
	young := b.ask(one("b"))
	b.conflict()
	b.erred(old, shell.ErrContended)
	b.unanswered(young)
	b.loads()
	b.commits()
	b.accepted(young, events.Version(len(b.log)-1))
}

func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	unknown := fmt.Errorf("x: %w", events.ErrUnknownOutcome)
	t.Run("stored", func(t *testing.T) {
		t.Parallel()
		b := start(t, snapshots(2))
		first, void := b.ask(say{[]string{"a", "b"}}), b.ask(say{})
		b.loads()
		b.stores()
		b.foreign("c") // even behind another's
		late := b.ask(one("d"))
		b.write = &shell.Write{}
		b.fails(unknown)
		b.unanswered(first, void)
		if b.load == nil || b.load.Snapshot {
			t.Fatal("it does not read the events themselves")
		}
		b.loads()
		b.accepted(first, 0, 1)
		b.accepted(void)
		b.unanswered(late)
		b.commits()
		b.accepted(late, 3)
		b.holds("a", "b", "c", "d")
	})
	t.Run("not stored", func(t *testing.T) {
		t.Parallel()
		b := start(t, kind(nil))
		first := b.ask(one("a"))
		b.loads()
		id := b.write.Append.Events[0].ID
		b.fails(unknown)
		b.loads()
		b.unanswered(first)
		if again := b.write.Append.Events[0].ID; again == id {
			t.Error("it is decided again under the same id")
		}
		b.commits()
		b.accepted(first, 0)
		b.holds("a")
	})
	t.Run("another's event is there", func(t *testing.T) {
		t.Parallel()
		b := start(t, kind(nil))
		first := b.ask(one("a"))
		b.loads()
		b.foreign("b")
		b.fails(unknown)
		b.loads()
		b.unanswered(first)
		b.commits()
		b.accepted(first, 1)
		b.holds("b", "a")
	})
	t.Run("not stored, over and over", func(t *testing.T) {
		t.Parallel()
		b := start(t, kind(nil))
		first := b.ask(one("a"))
		seen := map[events.EventID]bool{}
		for range shell.TriesMax + 1 {
			b.loads()
			if id := b.write.Append.Events[0].ID; seen[id] {
				t.Fatalf("the id %s is used twice", id)
			} else {
				seen[id] = true
			}
			b.fails(unknown)
		}
		b.loads()
		b.erred(first, events.ErrUnknownOutcome)
		b.holds()
	})
	t.Run("it cannot be read back", func(t *testing.T) {
		t.Parallel()
		b := start(t, kind(nil))
		first := b.ask(one("a"))
		b.loads()
		b.fails(unknown)
		waiting := b.ask(one("b"))
		b.step(shell.Loaded{Err: events.ErrUnavailable})
		b.erred(first, events.ErrUnknownOutcome)
		if a := b.answer(waiting); !errors.Is(a.Err, events.ErrUnavailable) || errors.Is(a.Err, events.ErrUnknownOutcome) {
			t.Errorf("what was never written is answered %v", a.Err)
		}
	})
}

func TestUnavailable(t *testing.T) {
	t.Parallel()
	for _, want := range []error{events.ErrUnavailable, events.ErrFull, events.ErrReadOnly, events.ErrDiffers, events.ErrTooLarge} {
		b := start(t, kind(nil))
		first := b.ask(one("a"))
		b.loads()
		second := b.ask(one("b"))
		b.fails(fmt.Errorf("x: %w", want))
		b.erred(first, want)
		b.erred(second, want)
		if b.m.State() != nil || b.m.Version() != events.NoneYet || !b.m.Idle() {
			t.Fatalf("%v: a state that is ahead of the log is kept", want)
		}
		third := b.ask(one("c"))
		b.loads()
		b.commits()
		b.accepted(third, 0)
		b.holds("c")
	}
}

func TestLoadTrouble(t *testing.T) {
	t.Parallel()
	stored := func(t *testing.T) *bench {
		b := start(t, kind(nil))
		b.ask(say{[]string{"a", "b", "c"}})
		b.loads()
		b.commits()
		return b.again()
	}
	change := func(at int, with func(e *events.Event)) func([]*events.Event) []*events.Event {
		return func(log []*events.Event) []*events.Event {
			e := *log[at]
			with(&e)
			return append(append(append([]*events.Event{}, log[:at]...), &e), log[at+1:]...)
		}
	}
	relink := func(log []*events.Event) []*events.Event {
		var previous events.Hash
		for _, e := range log {
			events.Link(previous, e)
			previous = e.Hash
		}
		return log
	}
	for _, c := range []struct {
		name   string
		err    error
		want   error
		damage func([]*events.Event) []*events.Event
	}{
		{"unavailable", events.ErrUnavailable, events.ErrUnavailable, nil},
		{"a changed payload", nil, events.ErrDamaged, change(1, func(e *events.Event) { e.Payload = `{"scope":"x"}` })},
		{"a changed hash", nil, events.ErrDamaged, change(2, func(e *events.Event) { e.Hash[0]++ })},
		{"an unknown recipe", nil, events.ErrDamaged, change(2, func(e *events.Event) { e.Chain = 2 })},
		{"a missing event", nil, events.ErrDamaged, func(log []*events.Event) []*events.Event { return append(log[:1:1], log[2:]...) }},
		{"a missing start", nil, events.ErrDamaged, func(log []*events.Event) []*events.Event { return log[1:] }},
		{"a version left out, well linked", nil, events.ErrDamaged, func(log []*events.Event) []*events.Event {
			return relink(change(2, func(e *events.Event) { e.Version++ })(log))
		}},
		{"a payload that is none", nil, events.ErrDamaged, func(log []*events.Event) []*events.Event {
			return relink(change(1, func(e *events.Event) { e.Payload = `{"scope":` })(log))
		}},
		{"an unknown event", nil, events.ErrNewer, func(log []*events.Event) []*events.Event {
			return relink(change(1, func(e *events.Event) { e.Type = "fleet.exploded" })(log))
		}},
		{"a newer revision", nil, events.ErrNewer, func(log []*events.Event) []*events.Event {
			return relink(change(1, func(e *events.Event) { e.Revision++ })(log))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := stored(t)
			first, second := b.ask(one("x")), b.ask(one("y"))
			in := shell.Loaded{Err: c.err}
			if c.damage != nil {
				in.Events = c.damage(b.log)
			}
			b.step(in)
			b.erred(first, c.want)
			b.erred(second, c.want)
			if b.m.State() != nil || b.m.Version() != events.NoneYet || b.write != nil || !b.m.Idle() {
				t.Fatal("it was activated")
			}
			b.load = nil
			b.ask(one("z"))
			if b.load == nil {
				t.Fatal("it does not load again")
			}
		})
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	unknown := fmt.Errorf("x: %w", events.ErrUnknownOutcome)
	// begin returns a machine with ask 1 in flight or waiting, in a phase.
	written := func(t *testing.T) *bench {
		b := start(t, kind(nil))
		b.ask(one("a"))
		b.loads()
		b.ask(one("b"))
		return b
	}
	for _, c := range []struct {
		name  string
		run   func(t *testing.T) *bench
		first error // of the answer to ask 1; nil = it was written
		asks  int
	}{
		{"cold", func(t *testing.T) *bench {
			b := start(t, kind(nil))
			b.step(shell.Stop{})
			return b
		}, nil, 0},
		{"ready", func(t *testing.T) *bench {
			b := start(t, kind(nil))
			b.ask(one("a"))
			b.loads()
			b.commits()
			b.step(shell.Stop{})
			return b
		}, nil, 1},
		{"loading", func(t *testing.T) *bench {
			b := start(t, kind(nil))
			b.ask(one("a"))
			b.step(shell.Stop{})
			b.loads()
			return b
		}, shell.ErrStopping, 1},
		{"loading, which fails", func(t *testing.T) *bench {
			b := start(t, kind(nil))
			b.ask(one("a"))
			b.step(shell.Stop{})
			b.step(shell.Loaded{Err: events.ErrUnavailable})
			return b
		}, shell.ErrStopping, 1},
		{"writing", func(t *testing.T) *bench {
			b := written(t)
			b.step(shell.Stop{})
			b.commits()
			return b
		}, nil, 2},
		{"writing, which fails", func(t *testing.T) *bench {
			b := written(t)
			b.step(shell.Stop{})
			b.fails(events.ErrFull)
			return b
		}, events.ErrFull, 2},
		{"writing, which conflicts", func(t *testing.T) *bench {
			b := written(t)
			b.step(shell.Stop{})
			b.conflict()
			return b
		}, errAny, 2},
		{"writing, of unknown outcome", func(t *testing.T) *bench {
			b := written(t)
			b.step(shell.Stop{})
			b.fails(unknown)
			return b
		}, events.ErrUnknownOutcome, 2},
		{"reading back what is stored", func(t *testing.T) *bench {
			b := written(t)
			b.stores()
			b.write = &shell.Write{}
			b.fails(unknown)
			b.step(shell.Stop{})
			b.loads()
			return b
		}, nil, 2},
		{"reading back what is not stored", func(t *testing.T) *bench {
			b := written(t)
			b.fails(unknown)
			b.step(shell.Stop{})
			b.loads()
			return b
		}, shell.ErrStopping, 2},
		{"reading back, which fails", func(t *testing.T) *bench {
			b := written(t)
			b.fails(unknown)
			b.step(shell.Stop{})
			b.step(shell.Loaded{Err: events.ErrUnavailable})
			return b
		}, events.ErrUnknownOutcome, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := c.run(t)
			if b.stopped != 1 || b.write != nil {
				t.Fatalf("it said %d times that it stopped", b.stopped)
			}
			late := b.ask(one("late"))
			b.erred(late, shell.ErrStopping)
			if len(b.replies) != c.asks+1 {
				t.Fatalf("%d of %d asks are answered", len(b.replies)-1, c.asks)
			}
			switch {
			case c.asks == 0:
			case c.first == nil:
				b.accepted(1, 0)
			case c.first == errAny:
				if a := b.answer(1); a.Err == nil || a.Accepted {
					t.Errorf("ask 1: %+v", a)
				}
			default:
				b.erred(1, c.first)
			}
			if c.asks == 2 {
				b.erred(2, shell.ErrStopping)
			}
		})
	}
}

var errAny = errors.New("any error")

// TestNotice: what another process wrote is read before a command that comes to
// nothing, for which no conflict would tell.
func TestNotice(t *testing.T) {
	t.Parallel()
	b := start(t, kind(nil))
	b.ask(one("a"))
	b.loads()
	b.commits()
	b.step(shell.Notice{Version: 0}) // old news
	b.accepted(b.ask(once{"a"}))
	b.foreign("b")
	b.step(shell.Notice{Version: 1})
	void := b.ask(once{"b"})
	b.unanswered(void)
	b.loads()
	b.accepted(void)
	b.holds("a", "b")
	b.accepted(b.ask(once{"b"}))

	b.foreign("c")
	third := b.ask(one("d"))
	b.step(shell.Notice{Version: 2}) // while it writes: the conflict tells
	b.fails(&events.ConflictError{Stream: stream, Expected: 1})
	b.loads()
	b.commits()
	b.accepted(third, 3)
	b.holds("a", "b", "c", "d")
}

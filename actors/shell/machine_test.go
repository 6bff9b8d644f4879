package shell_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

func TestLoadDecideAppend(t *testing.T) {
	t.Parallel()
	b := start(t, kind(nil))
	if b.m.State() != nil || !b.m.Idle() {
		t.Fatal("a cold machine has a state or is busy")
	}
	first := b.ask(say{[]string{"a", "b"}})
	second := b.ask(one("c"))
	if b.m.Idle() {
		t.Fatal("a machine that loads is idle")
	}
	b.loads()
	b.unanswered(first, second)
	if b.m.State() != nil {
		t.Fatal("a state that is ahead of the log is shown")
	}
	b.commits()
	b.accepted(first, 0, 1)
	b.accepted(second, 2)
	b.holds("a", "b", "c")
	void := b.ask(once{"b"})
	b.accepted(void)
	b.holds("a", "b", "c")

	other := b.again()
	third := other.ask(one("d"))
	other.loads()
	other.commits()
	other.accepted(third, 3)
	other.holds("a", "b", "c", "d")
}

func TestBatch(t *testing.T) {
	t.Parallel()
	b := start(t, kind(nil))
	var tickets []shell.Ticket
	var scopes []string
	for i := range shell.BatchMax + 10 {
		scopes = append(scopes, fmt.Sprint("s", i))
		tickets = append(tickets, b.ask(one(scopes[i])))
	}
	b.loads()
	if n := len(b.write.Append.Events); n != shell.BatchMax {
		t.Fatalf("the first append has %d events, want %d", n, shell.BatchMax)
	}
	b.commits()
	b.unanswered(tickets[shell.BatchMax:]...)
	if n := len(b.write.Append.Events); n != 10 {
		t.Fatalf("the second append has %d events, want 10", n)
	}
	b.commits()
	b.holds(scopes...)
	for i, ticket := range tickets {
		b.accepted(ticket, events.Version(i))
		if b.order[i] != ticket {
			t.Fatalf("answer %d is to ask %d", i, b.order[i])
		}
	}
}

// TestVoidBatches answers more asks than a batch holds that have nothing to write.
func TestVoidBatches(t *testing.T) {
	t.Parallel()
	b := start(t, kind(nil))
	var tickets []shell.Ticket
	for range 3*shell.BatchMax + 1 {
		tickets = append(tickets, b.ask(say{}))
	}
	last := b.ask(one("a"))
	b.loads()
	b.accepted(tickets[3*shell.BatchMax-1])
	b.unanswered(tickets[3*shell.BatchMax]) // it rests on what is being written
	b.commits()
	for _, ticket := range tickets {
		b.accepted(ticket)
	}
	b.accepted(last, 0)
}

func TestBatchBytes(t *testing.T) {
	t.Parallel()
	text := func(kib int) string { return strings.Repeat("x", kib<<10) }
	b := start(t, kind(nil))
	v := events.Version(0)
	ask := func(kib ...int) {
		var c say
		for _, n := range kib {
			c.Scopes = append(c.Scopes, text(n))
		}
		v++
		b.routed("run-1", v, c)
	}
	for range 4 {
		ask(200) // the third closes the batch
	}
	ask(300)      // fits beside the fourth
	ask(300, 300) // gets an append of its own
	b.loads()
	for _, want := range []int{3, 2, 2} {
		if n := len(b.write.Append.Events); n != want {
			t.Fatalf("the append has %d events, want %d", n, want)
		}
		b.commits()
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	text := func(kib int) string { return strings.Repeat("x", kib<<10) }
	b := start(t, kind(nil))
	before := b.ask(one("a"))
	event := b.routed("run-1", 1, one(text(512)))
	decision := b.routed("run-1", 2, say{[]string{text(400), text(400), text(400)}})
	after := b.ask(one("b"))
	b.loads()
	b.commits()
	b.accepted(before, 0)
	b.erred(event, events.ErrTooLarge)
	b.erred(decision, events.ErrTooLarge)
	b.accepted(after, 1)
	b.holds("a", "b")
}

func TestRefusalLeavesNoTrace(t *testing.T) {
	t.Parallel()
	b := start(t, kind(nil))
	refused := b.routed("run-1", 3, no{})
	broken := b.routed("run-1", 4, fault{})
	b.loads()
	if a := b.answer(refused); a.Accepted || a.Reason != "no" || a.Err != nil {
		t.Fatalf("the refusal is answered %+v", a)
	}
	b.erred(broken, errFault)
	if b.write != nil || len(b.log) != 0 {
		t.Fatal("a refusal was written")
	}
	again := b.routed("run-1", 3, one("a"))
	b.commits()
	b.accepted(again, 0) // the cause was not acted upon
}

func TestTimeNeverGoesBack(t *testing.T) {
	t.Parallel()
	b := start(t, kind(nil))
	at := func(d time.Duration) {
		b.tickets++
		b.step(shell.Ask{
			Ticket: b.tickets, Command: one("a"), Rules: &shell.Rules{},
			Given: events.Given{At: t0.Add(d).In(time.FixedZone("x", 3600)), Draw: events.Draw(fmt.Sprint(b.tickets))},
		})
	}
	at(time.Hour)
	b.loads()
	b.commits()
	at(0)
	b.commits()
	other := b.again()
	b.m = other.m
	at(time.Minute)
	b.load = &shell.Load{}
	b.loads()
	b.commits()
	for _, e := range b.log {
		if want := t0.Add(time.Hour); !e.Time.Equal(want) || e.Time.Location() != time.UTC {
			t.Errorf("event %d is of %s, want %s", e.Version, e.Time, want)
		}
		var d events.Decided
		if err := json.Unmarshal([]byte(e.Decided), &d); err != nil || !d.At.Equal(e.Time) {
			t.Errorf("event %d was decided at %s, want its time (%v)", e.Version, d.At, err)
		}
	}
}

func TestDecidedOnRecord(t *testing.T) {
	t.Parallel()
	b := start(t, kind(nil))
	b.ask(one("x"))
	b.ask(say{[]string{"a", "b"}})
	b.routed("run-1", 7, say{[]string{"c", "d"}})
	b.loads()
	b.commits()
	draws := func(n int) string { return fmt.Sprintf(`"draws":{"boot":"b1","draw":"%032x"}`, n) }
	for i, want := range []string{
		`{"command":"fleet.say","fields":{"scopes":["x"]},"at":"2026-03-01T12:00:01Z","rules":"d1",` + draws(1) + `,"count":1}`,
		`{"command":"fleet.say","fields":{"scopes":["a","b"]},"at":"2026-03-01T12:00:02Z","rules":"d1",` + draws(2) + `,"count":2}`,
		`{"with":1}`,
		`{"command":"fleet.say","at":"2026-03-01T12:00:03Z","rules":"d1",` + draws(3) + `,"count":2}`,
		`{"with":3}`,
	} {
		e := b.log[i]
		if string(e.Decided) != want {
			t.Errorf("event %d has\n%s\nwant\n%s", i, e.Decided, want)
		}
		cause := ""
		if i >= 3 {
			cause = "run-1@7#row"
		}
		if e.Cause.Text() != cause || e.By != "reviewctl" || e.Node != "b1" || e.Revision != events.Revision {
			t.Errorf("event %d has the envelope %+v", i, e)
		}
	}
}

func TestPlainKindsRecordNoDecision(t *testing.T) {
	t.Parallel()
	b := start(t, kind(func(k *shell.Kind) { k.Plain = true }))
	b.ask(say{[]string{"a", "b"}})
	b.loads()
	b.commits()
	for _, e := range b.log {
		if e.Decided != "" {
			t.Errorf("event %d was decided by %s", e.Version, e.Decided)
		}
	}
	b.holds("a", "b")
}

func TestBrokenInvariantPanics(t *testing.T) {
	t.Parallel()
	b := start(t, kind(func(k *shell.Kind) {
		k.Check = func(state any) error {
			if len(state.(*tally).Scopes) > 1 {
				return errors.New("two are too many")
			}
			return nil
		}
	}))
	b.ask(one("a"))
	b.loads()
	b.commits()
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "two are too many") || !strings.Contains(got, "fleet.say") {
			t.Errorf("it panicked with %q", got)
		}
		if len(b.log) != 1 {
			t.Error("what breaks an invariant was written")
		}
	}()
	b.ask(one("b"))
}

type strange struct{ shell.Input }

func TestUnknownInputPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a strange input was taken")
		}
	}()
	shell.NewMachine(kind(nil), stream).Step(strange{})
}

// TestVoidAskIsCheap: what was done before costs the answer and no more.
func TestVoidAskIsCheap(t *testing.T) {
	b := start(t, kind(nil))
	b.routed("run-1", 7, one("a"))
	b.loads()
	b.commits()
	ask := shell.Ask{
		Ticket: 99, Command: one("a"), Cause: events.Cause{Stream: "run-1", Version: 7}, Routed: true,
		Rules: &shell.Rules{}, Given: events.Given{At: t0},
	}
	var in shell.Input = ask
	if n := testing.AllocsPerRun(100, func() { b.m.Step(in) }); n > 6 {
		t.Errorf("a void ask costs %v allocations, want at most 6", n)
	}
}

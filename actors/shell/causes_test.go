package shell_test

import (
	"fmt"
	"testing"

	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

const doneBefore = "done before"

func (b *bench) void(ticket shell.Ticket) {
	b.t.Helper()
	if a := b.answer(ticket); !a.Accepted || a.Reason != doneBefore || len(a.Events) != 0 {
		b.t.Fatalf("ask %d: %+v, want %q", ticket, a, doneBefore)
	}
}

func TestDoneBefore(t *testing.T) {
	t.Parallel()
	b := start(t, kind(nil))
	first := b.routed("run-1", 7, one("a"))
	same := b.routed("run-1", 7, one("a"))
	older := b.routed("run-1", 6, one("a"))
	b.loads()
	b.commits()
	b.accepted(first, 0)
	b.void(same) // in the same batch
	b.void(older)
	b.void(b.routed("run-1", 7, one("a"))) // at once
	b.void(b.routed("run-1", 3, one("a")))
	b.holds("a")

	later := b.routed("run-1", 8, one("b"))
	b.commits()
	b.accepted(later, 1)
	elsewhere := b.routed("run-2", 7, one("c"))
	b.commits()
	b.accepted(elsewhere, 2)
	effect := b.from(events.Cause{Stream: "run-1", Version: 7, Row: "effect"}, false, one("d"))
	b.commits()
	b.accepted(effect, 3) // only what a route made is void by its cause

	other := b.again() // after a reload
	ticket := other.routed("run-1", 8, one("a"))
	other.loads()
	other.void(ticket)
	other.holds("a", "b", "c", "d")
}

// TestSharedSourcesComeInAnyOrder: the events of an account are routed by the
// owners of the runs that they are about, so the later may come first.
func TestSharedSourcesComeInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, source := range []events.StreamName{"account-main", "pool-gpt", events.FleetStream} {
		b := start(t, kind(nil))
		second := b.routed(source, 6, one("a"))
		b.loads()
		b.commits()
		first := b.routed(source, 5, one("b"))
		b.commits()
		b.accepted(second, 0)
		b.accepted(first, 1)
		b.void(b.routed(source, 5, one("b")))
		b.void(b.routed(source, 6, one("a")))
		b.holds("a", "b")
	}
}

// TestCausesAreBounded: what was evicted is the decider's to make void.
func TestCausesAreBounded(t *testing.T) {
	t.Parallel()
	b := start(t, kind(nil)) // remembers four, and up to eight
	b.routed("run-0", 1, once{"s0"})
	b.loads()
	b.commits()
	scopes := []string{"s0"}
	for i := 1; i < 9; i++ {
		scopes = append(scopes, fmt.Sprint("s", i))
		b.routed(events.StreamName(fmt.Sprint("run-", i)), 1, once{scopes[i]})
		b.commits()
	}
	b.void(b.routed("run-8", 1, once{"s8"}))
	evicted := b.routed("run-0", 1, once{"s0"})
	if a := b.answer(evicted); a.Reason == doneBefore {
		t.Error("the oldest cause is remembered beyond the bound")
	}
	b.accepted(evicted)
	b.holds(scopes...)
}

// TestCausesIndex holds the index of a long list against a plain map, through
// evictions and a reload.
func TestCausesIndex(t *testing.T) {
	t.Parallel()
	causes := shell.Causes{Max: 64}
	var order []events.Cause
	for i := range 1000 {
		c := events.Cause{Stream: events.StreamName(fmt.Sprint("run-", i)), Version: 5}
		if i%3 == 0 {
			c.Stream, c.Version = "account-main", events.Version(i)
		}
		if causes.Done(c) {
			t.Fatalf("%s is done before it was", c.Text())
		}
		causes.Act(c)
		causes.Act(c)
		order = append(order, c)
		if len(causes.Entries) > 2*causes.Max {
			t.Fatalf("%d entries are remembered, beyond the bound", len(causes.Entries))
		}
		for _, kept := range order[max(0, len(order)-causes.Max):] {
			if !causes.Done(kept) {
				t.Fatalf("after %d, %s is forgotten", i, kept.Text())
			}
		}
		if i%100 == 99 {
			causes = shell.Causes{Max: causes.Max, Entries: causes.Entries} // as a snapshot restores it
		}
	}
	causes.Act(events.Cause{})
	if causes.Done(events.Cause{}) {
		t.Error("no cause counts as one")
	}
}

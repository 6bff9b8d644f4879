package shell_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

func TestSnapshot(t *testing.T) {
	t.Parallel()
	b := start(t, snapshots(3))
	b.routed("run-1", 7, say{[]string{"a", "b"}})
	if !b.load.Snapshot {
		t.Fatal("it does not ask for a snapshot")
	}
	b.loads()
	b.commits()
	if b.saved != nil {
		t.Fatal("it saves too early")
	}
	b.ask(one("c"))
	b.commits()
	if b.saved == nil || b.saved.Version != 2 || b.saved.Head != b.log[2].Hash || b.saved.At != events.FormatTime(b.log[2].Time) {
		t.Fatalf("it saved %+v", b.saved)
	}
	b.ask(one("d")) // the tail
	b.commits()

	other := b.again()
	void := other.routed("run-1", 7, one("x")) // the causes are in the snapshot
	next := other.ask(one("e"))
	other.loads()
	other.commits()
	other.void(void)
	other.accepted(next, 4)
	other.holds("a", "b", "c", "d", "e")

	none := start(t, kind(nil))
	none.ask(one("a"))
	if none.load.Snapshot {
		t.Error("a kind without snapshots asks for one")
	}
	none.loads()
	none.commits()
	if none.saved != nil {
		t.Error("a kind without snapshots saves one")
	}
}

// TestBadSnapshot: a cache is never truth. What cannot be read, or does not fit
// the log, is left out, and the log itself is read.
func TestBadSnapshot(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*shell.Snapshot){
		"no JSON":      func(s *shell.Snapshot) { s.State = []byte("{") },
		"no time":      func(s *shell.Snapshot) { s.At = "noon" },
		"another hash": func(s *shell.Snapshot) { s.Head[0]++ },
	} {
		b := start(t, snapshots(2))
		b.ask(say{[]string{"a", "b"}})
		b.loads()
		b.commits()
		b.ask(one("c"))
		b.commits()
		bad := *b.saved
		spoil(&bad)
		b.saved = &bad
		other := b.again()
		ticket := other.ask(one("d"))
		other.loads()
		if other.load == nil || other.load.Snapshot {
			t.Fatalf("%s: it does not read the log instead", name)
		}
		other.loads()
		other.commits()
		other.accepted(ticket, 3)
		other.holds("a", "b", "c", "d")
	}
}

// TestWithEqualsWithout: a state from a snapshot and its tail is the state that
// all events give, whatever was asked in between.
func TestWithEqualsWithout(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		b := start(t, snapshots(1+random.IntN(9)))
		for range 60 {
			run := events.StreamName(fmt.Sprint("run-", random.IntN(6)))
			b.routed(run, events.Version(random.IntN(20)), once{fmt.Sprint("s", random.IntN(30))})
			if b.load != nil {
				b.loads()
			}
			if b.write != nil {
				b.commits()
			}
			if random.IntN(5) > 0 {
				continue
			}
			with, without := b.again(), b.again()
			without.saved = nil
			for _, other := range []*bench{with, without} {
				other.ask(say{})
				other.loads()
			}
			if w, wo := with.m.State(), without.m.State(); !reflect.DeepEqual(w, wo) || with.m.Version() != without.m.Version() {
				t.Fatalf("seed %d: with %+v, without %+v", seed, w, wo)
			}
			if !reflect.DeepEqual(b.m.State(), without.m.State()) {
				t.Fatalf("seed %d: live %+v, folded %+v", seed, b.m.State(), without.m.State())
			}
			b = with
		}
	}
}

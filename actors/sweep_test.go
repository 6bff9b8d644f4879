package actors_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

func deadline(stream events.StreamName, key string, d time.Duration, owner events.BootID) events.Deadline {
	return events.Deadline{Stream: stream, Key: key, At: t0.Add(d), Owner: owner, About: events.Ref{Stream: prStream, Version: 4}}
}

func cleared(stream events.StreamName, key string) events.Deadline {
	return events.Deadline{Stream: stream, Key: key}
}

func all(events.Deadline) bool { return true }

func streams(sweeps []actors.Sweep) []events.StreamName {
	var out []events.StreamName
	for _, s := range sweeps {
		out = append(out, s.Stream)
	}
	return out
}

func TestSweepCommands(t *testing.T) {
	t.Parallel()
	for stream, want := range map[events.StreamName]events.Command{
		prStream: pr.Due{}, "run-1": run.Due{PR: prStream}, "pool-gpt": pool.Due{}, "account-main": account.Due{}, "fleet-main": fleet.Due{},
	} {
		s := actors.NewSweeper()
		s.Observe([]events.Deadline{deadline(stream, "k", 0, "")})
		if got := s.Due(t0, all); len(got) != 1 || got[0] != (actors.Sweep{Stream: stream, Command: want}) {
			t.Errorf("%s: due is %+v", stream, got)
		}
	}
}

func TestSweepIsRearmed(t *testing.T) {
	t.Parallel()
	s := actors.NewSweeper()
	if _, any := s.Wake(); any {
		t.Error("an empty sweeper wakes")
	}
	s.Observe([]events.Deadline{
		deadline("run-1", "run", time.Hour, daemon), deadline("run-1", "lane/a", time.Minute, daemon),
		deadline("run-1", "lane/b", time.Minute, daemon), deadline("pool-gpt", "lease/x", 2*time.Minute, ""),
	})
	check := func(at time.Duration, want ...events.StreamName) {
		t.Helper()
		if got := streams(s.Due(t0.Add(at), all)); !slices.Equal(got, want) {
			t.Fatalf("at %s due is %v, want %v", at, got, want)
		}
	}
	wakes := func(want time.Duration) {
		t.Helper()
		if at, any := s.Wake(); !any || !at.Equal(t0.Add(want)) {
			t.Fatalf("it wakes at %s, want %s", at, t0.Add(want))
		}
	}
	wakes(time.Minute)
	check(time.Minute - 1)
	check(time.Minute, "run-1") // both lanes, told once
	check(time.Minute)
	wakes(time.Minute + actors.SweepAgain)
	s.Observe([]events.Deadline{cleared("run-1", "lane/a"), cleared("run-1", "lane/none")})
	check(2*time.Minute, "pool-gpt", "run-1") // the other lane is not settled
	s.Observe([]events.Deadline{cleared("run-1", "lane/b"), deadline("pool-gpt", "lease/x", 10*time.Minute, "")})
	if n := len(s.Entries()); n != 2 {
		t.Errorf("%d things wait", n)
	}
	wakes(10 * time.Minute)
	check(9*time.Minute + 59*time.Second)
	check(2*time.Hour, "pool-gpt", "run-1")
}

func TestSweepMinds(t *testing.T) {
	t.Parallel()
	s := actors.NewSweeper()
	s.Observe([]events.Deadline{deadline("run-1", "run", 0, terminal), deadline("run-2", "run", 0, daemon)})
	mine := func(d events.Deadline) bool { return d.Owner == daemon }
	if got := streams(s.Due(t0, mine)); !slices.Equal(got, []events.StreamName{"run-2"}) {
		t.Errorf("due is %v", got)
	}
	if got := streams(s.Due(t0.Add(actors.SweepAgain), all)); len(got) != 2 {
		t.Errorf("what is not minded is not looked at again: %v", got)
	}
}

func TestSweepGone(t *testing.T) {
	t.Parallel()
	s := actors.NewSweeper()
	s.Observe([]events.Deadline{
		deadline("run-00000000000000bb", "run", 0, terminal), deadline("run-00000000000000bb", "workspace", 0, terminal),
		deadline(prStream, events.DeadlineJudged+"00000000000000bb", 0, terminal),
		deadline(prStream, events.DeadlineHead, 0, terminal),
		deadline("fleet-main", events.DeadlineAdmission+"00000000000000aa", 0, terminal),
		deadline("run-00000000000000cc", "lane/a/1", 0, "t2"), deadline("run-00000000000000dd", "run", 0, events.OwnerAny),
		deadline("pool-gpt", "lease/x", 0, ""), deadline("run-00000000000000ee", "run", 0, daemon),
	})
	if got := s.Others(daemon); !slices.Equal(got, []events.BootID{terminal, "t2"}) {
		t.Errorf("others are %v", got)
	}
	runs, out := s.Gone(terminal)
	if !slices.Equal(runs, []events.RunID{"00000000000000aa", "00000000000000bb"}) {
		t.Errorf("the runs are %v", runs)
	}
	want := []actors.Sweep{
		{Stream: prStream, Command: pr.BootGone{Boot: terminal}},
		{Stream: "run-00000000000000bb", Command: run.BootGone{Boot: terminal, PR: prStream}},
	}
	if !reflect.DeepEqual(out, want) {
		t.Errorf("told is %+v", out)
	}
	if runs, out := s.Gone("t3"); len(runs)+len(out) > 0 {
		t.Errorf("a boot that owned nothing: %v %v", runs, out)
	}
}

// TestSweepRandom holds the heap against a plain map.
func TestSweepRandom(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 9))
	s := actors.NewSweeper()
	type entry struct{ stream, key string }
	wake := map[entry]time.Time{}
	now := t0
	for step := range 5000 {
		e := entry{fmt.Sprint("run-", random.IntN(20)), fmt.Sprint("k", random.IntN(5))}
		switch random.IntN(4) {
		case 0:
			delete(wake, e)
			s.Observe([]events.Deadline{cleared(events.StreamName(e.stream), e.key)})
		case 1, 2:
			at := time.Duration(random.IntN(600)) * time.Second
			wake[e] = now.Add(at)
			s.Observe([]events.Deadline{deadline(events.StreamName(e.stream), e.key, now.Add(at).Sub(t0), "")})
		default:
			now = now.Add(time.Duration(random.IntN(60)) * time.Second)
			told := map[events.StreamName]bool{}
			for e, at := range wake {
				if !at.After(now) {
					told[events.StreamName(e.stream)] = true
					wake[e] = now.Add(actors.SweepAgain)
				}
			}
			got := streams(s.Due(now, all))
			for _, stream := range got {
				if !told[stream] {
					t.Fatalf("step %d: %s is not due, or told twice", step, stream)
				}
				delete(told, stream)
			}
			if len(told) > 0 {
				t.Fatalf("step %d: %v are due and not told", step, told)
			}
		}
		if n := len(s.Entries()); n != len(wake) {
			t.Fatalf("step %d: %d things wait, want %d", step, n, len(wake))
		}
		first, any := s.Wake()
		for _, at := range wake {
			if !any || at.Before(first) {
				t.Fatalf("step %d: it wakes at %s, after %s", step, first, at)
			}
		}
	}
}

func TestSealer(t *testing.T) {
	t.Parallel()
	s := actors.NewSealer(events.NoneYet)
	if _, ok := s.Seal(); ok {
		t.Error("there is nothing to seal")
	}
	see := func(stream events.StreamName, v events.Version) {
		s.Observe(&events.Event{Stream: stream, Version: v, Hash: events.Hash{byte(v)}})
	}
	for i := range events.SealEvery {
		see(events.StreamName(fmt.Sprint("run-", i%3)), events.Version(i))
	}
	seal, ok := s.Seal()
	if !ok || len(seal.Heads) != 3 || seal.Since != events.NoneYet {
		t.Fatalf("the seal is %+v", seal)
	}
	for i, h := range seal.Heads {
		want := events.Version(events.SealEvery - 1 - (events.SealEvery-1-i)%3)
		if h.Stream != events.StreamName(fmt.Sprint("run-", i)) || h.Version != want || h.Hash != (events.Hash{byte(want)}) {
			t.Errorf("head %d is %+v, want version %d", i, h, want)
		}
	}
	if _, again := s.Seal(); again {
		t.Error("it seals twice")
	}
	see(events.SealStream, 4) // no seal covers the seals
	for i := range actors.SealHeadsMax + 1 {
		see(events.StreamName(fmt.Sprintf("run-%05d", i)), 0)
	}
	if seal, ok = s.Seal(); !ok || len(seal.Heads) != actors.SealHeadsMax || seal.Since != 4 {
		t.Errorf("a large seal has %d heads since %d", len(seal.Heads), seal.Since)
	}
	if seal, ok = s.Seal(); !ok || len(seal.Heads) != 1 {
		t.Errorf("the rest is %d heads", len(seal.Heads))
	}
}

func TestPlainStreams(t *testing.T) {
	t.Parallel()
	x := newTown(t)
	heads := []events.SealedHead{{Stream: "run-1", Version: 3}}
	seal := func(since events.Version, heads []events.SealedHead) int {
		c := actors.SealLog{LogSealed: events.LogSealed{Heads: heads}, Since: since}
		return len(x.ask(events.SealStream, c, events.Cause{}, false).Events)
	}
	record := actors.RecordPolicy{PolicyRecorded: events.PolicyRecorded{Rules: "{}"}}
	policy := events.PolicyStream("ab")
	for i, got := range []int{
		seal(events.NoneYet, heads), seal(events.NoneYet, heads), seal(0, nil), seal(0, heads), seal(0, heads),
		len(x.ask(policy, record, events.Cause{}, false).Events), len(x.ask(policy, record, events.Cause{}, false).Events),
	} {
		if want := []int{1, 0, 0, 1, 0, 1, 0}[i]; got != want {
			t.Errorf("step %d wrote %d events, want %d", i, got, want)
		}
	}
}

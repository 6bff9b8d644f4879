package main

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
	"github.com/reviewctl/reviewctl/events"
)

// storyLate is how long after its successor was seen a review may still reach
// GitHub: the request was on its way. By the story's clock.
const storyLate = publish.CallMax + 10*time.Second

// acts are the story: each begins with a daemon of its own.
type acts struct {
	*story
	heads []events.Commit
}

// tell plays the first acts of the story. The daemons of each die where it says.
func (a *acts) tell(kills ...[]string) {
	a.t.Helper()
	a.repo.Push("change", githubtest.Files{"a.txt": "<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> other\n"})
	a.pull = a.repo.Open(githubtest.Pull{Head: "change", Title: "Change it"})
	a.heads = []events.Commit{a.pull.Head()}
	for i, act := range []func(){a.first, a.supersede, a.move, a.end}[:len(kills)] {
		if a.kills = kills[i]; i == 0 {
			a.serve()
		} else {
			a.again()
		}
		act()
		a.labels(i)
	}
	a.stop()
}

func (a *acts) push(text string) events.Commit {
	head := a.pull.Push(githubtest.Files{"a.txt": text})
	a.heads = append(a.heads, head)
	return head
}

// first is a review from the first sight to its label.
func (a *acts) first() {
	a.until("the first review stands", func(f *storyFacts) bool { return f.published[a.heads[0]] && f.idle() })
}

// supersede is a push while the head before is being judged, and the second review.
func (a *acts) supersede() {
	a.gate(true)
	left := a.push("one\n")
	a.until("it is judged", func(f *storyFacts) bool { return f.began[left] })
	next := a.push("two\n")
	a.until("it is superseded", func(f *storyFacts) bool { return f.superseded[left] })
	a.gate(false)
	a.until("the second review stands", func(f *storyFacts) bool { return f.published[next] && f.idle() })
}

// move is a push while the review of the head before is being posted.
func (a *acts) move() {
	left := a.push("three\n")
	var next atomic.Pointer[events.Commit]
	a.hub.OnRequest(func(r githubtest.Request) {
		if r.Write() && strings.HasSuffix(r.Path, "/reviews") && strings.Contains(r.Body, string(left)) && next.Load() == nil {
			head := a.push("four\n")
			next.Store(&head)
		}
	})
	a.until("the last review stands", func(f *storyFacts) bool {
		head := next.Load()
		return head != nil && f.published[*head] && f.idle()
	})
}

func (a *acts) end() {
	a.pull.Close()
	a.until("it is closed", func(f *storyFacts) bool { return f.closed && f.idle() })
}

// check asserts what must hold whatever happened.
func (a *acts) check() {
	a.t.Helper()
	a.hub.Check(a.t)
	count := make([]int, len(a.heads))
	for _, r := range a.pull.Reviews() {
		at := slices.IndexFunc(a.heads, func(head events.Commit) bool { return strings.Contains(r.Body, "head="+string(head)) })
		if at < 0 || r.State == "PENDING" {
			a.t.Errorf("a review in state %s: %q", r.State, r.Body)
			continue
		}
		count[at]++
		if at+1 < len(a.heads) {
			if seen := a.facts.queued[a.heads[at+1]].Time; r.Submitted.After(seen.Add(storyLate)) {
				a.t.Errorf("head %d was reviewed at %s, and its successor was seen at %s", at, r.Submitted, seen)
			}
		}
	}
	for i, n := range count { // the second is superseded before its verdict, the fourth perhaps before its review
		if want := []int{1, 0, 1, 1, 1}[i]; n != want && !(i == 3 && n == 0) {
			a.t.Errorf("reviews of the heads, in order: %v", count)
		}
	}
	a.ledger()
}

// labels asserts that GitHub shows what is wanted: after a review its verdict, after
// the end none.
func (a *acts) labels(act int) {
	a.t.Helper()
	names := publish.DefaultLabelNames()
	var want []string
	switch a.facts.wanted.Verdict {
	case events.VerdictApprove:
		want = []string{names.Approved}
	case events.VerdictRequestChanges:
		want = []string{names.ChangesRequested}
	case events.VerdictComment:
		want = []string{names.Commented}
	}
	if got := a.pull.LabelNames(); !slices.Equal(got, want) || (want == nil) != (act == 3) {
		a.t.Errorf("after act %d: labels %q, want %q", act+1, got, want)
	}
}

func (a *acts) ledger() {
	a.t.Helper()
	var ledger LedgerAnswer
	if code := a.verb(&ledger, "ledger"); code != ExitGood || len(ledger.Items) == 0 {
		a.t.Errorf("ledger: exit code %d, %+v", code, ledger)
	}
	for _, item := range ledger.Items {
		if item.Reserved != 0 {
			a.t.Errorf("a reservation is open: %+v", item)
		}
	}
	var audit AuditAnswer
	if code := a.verb(&audit, "audit", "--all"); code != ExitGood {
		a.t.Errorf("audit: exit code %d, %+v", code, audit)
	}
}

// crashes are the places where daemons die, by act and by stage of an act: each case
// takes the next of every stage. A place is counted from the start of its daemon.
// What is recorded in one append dies together.
var crashes = [4][][]string{
	{ // the first review
		{"policy.recorded:1", "fleet.configured:1", "pool.sized:2", "account.configured:1", "config.loaded:1"},
		{"repo.configured:1", "pr.opened:1", "run.requested:1", "run.admitted:1", "workspace.requested:1"},
		{"workspace.ready:1", "budget.reserved:1", "budget.reserved:2", "lane.granted:1", "lane.granted:2"},
		{"lane.began:1", "lane.began:2", "finding.raised:1", "lane.completed:1", "budget.settled:1", "lane.released:1"},
		{"numbers.requested:1", "budget.settled:1", "findings.numbered:1", "verdict.reached:1", "lane.released:1"},
		{"verdict.adopted:1", "head.settled:1", "run.freed:1", "verdict.published:1", "label.synced:1"},
	},
	{ // superseded while it runs
		{"head.queued:1", "label.synced:1", "lane.began:2"},
		{"head.superseded:1", "run.stopping:1", "lane.stopped:1", "run.freed:1", "lane.released:1"},
		{"verdict.adopted:1", "verdict.published:1", "label.synced:1"},
	},
	{ // moved while its review is posted
		{"head.queued:1", "label.synced:1"},
		{"verdict.adopted:1", "verdict.published:1"},
	},
	{ // closed
		{"head.closed:1", "label.synced:1"},
	},
}

// crashCase is one telling of the story: where its daemons die, and after which
// write, which GitHub stores and nobody hears of.
type crashCase struct {
	kills [][]string // by act
	lost  int        // 1, 2, …; 0 = none
}

// crashCases puts the places together so that no telling is longer than it must be.
func crashCases() []crashCase {
	var cases []crashCase
	for n := 0; ; n++ {
		c := crashCase{kills: make([][]string, 1)}
		any := false
		for act, stages := range crashes {
			for _, places := range stages {
				if n >= 2*len(places) {
					continue
				}
				for len(c.kills) <= act {
					c.kills = append(c.kills, nil)
				}
				c.kills[act] = append(c.kills[act], []string{"before:", "after:"}[n%2]+places[n/2])
				any = true
			}
		}
		if n < crashWrites {
			c.lost = n + 1
			any = true
		}
		if !any {
			return cases
		}
		cases = append(cases, c)
	}
}

// crashWrites are the writes of the first two acts: a review is made pending and
// submitted, its label set; the label is taken away, and it all comes again.
const crashWrites = 7

// TestCrashMatrix kills the daemon just before and just after each event of the
// story is recorded, and once between GitHub storing each write and our hearing of
// it. Whatever dies, each head that should have a review has one. (issue 4,
// "Checks")
func TestCrashMatrix(t *testing.T) {
	t.Parallel()
	for i, c := range crashCases() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			a := &acts{story: newStory(t)}
			lost := a.lose(c.lost)
			a.tell(c.kills...)
			a.check()
			if want := len(slices.Concat(c.kills...)); 2*a.killed < want || lost.Load() < int32(c.lost) { // some places may be passed by another order
				t.Errorf("%d of %d daemons died where they should, after %d writes", a.killed, want, lost.Load())
			}
		})
	}
}

// lose kills the daemon when GitHub has stored its n-th write, before it is answered,
// and counts the writes.
func (a *acts) lose(n int) *atomic.Int32 {
	writes := &atomic.Int32{}
	a.hub.OnAnswer(func(r githubtest.Request) {
		if r.Stored && int(writes.Add(1)) == n {
			a.shoot()
		}
	})
	return writes
}

// TestStory is the story without a kill: nothing is recorded in it that no daemon
// of the matrix dies at.
func TestStory(t *testing.T) {
	t.Parallel()
	a := &acts{story: newStory(t)}
	a.tell(nil, nil, nil, nil)
	a.check()
	places := map[events.Type]bool{"log.sealed": true} // at the end, when the story is over
	for _, place := range slices.Concat(slices.Concat(crashes[:]...)...) {
		kind, _, _ := strings.Cut(place, ":")
		places[events.Type(kind)] = true
	}
	type batch struct { // what has one time in one stream was recorded at once
		stream events.StreamName
		at     time.Time
	}
	tried := map[batch]bool{}
	for i := range a.facts.recorded {
		e := &a.facts.recorded[i]
		at := batch{e.Stream, e.Time}
		tried[at] = tried[at] || places[e.Type]
	}
	for i := range a.facts.recorded {
		if e := &a.facts.recorded[i]; !tried[batch{e.Stream, e.Time}] {
			t.Errorf("no daemon dies at %s", e.Type)
		}
	}
}

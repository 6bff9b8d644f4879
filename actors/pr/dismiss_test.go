package pr_test

import (
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

func dismissedA(code ...events.CodePrint) *events.FindingDismissed {
	return &events.FindingDismissed{Fingerprint: "a", Number: 1, Reason: "a fixture", Code: code}
}

func TestDismissAndReopen(t *testing.T) {
	t.Parallel()
	reviewed := reviewedOnce()
	dismissed := plus(reviewed, dismissedA("a1"))
	changed := plus(next(dismissed, headB, run2), numberedBy(run2, nil, as("a", 1, saw("x", static, "a2"), nil)))
	old := plus(running(local(headA)), numberedBy(run1, nil, events.Number{Fingerprint: "a", Number: 1, New: true}))
	dismiss := pr.Dismiss{Number: 1, Reason: "a fixture"}
	back := &events.FindingReopened{Fingerprint: "a", Number: 1}
	said := func(d time.Duration) *events.FindingDismissed {
		p := dismissedA("a1")
		p.Said = t0.Add(d)
		return p
	}
	unsaid := func(d time.Duration) *events.FindingReopened {
		return &events.FindingReopened{Fingerprint: "a", Number: 1, Said: t0.Add(d)}
	}
	numberedOver := numberedBy(run2, nil, as("a", 1, saw("x", static, "a2"), func(n *events.Number) {
		n.Dismissal = &events.Dismissal{Reason: "a fixture", Event: events.Ref{Stream: stream, Version: 6}, Over: true}
	}))
	table(t, []row{
		{name: "a finding", given: reviewed, when: dismiss, then: recorded{dismissedA("a1")}},
		{name: "of a pull request that is closed", given: plus(reviewed, &events.HeadClosed{Head: headA}), when: dismiss, then: recorded{dismissedA("a1")}},
		{name: "again, for another reason", given: dismissed, when: pr.Dismiss{Number: 1, Reason: "another"}},
		{name: "again, after its code changed", given: changed, when: dismiss, then: recorded{dismissedA("a2")}},
		{name: "without a reason", given: reviewed, when: pr.Dismiss{Number: 1, Reason: " \n"}, refused: "needs a reason"},
		{name: "with too long a reason", given: reviewed, when: pr.Dismiss{Number: 1, Reason: strings.Repeat("x", events.DismissReasonMax+1)}, refused: "over 1000 bytes"},
		{name: "a number that was never given", given: reviewed, when: pr.Dismiss{Number: 4, Reason: "r"}, refused: "no finding #4"},
		{name: "what has no code on record", given: old, when: dismiss, refused: "after the next review"},
		{name: "reopened", given: dismissed, when: pr.Reopen{Number: 1}, then: recorded{back}},
		{name: "reopened twice", given: plus(dismissed, back), when: pr.Reopen{Number: 1}},
		{name: "reopened without a dismissal", given: reviewed, when: pr.Reopen{Number: 1}},
		{name: "reopened by a number that was never given", given: reviewed, when: pr.Reopen{Number: 4}, refused: "no finding #4"},
		{name: "reopened by a version that saw no code", given: old, when: pr.Reopen{Number: 1}},
		{name: "an old word after a newer one", given: plus(reviewed, said(2), unsaid(3)), when: pr.Dismiss{Number: 1, Reason: "r", Said: t0.Add(2)}},
		{name: "a new word after an old one", given: plus(reviewed, said(2), unsaid(3)), when: pr.Dismiss{Number: 1, Reason: "a fixture", Said: t0.Add(4)},
			then: recorded{said(4)}},
		{name: "an old word to reopen", given: plus(reviewed, said(3)), when: pr.Reopen{Number: 1, Said: t0.Add(2)}},
		{name: "a new word to reopen", given: plus(reviewed, said(3)), when: pr.Reopen{Number: 1, Said: t0.Add(4)}, then: recorded{unsaid(4)}},
		{name: "a word from before its end", given: plus(changed, numberedOver, adoptedFor(run2, headB)), when: pr.Dismiss{Number: 1, Reason: "r", Said: t0}},
		{name: "dismissed once more", given: plus(dismissed, back), when: dismiss, then: recorded{dismissedA("a1")}},
	})
}

// TestDismissalsHold: a dismissed finding stays away across pushes, rebases and
// files, until the code beneath it changes. (market 22)
func TestDismissalsHold(t *testing.T) {
	t.Parallel()
	all := []events.Look{looked("static", true, nil), looked("vet", true, nil)}
	at := events.Ref{Stream: stream, Version: 6}
	dismissed := plus(reviewedOnce(), dismissedA("a1"))
	holds := func(n *events.Number) { n.Dismissal = &events.Dismissal{Reason: "a fixture", Event: at} }
	over := func(n *events.Number) { holds(n); n.Dismissal.Over = true }
	both := func(change ...func(*events.Number)) func(*events.Number) {
		return func(n *events.Number) {
			for _, c := range change {
				c(n)
			}
		}
	}
	round := func(given recorded, run events.RunID, head events.Commit, adopt bool, n ...events.Number) recorded {
		given = plus(given, numberedBy(run, nil, n...))
		if adopt {
			given = plus(given, adoptedFor(run, head), settled(head, run, events.OutcomeFindings, "w"))
		}
		return given
	}
	second := next(dismissed, headB, run2)
	a1, a2, a12 := saw("x", static, "a1"), saw("x", static, "a2"), saw("x", static, "a1", "a2")
	gone := plus(second, numberedBy(run2, []events.Number{as("a", 1, a1, holds)}), adoptedFor(run2, headB), settled(headB, run2, events.OutcomeClean, "w"))
	redone := plus(round(second, run2, headB, false, as("a", 1, a2, over)), &events.FindingDismissed{Fingerprint: "a", Number: 1, Reason: "still", Code: []events.CodePrint{"a2"}},
		adoptedFor(run2, headB), settled(headB, run2, events.OutcomeFindings, "w"))
	newer := events.Ref{Stream: stream, Version: 10}
	ask := func(run events.RunID, head events.Commit, f events.Fingerprint, s events.Sighting) pr.NumberFindings {
		return asks(run, head, nil, finding{f, s})
	}
	one := func(name string, given recorded, c pr.NumberFindings, n events.Number) row {
		return row{name: name, given: given, when: c, then: recorded{numberedBy(c.Run, nil, n)}}
	}
	table(t, []row{
		one("on the same code", second, ask(run2, headB, "a", a1), as("a", 1, a1, holds)),
		one("in a renamed file", second, ask(run2, headB, "z", saw("z", static, "a1")), as("z", 1, saw("z", static, "a1"), both(holds, func(n *events.Number) { n.Was = "a" }))),
		one("not on other code", second, ask(run2, headB, "a", a2), as("a", 1, a2, over)),
		one("not in one place more", second, ask(run2, headB, "a", a12), as("a", 1, a12, over)),
		one("in one place less", next(plus(reviewedOnce(), dismissedA("a1", "a2")), headB, run2), ask(run2, headB, "a", a2), as("a", 1, a2, holds)),
		one("not on code that is not known", second, ask(run2, headB, "a", saw("x", static)), as("a", 1, saw("x", static), nil)),
		one("not after it was over, where the code is as before", next(round(second, run2, headB, true, as("a", 1, a2, over)), headC, run3),
			ask(run3, headC, "a", a1), as("a", 1, a1, nil)),
		one("after a review that did not count", next(plus(round(second, run2, headB, false, as("a", 1, a2, over)), &events.HeadSuperseded{Head: headB, By: headC, Run: run2}), headC, run3),
			ask(run3, headC, "a", a1), as("a", 1, a1, holds)),
		one("anew, where it was said while the other ended", next(redone, headC, run3), ask(run3, headC, "a", a2),
			as("a", 1, a2, func(n *events.Number) { n.Dismissal = &events.Dismissal{Reason: "still", Event: newer} })),
		one("after it was gone", next(gone, headC, run3), ask(run3, headC, "a", a1), as("a", 1, a1, both(holds, func(n *events.Number) { n.Again = true }))),
		{name: "and are named with what is gone", given: second, when: asks(run2, headB, all), then: recorded{numberedBy(run2, []events.Number{
			{Fingerprint: "a", Number: 1, Dismissal: &events.Dismissal{Reason: "a fixture", Event: at}}, {Fingerprint: "b", Number: 2}, {Fingerprint: "c", Number: 3},
		})}},
	})
}

package pr_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

func TestNumberFindings(t *testing.T) {
	t.Parallel()
	ask := func(run events.RunID, prints ...events.Fingerprint) pr.NumberFindings {
		return pr.NumberFindings{Run: run, Head: headA, Fingerprints: prints}
	}
	numbered := func(run events.RunID, numbers ...events.Number) *events.FindingsNumbered {
		return &events.FindingsNumbered{Run: run, Numbers: append([]events.Number{}, numbers...)}
	}
	n := func(f events.Fingerprint, number int, fresh bool) events.Number {
		return events.Number{Fingerprint: f, Number: number, New: fresh}
	}
	// The second run of a pull request whose first had a and b.
	second := plus(running(local(headA)), numbered(run1, n("a", 1, true), n("b", 2, true)), settled(headA, run1, events.OutcomeFindings, "w"),
		queued(local(headB), events.TriggerPush, 0), requested(queued(local(headB), events.TriggerPush, 0), run2, 0))
	table(t, []row{
		{name: "the first", given: running(local(headA)), when: ask(run1, "a", "b"), then: recorded{numbered(run1, n("a", 1, true), n("b", 2, true))}},
		{name: "none", given: running(local(headA)), when: ask(run1), then: recorded{numbered(run1)}},
		{name: "the known keep theirs, and no number is used again", given: second, when: ask(run2, "c", "a", "d"),
			then: recorded{numbered(run2, n("c", 3, true), n("a", 1, false), n("d", 4, true))}},
		{name: "again", given: plus(second, numbered(run2, n("a", 1, false))), when: ask(run2, "a")},
		{name: "of a run that was given up", given: second, when: ask(run1, "a")},
		{name: "of nobody's run", given: plus(running(local(headA)), settled(headA, run1, events.OutcomeClean, "w")), when: ask(run1, "a")},
	})
}

func TestAdoptVerdict(t *testing.T) {
	t.Parallel()
	reach := func(target events.Target) pr.AdoptVerdict {
		return pr.AdoptVerdict{
			Run: run1, Head: headA, Base: base0, Verdict: events.VerdictComment, Outcome: events.OutcomeFindings, Target: target,
		}
	}
	discarded := &events.VerdictDiscarded{Run: run1, Head: headA, Reason: "the pull request went on while it was being judged"}
	pushed := plus(running(local(headA)), &events.HeadSuperseded{Head: headA, By: headB, Run: run1},
		queued(local(headB), events.TriggerPush, 0), requested(queued(local(headB), events.TriggerPush, 0), run2, 0))
	given := running(local(headA))
	astray := reach(events.TargetNone)
	astray.Head = headB
	table(t, []row{
		{name: "of the head, for nobody to post", given: given, when: reach(events.TargetNone), then: recorded{adopted(events.TargetNone)}},
		{name: "of the head, for the forge", given: given, when: reach(events.TargetForge), then: recorded{adopted(events.TargetForge)}},
		{name: "again", given: plus(given, adopted(events.TargetNone)), when: reach(events.TargetNone)},
		{name: "again after the end", given: publishing(), when: reach(events.TargetForge)},
		{name: "of a run that a push gave up", given: pushed, when: reach(events.TargetNone), then: recorded{discarded}},
		{name: "of a run that was cancelled", given: plus(given, &events.HeadCancelled{Head: headA, Run: run1}), when: reach(events.TargetNone),
			then: recorded{discarded}},
		{name: "of a run that a close gave up", given: plus(given, &events.HeadClosed{Head: headA, Run: run1}), when: reach(events.TargetNone),
			then: recorded{discarded}},
		{name: "of a run that was given up, again", given: plus(pushed, discarded), when: reach(events.TargetNone)},
		{name: "of a run that nobody knows", given: plus(given, settled(headA, run1, events.OutcomeFailed, "w")), when: reach(events.TargetNone)},
		{name: "of another head", given: given, when: astray, again: true,
			then: recorded{&events.VerdictDiscarded{Run: run1, Head: headB, Reason: "it is not about the head"}}},
	})
}

// TestDyingIsBounded gives up more runs than are remembered: the oldest verdict
// finds nobody, the newest is discarded on record.
func TestDyingIsBounded(t *testing.T) {
	t.Parallel()
	scene := actor(pr.DefaultRules()).Begin(t)
	id := func(i int) events.RunID { return events.RunID(fmt.Sprintf("%016x", i)) }
	for i := range pr.DyingMax + 2 {
		head := events.Commit(fmt.Sprintf("%040x", i))
		if _, err := scene.When(given(0, daemon, id(i)), local(head)); err != nil {
			t.Fatal(err)
		}
	}
	scene.Then(given(0, daemon, run3), pr.AdoptVerdict{Run: id(0)})
	scene.Then(given(0, daemon, run3), pr.AdoptVerdict{Run: id(pr.DyingMax)}, &events.VerdictDiscarded{
		Run: id(pr.DyingMax), Reason: "the pull request went on while it was being judged",
	})
	scene.CheckReplay()
}

func TestNoteRunEnd(t *testing.T) {
	t.Parallel()
	const at, minute = 3 * time.Minute, time.Minute
	var rows []row
	add := func(r row) { rows = append(rows, r) }
	end := func(o events.Outcome, kind events.FailureKind) pr.NoteRunEnd {
		return pr.NoteRunEnd{Run: run1, End: events.RunEnded{PR: stream, Head: headA, Outcome: o, Kind: kind, Why: "w"}}
	}
	// attempt is a daemon's run that follows so many tries.
	attempt := func(n int) recorded {
		q := changed(queued(local(headA), events.TriggerOpened, 0), func(q *events.HeadQueued) { q.Attempt = n })
		return recorded{opened, q, requested(q, run1, 0)}
	}
	retry := func(n int, delay time.Duration) *events.HeadQueued {
		return changed(queued(local(headA), events.TriggerRetry, 0), func(q *events.HeadQueued) {
			q.Attempt, q.NotBefore, q.Why, q.After = n, t0.Add(at+delay), "w", run1
		})
	}
	for _, o := range events.AllOutcomes() {
		then := recorded{settled(headA, run1, o, "w")}
		add(row{name: string(o) + " under a review", given: running(manual(headA)), at: at, when: end(o, ""), then: then})
		add(row{name: string(o) + " under the daemon", given: attempt(0), at: at, when: end(o, ""), then: then})
		add(row{name: string(o) + " of a run that was given up", at: at, when: end(o, ""),
			given: plus(attempt(0), &events.HeadCancelled{Head: headA, Run: run1})})
	}
	retries := map[events.FailureKind]int{
		events.FailureInfra: 3, events.FailureLost: 3, events.FailureTimeout: 3, events.FailureBefore: 3,
		events.FailureUsageLimit: 3, events.FailureContract: 2, events.FailureFatal: 0,
	}
	delays := []time.Duration{5 * minute, 15 * minute, 45 * minute}
	for _, kind := range events.AllFailureKinds() {
		for used := range 5 {
			then := recorded{settled(headA, run1, events.OutcomeFailed, "w")}
			if used < retries[kind] {
				then = recorded{retry(used+1, delays[used])}
			}
			add(row{name: fmt.Sprintf("%s after %d tries", kind, used), given: attempt(used), at: at,
				when: end(events.OutcomeFailed, kind), then: then})
		}
		add(row{name: string(kind) + " under a review is not tried again", given: running(manual(headA)), at: at,
			when: end(events.OutcomeFailed, kind), then: recorded{settled(headA, run1, events.OutcomeFailed, "w")}})
	}

	until := end(events.OutcomeNotRun, "")
	until.End.Until = t0.Add(9 * time.Hour)
	placed := changed(retry(2, 0), func(q *events.HeadQueued) { q.NotBefore = until.End.Until })
	add(row{name: "no money until later keeps place and tries", given: attempt(2), at: at, when: until, then: recorded{placed}})
	add(row{name: "no money until later under a review", given: running(manual(headA)), at: at, when: until,
		then: recorded{settled(headA, run1, events.OutcomeNotRun, "w")}})

	// A review took over the head that the daemon had seen, at a newer commit.
	seen := queued(local(headA), events.TriggerOpened, 0)
	newer := with(manual(headB), func(c *pr.Observe) { c.Base = base1 })
	taken := queued(newer, events.TriggerManual, 0)
	takeover := recorded{opened, seen, taken, requested(taken, run1, 0)}
	back := func(o events.Outcome, base events.Commit) recorded {
		q := changed(queued(local(headB), events.TriggerRetry, at), func(q *events.HeadQueued) { q.Base, q.Why = base, "w" })
		return recorded{settled(headB, run1, o, "w"), q, requested(q, run2, at)}
	}
	for _, o := range events.AllOutcomes() {
		then := back(o, base1)
		if o.Reviewed() {
			then = then[:1]
		}
		add(row{name: string(o) + " of a head that a review took over", given: takeover, at: at, when: end(o, events.FailureInfra), then: then})
	}
	interrupt := pr.Cancel{Run: run1, Reason: "w", Interrupted: true}
	gone := &events.HeadCancelled{Head: headB, Run: run1, Reason: "w"}
	add(row{name: "a review that took over is interrupted", given: takeover, at: at, when: interrupt, again: true,
		then: append(recorded{gone}, back(events.OutcomeFailed, base1)[1:]...)})
	add(row{name: "a review that took over is cancelled", given: takeover, at: at, when: pr.Cancel{Run: run1, Reason: "w"}, then: recorded{gone}})
	add(row{name: "a review that took nothing over is interrupted", at: at, given: running(manual(headB)), when: interrupt, then: recorded{gone}})
	elsewhere := changed(taken, func(q *events.HeadQueued) { q.BaseRef = "next" })
	add(row{name: "a review against another base leaves the daemon's", at: at, when: end(events.OutcomeFailed, ""),
		given: recorded{opened, seen, elsewhere, requested(elsewhere, run1, 0)}, then: back(events.OutcomeFailed, base0)})
	table(t, rows)
}

package pr_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

// labelled are the rules with labels, without the list of triggers.
func labelled() pr.Rules {
	r := pr.DefaultRules()
	r.AnswersMax = 0
	return r
}

const minute = time.Minute

// published is a pull request whose review of headA stands, at t0.
func published() recorded {
	return plus(publishing(), &events.VerdictPublished{Run: run1, Head: headA, Try: 1, Receipt: "5"})
}

// want is a try of the daemon's for a verdict, granted at d.
func want(v events.Verdict, try int, d time.Duration) *events.LabelWanted {
	return &events.LabelWanted{Verdict: v, Try: try, Owner: daemon, Until: t0.Add(d + 5*minute)}
}

func missed(try int, kind events.FailureKind, message string, next time.Duration) *events.LabelFailed {
	return &events.LabelFailed{Try: try, Kind: kind, Message: message, NextAt: t0.Add(next)}
}

// TestLabel: semantics 17.
func TestLabel(t *testing.T) {
	t.Parallel()
	const comment = events.VerdictComment
	done := pr.NoteLabelSynced{Try: 1, Verdict: comment}
	failed := pr.NoteLabelFailed{Try: 1, Verdict: comment, Kind: events.FailureInfra, Message: "m"}
	wanted := plus(published(), want(comment, 1, 0))
	synced := plus(wanted, &events.LabelSynced{Try: 1, Verdict: comment})
	rested := plus(wanted, missed(1, events.FailureInfra, "m", minute))
	stuck := plus(wanted, &events.LabelFailed{Try: 1, Kind: events.FailureFatal, Message: "m"})
	none := &events.LabelWanted{Try: 1}
	moved := plus(wanted, quietly(headB, events.TriggerPush, 0), none)
	nextB := quietly(headB, events.TriggerPush, minute)
	closed := &events.HeadClosed{Head: headA, Reason: "merged"}
	by1 := skipped(look(headA), events.HoldReviewed, "a review of this head is published, by run "+string(run1))
	by1.Reviewed = run1
	asked := queued(look(headA), events.TriggerManual, minute)
	rows := []row{
		{name: "a published review", given: publishing(), at: minute, when: pr.NotePublished{Run: run1, Try: 1, Receipt: "5"},
			then: recorded{&events.VerdictPublished{Run: run1, Head: headA, Try: 1, Receipt: "5"}, want(comment, 1, minute)}},
		{name: "a push while a try is under way waits for its end", given: wanted, at: minute, when: plain(headB), then: recorded{nextB, none}},
		{name: "a push", given: synced, at: minute, when: plain(headB), then: recorded{nextB, want("", 2, minute)}},
		{name: "a push while a try is due later", given: rested, at: minute / 2, when: plain(headB),
			then: recorded{quietly(headB, events.TriggerPush, minute/2), want("", 2, minute/2)}},
		{name: "a close", given: synced, at: minute, when: pr.Close{Reason: "merged"}, then: recorded{closed, want("", 2, minute)}},
		{name: "opened again", given: plus(synced, closed, want("", 2, 0), &events.LabelSynced{Try: 2}), at: minute, when: plain(headA),
			then: recorded{by1, want(comment, 3, minute)}},
		{name: "a revert to what was published", at: minute, when: plain(headA),
			given: plus(synced, quietly(headB, events.TriggerPush, 0), want("", 2, 0), &events.LabelSynced{Try: 2}),
			then:  recorded{superseded(headB, headA, ""), by1, want(comment, 3, minute)}},
		{name: "another review of the same head keeps it", given: synced, at: minute, when: pr.Enqueue{}, again: true,
			then: recorded{asked, requested(asked, run2, minute)}},
		{name: "a draft keeps it", given: synced, at: minute, when: draft(headA)},
		{name: "nothing was ever posted", given: running(look(headA)), at: minute, when: pr.Close{Reason: "merged"},
			then: recorded{&events.HeadClosed{Head: headA, Run: run1, Reason: "merged"}}},
		{name: "a verdict that goes nowhere", given: plus(running(local(headA)), adopted(events.TargetNone)), at: minute,
			when: pr.Close{Reason: "gone"}, then: recorded{&events.HeadClosed{Head: headA, Run: run1, Reason: "gone"}}},

		{name: "it is there", given: wanted, at: minute, when: done, then: recorded{&events.LabelSynced{Try: 1, Verdict: comment}}},
		{name: "there are no labels", given: wanted, at: minute, when: pr.NoteLabelSynced{Try: 1, Verdict: comment, Skipped: "s"},
			then: recorded{&events.LabelSynced{Try: 1, Verdict: comment, Skipped: "s"}}},
		{name: "it is there, and another is wanted", given: moved, at: minute, when: done,
			then: recorded{&events.LabelSynced{Try: 1, Verdict: comment}, want("", 2, minute)}, again: true},
		{name: "it failed", given: wanted, at: minute, when: failed, then: recorded{missed(1, events.FailureInfra, "m", 2*minute)}},
		{name: "it failed until the forge's limit is over", given: wanted, at: minute,
			when: with2(failed, func(c *pr.NoteLabelFailed) { c.NotBefore = t0.Add(time.Hour) }),
			then: recorded{missed(1, events.FailureInfra, "m", time.Hour)}},
		{name: "it failed, and another is wanted", given: moved, at: minute, when: failed, then: recorded{missed(1, events.FailureInfra, "m", 2*minute)}},
		{name: "it may not be", given: wanted, at: minute, when: with2(failed, func(c *pr.NoteLabelFailed) { c.Kind = events.FailureFatal }),
			then: recorded{&events.LabelFailed{Try: 1, Kind: events.FailureFatal, Message: "m"}}},
		{name: "it may not be, and another is wanted", given: moved, at: minute, again: true,
			when: with2(failed, func(c *pr.NoteLabelFailed) { c.Kind = events.FailureFatal }),
			then: recorded{&events.LabelFailed{Try: 1, Kind: events.FailureFatal, Message: "m"}, want("", 2, minute)}},
		{name: "it is there after all", given: rested, at: minute / 2, when: done, then: recorded{&events.LabelSynced{Try: 1, Verdict: comment}}},
		{name: "said again", given: synced, at: minute, when: done},
		{name: "failed, said again", given: rested, at: minute / 2, when: failed},

		{name: "due while a try is under way", given: wanted, at: 5*minute - 1, when: pr.Due{}},
		{name: "due when the lease has run out", given: wanted, at: 5 * minute, when: pr.Due{},
			then: recorded{missed(1, events.FailureTimeout, "nobody answered before the lease ran out", 6*minute)}},
		{name: "due before the next try", given: rested, at: minute - 1, when: pr.Due{}},
		{name: "due at the next try", given: rested, at: minute, when: pr.Due{}, then: recorded{want(comment, 2, minute)}},
		{name: "due when it rests", given: stuck, at: 99 * time.Hour, when: pr.Due{}},
		{name: "due when it is there", given: synced, at: 99 * time.Hour, when: pr.Due{}},
		{name: "an operator's retry of one that rests", given: stuck, at: minute, when: pr.Retry{}, again: true, then: recorded{want(comment, 2, minute)}},
		{name: "also of a closed pull request", at: minute, when: pr.Retry{}, again: true, then: recorded{want("", 3, minute)},
			given: plus(synced, closed, want("", 2, 0), &events.LabelFailed{Try: 2, Kind: events.FailureFatal, Message: "m"})},
		{name: "an operator's retry of one that is there", given: synced, when: pr.Retry{}, refused: "was reviewed"},
		{name: "another's boot is gone", given: wanted, at: minute, when: pr.BootGone{Boot: terminal}},
	}
	rows = append(rows, labelRaces()...)
	cases := make([]decidertest.Case[pr.State], len(rows))
	for i, r := range rows {
		cases[i] = decidertest.Case[pr.State]{
			Name: r.name, Given: decidertest.Steps(t0, r.given...), With: given(r.at, daemon, run2), When: r.when,
			Then: r.then, Refused: r.refused, Twice: r.refused == "" && !r.again,
		}
	}
	actor(labelled()).Run(t, cases...)
}

// labelRaces: a try that was given up for lost wakes, and writes the label of
// before.
func labelRaces() []row {
	const comment = events.VerdictComment
	lost := plus(published(), want(comment, 1, 0), missed(1, events.FailureTimeout, "m", 0))
	gone := plus(lost, quietly(headB, events.TriggerPush, 0), want("", 2, 0))
	synced := plus(gone, &events.LabelSynced{Try: 2})
	return []row{
		{name: "a frozen try leaves its label", given: synced, at: minute, when: pr.NoteLabelSynced{Try: 1, Verdict: comment},
			then: recorded{want("", 3, minute)}, again: true},
		{name: "a frozen try leaves its label while another is under way", given: gone, at: minute, when: pr.NoteLabelSynced{Try: 1, Verdict: comment},
			then: recorded{want("", 3, minute)}, again: true},
		{name: "a frozen try fails", given: synced, at: minute, when: pr.NoteLabelFailed{Try: 1, Verdict: comment, Kind: events.FailureInfra},
			then: recorded{want("", 3, minute)}, again: true},
		{name: "a frozen try found no labels", given: synced, at: minute, when: pr.NoteLabelSynced{Try: 1, Verdict: comment, Skipped: "s"}},
		{name: "a frozen try did what is wanted", at: minute, when: pr.NoteLabelSynced{Try: 1, Verdict: comment},
			given: plus(lost, want(comment, 2, 0), &events.LabelSynced{Try: 2, Verdict: comment})},
		{name: "a dead boot's try", given: plus(published(), &events.LabelWanted{Verdict: comment, Try: 1, Owner: terminal, Until: t0.Add(5 * minute)}),
			at: minute, when: pr.BootGone{Boot: terminal},
			then: recorded{missed(1, events.FailureLost, "the process that was setting it is gone", minute), want(comment, 2, minute)}},
	}
}

func with2(c pr.NoteLabelFailed, change func(*pr.NoteLabelFailed)) pr.NoteLabelFailed {
	change(&c)
	return c
}

// TestLabelTries: ten tries, then it rests until something else is wanted.
func TestLabelTries(t *testing.T) {
	t.Parallel()
	rules := labelled()
	scene := actor(rules).Begin(t)
	scene.Given(decidertest.Steps(t0, plus(published(), want(events.VerdictComment, 1, 0))...)...)
	now := time.Duration(0)
	delays := []time.Duration{minute, 5 * minute, 15 * minute}
	for try := 1; try <= rules.LabelTries; try++ {
		failed := &events.LabelFailed{Try: try, Kind: events.FailureInfra}
		if try < rules.LabelTries {
			now += delays[min(try-1, len(delays)-1)]
			failed.NextAt = t0.Add(now)
		}
		scene.Then(given(now-delays[min(try-1, len(delays)-1)], daemon, run2), pr.NoteLabelFailed{Try: try, Verdict: events.VerdictComment, Kind: events.FailureInfra}, failed)
		if try < rules.LabelTries {
			scene.Then(given(now, daemon, run2), pr.Due{}, want(events.VerdictComment, try+1, now))
		}
	}
	scene.Then(given(now+time.Hour, daemon, run2), pr.Due{})
	scene.Then(given(now+time.Hour, daemon, run2), pr.Close{Reason: "merged"},
		&events.HeadClosed{Head: headA, Reason: "merged"}, want("", 11, now+time.Hour))
	scene.CheckReplay()
}

// TestOldRulesWantNoLabel: what was decided before there were labels is decided
// again as it was.
func TestOldRulesWantNoLabel(t *testing.T) {
	t.Parallel()
	table(t, []row{{
		name: "a published review", given: publishing(), at: minute, when: pr.NotePublished{Run: run1, Try: 1, Receipt: "5"},
		then: recorded{&events.VerdictPublished{Run: run1, Head: headA, Try: 1, Receipt: "5"}},
	}})
}

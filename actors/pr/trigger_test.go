package pr_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

func noted(run events.RunID, p events.Priority) *events.TriggerNoted {
	return &events.TriggerNoted{Run: run, Head: headA, Trigger: events.TriggerManual, Priority: p}
}

func answered(run events.RunID, at ...events.Version) *events.TriggersAnswered {
	p := &events.TriggersAnswered{Run: run}
	for _, v := range at {
		p.Answers = append(p.Answers, events.Asked{Trigger: events.TriggerManual, Version: v})
	}
	return p
}

// TestFold: triggers that wait for one pull request are answered by one review;
// one that comes during the review survives. (semantics 3.2)
func TestFold(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	normal, high := events.PriorityNormal, events.PriorityHigh
	mine := running(local(headA))
	wish := plus(mine, noted(run1, normal))
	hers := plus(running(manual(headA)), noted(run1, high))
	served := queued(local(headA), events.TriggerOpened, 0)
	taken := queued(with(manual(headA), func(c *pr.Observe) { c.BaseRef, c.Base = "next", base1 }), events.TriggerManual, 0)
	takeover := recorded{opened, served, &events.HeadSuperseded{Head: headA, By: headA}, taken, requested(taken, run1, 0), noted(run1, normal)}
	admit := func(d time.Duration) pr.NoteAdmitted { return pr.NoteAdmitted{Run: run1, At: t0.Add(d)} }
	end := func(o events.Outcome, kind events.FailureKind) pr.NoteRunEnd {
		return pr.NoteRunEnd{Run: run1, End: events.RunEnded{PR: stream, Head: headA, Outcome: o, Kind: kind, Why: "w"}}
	}
	follow := func(q *events.HeadQueued, before ...events.Payload) recorded {
		return append(before, q, requested(q, run2, minute))
	}
	clean := settled(headA, run1, events.OutcomeClean, "w")
	after := func(c pr.Observe, p events.Priority) *events.HeadQueued {
		return reopened(c, events.TriggerManual, p, minute)
	}
	retried := changed(queued(local(headA), events.TriggerRetry, 0), func(q *events.HeadQueued) {
		q.Attempt, q.Why, q.After, q.NotBefore = 1, "w", run1, t0.Add(minute)
	})
	posting := append(plus(running(look0(headA)), noted(run1, normal)), adopted(events.TargetForge))
	table(t, []row{
		{name: "asked again beside the run", given: wish, when: pr.Enqueue{}},
		{name: "asked again with more haste", given: wish, when: pr.Enqueue{High: true}, then: recorded{noted(run1, high)}},
		{name: "asked again with less", given: plus(mine, noted(run1, high)), when: pr.Enqueue{}},
		{name: "before the run began", given: wish, at: minute, when: admit(minute), then: recorded{answered(run1, 3)}},
		{name: "in the moment that it began", given: wish, when: admit(0), then: recorded{answered(run1, 3)}},
		{name: "after the run began", given: wish, when: admit(-1)},
		{name: "nothing was asked", given: mine, at: minute, when: admit(minute)},
		{name: "both were answered", given: plus(wish, noted(run1, high)), at: minute, when: admit(minute), then: recorded{answered(run1, 3, 4)}},
		{name: "another run began", given: wish, at: minute, when: pr.NoteAdmitted{Run: run2, At: t0.Add(minute)}},
		{name: "a review in a terminal answers nothing", given: hers, at: minute, when: admit(minute)},
		{name: "what was answered is not asked again", given: plus(wish, answered(run1, 3)), at: minute, when: end(events.OutcomeClean, ""), then: recorded{clean}},
		{name: "survives a review", given: wish, at: minute, when: end(events.OutcomeClean, ""), then: follow(after(local(headA), normal), clean)},
		{name: "survives it with its haste", given: plus(wish, noted(run1, high)), at: minute, when: end(events.OutcomeClean, ""),
			then: follow(after(local(headA), high), clean)},
		{name: "survives a failure, and waits for no delay", given: wish, at: minute, when: end(events.OutcomeFailed, events.FailureInfra), then: follow(retried)},
		{name: "survives a failure for good", given: wish, at: minute, when: end(events.OutcomeFailed, events.FailureFatal),
			then: follow(after(local(headA), normal), settled(headA, run1, events.OutcomeFailed, "w"))},
		{name: "survives a review in a terminal", given: hers, at: minute, when: end(events.OutcomeClean, ""), then: follow(after(manual(headA), high), clean)},
		{name: "survives a review of the head against another base", given: takeover, at: minute, when: end(events.OutcomeClean, ""),
			then: follow(after(local(headA), normal), clean)},
		{name: "survives, and the review before is not posted", given: posting, at: minute, when: end(events.OutcomeFindings, ""),
			then: follow(after(look0(headA), normal), settled(headA, run1, events.OutcomeFindings, "w"),
				&events.PublicationAbandoned{Run: run1, Why: "another review was asked for"})},
		{name: "ends with a cancel", given: plus(wish, &events.HeadCancelled{Head: headA, Run: run1}), at: minute, when: end(events.OutcomeCancelled, "")},
		{name: "is answered by the next head", given: plus(wish, &events.HeadSuperseded{Head: headA, By: headB, Run: run1},
			queued(local(headB), events.TriggerPush, 0), requested(queued(local(headB), events.TriggerPush, 0), run2, 0)), at: minute,
			when: pr.NoteRunEnd{Run: run2, End: events.RunEnded{Head: headB, Outcome: events.OutcomeClean, Why: "w"}},
			then: recorded{settled(headB, run2, events.OutcomeClean, "w")}},
		{name: "is not answered by a review in a terminal that takes over", given: plus(wish, &events.HeadSuperseded{Head: headA, By: headA, Run: run1},
			queued(manual(headA), events.TriggerManual, 0), requested(queued(manual(headA), events.TriggerManual, 0), run3, 0)), at: minute,
			when: pr.NoteRunEnd{Run: run3, End: events.RunEnded{Head: headA, Outcome: events.OutcomeClean, Why: "w"}},
			then: follow(after(local(headA), normal), settled(headA, run3, events.OutcomeClean, "w"))},
	})
}

// look0 is what the daemon sees of a forge without a debounce.
func look0(head events.Commit) pr.Observe {
	return with(look(head), func(c *pr.Observe) { c.Settings.Debounce = 0 })
}

// TestAnswers: the run that is asked for names the triggers that it answers.
func TestAnswers(t *testing.T) {
	t.Parallel()
	asked := func(pairs ...any) []events.Asked {
		var all []events.Asked
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, events.Asked{Trigger: pairs[i].(events.Trigger), Version: events.Version(pairs[i+1].(int))})
		}
		return all
	}
	scene := actor(pr.DefaultRules()).Begin(t)
	n := 0
	says := func(d time.Duration, c events.Command, want []events.Asked) {
		t.Helper()
		n++
		out, err := scene.When(given(d, daemon, events.RunID(fmt.Sprintf("%016x", n))), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range out {
			if r, ok := p.(*events.RunRequested); ok {
				if fmt.Sprint(r.Answers) != fmt.Sprint(want) {
					t.Errorf("%s: the run answers %v, want %v", c.Name(), r.Answers, want)
				}
				want = nil
			}
		}
		if want != nil {
			t.Errorf("%s asked for no run", c.Name())
		}
	}
	const m = time.Minute
	opens, push, byHand := events.TriggerOpened, events.TriggerPush, events.TriggerManual
	says(0, look(headA), nil)                                    // 0 opened, 1 queued
	says(m, look(headB), nil)                                    // 2 superseded, 3 queued
	says(2*m, pr.Enqueue{}, asked(opens, 1, push, 3, byHand, 4)) // 4 queued, 5 requested
	says(3*m, pr.Enqueue{}, nil)                                 // 6 noted
	says(4*m, pr.NoteAdmitted{Run: "0000000000000003", At: t0.Add(4 * m)}, nil)
	says(5*m, pr.Enqueue{}, nil) // 8 noted, and survives
	says(6*m, pr.NoteRunEnd{Run: "0000000000000003", End: events.RunEnded{Outcome: events.OutcomeFailed, Kind: events.FailureInfra}},
		asked(opens, 1, push, 3, byHand, 4, byHand, 6, byHand, 8)) // 9 queued, 10 requested
	says(7*m, pr.NoteRunEnd{Run: "0000000000000007", End: events.RunEnded{Outcome: events.OutcomeClean}}, nil) // 11 settled
	says(8*m, pr.Enqueue{}, asked(byHand, 12))
	says(9*m, look(headC), nil) // 14 superseded, 15 queued
	says(50*m, pr.Due{}, asked(byHand, 12, push, 15))
	scene.CheckReplay()
}

// TestAnswersAreBounded pushes more often than is remembered.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	scene := actor(pr.DefaultRules()).Begin(t)
	scene.Given(decidertest.Steps(t0, opened)...)
	for i := range pr.AskedMax + 5 {
		if _, err := scene.When(given(0, daemon, run1), look(events.Commit(fmt.Sprintf("%040x", i)))); err != nil {
			t.Fatal(err)
		}
	}
	out, err := scene.When(given(time.Hour, daemon, run2), pr.Due{})
	if err != nil {
		t.Fatal(err)
	}
	answers := out[0].(*events.RunRequested).Answers
	if len(answers) != pr.AskedMax || answers[0].Trigger != events.TriggerPush {
		t.Errorf("%d triggers, the first %v", len(answers), answers[0])
	}
}

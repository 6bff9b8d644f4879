package pr_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

// reopened is the newest head, queued again for the daemon at d.
func reopened(c pr.Observe, t events.Trigger, p events.Priority, d time.Duration) *events.HeadQueued {
	return changed(queued(c, t, d), func(q *events.HeadQueued) { q.Owner, q.Priority = events.OwnerAny, p })
}

func TestCloseAndCancel(t *testing.T) {
	t.Parallel()
	waiting := recorded{opened, changed(queued(look(headA), events.TriggerOpened, 0), func(q *events.HeadQueued) {
		q.NotBefore = t0.Add(30 * time.Minute)
	})}
	closed := func(run events.RunID) *events.HeadClosed {
		return &events.HeadClosed{Head: headA, Run: run, Reason: "merged"}
	}
	cancelled := func(run events.RunID) *events.HeadCancelled {
		return &events.HeadCancelled{Head: headA, Run: run, Reason: "no"}
	}
	abandoned := func(why string) events.Payload { return &events.PublicationAbandoned{Run: run1, Why: why} }
	reviewed := plus(running(local(headA)), settled(headA, run1, events.OutcomeClean, "w"))
	cancel := pr.Cancel{Reason: "no"}
	of := func(run events.RunID) pr.Cancel { return pr.Cancel{Run: run, Reason: "no"} }
	table(t, []row{
		{name: "close while it waits", given: waiting, when: pr.Close{Reason: "merged"}, then: recorded{closed("")}},
		{name: "close while it runs", given: running(local(headA)), when: pr.Close{Reason: "merged"}, then: recorded{closed(run1)}},
		{name: "close after its review", given: reviewed, when: pr.Close{Reason: "merged"}, then: recorded{closed("")}},
		{name: "close while it is posted", given: publishing(), when: pr.Close{Reason: "merged"},
			then: recorded{closed(""), abandoned("the pull request is closed")}},
		{name: "close what is closed", given: plus(reviewed, closed("")), when: pr.Close{Reason: "again"}},

		{name: "cancel while it waits", given: waiting, when: cancel, then: recorded{cancelled("")}},
		{name: "cancel while it runs", given: running(local(headA)), when: cancel, then: recorded{cancelled(run1)}},
		{name: "cancel this run", given: running(local(headA)), when: of(run1), then: recorded{cancelled(run1)}},
		{name: "cancel another run", given: running(local(headA)), when: of(run2), refused: "run " + string(run2)},
		{name: "cancel a run while it waits", given: waiting, when: of(run1), refused: "is not what"},
		{name: "cancel while it is posted", given: publishing(), when: cancel,
			then: recorded{cancelled(""), abandoned("cancelled: no")}},
		{name: "cancel the run that is posted", given: publishing(), when: of(run1),
			then: recorded{cancelled(""), abandoned("cancelled: no")}},
		{name: "cancel another run than what is posted", given: publishing(), when: of(run2), refused: "is not what"},
		{name: "cancel what is cancelled", given: plus(running(local(headA)), cancelled(run1)), when: cancel},
		{name: "cancel what is closed", given: plus(running(local(headA)), closed(run1)), when: cancel},
		{name: "cancel what was never queued", given: recorded{opened}, when: cancel, refused: "nothing is queued or running"},
		{name: "cancel what is reviewed", given: reviewed, when: cancel, refused: "nothing is queued or running"},
	})
}

func TestEnqueue(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	waiting := changed(queued(look(headA), events.TriggerOpened, 0), func(q *events.HeadQueued) {
		q.NotBefore = t0.Add(30 * minute)
	})
	hurried := func(p events.Priority) *events.HeadQueued {
		return changed(waiting, func(q *events.HeadQueued) {
			q.NotBefore, q.Trigger, q.Priority = t0.Add(minute), events.TriggerManual, p
		})
	}
	reviewed := plus(running(local(headA)), settled(headA, run1, events.OutcomeClean, "w"))
	again := func(p events.Priority) *events.HeadQueued {
		return reopened(local(headA), events.TriggerManual, p, minute)
	}
	byReview := plus(running(manual(headA)), settled(headA, run1, events.OutcomeNotRun, "w"))
	taken := reopened(manual(headA), events.TriggerManual, events.PriorityNormal, minute)
	posted := reopened(look(headA), events.TriggerManual, events.PriorityNormal, minute)
	then := func(q *events.HeadQueued) recorded { return recorded{q, requested(q, run2, minute)} }
	due := func(p events.Priority) *events.HeadQueued {
		return changed(queued(local(headA), events.TriggerManual, 0), func(q *events.HeadQueued) {
			q.NotBefore, q.Priority = t0.Add(minute), p
		})
	}
	failedTwice := plus(running(local(headA)), settled(headA, run1, events.OutcomeFailed, "w"),
		changed(queued(local(headA), events.TriggerRetry, 0), func(q *events.HeadQueued) {
			q.Attempt, q.Why, q.After = 3, "w", run1
		}), settled(headA, run2, events.OutcomeFailed, "w"))
	rows := []row{
		{name: "after its review", given: reviewed, at: minute, when: pr.Enqueue{}, then: then(again(events.PriorityNormal))},
		{name: "at high priority", given: reviewed, at: minute, when: pr.Enqueue{High: true}, then: then(again(events.PriorityHigh))},
		{name: "of the live head", given: reviewed, at: minute, when: pr.Enqueue{SHA: string(headA)}, then: then(again(events.PriorityNormal))},
		{name: "of a prefix in capitals", given: reviewed, at: minute, when: pr.Enqueue{SHA: "AAAAAAA"}, then: then(again(events.PriorityNormal))},
		{name: "of too short a prefix", given: reviewed, when: pr.Enqueue{SHA: "aaaaaa"}, refused: "the live head is " + string(headA)},
		{name: "of another head", given: reviewed, when: pr.Enqueue{SHA: string(headB)}, refused: "the live head is " + string(headA)},
		{name: "while it runs", given: running(local(headA)), when: pr.Enqueue{High: true}, then: recorded{
			&events.TriggerNoted{Run: run1, Head: headA, Trigger: events.TriggerManual, Priority: events.PriorityHigh}}},
		{name: "during the debounce", given: recorded{opened, waiting}, at: minute, when: pr.Enqueue{}, then: then(hurried(events.PriorityNormal))},
		{name: "during the debounce, at high priority", given: recorded{opened, waiting}, at: minute, when: pr.Enqueue{High: true},
			then: then(hurried(events.PriorityHigh))},
		{name: "of what is due now", given: recorded{opened, queued(local(headA), events.TriggerOpened, 0)}, at: minute, when: pr.Enqueue{}},
		{name: "of what is due now, at high priority", at: minute, when: pr.Enqueue{High: true}, then: then(due(events.PriorityHigh)),
			given: recorded{opened, queued(local(headA), events.TriggerOpened, 0)}},
		{name: "of what is due now for a review", at: minute, when: pr.Enqueue{}, then: then(due(events.PriorityNormal)),
			given: recorded{opened, changed(queued(local(headA), events.TriggerOpened, 0), func(q *events.HeadQueued) { q.Owner = terminal })}},
		{name: "after its failure begins with all tries", given: failedTwice, at: minute, when: pr.Enqueue{}, then: then(again(events.PriorityNormal))},
		{name: "takes a review's head for the daemon", given: byReview, at: minute, when: pr.Enqueue{}, then: then(taken)},
		{name: "after a cancel", given: plus(running(local(headA)), &events.HeadCancelled{Head: headA, Run: run1}), at: minute,
			when: pr.Enqueue{}, then: then(again(events.PriorityNormal))},
		{name: "of what is closed", given: plus(reviewed, &events.HeadClosed{Head: headA}), when: pr.Enqueue{}, refused: "closed"},
		{name: "while it is posted gives that up", given: publishing(), at: minute, when: pr.Enqueue{},
			then: append(recorded{&events.PublicationAbandoned{Run: run1, Why: "another review was asked for"}}, then(posted)...)},
	}
	for i := range rows { // asked again beside the run that it has now, it is noted
		rows[i].again = len(rows[i].then) > 1
	}
	table(t, rows)
}

func TestRetry(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	waiting := changed(queued(look(headA), events.TriggerOpened, 0), func(q *events.HeadQueued) {
		q.NotBefore = t0.Add(30 * minute)
	})
	backoff := changed(queued(local(headA), events.TriggerRetry, 0), func(q *events.HeadQueued) {
		q.NotBefore, q.Attempt, q.Why, q.After = t0.Add(5*minute), 1, "w", run1
	})
	now := func(q *events.HeadQueued) *events.HeadQueued {
		return changed(q, func(q *events.HeadQueued) { q.NotBefore = t0.Add(minute) })
	}
	after := func(o events.Outcome) recorded {
		return plus(running(local(headA)), settled(headA, run1, o, "w"))
	}
	again := reopened(local(headA), events.TriggerRetry, events.PriorityNormal, minute)
	opens := recorded{again, requested(again, run2, minute)}
	stuck := plus(publishing(), &events.PublicationStuck{Run: run1, Tries: 10, Why: "w"})
	table(t, []row{
		{name: "what failed", given: after(events.OutcomeFailed), at: minute, when: pr.Retry{}, then: opens},
		{name: "what could not run", given: after(events.OutcomeNotRun), at: minute, when: pr.Retry{}, then: opens},
		{name: "what was cancelled", given: plus(running(local(headA)), &events.HeadCancelled{Head: headA, Run: run1}), at: minute,
			when: pr.Retry{}, then: opens},
		{name: "what waits for its debounce", given: recorded{opened, waiting}, at: minute, when: pr.Retry{},
			then: recorded{now(waiting), requested(now(waiting), run2, minute)}},
		{name: "what waits for its next try keeps its tries", given: plus(running(local(headA)), backoff), at: minute, when: pr.Retry{},
			then: recorded{now(backoff), requested(now(backoff), run2, minute)}},
		{name: "what is due", given: recorded{opened, queued(local(headA), events.TriggerOpened, 0)}, at: minute, when: pr.Retry{}},
		{name: "what runs", given: running(local(headA)), at: minute, when: pr.Retry{}},
		{name: "what is posted", given: publishing(), at: minute, when: pr.Retry{}},
		{name: "what is stuck", given: stuck, at: minute, when: pr.Retry{}, then: recorded{&events.PublicationResumed{
			Run: run1, Head: headA, Base: base0, Try: 1, Owner: daemon, Until: t0.Add(6 * minute)}}},
		{name: "what was reviewed clean", given: after(events.OutcomeClean), when: pr.Retry{}, refused: "was reviewed"},
		{name: "what was reviewed in part", given: after(events.OutcomePartial), when: pr.Retry{}, refused: "was reviewed"},
		{name: "what is closed", given: plus(after(events.OutcomeFailed), &events.HeadClosed{Head: headA}), when: pr.Retry{}, refused: "closed"},
	})
}

func TestDueAndBootGone(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	waiting := changed(queued(look(headA), events.TriggerOpened, 0), func(q *events.HeadQueued) {
		q.NotBefore = t0.Add(30 * minute)
	})
	lost := 7 * time.Hour
	retry := changed(queued(local(headA), events.TriggerRetry, 0), func(q *events.HeadQueued) {
		q.NotBefore, q.Attempt, q.Why, q.After = t0.Add(lost+5*minute), 1, "its run never reported", run1
	})
	byReview := changed(queued(manual(headA), events.TriggerManual, 0), func(q *events.HeadQueued) {
		q.NotBefore = t0.Add(minute)
	})
	unknown := func(reason string, next time.Duration) events.Payload {
		return &events.PublicationUnknown{Run: run1, Try: 1, Reason: reason, NextAt: t0.Add(next)}
	}
	gone := "the process that asked for it is gone"
	served := queued(local(headA), events.TriggerOpened, 0)
	back := changed(served, func(q *events.HeadQueued) {
		q.Trigger, q.Why, q.QueuedAt, q.FirstPush, q.NotBefore = events.TriggerRetry, gone, t0.Add(minute), t0.Add(minute), t0.Add(minute)
	})
	table(t, []row{
		{name: "before the debounce is over", given: recorded{opened, waiting}, at: 29 * minute, when: pr.Due{}},
		{name: "after the debounce", given: recorded{opened, waiting}, at: 30 * minute, when: pr.Due{},
			then: recorded{requested(waiting, run2, 30*minute)}},
		{name: "while it runs", given: running(local(headA)), at: lost - 1, when: pr.Due{}},
		{name: "when its run never reported", given: running(local(headA)), at: lost, when: pr.Due{}, then: recorded{retry}},
		{name: "when a review's run never reported", given: running(manual(headA)), at: lost, when: pr.Due{},
			then: recorded{settled(headA, run1, events.OutcomeFailed, "its run never reported")}},
		{name: "with nothing that waits", given: plus(running(local(headA)), settled(headA, run1, events.OutcomeClean, "w")),
			at: 100 * time.Hour, when: pr.Due{}},

		{name: "the daemon of a waiting head is gone", given: recorded{opened, waiting}, when: pr.BootGone{Boot: daemon}},
		{name: "the review of a waiting head is gone", given: recorded{opened, byReview}, when: pr.BootGone{Boot: terminal},
			then: recorded{settled(headA, "", events.OutcomeFailed, gone)}},
		{name: "the review of a daemon's head is gone", given: recorded{opened, served, byReview}, at: minute,
			when: pr.BootGone{Boot: terminal}, then: recorded{settled(headA, "", events.OutcomeFailed, gone), back, requested(back, run2, minute)}},
		{name: "who posts is gone", given: publishing(), at: minute, when: pr.BootGone{Boot: daemon},
			then: recorded{unknown("the process that was posting it is gone", minute)}},
		{name: "somebody else is gone", given: publishing(), at: minute, when: pr.BootGone{Boot: terminal}},
		{name: "who runs it is gone, which its run tells", given: running(manual(headA)), when: pr.BootGone{Boot: terminal}},
	})
}

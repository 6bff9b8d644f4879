package pr_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

func TestObserve(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	first := queued(local(headA), events.TriggerOpened, 0)
	pushed := queued(local(headB), events.TriggerPush, minute)
	debounced := func(head events.Commit, trigger events.Trigger, since, first, until time.Duration) *events.HeadQueued {
		return changed(queued(look(head), trigger, since), func(q *events.HeadQueued) {
			q.FirstPush, q.NotBefore = t0.Add(first), t0.Add(until)
		})
	}
	based := with(local(headA), func(c *pr.Observe) { c.BaseRef, c.Base = "next", base1 })
	moved := with(local(headA), func(c *pr.Observe) { c.Base = base1 })
	asked := queued(manual(headA), events.TriggerManual, minute)
	askedB := queued(manual(headB), events.TriggerManual, minute)
	superseded := func(head, by events.Commit, run events.RunID) *events.HeadSuperseded {
		return &events.HeadSuperseded{Head: head, By: by, Run: run}
	}
	waiting := recorded{opened, debounced(headA, events.TriggerOpened, 0, 0, 30*minute)}
	reviewed := plus(running(local(headA)), settled(headA, run1, events.OutcomeClean, "w"))
	failedIn := func(c pr.Observe, o events.Outcome) recorded {
		return plus(running(c), settled(headA, run1, o, "w"))
	}

	hasty := with(manual(headA), func(c *pr.Observe) { c.Settings = look(headA).Settings })
	backoff := changed(queued(local(headA), events.TriggerRetry, 0), func(q *events.HeadQueued) {
		q.NotBefore, q.Attempt, q.Why, q.After = t0.Add(5*minute), 1, "w", run1
	})
	table(t, []row{
		{name: "the first sight of a local branch", when: local(headA),
			then: recorded{opened, first, requested(first, run2, 0)}},
		{name: "the first sight on a forge waits for its debounce", when: look(headA), then: recorded{waiting[0], waiting[1]}},
		{name: "a manual first sight waits for nothing", at: minute, boot: terminal, when: manual(headA), again: true,
			then: recorded{opened, asked, requested(asked, run2, minute)}},
		{name: "a manual look waits for no debounce", at: minute, boot: terminal, when: hasty, again: true, then: recorded{
			opened, queued(hasty, events.TriggerManual, minute), requested(queued(hasty, events.TriggerManual, minute), run2, minute)}},
		{name: "a push to a local branch that waits for its next try", given: plus(running(local(headA)), backoff), at: minute,
			when: local(headB), then: recorded{superseded(headA, headB, ""), pushed, requested(pushed, run2, minute)}},
		{name: "the same while it waits", given: waiting, at: minute, when: look(headA)},
		{name: "the same while it runs", given: running(local(headA)), at: minute, when: local(headA)},
		{name: "the same after its review", given: reviewed, at: minute, when: local(headA)},
		{name: "the same after its failure", given: failedIn(local(headA), events.OutcomeFailed), at: minute, when: local(headA)},
		{name: "the base's commit moved under the same head", given: reviewed, at: minute, when: moved},
		{name: "another base under the same head", given: reviewed, at: minute, when: based, then: recorded{
			queued(based, events.TriggerBase, minute), requested(queued(based, events.TriggerBase, minute), run2, minute)}},

		{name: "a push after its review", given: reviewed, at: minute, when: local(headB),
			then: recorded{pushed, requested(pushed, run2, minute)}},
		{name: "a push during a run", given: running(local(headA)), at: minute, when: local(headB),
			then: recorded{superseded(headA, headB, run1), pushed, requested(pushed, run2, minute)}},
		{name: "a push while the verdict is adopted and its run not ended", at: minute, when: look(headB),
			given: plus(running(look(headA)), adopted(events.TargetForge)),
			then: recorded{superseded(headA, headB, run1), &events.PublicationAbandoned{Run: run1, Why: "the head moved"},
				debounced(headB, events.TriggerPush, minute, minute, 31*minute)}},
		{name: "a push while a review is being posted", given: publishing(), at: minute, when: look(headB),
			then: recorded{&events.PublicationAbandoned{Run: run1, Why: "the head moved"},
				debounced(headB, events.TriggerPush, minute, minute, 31*minute)}},
		{name: "a push after its publication got stuck", at: minute, when: look(headB),
			given: plus(publishing(), &events.PublicationStuck{Run: run1, Tries: 10}),
			then: recorded{&events.PublicationAbandoned{Run: run1, Why: "the head moved"},
				debounced(headB, events.TriggerPush, minute, minute, 31*minute)}},

		{name: "a push restarts the debounce", given: waiting, at: 20 * minute, when: look(headB),
			then: recorded{superseded(headA, headB, ""), debounced(headB, events.TriggerPush, 20*minute, 0, 50*minute)}},
		{name: "two hours after the first push it ends", given: waiting, at: 119 * minute, when: look(headB),
			then: recorded{superseded(headA, headB, ""), debounced(headB, events.TriggerPush, 119*minute, 0, 120*minute)}},
		{name: "and later pushes wait for nothing", given: waiting, at: 121 * minute, when: look(headB), then: recorded{
			superseded(headA, headB, ""), debounced(headB, events.TriggerPush, 121*minute, 0, 121*minute),
			requested(debounced(headB, events.TriggerPush, 121*minute, 0, 121*minute), run2, 121*minute)}},

		{name: "manually while it waits", given: waiting, at: minute, boot: terminal, when: manual(headA), again: true,
			then: recorded{superseded(headA, headA, ""), asked, requested(asked, run2, minute)}},
		{name: "manually while it runs", given: running(local(headA)), at: minute, boot: terminal, when: manual(headA), again: true,
			then: recorded{superseded(headA, headA, run1), asked, requested(asked, run2, minute)}},
		{name: "manually after its review", given: reviewed, at: minute, boot: terminal, when: manual(headA), again: true,
			then: recorded{asked, requested(asked, run2, minute)}},
		{name: "manually while its review is being posted", given: publishing(), at: minute, boot: terminal, when: manual(headA), again: true,
			then: recorded{&events.PublicationAbandoned{Run: run1, Why: "the head moved"}, asked, requested(asked, run2, minute)}},
		{name: "manually at another head", given: running(local(headA)), at: minute, boot: terminal, when: manual(headB), again: true,
			then: recorded{superseded(headA, headB, run1), askedB, requested(askedB, run2, minute)}},

		{name: "opened again", given: plus(reviewed, &events.HeadClosed{Head: headA, Reason: "closed"}), at: minute, when: local(headA),
			then: recorded{queued(local(headA), events.TriggerOpened, minute), requested(queued(local(headA), events.TriggerOpened, minute), run2, minute)}},

		{name: "a daemon takes up what a review did not review", given: failedIn(manual(headA), events.OutcomeNotRun), at: minute,
			when: local(headA),
			then: recorded{queued(local(headA), events.TriggerOpened, minute), requested(queued(local(headA), events.TriggerOpened, minute), run2, minute)}},
		{name: "but not what it reviewed", given: failedIn(manual(headA), events.OutcomePartial), at: minute, when: local(headA)},
		{name: "nor what was cancelled", given: failedIn(manual(headA), events.OutcomeCancelled), at: minute, when: local(headA)},
		{name: "nor what still runs", given: running(manual(headA)), at: minute, when: local(headA)},
		{name: "nor another review's", given: failedIn(manual(headA), events.OutcomeFailed), at: minute, boot: terminal,
			when: with(local(headA), func(c *pr.Observe) { c.Owner = terminal })},
		{name: "and not twice", given: plus(failedIn(manual(headA), events.OutcomeFailed),
			queued(local(headA), events.TriggerOpened, 0), requested(queued(local(headA), events.TriggerOpened, 0), run2, 0),
			settled(headA, run2, events.OutcomeFailed, "w")), at: minute, when: local(headA)},
	})
}

func TestUnknownPullRequest(t *testing.T) {
	t.Parallel()
	var rows []row
	for _, c := range []events.Command{
		pr.Close{}, pr.Enqueue{}, pr.Cancel{}, pr.Retry{}, pr.Due{}, pr.BootGone{}, pr.NumberFindings{},
		pr.AdoptVerdict{}, pr.NoteRunEnd{}, pr.NotePublished{},
	} {
		rows = append(rows, row{name: c.Name(), when: c, refused: "not known"})
	}
	rows = append(rows, row{name: "another actor's", given: running(local(headA)), when: other{}, refused: "does not take fleet.due"})
	table(t, rows)
}

type other struct{}

func (other) Name() string { return "fleet.due" }

package pr_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

// facts is a look of the daemon at a forge that says so.
func facts(c pr.Observe, f pr.Facts) pr.Observe {
	c.Facts = &f
	return c
}

func plain(head events.Commit) pr.Observe { return facts(look(head), pr.Facts{}) }
func draft(head events.Commit) pr.Observe { return facts(look(head), pr.Facts{Draft: true}) }

// skipped is what a look at a head that is held back leaves on record.
func skipped(c pr.Observe, cause events.HoldCause, why string) *events.HeadSkipped {
	return &events.HeadSkipped{
		Head: c.Head, Base: c.Base, BaseRef: c.BaseRef, Cause: cause, Why: why, Priority: c.Priority, Settings: c.Settings,
	}
}

func isDraft(head events.Commit) *events.HeadSkipped {
	return skipped(look(head), events.HoldDraft, "it is a draft")
}

func stopping(s *events.HeadSkipped, run events.RunID) *events.HeadSkipped {
	c := *s
	c.Run = run
	return &c
}

// quietly is a head that is queued at d behind its debounce of half an hour.
func quietly(head events.Commit, trigger events.Trigger, d time.Duration) *events.HeadQueued {
	return changed(queued(look(head), trigger, d), func(q *events.HeadQueued) { q.NotBefore = t0.Add(d + 30*time.Minute) })
}

func superseded(head, by events.Commit, run events.RunID) *events.HeadSuperseded {
	return &events.HeadSuperseded{Head: head, By: by, Run: run}
}

// TestHold: semantics 1.1 and 20, case G29.
func TestHold(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	labelled := facts(look(headA), pr.Facts{SkipLabel: "tag:skip-review", Draft: true})
	ignored := facts(look(headA), pr.Facts{Ignored: true, SkipLabel: "tag:skip-review", Draft: true})
	byLabel := skipped(look(headA), events.HoldLabel, `the label "tag:skip-review" is set`)
	byAuthor := skipped(look(headA), events.HoldAuthor, "pull requests of ada are reviewed only when somebody asks")
	held := recorded{opened, isDraft(headA)}
	waiting := recorded{opened, quietly(headA, events.TriggerOpened, 0)}
	auto := running(look(headA))
	lost := plus(auto, settled(headA, run1, events.OutcomeFailed, "w"))
	reviewed := plus(auto, adopted(events.TargetForge), settled(headA, run1, events.OutcomeFindings, "w"))
	base := with(draft(headA), func(c *pr.Observe) { c.BaseRef, c.Base = "next", base1 })
	readyQ := quietly(headA, events.TriggerReady, minute)
	table(t, []row{
		{name: "a draft at first sight", when: draft(headA), then: recorded{opened, isDraft(headA)}},
		{name: "the author comes first", when: ignored, then: recorded{opened, byAuthor}},
		{name: "then the label", when: labelled, then: recorded{opened, byLabel}},
		{name: "once for each cause", given: held, at: minute, when: draft(headA)},
		{name: "another cause", given: held, at: minute, when: labelled, then: recorded{byLabel}},
		{name: "a draft while it waits", given: waiting, at: minute, when: draft(headA), then: recorded{isDraft(headA)}},
		{name: "a draft while it runs", given: auto, at: minute, when: draft(headA), then: recorded{stopping(isDraft(headA), run1)}},
		{name: "a push to a draft during its run", given: auto, at: minute, when: draft(headB),
			then: recorded{superseded(headA, headB, run1), isDraft(headB)}},
		{name: "a push to a draft that waits", given: waiting, at: minute, when: draft(headB),
			then: recorded{superseded(headA, headB, ""), isDraft(headB)}},
		{name: "a push to a draft that was held", given: held, at: minute, when: draft(headB), then: recorded{isDraft(headB)}},
		{name: "a push to a draft while a review is posted", given: publishing(), at: minute, when: draft(headB),
			then: recorded{&events.PublicationAbandoned{Run: run1, Why: "the head moved"}, isDraft(headB)}},
		{name: "another base of a draft", given: held, at: minute, when: base, then: recorded{skipped(base, events.HoldDraft, "it is a draft")}},
		{name: "a publication under way goes on", given: publishing(), at: minute, when: draft(headA)},
		{name: "also where its run has not ended", given: plus(auto, adopted(events.TargetForge)), at: minute, when: draft(headA)},
		{name: "a head whose business is over is not held back", given: lost, at: minute, when: draft(headA)},
		{name: "nor a reviewed one", given: reviewed, at: minute, when: draft(headA)},
		{name: "a draft is opened again", given: plus(held, &events.HeadClosed{Head: headA, Reason: "closed"}), at: minute, when: draft(headA),
			then: recorded{isDraft(headA)}},
		{name: "a look without facts holds nothing back", at: minute, when: look(headA), then: recorded{opened, quietly(headA, events.TriggerOpened, minute)}},

		{name: "ready", given: held, at: minute, when: plain(headA), then: recorded{readyQ}},
		{name: "ready and pushed", given: held, at: minute, when: plain(headB), then: recorded{quietly(headB, events.TriggerPush, minute)}},
		{name: "ready twice", given: plus(held, readyQ), at: minute, when: plain(headA)},
		{name: "ready, then the draft of before", given: plus(held, readyQ), at: minute, when: draft(headA), then: recorded{isDraft(headA)}},
		{name: "ready when it never was anything else", given: waiting, at: minute, when: plain(headA)},
		{name: "ready after a person cancelled what was asked for", at: minute, when: plain(headA),
			given: plus(held, askedFor(headA), requested(askedFor(headA), run1, 0), &events.HeadCancelled{Head: headA, Run: run1, Reason: "no"})},
	})
}

// askedFor is a head that an operator asked for at t0.
func askedFor(head events.Commit) *events.HeadQueued {
	return queued(look(head), events.TriggerManual, 0)
}

// TestHoldOfWhatWasAskedFor: incident platform#5285. A review that a person asked
// for runs to its end, whatever the pull request becomes.
func TestHoldOfWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	held := recorded{opened, isDraft(headA)}
	asked := askedFor(headA)
	running := plus(held, asked, requested(asked, run1, 0))
	unheld := recorded{opened, asked, requested(asked, run1, 0)}
	noted := plus(recorded{opened, quietly(headA, events.TriggerOpened, 0), requested(quietly(headA, events.TriggerOpened, 0), run1, 0)},
		&events.TriggerNoted{Run: run1, Head: headA, Trigger: events.TriggerManual, Priority: events.PriorityNormal})
	retried := changed(asked, func(q *events.HeadQueued) { q.Trigger = events.TriggerRetry })
	again := changed(asked, func(q *events.HeadQueued) {
		q.Trigger, q.Why, q.After, q.Attempt, q.NotBefore = events.TriggerRetry, "w", run1, 1, t0.Add(time.Hour)
	})
	back := changed(asked, func(q *events.HeadQueued) { q.Trigger, q.Why = events.TriggerRetry, "w" })
	answering := requested(quietly(headB, events.TriggerPush, 0), run1, 0)
	answering.Answers = []events.Asked{{Trigger: events.TriggerManual, Version: 1}, {Trigger: events.TriggerPush, Version: 3}}
	based := with(draft(headA), func(c *pr.Observe) { c.BaseRef, c.Base = "next", base1 })
	byBase := changed(queued(based, events.TriggerBase, minute), func(q *events.HeadQueued) { q.NotBefore = t0.Add(31 * minute) })
	answered := requested(asked, run1, 0)
	answered.Answers = []events.Asked{{Trigger: events.TriggerManual, Version: 1}}
	hand := queued(manual(headA), events.TriggerManual, 0)
	byHand := plus(held, hand, requested(hand, run1, 0))
	served := func(trigger events.Trigger, why string) *events.HeadQueued {
		return changed(queued(look(headA), trigger, minute), func(q *events.HeadQueued) { q.Why = why })
	}
	printed := plus(recorded{opened, quietly(headA, events.TriggerOpened, 0), superseded(headA, headA, "")}, hand, requested(hand, run1, 0),
		adopted(events.TargetNone))
	end := func(o events.Outcome) pr.NoteRunEnd {
		return pr.NoteRunEnd{Run: run1, End: events.RunEnded{Outcome: o, Why: "w"}}
	}
	published := &events.VerdictPublished{Run: run1, Head: headA, Try: 1, Receipt: "5"}
	rehand := plus(publishing(), published, hand, requested(hand, run2, 0))
	reviewedBy1 := skipped(look(headA), events.HoldReviewed, "a review of this head is published, by run "+string(run1))
	reviewedBy1.Reviewed = run1
	table(t, []row{
		{name: "enqueue of a held head runs", given: held, at: minute, when: pr.Enqueue{}, again: true, then: recorded{
			queued(look(headA), events.TriggerManual, minute), requested(queued(look(headA), events.TriggerManual, minute), run2, minute)}},
		{name: "a draft of it goes on", given: running, at: minute, when: draft(headA)},
		{name: "a head that becomes a draft too", given: unheld, at: minute, when: draft(headA)},
		{name: "asked for beside a run", given: noted, at: minute, when: draft(headA)},
		{name: "asked for before a push", given: recorded{opened, quietly(headB, events.TriggerPush, 0), answering}, at: minute, when: draft(headB)},
		{name: "an operator's retry", given: recorded{opened, retried}, at: minute, when: draft(headA)},
		{name: "its retry after a failure", given: plus(running, again), at: minute, when: draft(headA)},
		{name: "a retry that nobody asked for", given: recorded{opened, back}, at: minute, when: draft(headA), then: recorded{isDraft(headA)}},
		{name: "a review in a terminal", given: byHand, at: minute, when: draft(headA)},
		{name: "another base of it", given: recorded{opened, asked, answered}, at: minute, when: based, then: recorded{superseded(headA, headA, run1), byBase}},
		{name: "ready while it runs", given: running, at: minute, when: plain(headA)},
		{name: "ready when it was reviewed", given: plus(running, adopted(events.TargetForge), settled(headA, run1, events.OutcomeClean, "w")), at: minute, when: plain(headA)},
		{name: "ready when it failed", given: plus(running, settled(headA, run1, events.OutcomeFailed, "w")), at: minute, when: plain(headA),
			then: recorded{quietly(headA, events.TriggerReady, minute)}},
		{name: "a draft still when it was reviewed", given: plus(running, settled(headA, run1, events.OutcomeClean, "w")), at: minute, when: draft(headA)},
		{name: "by hand without a review: it is held back as before", given: byHand, at: minute, boot: terminal, when: end(events.OutcomeFailed),
			then: recorded{settled(headA, run1, events.OutcomeFailed, "w"), isDraft(headA)}},
		{name: "interrupted: it is held back as before", given: byHand, at: minute, boot: terminal, again: true,
			when: pr.Cancel{Reason: "interrupted", Interrupted: true},
			then: recorded{&events.HeadCancelled{Head: headA, Run: run1, Reason: "interrupted"}, isDraft(headA)}},
		{name: "by hand and printed: the daemon's turn comes all the same", given: printed, at: minute, boot: terminal, when: end(events.OutcomeClean),
			then: recorded{settled(headA, run1, events.OutcomeClean, "w"), served(events.TriggerRetry, "w"),
				requested(served(events.TriggerRetry, "w"), run2, minute)}},
		{name: "by hand and printed, and never minded", at: minute, when: plain(headA),
			given: recorded{opened, hand, requested(hand, run1, 0), settled(headA, run1, events.OutcomeClean, "w")},
			then:  recorded{quietly(headA, events.TriggerOpened, minute)}},
		{name: "by hand without a review of what is published", given: rehand, at: minute, boot: terminal,
			when: pr.NoteRunEnd{Run: run2, End: events.RunEnded{Outcome: events.OutcomeFailed, Why: "w"}},
			then: recorded{settled(headA, run2, events.OutcomeFailed, "w"), reviewedBy1}},
		{name: "enqueue after a printed review posts", at: minute, again: true, when: pr.Enqueue{},
			given: plus(printed, settled(headA, run1, events.OutcomeClean, "w")),
			then:  recorded{served(events.TriggerManual, ""), requested(served(events.TriggerManual, ""), run2, minute)}},
		{name: "ready after a printed review", at: minute, when: plain(headA),
			given: plus(byHand, settled(headA, run1, events.OutcomeClean, "w")), then: recorded{quietly(headA, events.TriggerReady, minute)}},
	})
}

// TestReverts: a head that was published is not reviewed again by itself.
func TestReverts(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	published := plus(publishing(), &events.VerdictPublished{Run: run1, Head: headA, Try: 1, Receipt: "5"})
	next := quietly(headB, events.TriggerPush, 0)
	pushed := plus(published, next)
	running := plus(pushed, requested(next, run2, 0))
	by1 := skipped(look(headA), events.HoldReviewed, "a review of this head is published, by run "+string(run1))
	by1.Reviewed = run1
	otherBase := with(plain(headA), func(c *pr.Observe) { c.BaseRef = "next" })
	byOther := changed(queued(otherBase, events.TriggerPush, minute), func(q *events.HeadQueued) {
		q.FirstPush, q.NotBefore = t0, t0.Add(31*minute)
	})
	closed := &events.HeadClosed{Head: headA, Reason: "closed"}
	handB := queued(manual(headB), events.TriggerManual, 0)
	table(t, []row{
		{name: "a revert while the next head waits", given: pushed, at: minute, when: plain(headA), then: recorded{superseded(headB, headA, ""), by1}},
		{name: "a revert while the next head runs", given: running, at: minute, when: plain(headA), then: recorded{superseded(headB, headA, run2), by1}},
		{name: "a revert against another base", given: pushed, at: minute, when: otherBase, then: recorded{superseded(headB, headA, ""), byOther}},
		{name: "a revert in a local repository", given: pushed, at: minute, when: local(headA), then: recorded{superseded(headB, headA, ""),
			queued(local(headA), events.TriggerPush, minute), requested(queued(local(headA), events.TriggerPush, minute), run2, minute)}},
		{name: "a revert to a draft", given: pushed, at: minute, when: draft(headA), then: recorded{superseded(headB, headA, ""), isDraft(headA)}},
		{name: "which becomes ready", given: plus(pushed, superseded(headB, headA, ""), isDraft(headA)), at: minute, when: plain(headA), then: recorded{by1}},
		{name: "reverted, and looked at again", given: plus(pushed, superseded(headB, headA, ""), by1), at: minute, when: plain(headA)},
		{name: "reverted from a head whose review was printed, and looked at again", at: minute, when: plain(headA),
			given: plus(published, handB, superseded(headB, headA, ""), by1)},
		{name: "reverted, and a draft now", given: plus(pushed, superseded(headB, headA, ""), by1), at: minute, when: draft(headA)},
		{name: "reverted, and pushed back", given: plus(pushed, superseded(headB, headA, ""), by1), at: minute, when: plain(headB),
			then: recorded{quietly(headB, events.TriggerPush, minute)}},
		{name: "asked for all the same", given: plus(pushed, superseded(headB, headA, ""), by1), at: minute, when: pr.Enqueue{}, again: true,
			then: recorded{queued(look(headA), events.TriggerManual, minute), requested(queued(look(headA), events.TriggerManual, minute), run2, minute)}},
		{name: "a retry of it reviews nothing", given: plus(pushed, superseded(headB, headA, ""), by1), when: pr.Retry{}, refused: "was reviewed"},
		{name: "opened again", given: plus(published, closed), at: minute, when: plain(headA), then: recorded{by1}},
		{name: "opened again without a published review", given: plus(publishing(), closed, &events.PublicationAbandoned{Run: run1}), at: minute, when: plain(headA),
			then: recorded{quietly(headA, events.TriggerOpened, minute)}},
	})
}

// TestPublishedMemoryIsBounded: the oldest published review is forgotten, and its
// head is reviewed again.
func TestPublishedMemoryIsBounded(t *testing.T) {
	t.Parallel()
	scene := actor(quiet()).Begin(t)
	head := func(i int) events.Commit { return events.Commit(fmt.Sprintf("%040x", i)) }
	for i := range pr.PublishedMax + 1 {
		c := plain(head(i))
		c.Settings.Debounce = 0
		id := events.RunID(fmt.Sprintf("%016x", i+1))
		if _, err := scene.When(given(0, daemon, id), c); err != nil {
			t.Fatal(err)
		}
		for _, cmd := range []events.Command{
			pr.AdoptVerdict{Run: id, Head: head(i), Verdict: events.VerdictComment, Outcome: events.OutcomeFindings, Target: events.TargetForge},
			pr.NotePublished{Run: id, Try: 1, Receipt: "5"},
			pr.NoteRunEnd{Run: id, End: events.RunEnded{Outcome: events.OutcomeFindings}},
		} {
			if _, err := scene.When(given(0, daemon, id), cmd); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, want := range []events.Type{"head.queued", "head.skipped"} {
		decided, err := scene.Decide(given(time.Minute, daemon, run2), plain(head(i)))
		if err != nil || len(decided) != 1 || decided[0].Type() != want {
			t.Errorf("a revert to head %d decides %v, %v; want %s", i, decided, err, want)
		}
	}
	scene.CheckReplay()
}

// TestDescribed: a renamed repository and a new title are on record, and what is
// asked for from then on uses them. (case G35)
func TestDescribed(t *testing.T) {
	t.Parallel()
	now := with(plain(headA), func(c *pr.Observe) { c.Repo, c.Title = "o/new", "U" })
	said := &events.PRDescribed{Repo: "o/new", Ref: "topic", Title: "U", Author: "ada"}
	pushed := queued(now, events.TriggerPush, 0)
	pushed.Head, pushed.Settings.Debounce = headB, 0
	run := requested(pushed, run2, 0)
	run.Repo = "o/new"
	hasty := with(now, func(c *pr.Observe) { c.Head, c.Settings.Debounce = headB, 0 })
	table(t, []row{
		{name: "another name and title", given: running(look(headA)), when: now, then: recorded{said}},
		{name: "the same as on record", given: plus(running(look(headA)), said), when: now},
		{name: "with a push", given: plus(running(look(headA)), settled(headA, run1, events.OutcomeFailed, "w")), when: hasty, then: recorded{said, pushed, run}},
		{name: "a deleted user", given: running(look(headA)), when: with(plain(headA), func(c *pr.Observe) { c.Author = "" })},
		{name: "a branch has no names", given: running(local(headA)), when: with(local(headA), func(c *pr.Observe) { c.Title = "U" })},
	})
}

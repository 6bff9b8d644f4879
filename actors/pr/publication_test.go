package pr_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

func TestPublication(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	failed := pr.NotePublishFailed{Run: run1, Try: 1, Kind: events.FailureInfra, Message: "m"}
	unsure := pr.NotePublishUnknown{Run: run1, Try: 1, Reason: "r"}
	done := pr.NotePublished{Run: run1, Try: 1, Receipt: "5", URL: "u", Existing: true}
	stale := pr.NotePublishAbandoned{Run: run1, Try: 1, Why: "the head moved there"}
	nextAt := func(try int, next time.Duration) *events.PublicationUnknown {
		return &events.PublicationUnknown{Run: run1, Try: try, Reason: "nobody answered before the lease ran out", NextAt: t0.Add(next)}
	}
	published := &events.VerdictPublished{Run: run1, Head: headA, Try: 1, Receipt: "5", URL: "u", Existing: true}
	abandoned := &events.PublicationAbandoned{Run: run1, Why: "the head moved there"}
	rested := plus(publishing(), nextAt(1, 6*minute))
	second := plus(rested, resumedAt(2, 6*minute))
	stuck := &events.PublicationStuck{Run: run1, Tries: 10, Why: "every try failed; `retry` opens it again"}

	rows := []row{
		{name: "posted", given: publishing(), when: done, then: recorded{published}},
		{name: "not posted", given: publishing(), when: failed,
			then: recorded{&events.PublicationFailed{Run: run1, Try: 1, Kind: events.FailureInfra, Message: "m", NextAt: t0.Add(minute)}}},
		{name: "nobody knows", given: publishing(), when: unsure,
			then: recorded{&events.PublicationUnknown{Run: run1, Try: 1, Reason: "r", NextAt: t0.Add(minute)}}},
		{name: "no longer wanted", given: publishing(), when: stale, then: recorded{abandoned}},
		{name: "posted after its lease ran out", given: rested, when: done, then: recorded{published}},
		{name: "no longer wanted after its lease ran out", given: rested, when: stale, then: recorded{abandoned}},
		{name: "posted after it got stuck", given: plus(publishing(), stuck), when: done, then: recorded{published}},
		{name: "not posted after its lease ran out", given: rested, when: failed},
		{name: "nobody knows after its lease ran out", given: rested, when: unsure},
		{name: "due while a try holds the lease", given: publishing(), at: 5*minute - 1, when: pr.Due{}},
		{name: "due when the lease has run out", given: publishing(), at: 5 * minute, when: pr.Due{}, then: recorded{nextAt(1, 6*minute)}},
		{name: "due before the next try", given: rested, at: 6*minute - 1, when: pr.Due{}},
		{name: "due at the next try", given: rested, at: 6 * minute, when: pr.Due{}, then: recorded{resumedAt(2, 6*minute)}},
		{name: "due when it is stuck", given: plus(publishing(), stuck), at: 99 * time.Hour, when: pr.Due{}},
		{name: "due when it stands", given: plus(publishing(), published), at: 99 * time.Hour, when: pr.Due{}},
		{name: "due when it was given up", given: plus(publishing(), abandoned), at: 99 * time.Hour, when: pr.Due{}},
	}
	for name, c := range map[string]events.Command{"posted": done, "not posted": failed, "nobody knows": unsure, "no longer wanted": stale} {
		rows = append(rows,
			row{name: name + ", said by an older try", given: second, when: c},
			row{name: name + ", said when it stands", given: plus(publishing(), published), when: c},
			row{name: name + ", said when it was given up", given: plus(publishing(), abandoned), when: c},
			row{name: name + ", said of nothing", given: running(look(headA)), when: c},
		)
	}
	table(t, rows)
}

// TestPublicationTries fails ten tries: the delays grow to the last and stay, then
// it is stuck, and an operator opens it again with all its tries.
func TestPublicationTries(t *testing.T) {
	t.Parallel()
	rules := pr.DefaultRules()
	scene := actor(rules).Begin(t)
	scene.Given(decidertest.Steps(t0, publishing()...)...)
	now := time.Duration(0)
	delays := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}
	for round := range 2 {
		for try := 1; try <= rules.PublishTries; try++ {
			next := now + delays[min(try-1, len(delays)-1)]
			then := recorded{&events.PublicationFailed{Run: run1, Try: try, Kind: events.FailureInfra, NextAt: t0.Add(next)}}
			if try == rules.PublishTries {
				then = append(then, &events.PublicationStuck{Run: run1, Tries: 10, Why: "every try failed; `retry` opens it again"})
			}
			scene.Then(given(now, daemon, run2), pr.NotePublishFailed{Run: run1, Try: try, Kind: events.FailureInfra}, then...)
			now = next
			if try < rules.PublishTries {
				scene.Then(given(now, daemon, run2), pr.Due{}, resumedAt(try+1, now))
			}
		}
		scene.Then(given(now, daemon, run2), pr.Due{})
		if round == 0 {
			scene.Then(given(now, daemon, run2), pr.Retry{}, resumedAt(1, now))
		}
	}
	scene.CheckReplay()
}

func resumedAt(try int, d time.Duration) *events.PublicationResumed {
	return &events.PublicationResumed{
		Run: run1, Head: headA, Base: base0, Try: try, Owner: daemon, Until: t0.Add(d + 5*time.Minute),
	}
}

// TestPublicationOnAForge: the forge's clock, what no try can mend, and what a
// publisher sees that makes the review unwanted.
func TestPublicationOnAForge(t *testing.T) {
	t.Parallel()
	const opens = "; `retry` opens it again"
	failed := pr.NotePublishFailed{Run: run1, Try: 1, Kind: events.FailureInfra, Message: "m", NotBefore: t0.Add(time.Hour)}
	forbidden := pr.NotePublishFailed{Run: run1, Try: 1, Kind: events.FailureFatal, Message: "m"}
	abandoned := func(cause events.AbandonCause) *events.PublicationAbandoned {
		return &events.PublicationAbandoned{Run: run1, Why: "w", Cause: cause}
	}
	says := func(cause events.AbandonCause) pr.NotePublishAbandoned {
		return pr.NotePublishAbandoned{Run: run1, Try: 1, Why: "w", Cause: cause}
	}
	rebased := func(ref string, base events.Commit, why string, after events.RunID) *events.HeadQueued {
		q := quietly(headA, events.TriggerBase, minute)
		q.BaseRef, q.Base, q.Why, q.After = ref, base, why, after
		return q
	}
	elsewhere := says(events.AbandonBase)
	elsewhere.BaseRef, elsewhere.Base = "next", base1
	byHand := queued(manual(headA), events.TriggerManual, 0)
	hand := plus(recorded{opened, byHand, requested(byHand, run1, 0)}, adopted(events.TargetForge), settled(headA, run1, events.OutcomeFindings, "w"))
	at := changed(byHand, func(q *events.HeadQueued) {
		q.Trigger, q.Why = events.TriggerBase, "w"
		q.QueuedAt, q.FirstPush, q.NotBefore = t0.Add(minute), t0.Add(minute), t0.Add(minute)
	})
	asked := askedFor(headA)
	held := plus(recorded{opened, isDraft(headA), asked, requested(asked, run1, 0)}, adopted(events.TargetForge), settled(headA, run1, events.OutcomeFindings, "w"))
	again := changed(queued(look(headA), events.TriggerManual, minute), func(q *events.HeadQueued) { q.Why = "w" })
	moved := plus(publishing(), abandoned(events.AbandonHead))
	table(t, []row{
		{name: "not before the limit is over", given: publishing(), at: minute, when: failed, then: recorded{
			&events.PublicationFailed{Run: run1, Try: 1, Kind: events.FailureInfra, Message: "m", NextAt: t0.Add(time.Hour)}}},
		{name: "what no try can mend is stuck at once", given: publishing(), at: minute, when: forbidden, then: recorded{
			&events.PublicationFailed{Run: run1, Try: 1, Kind: events.FailureFatal, Message: "m", NextAt: t0.Add(2 * minute)},
			&events.PublicationStuck{Run: run1, Tries: 1, Why: "m" + opens}}},
		{name: "the last try of a dead boot", given: plus(publishing(), resumedAt(10, 0)), at: minute, when: pr.BootGone{Boot: daemon}, then: recorded{
			&events.PublicationUnknown{Run: run1, Try: 10, Reason: "the process that was posting it is gone", NextAt: t0.Add(minute)},
			&events.PublicationStuck{Run: run1, Tries: 10, Why: "every try failed" + opens}}},
		{name: "the last try that nobody answers for", given: plus(publishing(), resumedAt(10, 0)), at: 5 * minute, when: pr.Due{}, then: recorded{
			&events.PublicationUnknown{Run: run1, Try: 10, Reason: "nobody answered before the lease ran out", NextAt: t0.Add(20 * minute)},
			&events.PublicationStuck{Run: run1, Tries: 10, Why: "every try failed" + opens}}},
		{name: "a stuck one stands after all", given: plus(publishing(), &events.PublicationStuck{Run: run1, Tries: 1}), at: minute,
			when: pr.NotePublished{Run: run1, Try: 1, Receipt: "5"}, then: recorded{&events.VerdictPublished{Run: run1, Head: headA, Try: 1, Receipt: "5"}}},

		{name: "closed", given: publishing(), at: minute, when: says(events.AbandonClosed), then: recorded{abandoned(events.AbandonClosed)}},
		{name: "the head moved", given: publishing(), at: minute, when: says(events.AbandonHead), then: recorded{abandoned(events.AbandonHead)}},
		{name: "and came back before anybody looked", given: moved, at: minute, when: plain(headA), then: recorded{quietly(headA, events.TriggerPush, minute)}},
		{name: "which is no news in a local repository", given: moved, at: minute, when: look(headA)},
		{name: "the base moved", given: publishing(), at: minute, when: says(events.AbandonBase),
			then: recorded{abandoned(events.AbandonBase), rebased("main", base0, "w", "")}},
		{name: "the base is another branch", given: publishing(), at: minute, when: elsewhere,
			then: recorded{abandoned(events.AbandonBase), rebased("next", base1, "w", "")}},
		{name: "the base moved while its run ends", given: plus(running(look(headA)), adopted(events.TargetForge)), at: minute, when: says(events.AbandonBase),
			then: recorded{abandoned(events.AbandonBase), rebased("main", base0, "w", run1)}},
		{name: "the base moved under a review by hand", given: hand, at: minute, boot: terminal, when: says(events.AbandonBase),
			then: recorded{abandoned(events.AbandonBase), at, requested(at, run2, minute)}},
		{name: "the base moved under a draft that was asked for", given: held, at: minute, when: says(events.AbandonBase),
			then: recorded{abandoned(events.AbandonBase), again, requested(again, run2, minute)}},
	})
}

// TestPublicationByOldRules: what was decided before there was a forge is decided
// again as it was: the last failure waits, and is stuck when it is due.
func TestPublicationByOldRules(t *testing.T) {
	t.Parallel()
	old := quiet()
	old.ForgeRules = false
	last := plus(publishing(), resumedAt(10, 0))
	failed := &events.PublicationFailed{Run: run1, Try: 10, Kind: events.FailureFatal, NextAt: t0.Add(15 * minute)}
	actor(old).Run(t,
		decidertest.Case[pr.State]{
			Name: "it failed", Given: decidertest.Steps(t0, last...), With: given(0, daemon, run2), Twice: true,
			When: pr.NotePublishFailed{Run: run1, Try: 10, Kind: events.FailureFatal}, Then: recorded{failed},
		},
		decidertest.Case[pr.State]{
			Name: "it is due", Given: decidertest.Steps(t0, plus(last, failed)...), With: given(15*minute, daemon, run2), Twice: true,
			When: pr.Due{}, Then: recorded{&events.PublicationStuck{Run: run1, Tries: 10, Why: "every try failed; `retry` opens it again"}},
		},
	)
}

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

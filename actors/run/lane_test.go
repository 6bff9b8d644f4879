package run_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

func TestBeginLane(t *testing.T) {
	t.Parallel()
	stop := stopping(events.OutcomeCancelled, "", "w")
	secondTry := plus(running, failed("one", 1, events.FailureInfra, "m", used), wanted("one", 2, events.OwnerAny))
	late := began("one", 1, 7, deadline-minute)
	table(t, rules(), []row{
		{name: "a lane that waits", given: waiting, when: grant("one", 1, 7), then: recorded{began("one", 1, 7, 0)}},
		{name: "its deadline is the run's where that is earlier", given: waiting, at: deadline - minute, when: grant("one", 1, 7), then: recorded{late}},
		{name: "not after the run's deadline", given: waiting, at: deadline, when: grant("one", 1, 7), then: recorded{declined("one", 1, 7)}},
		{name: "the same grant again", given: running, when: grant("one", 1, 7)},
		{name: "an older grant", given: running, when: grant("one", 1, 6)},
		{name: "another grant while it runs", given: running, when: grant("one", 1, 8), then: recorded{declined("one", 1, 8)}},
		{name: "while the run is stopping", given: plus(runTwo[:6], stop, stopAsked("one", "w"), withdrawn("two", 1, "w")),
			when: grant("two", 1, 9), then: recorded{declined("two", 1, 9)}},
		{name: "a lane that was withdrawn", given: plus(waitTwo, withdrawn("one", 1, "never fits")), when: grant("one", 1, 9),
			then: recorded{declined("one", 1, 9)}},
		{name: "a lane that has ended", given: plus(runTwo, completed("one", 0)), when: grant("one", 1, 9), then: recorded{declined("one", 1, 9)}},
		{name: "its second attempt", given: secondTry, when: grant("one", 2, 8), then: recorded{began("one", 2, 8, 0)}},
		{name: "a grant of the attempt before", given: secondTry, when: grant("one", 1, 8), then: recorded{declined("one", 1, 8)}},
		{name: "the grant that the attempt before began with", given: secondTry, when: grant("one", 1, 7)},
		{name: "an attempt that is not there yet", given: waiting, when: grant("one", 2, 7)},
		{name: "a lane that nobody knows", given: waiting, when: grant("three", 1, 7)},
	})
}

func TestNoteWait(t *testing.T) {
	t.Parallel()
	wait := func(until time.Duration) run.NoteWait {
		return run.NoteWait{Lane: "one", Attempt: 1, Until: t0.Add(until), Reason: "no money"}
	}
	never := run.NoteWait{Lane: "one", Attempt: 1, Reason: "never fits"}
	notRun := func(until time.Duration) recorded {
		s, e := stopping(events.OutcomeNotRun, "", "no money"), ended(events.OutcomeNotRun, "", "no money")
		s.Until, e.Until = t0.Add(until), t0.Add(until)
		return recorded{s, withdrawn("one", 1, "no money"), e}
	}
	review := recorded{started(terminal, "one"), code(1, 0), ready(1), wanted("one", 1, terminal)}
	waits := &events.LaneWaiting{Lane: "one", Attempt: 1, Reason: "no money", Until: t0.Add(deadline)}
	two := plus(waitTwo, began("two", 1, 7, 0), completed("two", 0))
	stopTwo := plus(runTwo[:6], stopping(events.OutcomeCancelled, "", "w"), stopAsked("one", "w"), withdrawn("two", 1, "w"))
	table(t, rules(), []row{
		{name: "the daemon waits", given: waiting, when: wait(deadline), then: recorded{waits}},
		{name: "longer than it was told", given: plus(waiting, &events.LaneWaiting{Lane: "one", Attempt: 1, Until: t0.Add(hour)}),
			when: wait(deadline), then: recorded{waits}},
		{name: "but not beyond the deadline", given: waiting, when: wait(deadline + 1), then: notRun(deadline + 1)},
		{name: "a review waits for no money", given: review, when: wait(minute), then: notRun(minute)},
		{name: "what never fits ends the lane, and the run that had no other", given: waiting, when: never, then: recorded{
			withdrawn("one", 1, "never fits"), stopping(events.OutcomeNotRun, "", "never fits"), ended(events.OutcomeNotRun, "", "never fits")}},
		{name: "what never fits beside a lane that waits", given: waitTwo, when: never, then: recorded{withdrawn("one", 1, "never fits")}},
		{name: "of a lane that runs", given: running, when: never},
		{name: "of the attempt before", given: waiting, when: run.NoteWait{Lane: "one", Attempt: 0}},
		{name: "of a lane that nobody knows", given: waiting, when: run.NoteWait{Lane: "three", Attempt: 1}},
		{name: "while it is stopping", given: stopTwo, when: run.NoteWait{Lane: "two", Attempt: 1}},
	})
	scene := actor(rules()).Begin(t)
	scene.Given(steps(two)...)
	if decided, err := scene.When(given(0, daemon), never); err != nil || len(decided) != 3 || decided[1].Type() != "verdict.reached" ||
		decided[1].(*events.VerdictReached).Outcome != events.OutcomePartial {
		t.Fatalf("what never fits beside a good lane makes the review partial, not %v, %v", decided, err)
	}
}

func TestLaneEnds(t *testing.T) {
	t.Parallel()
	fail := func(kind events.FailureKind) run.FailLane {
		return run.FailLane{Lane: "one", Attempt: 1, Generation: 7, Kind: kind, Message: "m", Usage: used}
	}
	var rows []row
	for _, kind := range events.AllFailureKinds() {
		then := recorded{failed("one", 1, kind, "m", used), wanted("one", 2, events.OwnerAny)}
		second := plus(running, then[0], then[1], began("one", 2, 7, 0))
		secondFails := fail(kind)
		secondFails.Attempt = 2
		over := recorded{failed("one", 2, kind, "m", used), stopping(events.OutcomeFailed, kind, "one: m"), ended(events.OutcomeFailed, kind, "one: m")}
		switch kind {
		case events.FailureFatal:
			then = recorded{then[0], stopping(events.OutcomeFailed, kind, "one: m"), ended(events.OutcomeFailed, kind, "one: m")}
		case events.FailureUsageLimit:
			over = recorded{over[0], wanted("one", 3, events.OwnerAny)}
		}
		rows = append(rows, row{name: string(kind), given: running, when: fail(kind), then: then})
		if kind != events.FailureFatal {
			rows = append(rows, row{name: string(kind) + " again", given: second, when: secondFails, then: over})
		}
		rows = append(rows, row{name: string(kind) + " while it is stopping", when: fail(kind),
			given: plus(running, stopping(events.OutcomeCancelled, "", "w"), stopAsked("one", "w")),
			then:  recorded{failed("one", 1, kind, "m", used), ended(events.OutcomeCancelled, "", "w")}})
	}
	limit := fail(events.FailureUsageLimit)
	limit.Reset, limit.Sandbox, limit.Artifact = t0.Add(hour), "bwrap", "ab"
	limited := failed("one", 1, events.FailureUsageLimit, "m", used)
	limited.Reset, limited.Sandbox, limited.Artifact = t0.Add(hour), "bwrap", "ab"
	rows = append(rows, row{name: "what a failure says is kept", given: running, when: limit, then: recorded{limited, wanted("one", 2, events.OwnerAny)}})
	table(t, rules(), rows)
}

// TestStaleResults feeds results of another attempt, generation or lane.
func TestStaleResults(t *testing.T) {
	t.Parallel()
	var rows []row
	for _, k := range []struct {
		name       string
		lane       events.LaneID
		attempt    int
		generation int64
	}{{"another lane", "two", 1, 7}, {"another attempt", "one", 2, 7}, {"another generation", "one", 1, 6}} {
		for _, c := range []events.Command{
			run.RaiseFindings{Lane: k.lane, Attempt: k.attempt, Generation: k.generation, Findings: []events.Finding{{}}},
			run.CompleteLane{Lane: k.lane, Attempt: k.attempt, Generation: k.generation},
			run.FailLane{Lane: k.lane, Attempt: k.attempt, Generation: k.generation},
			run.NoteLaneStopped{Lane: k.lane, Attempt: k.attempt, Generation: k.generation},
			run.DeferLane{Lane: k.lane, Attempt: k.attempt, Generation: k.generation},
		} {
			rows = append(rows, row{name: c.Name() + " of " + k.name, given: running, when: c})
		}
	}
	for _, c := range []events.Command{
		run.RaiseFindings{Lane: "one", Attempt: 1, Generation: 7, Findings: []events.Finding{{}}},
		run.CompleteLane{Lane: "one", Attempt: 1, Generation: 7}, run.FailLane{Lane: "one", Attempt: 1, Generation: 7},
		run.NoteLaneStopped{Lane: "one", Attempt: 1, Generation: 7}, run.DeferLane{Lane: "one", Attempt: 1, Generation: 7},
	} {
		rows = append(rows, row{name: c.Name() + " of a lane that has ended", given: plus(runTwo, completed("one", 0)), when: c},
			row{name: c.Name() + " of a lane that waits", given: waiting, when: c})
	}
	table(t, rules(), rows)
}

func TestStopAndDefer(t *testing.T) {
	t.Parallel()
	stop := stopping(events.OutcomeCancelled, "", "w")
	stoppingRun := plus(running, stop, stopAsked("one", "w"))
	stoppingTwo := plus(runTwo, stop, stopAsked("one", "w"), stopAsked("two", "w"))
	end := ended(events.OutcomeCancelled, "", "w")
	note := run.NoteLaneStopped{Lane: "one", Attempt: 1, Generation: 7, Usage: used}
	deferLane := run.DeferLane{Lane: "one", Attempt: 1, Generation: 7, Reason: "busy"}
	deferred := func(why string, next time.Duration, n int) *events.LaneDeferred {
		return &events.LaneDeferred{
			Lane: "one", Attempt: 1, Generation: 7, Pool: "gpt", Account: "main", Began: t0, Reason: why,
			NextAt: t0.Add(next), Deferrals: n,
		}
	}
	down := "the process that ran it went down"
	late := plus(waiting[:3], wanted("one", 40, events.OwnerAny), began("one", 40, 7, 0))
	lateNote, lateDefer := note, deferLane
	lateNote.Attempt, lateDefer.Attempt = 40, 40
	over := func(message string, u events.Usage) recorded {
		return recorded{failed("one", 40, events.FailureInfra, message, u),
			stopping(events.OutcomeFailed, events.FailureInfra, "one: "+message), ended(events.OutcomeFailed, events.FailureInfra, "one: "+message)}
	}
	table(t, rules(), []row{
		{name: "stopped because we asked", given: stoppingRun, when: note, then: recorded{stopped("one", "w", used), end}},
		{name: "the first of two stops", given: stoppingTwo, when: note, then: recorded{stopped("one", "w", used)}},
		{name: "stopped unasked: it is settled and wanted again", given: running, when: note,
			then: recorded{stopped("one", down, used), deferred(down, 0, 1)}},
		{name: "stopped unasked too often", given: late, when: lateNote, then: over(down, used)},
		{name: "answered while it is stopping", given: stoppingRun, when: run.CompleteLane{Lane: "one", Attempt: 1, Generation: 7, Usage: used},
			then: recorded{stopped("one", "w", used), end}},
		{name: "no capacity while it is stopping", given: stoppingRun, when: deferLane, then: recorded{stopped("one", "w", exact), end}},
		{name: "findings while it is stopping", given: stoppingRun,
			when: run.RaiseFindings{Lane: "one", Attempt: 1, Generation: 7, Findings: []events.Finding{{}}}},
		{name: "no capacity", given: running, at: minute, when: deferLane, then: recorded{deferred("busy", minute+30*time.Second, 1)}},
		{name: "no capacity in the last attempt", given: late, when: lateDefer, then: over("no capacity after 0 deferrals: busy", exact)},

		{name: "due before a deferred lane's time", given: plus(running, deferred("busy", minute, 1)), at: minute - 1, when: run.Due{}},
		{name: "due at a deferred lane's time", given: plus(running, deferred("busy", minute, 1)), at: minute, when: run.Due{},
			then: recorded{wanted("one", 2, events.OwnerAny)}},
	})
}

// TestDeferralsAreBounded defers a lane until it counts as failed: the delay
// doubles up to a quarter of an hour. (semantics 7)
func TestDeferralsAreBounded(t *testing.T) {
	t.Parallel()
	r := rules()
	r.LaneTries = 1
	scene := actor(r).Begin(t)
	scene.Given(steps(waiting)...)
	now, delay := time.Duration(0), 30*time.Second
	// The run must not end before the lane does.
	for i := range r.LaneDeferralsMax {
		generation := int64(10 + i)
		with := given(now, daemon)
		if _, err := scene.When(with, grant("one", i+1, generation)); err != nil {
			t.Fatal(err)
		}
		decided, err := scene.When(with, run.DeferLane{Lane: "one", Attempt: i + 1, Generation: generation, Reason: "busy"})
		if err != nil || len(decided) != 1 {
			t.Fatalf("deferral %d: %v, %v", i+1, decided, err)
		}
		got := decided[0].(*events.LaneDeferred)
		if want := t0.Add(now + delay); !got.NextAt.Equal(want) || got.Deferrals != i+1 {
			t.Fatalf("deferral %d is until %s, want %s", got.Deferrals, got.NextAt, want)
		}
		now, delay = now+delay, min(2*delay, 15*minute)
		scene.Then(given(now, daemon), run.Due{}, wanted("one", i+2, events.OwnerAny))
	}
	last := r.LaneDeferralsMax + 1
	if _, err := scene.When(given(now, daemon), grant("one", last, 99)); err != nil {
		t.Fatal(err)
	}
	decided, err := scene.When(given(now, daemon), run.DeferLane{Lane: "one", Attempt: last, Generation: 99, Reason: "busy"})
	if err != nil || len(decided) != 3 || decided[0].(*events.LaneFailed).Message != fmt.Sprintf("no capacity after %d deferrals: busy", last-1) {
		t.Fatalf("the last deferral is a failure, not %v, %v", decided, err)
	}
	scene.CheckReplay()
}

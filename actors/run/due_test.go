package run_test

import (
	"fmt"
	"testing"

	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

func TestDue(t *testing.T) {
	t.Parallel()
	const late = "the run's deadline passed"
	nobody := "nobody answered for it by its deadline"
	end := ended(events.OutcomeFailed, events.FailureTimeout, late)
	headless := *end
	headless.Head = ""
	stop := stopping(events.OutcomeFailed, events.FailureTimeout, late)
	first := stopping(events.OutcomeCancelled, "", "w")
	lost := timeout + events.LaneGrace
	lostOne := failed("one", 1, events.FailureLost, nobody, unknown)
	lostTwo := failed("two", 1, events.FailureLost, nobody, unknown)
	table(t, rules(), []row{
		{name: "before it started", when: run.Due{PR: prStream}, then: recorded{&headless}},
		{name: "nothing", given: waiting, at: deadline - 1, when: run.Due{}},
		{name: "the run, while a lane waits", given: waiting, at: deadline, when: run.Due{}, then: recorded{stop, withdrawn("one", 1, late), end}},
		{name: "the run, while a lane runs", given: running, at: deadline, when: run.Due{}, again: true, then: recorded{stop, stopAsked("one", late)}},
		{name: "the run, while it waits for numbers", at: deadline, when: run.Due{}, then: recorded{stop, end},
			given: plus(running, completed("one", 0), &events.NumbersRequested{PR: prStream, Head: head})},
		{name: "a lane that has its grace", given: running, at: lost - 1, when: run.Due{}},
		{name: "a lane that nobody answered for", given: running, at: lost, when: run.Due{}, then: recorded{lostOne, wanted("one", 2, events.OwnerAny)}},
		{name: "both lanes", given: runTwo, at: lost, when: run.Due{},
			then: recorded{lostOne, wanted("one", 2, events.OwnerAny), lostTwo, wanted("two", 2, events.OwnerAny)}},
		{name: "a lane that does not stop", given: plus(running, first, stopAsked("one", "w")), at: lost, when: run.Due{},
			then: recorded{lostOne, ended(events.OutcomeCancelled, "", "w")}},
		{name: "two lanes that do not stop", given: plus(runTwo, first, stopAsked("one", "w"), stopAsked("two", "w")), at: lost, when: run.Due{},
			then: recorded{lostOne, lostTwo, ended(events.OutcomeCancelled, "", "w")}},
		{name: "a lane that does not stop at the run's deadline", at: deadline + hour, when: run.Due{},
			given: plus(running, stop, stopAsked("one", late)), then: recorded{lostOne, end}},
	})
}

func TestBootGone(t *testing.T) {
	t.Parallel()
	const gone = "the process that owned it is gone"
	end := ended(events.OutcomeFailed, events.FailureLost, gone)
	headless := *end
	headless.Head = ""
	stop := stopping(events.OutcomeFailed, events.FailureLost, gone)
	lost := func(lane events.LaneID) *events.LaneFailed { return failed(lane, 1, events.FailureLost, gone, unknown) }
	of := func(names ...events.EngineName) recorded { return recorded{started(daemon, names...), code(1, 0)} }
	mine := plus(of("one", "two"), ready(1), wanted("one", 1, daemon), wanted("two", 1, daemon), began("one", 1, 7, 0))
	table(t, rules(), []row{
		{name: "before it started", when: run.BootGone{Boot: daemon, PR: prStream}, then: recorded{&headless}},
		{name: "the owner's, while the code is prepared", given: of("one"), when: run.BootGone{Boot: daemon}, then: recorded{stop, end}},
		{name: "the owner's, while one lane runs and one waits", given: mine, when: run.BootGone{Boot: daemon},
			then: recorded{stop, stopAsked("one", gone), withdrawn("two", 1, gone), lost("one"), end}},
		{name: "the daemon's: its lanes are tried again at once", given: runTwo, when: run.BootGone{Boot: daemon},
			then: recorded{lost("one"), wanted("one", 2, events.OwnerAny), lost("two"), wanted("two", 2, events.OwnerAny)}},
		{name: "the daemon's while it is stopping", when: run.BootGone{Boot: daemon},
			given: plus(running, stopping(events.OutcomeCancelled, "", "w"), stopAsked("one", "w")),
			then:  recorded{lost("one"), ended(events.OutcomeCancelled, "", "w")}},
		{name: "the daemon's while a lane waits", given: waiting, when: run.BootGone{Boot: daemon}},
		{name: "somebody else's", given: runTwo, when: run.BootGone{Boot: terminal}},
	})
}

// TestLanesTogether ends two lanes in every way: one good lane makes a partial
// review, none makes a failure as the first lane's, and no money no run.
func TestLanesTogether(t *testing.T) {
	t.Parallel()
	end := func(lane events.LaneID, how string) events.Command {
		switch how {
		case "good":
			return run.CompleteLane{Lane: lane, Attempt: 1, Generation: 7}
		case "never":
			return run.NoteWait{Lane: lane, Attempt: 1, Reason: "never fits"}
		}
		return run.FailLane{Lane: lane, Attempt: 1, Generation: 7, Kind: events.FailureFatal, Message: "m"}
	}
	for _, c := range []struct {
		one, two string
		outcome  events.Outcome
		why      string
	}{
		{"good", "good", events.OutcomeClean, ""},
		{"good", "bad", events.OutcomePartial, ""},
		{"bad", "good", events.OutcomePartial, ""},
		{"good", "never", events.OutcomePartial, ""},
		{"bad", "bad", events.OutcomeFailed, "one: m"},
		{"never", "bad", events.OutcomeFailed, "two: m"},
		{"never", "never", events.OutcomeNotRun, "never fits"},
	} {
		t.Run(fmt.Sprint(c.one, " and ", c.two), func(t *testing.T) {
			t.Parallel()
			scene := actor(rules()).Begin(t)
			scene.Given(steps(waitTwo)...)
			for lane, how := range map[events.LaneID]string{"one": c.one, "two": c.two} {
				if how != "never" {
					scene.Given(steps(recorded{began(lane, 1, 7, 0)})...)
				}
			}
			if _, err := scene.When(given(0, daemon), end("one", c.one)); err != nil {
				t.Fatal(err)
			}
			decided, err := scene.When(given(0, daemon), end("two", c.two))
			if err != nil {
				t.Fatal(err)
			}
			got, ok := decided[len(decided)-1].(*events.RunEnded)
			if !ok || got.Outcome != c.outcome || (c.why != "" && got.Why != c.why) {
				t.Errorf("it ended with %T %+v; want %s %q", decided[len(decided)-1], got, c.outcome, c.why)
			}
		})
	}
}

// TestStepsFollow plans two steps: the second is asked for when the first has
// ended, and a lane cannot outlive its run.
func TestStepsFollow(t *testing.T) {
	t.Parallel()
	start := started(events.OwnerAny, "one")
	start.Steps = append(start.Steps, events.PlannedStep{Step: "verify", Phase: "final", Lanes: planned("two")})
	next := wanted("two", 1, events.OwnerAny)
	next.Step, next.Phase = "verify", "final"
	table(t, rules(), []row{
		{name: "the second step", given: plus(recorded{start}, running[1:]...),
			when: run.CompleteLane{Lane: "one", Attempt: 1, Generation: 7, Usage: used, Engine: "exec/1"},
			then: recorded{completed("one", 0), next}},
	})
}

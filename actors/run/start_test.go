package run_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

func TestStart(t *testing.T) {
	t.Parallel()
	late := ended(events.OutcomeFailed, events.FailureTimeout, "its time was up before it could start")
	missing := "engine three is not configured"
	unknownPlan := started(events.OwnerAny)
	policy := started(events.OwnerAny, "one")
	lenient := rules()
	lenient.RequestChangesAt, lenient.Approve = events.SeveritySuggestion, true
	judged := started(events.OwnerAny, "one")
	judged.RequestChangesAt, judged.Approve = events.SeveritySuggestion, true
	table(t, rules(), []row{
		{name: "with the policy's engines", when: run.Start{Ticket: ticket(events.OwnerAny)}, then: recorded{policy, code(1, 0)}},
		{name: "with the head's engines", when: run.Start{Ticket: ticket(events.OwnerAny, "two", "one")},
			then: recorded{started(events.OwnerAny, "two", "one"), code(1, 0)}},
		{name: "with an engine that is named twice", when: run.Start{Ticket: ticket(events.OwnerAny, "two", "two")},
			then: recorded{started(events.OwnerAny, "two"), code(1, 0)}},
		{name: "with an engine that is not configured", when: run.Start{Ticket: ticket(events.OwnerAny, "one", "three")},
			then: recorded{unknownPlan, stopping(events.OutcomeFailed, events.FailureFatal, missing), ended(events.OutcomeFailed, events.FailureFatal, missing)}},
		{name: "just in time", at: deadline - 1, when: run.Start{Ticket: ticket(terminal)},
			then: recorded{started(terminal, "one"), code(1, deadline-1)}},
		{name: "too late", at: deadline, when: run.Start{Ticket: ticket(events.OwnerAny)}, then: recorded{late}},
		{name: "again", given: running, when: run.Start{Ticket: ticket(events.OwnerAny)}},
		{name: "after a cancel", given: recorded{ended(events.OutcomeCancelled, "", "w")}, when: run.Start{Ticket: ticket(events.OwnerAny)}},
	})
	approved := ticket(events.OwnerAny)
	approved.Settings.Approve = true
	byRepo := started(events.OwnerAny, "one")
	byRepo.Approve = true
	table(t, rules(), []row{
		{name: "where the repository lets an approval stand", when: run.Start{Ticket: approved}, then: recorded{byRepo, code(1, 0)}},
	})
	table(t, lenient, []row{
		{name: "records what it is judged by", when: run.Start{Ticket: ticket(events.OwnerAny)}, then: recorded{judged, code(1, 0)}},
	})
	var rows []row
	for _, c := range []events.Command{
		run.NoteWorkspace{}, run.NoteWorkspaceTrouble{}, run.NoteWorkspaceFailure{}, run.NoteWait{}, run.BeginLane{},
		run.RaiseFindings{}, run.CompleteLane{}, run.FailLane{}, run.NoteLaneStopped{}, run.DeferLane{}, run.ReachVerdict{},
	} {
		rows = append(rows, row{name: c.Name() + " before the start", when: c, refused: "has not started"})
	}
	rows = append(rows, row{name: "another actor's command", given: asked, when: other{}, refused: "does not take fleet.due"})
	table(t, rules(), rows)
}

type other struct{}

func (other) Name() string { return "fleet.due" }

func TestCancel(t *testing.T) {
	t.Parallel()
	cancel := run.Cancel{PR: prStream, Head: head, Outcome: events.OutcomeSuperseded, Why: "w"}
	stop := stopping(events.OutcomeSuperseded, "", "w")
	end := ended(events.OutcomeSuperseded, "", "w")
	deferred := plus(running, &events.LaneDeferred{Lane: "one", Attempt: 1, Generation: 7, NextAt: t0.Add(minute), Deferrals: 1})
	half := plus(waitTwo, began("one", 1, 7, 0))
	table(t, rules(), []row{
		{name: "before the start", when: cancel, then: recorded{end}},
		{name: "while the code is prepared", given: asked, when: cancel, then: recorded{stop, end}},
		{name: "while the code waits", given: plus(asked, &events.WorkspaceWaiting{Try: 1, Next: t0}), when: cancel, then: recorded{stop, end}},
		{name: "while a lane waits", given: waiting, when: cancel, then: recorded{stop, withdrawn("one", 1, "w"), end}},
		{name: "while a lane is deferred", given: deferred, when: cancel, then: recorded{stop, withdrawn("one", 1, "w"), end}},
		{name: "while a lane runs", given: running, when: cancel, then: recorded{stop, stopAsked("one", "w")}},
		{name: "while one runs and one waits", given: half, when: cancel,
			then: recorded{stop, stopAsked("one", "w"), withdrawn("two", 1, "w")}},
		{name: "while one has ended and one runs", given: plus(runTwo, completed("one", 0)), when: cancel,
			then: recorded{stop, stopAsked("two", "w")}},
		{name: "while the findings get their numbers", when: cancel, then: recorded{stop, end},
			given: plus(running, completed("one", 0), &events.NumbersRequested{PR: prStream, Head: head})},
		{name: "while it is stopping: the first reason stands", when: cancel,
			given: plus(running, stopping(events.OutcomeCancelled, "", "first"), stopAsked("one", "first"))},
		{name: "after the end", given: plus(running, completed("one", 0), end), when: cancel},
	})
}

func TestWorkspace(t *testing.T) {
	t.Parallel()
	empty := ready(1)
	empty.Files, empty.Lines = nil, 0
	waits := func(try int, next time.Duration) *events.WorkspaceWaiting {
		return &events.WorkspaceWaiting{Try: try, Reason: "busy", Next: t0.Add(next)}
	}
	second := plus(asked, waits(1, time.Second), code(2, 0))
	third := plus(second, waits(2, 30*time.Second), code(3, 0))
	lost := func(try int, next time.Duration) *events.WorkspaceWaiting {
		return &events.WorkspaceWaiting{Try: try, Reason: "gone", Next: t0.Add(next)}
	}
	gone := func(try int) run.NoteWorkspaceTrouble {
		return run.NoteWorkspaceTrouble{Try: try, Reason: "gone", Gone: true}
	}
	fifth := plus(third, lost(3, 2*minute), code(4, 0), lost(4, 5*minute), code(5, 0))
	broken := func(try int, kind events.FailureKind, why string) recorded {
		why2 := "the code could not be prepared: " + why
		return recorded{&events.WorkspaceFailed{Try: try, Kind: kind, Message: why},
			stopping(events.OutcomeFailed, kind, why2), ended(events.OutcomeFailed, kind, why2)}
	}
	trouble := func(try int) run.NoteWorkspaceTrouble { return run.NoteWorkspaceTrouble{Try: try, Reason: "busy"} }
	failure := run.NoteWorkspaceFailure{Try: 1, Kind: events.FailureFatal, Message: "no such commit"}
	stop := stopping(events.OutcomeCancelled, "", "w")
	table(t, rules(), []row{
		{name: "ready", given: asked, when: run.NoteWorkspace{Ready: *ready(1)}, then: recorded{ready(1), wanted("one", 1, events.OwnerAny)}},
		{name: "ready for two lanes", given: askedTwo, when: run.NoteWorkspace{Ready: *ready(1)},
			then: recorded{ready(1), wanted("one", 1, events.OwnerAny), wanted("two", 1, events.OwnerAny)}},
		{name: "an empty change", given: asked, when: run.NoteWorkspace{Ready: *empty}, then: recorded{
			empty, stopping(events.OutcomeNotRun, "", run.WhyEmpty), ended(events.OutcomeNotRun, "", run.WhyEmpty)}},
		{name: "ready again", given: waiting, when: run.NoteWorkspace{Ready: *ready(1)}},
		{name: "ready from an older try", given: second, when: run.NoteWorkspace{Ready: *ready(1)}},
		{name: "ready while nobody prepares", given: plus(asked, waits(1, 0)), when: run.NoteWorkspace{Ready: *ready(1)}},

		{name: "the first trouble", given: asked, when: trouble(1), then: recorded{waits(1, time.Second)}},
		{name: "the second trouble", given: second, when: trouble(2), then: recorded{waits(2, 30*time.Second)}},
		{name: "the third trouble is a failure", given: third, when: trouble(3), then: broken(3, events.FailureInfra, "busy")},
		{name: "the forge lacks the head", given: third, when: gone(3), then: recorded{lost(3, 2*minute)}},
		{name: "the forge lacks the head to the end", given: fifth, when: gone(5), then: broken(5, events.FailureInfra, "gone")},
		{name: "a head that is gone is superseded", given: plus(third, lost(3, 2*minute)),
			when: run.Cancel{PR: prStream, Head: head, Outcome: events.OutcomeSuperseded, Why: "w"}, then: recorded{
				stopping(events.OutcomeSuperseded, "", "w"), ended(events.OutcomeSuperseded, "", "w")}},
		{name: "trouble of an older try", given: second, when: trouble(1)},
		{name: "trouble after it was ready", given: waiting, when: trouble(1)},
		{name: "failure", given: asked, when: failure, then: broken(1, events.FailureFatal, "no such commit")},
		{name: "failure of an older try", given: second, when: failure},
		{name: "failure after it was ready", given: waiting, when: failure},

		{name: "due before the next try", given: plus(asked, waits(1, time.Second)), at: time.Second - 1, when: run.Due{}},
		{name: "due at the next try", given: plus(asked, waits(1, time.Second)), at: time.Second, when: run.Due{}, then: recorded{code(2, time.Second)}},
		{name: "due while it is prepared", given: asked, at: 10*minute - 1, when: run.Due{}},
		{name: "due when nobody answered", given: asked, at: 10 * minute, when: run.Due{}, then: recorded{
			&events.WorkspaceWaiting{Try: 1, Reason: "nobody answered in time", Next: t0.Add(10*minute + time.Second)}}},
		{name: "who prepares it is gone", given: asked, at: minute, when: run.BootGone{Boot: daemon}, then: recorded{code(2, minute)}, again: true},
		{name: "somebody else is gone", given: asked, when: run.BootGone{Boot: terminal}},
		{name: "who prepared it is gone", given: waiting, when: run.BootGone{Boot: daemon}},
		{name: "ready while a lane is stopping", given: plus(running, stop, stopAsked("one", "w")), when: run.NoteWorkspace{Ready: *ready(1)}},
	})
}

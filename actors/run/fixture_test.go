package run_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	stream   events.StreamName = "run-00000000000000a1"
	prStream events.StreamName = "pr-local/x/3"
	head     events.Commit     = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	base     events.Commit     = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	daemon   events.BootID     = "d1"
	terminal events.BootID     = "t1"
	hour                       = time.Hour
	minute                     = time.Minute
	deadline                   = 6 * hour
	timeout                    = 30 * minute
)

type recorded = []events.Payload

func given(d time.Duration, boot events.BootID) events.Given {
	return events.Given{At: t0.Add(d), Boot: boot, Draw: "0123456789abcdef0123456789abcdef"}
}

// rules have two engines, one and two, which a head's settings may name, and no
// bound of a change's size.
func rules() run.Rules {
	r := run.DefaultRules()
	r.MaxFiles, r.MaxLines = 0, 0
	for _, name := range []events.EngineName{"one", "two"} {
		r.Engines = append(r.Engines, run.EngineRules{
			Engine: name, Kind: "exec", Model: "gpt-6", Pool: "gpt", Account: "main", Estimate: 100,
			Timeout: timeout.Milliseconds(), RunLimit: 500,
		})
	}
	r.Phase1 = []events.EngineName{"one"}
	return r
}

func actor(r run.Rules) decidertest.Actor[run.State] {
	return decidertest.Actor[run.State]{Stream: stream, Fold: run.Fold, Decide: r.Decide}
}

func ticket(owner events.BootID, engines ...events.EngineName) events.Ticket {
	return events.Ticket{
		Run: "00000000000000a1", PR: prStream, Repo: "local/x", Number: 3, Ref: "topic", BaseRef: "main",
		Head: head, Base: base, Trigger: events.TriggerPush, Priority: events.PriorityNormal, QueuedAt: t0,
		Owner: owner, Attempt: 1, Deadline: t0.Add(deadline),
		Settings: events.Settings{Engines: engines, Target: events.TargetForge},
	}
}

func planned(names ...events.EngineName) []events.PlannedLane {
	var lanes []events.PlannedLane
	for _, name := range names {
		lanes = append(lanes, events.PlannedLane{
			Lane: events.LaneID(name), Role: "reviewer", Kind: "exec", Engine: name, Model: "gpt-6", Pool: "gpt",
			Account: "main", Estimate: 100, Timeout: timeout.Milliseconds(), RunLimit: 500,
		})
	}
	return lanes
}

func started(owner events.BootID, names ...events.EngineName) *events.RunStarted {
	t := ticket(owner)
	return &events.RunStarted{
		PR: t.PR, Repo: t.Repo, Number: t.Number, Ref: t.Ref, BaseRef: t.BaseRef, Head: t.Head, Base: t.Base,
		Trigger: t.Trigger, Priority: t.Priority, QueuedAt: t.QueuedAt, Owner: owner, Attempt: t.Attempt,
		Deadline: t.Deadline, Target: events.TargetForge,
		Steps:            []events.PlannedStep{{Step: "review", Phase: "preliminary", Lanes: planned(names...)}},
		RequestChangesAt: events.SeverityBlocking,
	}
}

func code(try int, d time.Duration) *events.WorkspaceRequested {
	return &events.WorkspaceRequested{
		Try: try, Repo: "local/x", Head: head, Base: base, Ref: "topic", BaseRef: "main", Owner: daemon,
		Until: t0.Add(d + 10*minute),
	}
}

func ready(try int) *events.WorkspaceReady {
	return &events.WorkspaceReady{
		Try: try, MergeBase: base, Files: []events.ChangedFile{{Path: "a.go", Status: "M", Added: 1}}, Lines: 1,
		DiffPrint: "d1",
	}
}

func wanted(lane events.LaneID, attempt int, owner events.BootID) *events.LaneRequested {
	return &events.LaneRequested{
		Lane: lane, Attempt: attempt, Step: "review", Phase: "preliminary", Role: "reviewer", Kind: "exec",
		Engine: events.EngineName(lane), Model: "gpt-6", Pool: "gpt", Account: "main", Estimate: 100,
		Timeout: timeout.Milliseconds(), Owner: owner, Deadline: t0.Add(deadline), MaxRunTokens: 500,
		Rank: "1|2026-03-01T12:00:00.000000000Z|00000000000000a1|" + string(lane),
	}
}

func began(lane events.LaneID, attempt int, generation int64, d time.Duration) *events.LaneBegan {
	until := min(d+timeout, deadline)
	return &events.LaneBegan{
		Lane: lane, Attempt: attempt, Generation: generation, Slot: 2, Owner: daemon, Deadline: t0.Add(until),
		Breaker: events.BreakerState{Epoch: 4}, Pool: "gpt", Account: "main", Engine: events.EngineName(lane),
		Kind: "exec", Model: "gpt-6", Role: "reviewer", Phase: "preliminary", PR: prStream, Repo: "local/x",
		Number: 3, Ref: "topic", BaseRef: "main", Head: head, Base: base, MergeBase: base, DiffPrint: "d1",
	}
}

func grant(lane events.LaneID, attempt int, generation int64) run.BeginLane {
	return run.BeginLane{
		Lane: lane, Attempt: attempt, Slot: 2, Generation: generation, Breaker: events.BreakerState{Epoch: 4},
	}
}

// declined, withdrawn, stopAsked, stopped and ended are the usual ends.
func declined(lane events.LaneID, attempt int, generation int64) *events.LaneDeclined {
	return &events.LaneDeclined{
		Lane: lane, Attempt: attempt, Generation: generation, Pool: "gpt", Account: "main",
		Reason: "the run does not want it any more",
	}
}

func withdrawn(lane events.LaneID, attempt int, why string) *events.LaneWithdrawn {
	return &events.LaneWithdrawn{Lane: lane, Attempt: attempt, Pool: "gpt", Account: "main", Reason: why}
}

func stopAsked(lane events.LaneID, why string) *events.LaneStopRequested {
	return &events.LaneStopRequested{Lane: lane, Attempt: 1, Generation: 7, Owner: daemon, Reason: why}
}

func stopped(lane events.LaneID, why string, u events.Usage) *events.LaneStopped {
	return &events.LaneStopped{
		Lane: lane, Attempt: 1, Generation: 7, Pool: "gpt", Account: "main", Began: t0, Reason: why, Usage: u,
	}
}

func completed(lane events.LaneID, findings int) *events.LaneCompleted {
	return &events.LaneCompleted{
		Lane: lane, Attempt: 1, Generation: 7, Pool: "gpt", Account: "main", Began: t0, Usage: used,
		Findings: findings, Engine: "exec/1",
	}
}

func failed(lane events.LaneID, attempt int, kind events.FailureKind, message string, u events.Usage) *events.LaneFailed {
	return &events.LaneFailed{
		Lane: lane, Attempt: attempt, Generation: 7, Pool: "gpt", Account: "main", Began: t0, Kind: kind,
		Message: message, Usage: u,
	}
}

func ended(o events.Outcome, kind events.FailureKind, why string) *events.RunEnded {
	return &events.RunEnded{PR: prStream, Head: head, Outcome: o, Kind: kind, Why: why}
}

func stopping(o events.Outcome, kind events.FailureKind, why string) *events.RunStopping {
	return &events.RunStopping{Outcome: o, Kind: kind, Why: why}
}

var (
	used    = events.Usage{InputTokens: 40, OutputTokens: 2, Confidence: events.ConfidenceExact}
	unknown = events.Usage{Confidence: events.ConfidenceUnknown}
	exact   = events.Usage{Confidence: events.ConfidenceExact}
)

// The phases of a daemon's run of lane one, and of lanes one and two.
var (
	asked    = recorded{started(events.OwnerAny, "one"), code(1, 0)}
	waiting  = plus(asked, ready(1), wanted("one", 1, events.OwnerAny))
	running  = plus(waiting, began("one", 1, 7, 0))
	askedTwo = recorded{started(events.OwnerAny, "one", "two"), code(1, 0)}
	waitTwo  = plus(askedTwo, ready(1), wanted("one", 1, events.OwnerAny), wanted("two", 1, events.OwnerAny))
	runTwo   = plus(waitTwo, began("one", 1, 7, 0), began("two", 1, 7, 0))
)

func plus(given recorded, more ...events.Payload) recorded {
	return append(append(recorded{}, given...), more...)
}

// row is a line of a table. Every answer but a refusal is asked for twice, but
// where again says that the second time counts anew.
type row struct {
	name    string
	given   recorded
	at      time.Duration
	when    events.Command
	then    recorded
	refused string
	again   bool
}

func table(t *testing.T, r run.Rules, rows []row) {
	t.Helper()
	cases := make([]decidertest.Case[run.State], len(rows))
	for i, row := range rows {
		cases[i] = decidertest.Case[run.State]{
			Name: row.name, Given: decidertest.Steps(t0, row.given...), With: given(row.at, daemon), When: row.when,
			Then: row.then, Refused: row.refused, Twice: row.refused == "" && !row.again,
		}
	}
	actor(r).Run(t, cases...)
}

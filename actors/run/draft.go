package run

import (
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// draft is a decision in the making: what it has emitted so far is folded into a
// copy of the state, so that a later part of the decision sees the earlier ones
// and can cite their events.
type draft struct {
	Rules
	given events.Given
	s     State
	out   []events.Payload
}

func draftOf(r Rules, s *State, given events.Given) *draft {
	d := &draft{Rules: r, given: given, s: *s}
	d.s.Lanes = slices.Clone(s.Lanes)
	for i := range d.s.Lanes {
		d.s.Lanes[i].Findings = slices.Clip(d.s.Lanes[i].Findings)
	}
	return d
}

// emit takes a pointer to a payload.
func (d *draft) emit(p events.Payload) {
	d.out = append(d.out, p)
	Fold(&d.s, &events.Event{Stream: d.s.At.Stream, Version: d.next(), Time: d.given.At}, p)
}

// next is the version that the next emitted event will have.
func (d *draft) next() events.Version {
	if d.s.At.Stream == "" && len(d.out) == 1 {
		return 0
	}
	return d.s.At.Version + 1
}

func (d *draft) over(t time.Time) bool { return !t.IsZero() && !t.After(d.given.At) }

func after(at time.Time, ms int64) time.Time { return at.Add(time.Duration(ms) * time.Millisecond) }

// start records what the run will do and be judged by, and asks for the code.
func (d *draft) start(c Start) {
	t := c.Ticket
	switch {
	case d.s.Started != nil: // guard: a run starts twice
		return
	case !d.given.At.Before(t.Deadline): // guard: a run starts after its deadline
		d.emit(&events.RunEnded{
			PR: t.PR, Head: t.Head, Outcome: events.OutcomeFailed, Kind: events.FailureTimeout,
			Why: "its time was up before it could start",
		})
		return
	}
	lanes, missing := d.plan(t)
	d.emit(&events.RunStarted{
		PR: t.PR, Repo: t.Repo, Number: t.Number, Ref: t.Ref, BaseRef: t.BaseRef, Head: t.Head, Base: t.Base,
		Trigger: t.Trigger, Priority: t.Priority, QueuedAt: t.QueuedAt, Owner: t.Owner,
		Attempt: t.Attempt, Deadline: t.Deadline, Target: t.Settings.Target,
		Steps:            []events.PlannedStep{{Step: "review", Phase: "preliminary", Lanes: lanes}},
		RequestChangesAt: d.RequestChangesAt, Approve: d.Approve || t.Settings.Approve, MaxFiles: d.MaxFiles, MaxLines: d.MaxLines,
		Prior: t.Prior,
	})
	if missing != "" { // guard: a run without its engine goes on
		d.stop(events.RunStopping{
			Outcome: events.OutcomeFailed, Kind: events.FailureFatal,
			Why: "engine " + string(missing) + " is not configured",
		})
		return
	}
	d.requestWorkspace(1)
}

// plan is one step of reviewers, one lane for each engine. An engine that is
// named twice runs once.
func (d *draft) plan(t events.Ticket) (lanes []events.PlannedLane, missing events.EngineName) {
	names := t.Settings.Engines
	if len(names) == 0 {
		names = d.Phase1
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) { // guard: an engine that is named twice runs twice
			continue
		}
		at := slices.IndexFunc(d.Engines, func(e EngineRules) bool { return e.Engine == name })
		if at < 0 {
			return nil, name
		}
		e := d.Engines[at]
		lanes = append(lanes, events.PlannedLane{
			Lane: events.LaneID(name), Role: "reviewer", Kind: e.Kind, Engine: name, Model: e.Model,
			Pool: e.Pool, Account: e.Account, Estimate: e.Estimate, Timeout: e.Timeout, RunLimit: e.RunLimit,
			Bounded: e.Bounded,
		})
	}
	return lanes, ""
}

func (d *draft) cancel(c Cancel) {
	if d.s.Started == nil {
		d.emit(&events.RunEnded{PR: c.PR, Head: c.Head, Outcome: c.Outcome, Why: c.Why})
		return
	}
	d.stop(events.RunStopping{Outcome: c.Outcome, Why: c.Why})
}

// stop makes the run end: what waits is withdrawn, what runs is stopped and
// awaited. The first reason stands.
func (d *draft) stop(why events.RunStopping) {
	if d.s.Stopping != nil { // guard: the second reason to stop replaces the first
		return
	}
	d.emit(&why)
	for i := range d.s.Lanes {
		switch l := &d.s.Lanes[i]; l.Status {
		case LaneWaiting, LaneDeferred:
			d.withdraw(l, why.Why)
		case LaneRunning:
			d.emit(&events.LaneStopRequested{
				Lane: l.Lane, Attempt: l.Attempt, Generation: l.Generation, Owner: l.Owner, Reason: why.Why,
			})
		case LaneStopping, LaneDone, LaneFailed, LaneWithdrawn, LaneSkipped:
		}
	}
	d.endStopping()
}

// endStopping ends a run that is stopping once none of its lanes is live.
func (d *draft) endStopping() {
	for i := range d.s.Lanes {
		if d.s.Lanes[i].live() { // guard: a run ends before its lanes
			return
		}
	}
	why := d.s.Stopping
	d.emit(&events.RunEnded{
		PR: d.s.Started.PR, Head: d.s.Started.Head, Outcome: why.Outcome, Why: why.Why, Kind: why.Kind, Until: why.Until,
	})
}

func (d *draft) withdraw(l *Lane, why string) {
	d.emit(&events.LaneWithdrawn{Lane: l.Lane, Attempt: l.Attempt, Pool: l.Pool, Account: l.Account, Reason: why})
}

// due takes up everything whose time has come.
func (d *draft) due(c Due) {
	const late = "the run's deadline passed"
	switch {
	case d.s.Started == nil:
		d.emit(&events.RunEnded{PR: c.PR, Outcome: events.OutcomeFailed, Why: late, Kind: events.FailureTimeout})
		return
	case d.s.Stopping == nil && d.over(d.s.Started.Deadline): // guard: a run goes on past its deadline
		d.stop(events.RunStopping{Outcome: events.OutcomeFailed, Why: late, Kind: events.FailureTimeout})
		return
	case d.s.Stopping != nil:
	case d.over(d.s.Workspace.Next): // guard: a workspace is not tried again
		d.requestWorkspace(d.s.Workspace.Try + 1)
	case d.over(d.s.Workspace.Until): // guard: a workspace that nobody prepares keeps the run for ever
		d.workspaceTrouble(d.s.Workspace.Try, "nobody answered in time")
	}
	for i := range d.s.Lanes {
		switch l := &d.s.Lanes[i]; {
		case l.Status == LaneDeferred && d.over(l.NextAt): // guard: a deferred lane waits for ever
			d.request(l.PlannedLane, l.Step, l.Attempt+1)
		case l.live() && d.over(l.Deadline.Add(events.LaneGrace)): // guard: a lane without an answer keeps the run for ever
			d.lose(l, "nobody answered for it by its deadline")
		}
	}
}

// bootGone ends a run whose owner is gone, and fails the lanes and the
// preparation that a dead process was busy with. (hard-parts §2)
func (d *draft) bootGone(c BootGone) {
	const gone = "the process that owned it is gone"
	if d.s.Started == nil {
		d.emit(&events.RunEnded{PR: c.PR, Outcome: events.OutcomeFailed, Why: gone, Kind: events.FailureLost})
		return
	}
	if d.s.Started.Owner == c.Boot { // guard: the run of a dead review goes on
		d.stop(events.RunStopping{Outcome: events.OutcomeFailed, Why: gone, Kind: events.FailureLost})
	} else if d.s.Stopping == nil && d.s.Workspace.Owner == c.Boot {
		d.requestWorkspace(d.s.Workspace.Try + 1)
	}
	for i := range d.s.Lanes {
		if l := &d.s.Lanes[i]; l.live() && l.Owner == c.Boot { // guard: a lane of a dead boot is waited for
			d.lose(l, gone)
		}
	}
}

func (d *draft) lose(l *Lane, why string) {
	d.failLane(FailLane{
		Lane: l.Lane, Attempt: l.Attempt, Generation: l.Generation, Kind: events.FailureLost, Message: why,
		Usage: events.Usage{Confidence: events.ConfidenceUnknown},
	})
}

package run

import (
	"fmt"
	"strconv"

	"github.com/reviewctl/reviewctl/events"
)

// requestStep asks for all lanes of a step that have something to look at and that
// the limits let through. Where that is none, the step is over.
func (d *draft) requestStep(step int) {
	wanted := false
	for _, plan := range d.s.Started.Steps[step].Lanes {
		if cause, why := d.unwanted(plan); cause != "" {
			d.skip(plan, step, cause, why)
			continue
		}
		wanted = true
		d.request(plan, step, 1)
	}
	if !wanted {
		d.advance()
	}
}

func (d *draft) request(plan events.PlannedLane, step, attempt int) {
	r := d.s.Started
	d.emit(&events.LaneRequested{
		Lane: plan.Lane, Attempt: attempt, Step: r.Steps[step].Step, Phase: r.Steps[step].Phase,
		Role: plan.Role, Kind: plan.Kind, Engine: plan.Engine, Model: plan.Model, Pool: plan.Pool,
		Account: plan.Account, Estimate: plan.Estimate, Timeout: plan.Timeout, Owner: r.Owner,
		Deadline: r.Deadline, MaxRunTokens: plan.RunLimit,
		Rank: Rank(r.Priority, r.QueuedAt, d.s.At.Stream, plan.Lane),
	})
}

// noteWait takes note of a refusal by the account. What can never fit ends the
// lane; what lies beyond the run's deadline ends the run, and so does any wait of
// a `review` in a terminal, which waits for a slot but not for money. (hard-parts
// §5, §8)
func (d *draft) noteWait(c NoteWait) {
	l := d.s.lane(c.Lane)
	if l == nil || l.Attempt != c.Attempt || l.Status != LaneWaiting { // guard: a lane that does not wait is told to
		return
	}
	switch {
	case c.Until.IsZero(): // guard: a lane that can never run waits
		d.withdraw(l, c.Reason)
		d.advance()
	case d.s.Started.Owner != events.OwnerAny || c.Until.After(d.s.Started.Deadline): // guard: a run waits for money past its deadline
		d.stop(events.RunStopping{Outcome: events.OutcomeNotRun, Why: c.Reason, Until: c.Until})
	case c.Until.Equal(l.Until): // guard: a wait is recorded twice
	default:
		d.emit(&events.LaneWaiting{Lane: l.Lane, Attempt: l.Attempt, Reason: c.Reason, Until: c.Until})
	}
}

// beginLane is the intent to start the engine, or a "no" that is on record
// because the pool waits for it. A grant is answered once.
func (d *draft) beginLane(c BeginLane) {
	l := d.s.lane(c.Lane)
	if l == nil || c.Attempt > l.Attempt || c.Generation <= l.Generation { // guard: a grant is answered twice
		return
	}
	if c.Attempt != l.Attempt || l.Status != LaneWaiting || d.over(d.s.Started.Deadline) { // guard: a lane begins that is not wanted any more
		d.emit(&events.LaneDeclined{
			Lane: l.Lane, Attempt: c.Attempt, Generation: c.Generation, Pool: l.Pool, Account: l.Account,
			Reason: "the run does not want it any more",
		})
		return
	}
	r, w := d.s.Started, d.s.Workspace.Ready
	deadline := after(d.given.At, l.Timeout)
	if deadline.After(r.Deadline) { // guard: a lane outlives its run
		deadline = r.Deadline
	}
	d.emit(&events.LaneBegan{
		Lane: l.Lane, Attempt: l.Attempt, Generation: c.Generation, Slot: c.Slot, Owner: d.given.Boot,
		Deadline: deadline, Breaker: c.Breaker, Pool: l.Pool, Account: l.Account, Engine: l.Engine,
		Kind: l.Kind, Model: l.Model, Role: l.Role, Phase: r.Steps[l.Step].Phase, PR: r.PR, Repo: r.Repo,
		Number: r.Number, Ref: r.Ref, BaseRef: r.BaseRef, Head: r.Head, Base: r.Base,
		MergeBase: w.MergeBase, DiffPrint: w.DiffPrint,
	})
}

// answering finds the live lane that a result is about; a result of another
// attempt or generation is stale.
func (d *draft) answering(id events.LaneID, attempt int, generation int64) *Lane {
	l := d.s.lane(id)
	if l == nil || !l.live() || l.Attempt != attempt || l.Generation != generation { // guard: the result of another attempt counts
		return nil
	}
	return l
}

func (d *draft) raise(c RaiseFindings) {
	l := d.answering(c.Lane, c.Attempt, c.Generation)
	if l == nil || l.Status == LaneStopping { // guard: a lane that shall stop still raises findings
		return
	}
	for _, f := range c.Findings {
		if len(d.s.lane(c.Lane).Findings) >= events.FindingsPerLaneMax { // guard: one lane fills the log
			d.emit(&events.FindingWithheld{
				Lane: c.Lane, Attempt: c.Attempt, Finding: f,
				Reason: fmt.Sprintf("over the bound of %d findings for one lane", events.FindingsPerLaneMax),
			})
			continue
		}
		d.emit(&events.FindingRaised{Lane: c.Lane, Attempt: c.Attempt, Finding: f})
	}
	if len(c.Skipped) > 0 {
		d.emit(&events.LaneCovered{Lane: c.Lane, Attempt: c.Attempt, Skipped: c.Skipped})
	}
	for _, w := range c.Withheld {
		d.emit(&events.FindingWithheld{Lane: c.Lane, Attempt: c.Attempt, Finding: w.Finding, Reason: w.Reason, Unlisted: w.Unlisted})
	}
}

func (d *draft) completeLane(c CompleteLane) {
	l := d.answering(c.Lane, c.Attempt, c.Generation)
	switch {
	case l == nil:
	case l.Status == LaneStopping:
		d.stopped(l, c.Usage)
	default:
		d.emit(&events.LaneCompleted{
			Lane: l.Lane, Attempt: l.Attempt, Generation: l.Generation, Pool: l.Pool, Account: l.Account,
			Began: l.Began, Usage: c.Usage, Findings: len(l.Findings), Withheld: l.Withheld, Summary: c.Summary,
			Skipped: c.Skipped, Engine: c.Engine, Sandbox: c.Sandbox, Artifact: c.Artifact, Unlisted: c.Unlisted,
		})
		d.advance()
	}
}

// failLane ends the attempt; while tries are left the lane is asked for again at
// once, behind whatever its account has to say. (hard-parts §2)
func (d *draft) failLane(c FailLane) {
	l := d.answering(c.Lane, c.Attempt, c.Generation)
	if l == nil {
		return
	}
	d.emit(&events.LaneFailed{
		Lane: l.Lane, Attempt: l.Attempt, Generation: l.Generation, Pool: l.Pool, Account: l.Account,
		Began: l.Began, Kind: c.Kind, Message: c.Message, Usage: c.Usage, Reset: c.Reset, Sandbox: c.Sandbox,
		Artifact: c.Artifact,
	})
	if d.s.Stopping == nil && c.Kind == events.FailureUsageLimit && l.Account == events.AccountUnmetered { // guard: an engine at its limit is called again and again
		d.limited(l, c)
		return
	}
	again := d.s.Stopping == nil && c.Kind != events.FailureFatal && l.Failures < d.LaneTries &&
		l.Attempt < d.LaneRequestsMax
	if again {
		d.request(l.PlannedLane, l.Step, l.Attempt+1)
		return
	}
	d.advance()
}

// limited waits for the reset of a usage limit that no breaker minds: an engine
// without an account of its own has none. What applies to a wait for money applies
// to this one. (noteWait; hard-parts §5, §8)
func (d *draft) limited(l *Lane, c FailLane) {
	until := c.Reset
	switch {
	case until.IsZero():
		until = after(d.given.At, d.LimitUnknown)
	case !until.After(d.given.At):
		until = after(d.given.At, d.LimitPast)
	}
	switch {
	case d.s.Started.Owner != events.OwnerAny || until.After(d.s.Started.Deadline):
		d.stop(events.RunStopping{Outcome: events.OutcomeNotRun, Why: "usage limit: " + c.Message, Until: until})
	case l.Attempt >= d.LaneRequestsMax:
		d.advance()
	default:
		d.deferred(l, "usage limit: "+c.Message, until.Sub(d.given.At).Milliseconds())
	}
}

// laneStopped: the engine was killed. Where the run did not ask for that, its
// process is going down: what was spent is settled, and the lane is wanted again.
func (d *draft) laneStopped(c NoteLaneStopped) {
	l := d.answering(c.Lane, c.Attempt, c.Generation)
	switch {
	case l == nil:
	case l.Status == LaneStopping:
		d.stopped(l, c.Usage)
	case l.Attempt >= d.LaneRequestsMax: // guard: a lane is asked for without bound
		d.failLane(FailLane{
			Lane: l.Lane, Attempt: l.Attempt, Generation: l.Generation, Kind: events.FailureInfra,
			Message: wentDown, Usage: c.Usage,
		})
	default:
		d.emit(&events.LaneStopped{
			Lane: l.Lane, Attempt: l.Attempt, Generation: l.Generation, Pool: l.Pool, Account: l.Account,
			Began: l.Began, Reason: wentDown, Usage: c.Usage,
		})
		d.deferred(l, wentDown, 0)
	}
}

const wentDown = "the process that ran it went down"

func (d *draft) stopped(l *Lane, usage events.Usage) {
	d.emit(&events.LaneStopped{
		Lane: l.Lane, Attempt: l.Attempt, Generation: l.Generation, Pool: l.Pool, Account: l.Account,
		Began: l.Began, Reason: d.s.Stopping.Why, Usage: usage,
	})
	d.advance()
}

// deferLane waits for capacity, a bounded number of times. (CLI.md, exit 75)
func (d *draft) deferLane(c DeferLane) {
	l := d.answering(c.Lane, c.Attempt, c.Generation)
	switch {
	case l == nil:
	case l.Status == LaneStopping:
		d.stopped(l, events.Usage{Confidence: events.ConfidenceExact})
	case l.Deferrals >= d.LaneDeferralsMax || l.Attempt >= d.LaneRequestsMax: // guard: a lane is deferred without bound
		d.failLane(FailLane{
			Lane: l.Lane, Attempt: l.Attempt, Generation: l.Generation, Kind: events.FailureInfra,
			Message: "no capacity after " + strconv.Itoa(l.Deferrals) + " deferrals: " + c.Reason,
			Usage:   events.Usage{Confidence: events.ConfidenceExact},
		})
	default:
		delay := d.DeferDelay
		for range l.Deferrals {
			delay = min(2*delay, d.DeferDelayMax)
		}
		d.deferred(l, c.Reason, delay)
	}
}

func (d *draft) deferred(l *Lane, why string, delay int64) {
	d.emit(&events.LaneDeferred{
		Lane: l.Lane, Attempt: l.Attempt, Generation: l.Generation, Pool: l.Pool, Account: l.Account,
		Began: l.Began, Reason: why, NextAt: after(d.given.At, delay), Deferrals: l.Deferrals + 1,
	})
}

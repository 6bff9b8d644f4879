package status

import (
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

func applyRun(tx *projections.Tx, e *events.Event, p events.Payload) error {
	run := events.RunID(e.Stream.Subject())
	switch p := p.(type) {
	case *events.RunStarted:
		err := withRun(tx, e, run, func(r *Run) {
			r.Repo, r.Number, r.Stream, r.Head, r.Base = p.Repo, p.Number, p.PR, p.Head, p.Base
			r.Owner, r.Deadline, r.Started = p.Owner, p.Deadline, e.Time
			r.State, r.Since = StateRunning, e.Time
		})
		if err != nil {
			return err
		}
		return withHeadOf(tx, e, p.PR, p.Head, func(h *Head) {
			if h.Run == run && h.State == StateWaiting { // a push may have been faster
				h.enter(StateRunning, e.Time)
			}
		})
	case *events.WorkspaceRequested:
		return withWorkspace(tx, e, run, Workspace{State: "preparing", Try: p.Try, Until: p.Until})
	case *events.WorkspaceWaiting:
		return withWorkspace(tx, e, run, Workspace{State: "waiting", Try: p.Try, Reason: p.Reason, Next: p.Next})
	case *events.WorkspaceFailed:
		return withWorkspace(tx, e, run, Workspace{State: "failed", Try: p.Try, Reason: p.Message})
	case *events.WorkspaceReady:
		return withRun(tx, e, run, func(r *Run) {
			r.Workspace = &Workspace{State: "ready", Try: p.Try, Event: e.Ref()}
			r.Files, r.Lines = p.Count(), p.Lines
		})
	case *events.RunStopping:
		return withRun(tx, e, run, func(r *Run) { r.Why = p.Why })
	case *events.VerdictReached:
		return withRun(tx, e, run, func(r *Run) {
			counts := p.Counts
			r.Verdict, r.Counts, r.Why = p.Verdict, &counts, p.Why.Text
		})
	case *events.RunEnded:
		projections.Delete(tx, kindActive, string(run))
		return withRun(tx, e, run, func(r *Run) {
			r.Stream, r.Head = p.PR, p.Head
			r.Outcome, r.Why, r.Until = p.Outcome, p.Why, p.Until
			r.State, r.Since, r.Ended = StateEnded, e.Time, e.Time
		})
	case *events.NumbersRequested:
		return nil
	default:
		return applyLane(tx, e, run, p)
	}
}

func withWorkspace(tx *projections.Tx, e *events.Event, run events.RunID, w Workspace) error {
	w.Event = e.Ref()
	return withRun(tx, e, run, func(r *Run) { r.Workspace = &w })
}

// withRun changes a run's row.
func withRun(tx *projections.Tx, e *events.Event, run events.RunID, change func(*Run)) error {
	r, err := projections.ReadOrNew[Run](tx, kindRun, string(run))
	if err != nil {
		return err
	}
	if r.Run == "" {
		r.Run, r.State, r.Since, r.Requested, r.Lanes = run, StateWaiting, e.Time, e.Time, []events.LaneID{}
	}
	change(r)
	r.Updated, r.Event, r.Events = e.Time, e.Ref(), projections.Cite(r.Events, e)
	projections.Put(tx, kindRun, string(run), projections.Columns{
		Repo: string(r.Repo), State: string(r.State), At: r.Updated, Sort: events.FormatTime(r.Requested),
	}, r)
	return nil
}

func laneKey(run events.RunID, lane events.LaneID) string { return string(run) + "/" + string(lane) }

func applyLane(tx *projections.Tx, e *events.Event, run events.RunID, p events.Payload) error {
	switch p := p.(type) {
	case *events.LaneRequested:
		return applyLaneRequested(tx, e, run, p)
	case *events.LaneSkipped:
		return applyLaneSkipped(tx, e, run, p)
	case *events.LaneWaiting:
		return withLane(tx, e, run, p.Lane, LaneNoBudget, func(l *Lane) { l.Reason, l.Until = p.Reason, p.Until })
	case *events.LaneWithdrawn:
		return withLane(tx, e, run, p.Lane, LaneWithdrawn, func(l *Lane) { l.Reason = p.Reason })
	case *events.LaneDeclined:
		return withLane(tx, e, run, p.Lane, LaneDeclined, func(l *Lane) { l.Reason = p.Reason })
	case *events.LaneBegan:
		return withLane(tx, e, run, p.Lane, LaneRunning, func(l *Lane) {
			slot := p.Slot
			l.Slot, l.Began, l.Until, l.Reason = &slot, e.Time, p.Deadline, ""
		})
	case *events.LaneStopRequested:
		return withLane(tx, e, run, p.Lane, LaneStopping, func(l *Lane) { l.Reason = p.Reason })
	case *events.LaneCompleted:
		return withLane(tx, e, run, p.Lane, LaneCompleted, func(l *Lane) {
			usage := p.Usage
			l.Usage, l.Findings, l.Withheld = &usage, p.Findings, p.Withheld
		})
	case *events.LaneFailed:
		return withLane(tx, e, run, p.Lane, LaneFailed, func(l *Lane) {
			usage := p.Usage
			l.Usage, l.Failure, l.Reason = &usage, p.Kind, p.Message
		})
	case *events.LaneStopped:
		return withLane(tx, e, run, p.Lane, LaneStopped, func(l *Lane) {
			usage := p.Usage
			l.Usage, l.Reason = &usage, p.Reason
		})
	case *events.LaneDeferred:
		return withLane(tx, e, run, p.Lane, LaneDeferred, func(l *Lane) { l.Reason, l.Until = p.Reason, p.NextAt })
	}
	return nil // findings have a view of their own
}

func applyLaneRequested(tx *projections.Tx, e *events.Event, run events.RunID, p *events.LaneRequested) error {
	r, err := listLane(tx, e, run, p.Lane)
	if err != nil {
		return err
	}
	return withLane(tx, e, run, p.Lane, LaneRequested, func(l *Lane) {
		story := l.Events
		*l = Lane{Lane: p.Lane, Run: run, Repo: r.Repo, Number: r.Number, Events: story, Status: l.Status, Since: e.Time}
		l.Kind, l.Role, l.Phase, l.Step, l.Engine, l.Model = p.Kind, p.Role, p.Phase, p.Step, p.Engine, p.Model
		l.Pool, l.Account, l.Attempt, l.Rank, l.Estimate = p.Pool, p.Account, p.Attempt, p.Rank, p.Estimate
	})
}

func applyLaneSkipped(tx *projections.Tx, e *events.Event, run events.RunID, p *events.LaneSkipped) error {
	r, err := listLane(tx, e, run, p.Lane)
	if err != nil {
		return err
	}
	return withLane(tx, e, run, p.Lane, LaneSkipped, func(l *Lane) {
		l.Repo, l.Number, l.Reason = r.Repo, r.Number, p.Reason
		l.Kind, l.Role, l.Phase, l.Step, l.Engine, l.Model = p.Kind, p.Role, p.Phase, p.Step, p.Engine, p.Model
	})
}

// listLane adds a lane to those of its run.
func listLane(tx *projections.Tx, e *events.Event, run events.RunID, lane events.LaneID) (*Run, error) {
	r, err := projections.ReadOrNew[Run](tx, kindRun, string(run))
	if err != nil || slices.Contains(r.Lanes, lane) {
		return r, err
	}
	return r, withRun(tx, e, run, func(r *Run) { r.Lanes = append(r.Lanes, lane) })
}

// withLane changes a lane's row; the status is entered after the change.
func withLane(tx *projections.Tx, e *events.Event, run events.RunID, lane events.LaneID, status State, change func(*Lane)) error {
	key := laneKey(run, lane)
	l, err := projections.ReadOrNew[Lane](tx, kindLane, key)
	if err != nil {
		return err
	}
	l.Lane, l.Run = lane, run
	change(l)
	if l.Status != status {
		l.Status, l.Since = status, e.Time
		switch status {
		case LaneRunning, LaneStopping, LaneNoBudget, LaneDeferred:
		default:
			l.Until = time.Time{}
		}
	}
	l.Updated, l.Event, l.Events = e.Time, e.Ref(), projections.Cite(l.Events, e)
	projections.Put(tx, kindLane, key, projections.Columns{
		Repo: string(l.Repo), State: string(l.Status), At: l.Updated, Sort: key,
	}, l)
	return nil
}

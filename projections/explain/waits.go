package explain

import (
	"context"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/status"
)

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// queuedReason explains a head whose time has not come.
func queuedReason(ctx context.Context, rows projections.Rows, h *status.Head) (Reason, error) {
	text := "quiet time after a push, until " + clock(h.NotBefore)
	switch {
	case h.Why != "":
		text = h.Why + "; tried again at " + clock(h.NotBefore)
	case !h.NotBefore.After(h.QueuedAt):
		text = "due since " + clock(h.NotBefore)
	}
	why := leaf(RuleDebounce, text, string(h.State), h.Event)
	why.nextAt = h.NotBefore
	paused, err := pauses(ctx, rows, h.Repo, h.Stream)
	why.Children = append(why.Children, paused...)
	return why, err
}

// pauses returns the pauses that keep a pull request from starting.
func pauses(ctx context.Context, rows projections.Rows, repo events.RepoName, stream events.StreamName) ([]Reason, error) {
	fleet, err := status.FleetNow(ctx, rows)
	if err != nil {
		return nil, err
	}
	var found []Reason
	for _, p := range fleet.Paused {
		switch p.Scope {
		case "":
			found = append(found, leaf(RulePause, "everything is paused since "+clock(p.Since), "paused", p.Event))
		case string(repo), string(stream):
			found = append(found, leaf(RulePause, p.Scope+" is paused since "+clock(p.Since), "paused", p.Event))
		}
	}
	return found, nil
}

// admissionReason explains a run that the fleet has not let start.
func admissionReason(ctx context.Context, rows projections.Rows, run *status.Run) (Reason, error) {
	places, err := status.Standings(ctx, rows, func(p *status.Place) bool {
		return p.Line == status.LineFleet && p.Run == run.Run
	})
	if err != nil {
		return Reason{}, err
	}
	why := leaf(RuleFleet, "asked the fleet to start", string(run.State), run.Event)
	if run.Admission == "admitted" {
		why.Text = "the fleet let it start"
	}
	for _, p := range places {
		why.Text = fmt.Sprintf("place %d of %d in the fleet's line: %s", p.Place.Place, p.Of, orElse(p.Why, "others are before it"))
		why.Event = p.Event
	}
	fleet, err := status.FleetNow(ctx, rows)
	if err != nil {
		return Reason{}, err
	}
	if fleet.MaxRuns > 0 && fleet.Running >= fleet.MaxRuns {
		why.Children = append(why.Children, leaf(RuleMaxRuns,
			fmt.Sprintf("%d of %d runs are on", fleet.Running, fleet.MaxRuns), "full", fleet.Event))
	}
	paused, err := pauses(ctx, rows, run.Repo, run.Stream)
	why.Children = append(why.Children, paused...)
	return why, err
}

// runningReason explains a run that is on: its workspace, then its lanes.
func runningReason(ctx context.Context, rows projections.Rows, run *status.Run) (Reason, error) {
	why := leaf(RuleRun, "the run is on since "+clock(run.Started), string(run.State), run.Event)
	if run.Why != "" {
		why.Text += "; " + run.Why
	}
	if w := run.Workspace; w != nil && w.State != "ready" {
		child := leaf(RuleWorkspace, "the code is being brought to the disk", w.State, w.Event)
		child.nextAt = w.Until
		if w.State != "preparing" {
			child.Text, child.nextAt = "the code is not on the disk: "+w.Reason, w.Next
		}
		why.Children = append(why.Children, child)
	}
	lanes, err := status.LanesOf(ctx, rows, run.Run)
	if err != nil {
		return Reason{}, err
	}
	places, err := status.Standings(ctx, rows, func(p *status.Place) bool { return p.Kind == "lane" && p.Run == run.Run })
	if err != nil {
		return Reason{}, err
	}
	for i := range lanes {
		why.Children = append(why.Children, laneReason(&lanes[i], places))
	}
	return why, nil
}

// laneReason explains what a lane waits for.
func laneReason(l *status.Lane, places []status.Standing) Reason {
	name := "lane " + string(l.Lane)
	place := ""
	for _, p := range places {
		if p.ID == string(l.Run)+"/"+string(l.Lane) {
			place = fmt.Sprintf("place %d of %d", p.Place.Place, p.Of)
		}
	}
	var why Reason
	switch l.Status {
	case status.LaneRequested:
		why = leaf(RuleAccount, name+" asks account "+string(l.Account)+" for its budget", string(l.Status), l.Event)
	case status.LaneNoBudget:
		text := name + " waits for account " + string(l.Account)
		if place != "" {
			text += ", " + place
		}
		if !l.Until.IsZero() {
			text += ", until " + clock(l.Until)
		}
		why = leaf(RuleAccount, text+": "+orElse(l.Reason, "no budget"), string(l.Status), l.Event)
	case status.LaneReserved:
		why = leaf(RulePool, name+" asks pool "+string(l.Pool)+" for a slot", string(l.Status), l.Event)
	case status.LaneQueued:
		why = leaf(RulePool, name+" waits for a slot of pool "+string(l.Pool)+", "+orElse(place, "in its line"), string(l.Status), l.Event)
	case status.LaneGranted:
		why = leaf(RuleEngine, name+" has a slot and is about to begin", string(l.Status), l.Event)
	case status.LaneRunning:
		why = leaf(RuleEngine, name+" runs since "+clock(l.Began)+", until "+clock(l.Until)+" at most", string(l.Status), l.Event)
	case status.LaneStopping:
		why = leaf(RuleEngine, name+" is being stopped: "+l.Reason, string(l.Status), l.Event)
	case status.LaneDeferred:
		why = leaf(RuleEngine, name+" has no capacity, again at "+clock(l.Until)+": "+l.Reason, string(l.Status), l.Event)
	default:
		return endedLane(l)
	}
	why.Events, why.nextAt = l.Events, l.Until
	return why
}

// endedLane says how a lane ended.
func endedLane(l *status.Lane) Reason {
	text := "lane " + string(l.Lane) + " " + string(l.Status)
	switch {
	case l.Status == status.LaneCompleted:
		text += fmt.Sprintf(": %d findings, %d withheld", l.Findings, l.Withheld)
	case l.Reason != "":
		text += ": " + l.Reason
	}
	why := leaf(RuleLane+string(l.Status), text, string(l.Status), l.Event)
	why.Events = l.Events
	return why
}

func tries(n int) string {
	if n == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", n)
}

func kindOf(p *status.Publication) string {
	if p.Kind == "" {
		return ""
	}
	return " (" + string(p.Kind) + ")"
}

// publicationReason explains a verdict on its way to the forge, with the verdict.
func publicationReason(ctx context.Context, rows projections.Rows, h *status.Head) (Reason, error) {
	why := leaf(RulePublication, "the verdict is on its way to the forge", string(h.State), h.Event)
	if p := h.Publication; p != nil {
		why.Event = p.Event
		switch p.State {
		case "trying":
			why.Text, why.nextAt = fmt.Sprintf("try %d to publish, until %s", p.Try, clock(p.Until)), p.Until
		case "stuck":
			why.Text = fmt.Sprintf("publication stuck after %s%s: %s", tries(p.Try), kindOf(p), p.Why)
		default:
			why.Text, why.nextAt = fmt.Sprintf("try %d to publish ended as %s%s, again at %s: %s", p.Try, p.State, kindOf(p), clock(p.NextAt), p.Why), p.NextAt
		}
	}
	run, err := status.RunOf(ctx, rows, h.Run)
	if err != nil || run == nil {
		return why, err
	}
	verdict, err := verdictReason(ctx, rows, run)
	why.Children = append(why.Children, verdict)
	return why, err
}

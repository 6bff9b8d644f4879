package run

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Rank is the sort key of a lane, or of a run, in every line: the priority, then
// since when its head waits, then names to make it unique.
func Rank(p events.Priority, since time.Time, stream events.StreamName, lane events.LaneID) string {
	return fmt.Sprintf("%d|%s|%s|%s", p, events.FormatTime(since), stream.Subject(), lane)
}

// advance looks what is next after a lane has ended: nothing yet, the next step,
// the numbers of the findings, or the end.
func (d *draft) advance() {
	if d.s.Stopping != nil { // guard: a run that stops judges
		d.endStopping()
		return
	}
	step := 0
	for i := range d.s.Lanes {
		if !d.s.Lanes[i].ended() { // guard: a verdict is reached before all lanes ended
			return
		}
		step = max(step, d.s.Lanes[i].Step)
	}
	if step+1 < len(d.s.Started.Steps) {
		d.requestStep(step + 1)
		return
	}
	if !slices.ContainsFunc(d.s.Lanes, func(l Lane) bool { return l.Status == LaneDone }) { // guard: a run of which nothing came is clean
		d.stop(d.nothingDone())
		return
	}
	found := d.findings()
	if len(found) == 0 && d.s.Started.Prior == 0 { // guard: a clean review does not see that findings are fixed
		d.reach(nil)
		return
	}
	d.askNumbers(found)
}

// nothingDone is how a run ends of which no lane came to a good end: it did not
// run where there was no money for any, and else it failed as its first lane did.
func (d *draft) nothingDone() events.RunStopping {
	for i := range d.s.Lanes {
		if l := &d.s.Lanes[i]; l.Status == LaneFailed {
			return events.RunStopping{
				Outcome: events.OutcomeFailed, Kind: l.Failure, Why: fmt.Sprintf("%s: %s", l.Lane, l.Why),
			}
		}
	}
	return events.RunStopping{Outcome: events.OutcomeNotRun, Why: d.s.Lanes[0].Why}
}

// findings are the distinct findings of the lanes that came to a good end, in
// lane order; one fingerprint counts once, at its heaviest.
func (d *draft) findings() []Found {
	var found []Found
	for i := range d.s.Lanes {
		if d.s.Lanes[i].Status != LaneDone { // guard: findings of a dead lane count
			continue
		}
		for _, f := range d.s.Lanes[i].Findings {
			at := slices.IndexFunc(found, func(o Found) bool { return o.Fingerprint == f.Fingerprint })
			switch {
			case at < 0:
				found = append(found, f)
			case f.Severity.Weight() > found[at].Severity.Weight():
				found[at] = f
			}
		}
	}
	return found
}

func (d *draft) reachVerdict(c ReachVerdict) {
	if d.s.Asked && d.s.Stopping == nil { // guard: numbers that nobody asked for reach a verdict
		d.reach(&c)
	}
}

// reach records the verdict and the end of the run. (semantics 10.5; the gate of
// approve is CLI.md's: false makes an APPROVE a COMMENT)
func (d *draft) reach(c *ReachVerdict) {
	r := d.s.Started
	v := events.VerdictReached{PR: r.PR, Head: r.Head, Base: r.Base, Target: r.Target, Outcome: events.OutcomeClean}
	lanes := d.laneReasons()
	found := counting(d.findings(), c)
	for _, f := range found {
		switch f.Severity {
		case events.SeverityBlocking:
			v.Counts.Blocking++
		case events.SeveritySuggestion:
			v.Counts.Suggestion++
		case events.SeverityNitpick:
			v.Counts.Nitpick++
		}
		v.Outcome = events.OutcomeFindings
	}
	if c != nil {
		v.Numbers, v.Fixed = numbersOf(c.Numbers), c.Fixed
		lanes = append(lanes, roundReasons(c)...)
	}
	partial := d.s.Workspace.Size.Lacking > 0 || slices.ContainsFunc(d.s.Lanes, Lane.partial)
	if partial {
		v.Outcome = events.OutcomePartial
	}
	v.Verdict, v.Why = judge(d.s.Workspace, r, v.Counts, partial, found)
	v.Why.Children = append(v.Why.Children, lanes...)
	d.emit(&v)
	d.emit(&events.RunEnded{PR: r.PR, Head: r.Head, Outcome: v.Outcome, Why: v.Why.Text})
}

// partial reports whether the lane leaves the review partial. One that had nothing
// to look at does not.
func (l Lane) partial() bool {
	if l.Status == LaneSkipped {
		return l.Cause != events.SkippedEmpty
	}
	return l.Status != LaneDone || l.Skipped > 0
}

// judge says the verdict and the rule that it follows from.
func judge(w Workspace, r *events.RunStarted, n events.Counts, partial bool, found []Found) (events.Verdict, events.Reason) {
	change := w.ReadyAt
	against := n.Blocking
	if r.RequestChangesAt == events.SeveritySuggestion {
		against += n.Suggestion
	}
	evidence := []events.Ref{change}
	why := func(v events.Verdict, rule, text string) (events.Verdict, events.Reason) {
		return v, events.Reason{Rule: rule, Text: text, Outcome: string(v), Events: evidence}
	}
	switch {
	case against > 0:
		for _, f := range found {
			if len(evidence) < ReasonEventsMax && f.Severity.Weight() >= r.RequestChangesAt.Weight() {
				evidence = append(evidence, events.Ref{Stream: change.Stream, Version: f.Version})
			}
		}
		return why(events.VerdictRequestChanges, "request_changes_at",
			fmt.Sprintf("%d findings at or above %s", against, r.RequestChangesAt))
	case partial: // guard: a partial review approves
		return why(events.VerdictComment, "partial", "not everything was reviewed, so it cannot be approved")
	case n != events.Counts{}:
		return why(events.VerdictComment, "findings", "nothing stands in the way, but there are remarks")
	case w.Size.Left == 0: // guard: a change of excluded files alone is approved
		return why(events.VerdictComment, "excluded", "nothing was found, and every changed file is excluded from the review")
	case !r.Approve: // guard: an approval stands against the policy
		return why(events.VerdictComment, "approve", "nothing was found; the policy does not let an approval stand")
	}
	return why(events.VerdictApprove, "approve", "nothing was found, and the policy lets an approval stand")
}

// ReasonEventsMax bounds the events that one reason cites.
const ReasonEventsMax = 200

func (d *draft) laneReasons() []events.Reason {
	reasons := make([]events.Reason, 0, len(d.s.Lanes)+1)
	for i := range d.s.Lanes {
		l := &d.s.Lanes[i]
		text := fmt.Sprintf("%d findings, %d withheld", len(l.Findings), l.Withheld)
		if l.Status != LaneDone {
			text = strings.TrimSpace(string(l.Failure) + " " + l.Why)
		} else if l.Skipped > 0 {
			text += fmt.Sprintf("; %d files not fully reviewed", l.Skipped)
		}
		reasons = append(reasons, events.Reason{
			Rule: "lane " + string(l.Lane), Text: text, Outcome: string(l.Status), Events: []events.Ref{l.End},
		})
	}
	return reasons
}

package main

import (
	"context"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// buildReport folds a run's stream into the report of `review`.
func buildReport(ctx context.Context, log events.Store, id events.RunID) (*ReviewReport, error) {
	b := reportBuilder{report: ReviewReport{Run: id}, lanes: map[events.LaneID]*laneReport{}}
	if err := eachPayload(ctx, log, events.RunStream(id), b.fold); err != nil {
		return nil, err
	}
	b.finish()
	return &b.report, nil
}

type reportBuilder struct {
	report  ReviewReport
	changed changedFiles
	verdict *events.VerdictReached
	lanes   map[events.LaneID]*laneReport
	order   []events.LaneID
	timing  timing
}

// laneReport is a lane with what its newest attempt said.
type laneReport struct {
	ReportLane
	findings []events.Finding
	withheld []ReportWithheld
	skipped  skips
	cause    events.SkipCause // why it was never asked for
	done     bool
}

func (b *reportBuilder) fold(e *events.Event, p events.Payload) {
	r := &b.report
	b.timing.fold(e.Time, p)
	b.changed.fold(p)
	switch p := p.(type) {
	case *events.RunStarted:
		r.Repo, r.Number, r.Head, r.Base, r.Started = p.Repo, p.Number, p.Head, p.Base, e.Time
	case *events.WorkspaceReady:
		r.MergeBase, r.BaseNote = p.MergeBase, p.BaseNote
	case *events.VerdictReached:
		b.verdict = p
		r.Verdict, r.Counts = p.Verdict, p.Counts
	case *events.RunEnded:
		r.Head, r.Outcome, r.Reason, r.Until, r.Finished = p.Head, outcomeOf(p.Outcome), p.Why, p.Until, e.Time
		if r.Started.IsZero() {
			r.Started = e.Time
		}
	default:
		b.foldLane(p)
	}
}

// outcomeOf is the outcome that the command line knows: a run that was called off
// did not run.
func outcomeOf(o events.Outcome) events.Outcome {
	if o == events.OutcomeCancelled || o == events.OutcomeSuperseded {
		return events.OutcomeNotRun
	}
	return o
}

func (b *reportBuilder) foldLane(p events.Payload) {
	switch p := p.(type) {
	case *events.LaneRequested:
		l := b.lane(p.Lane)
		usage := l.Usage
		*l = laneReport{ReportLane: ReportLane{
			ID: string(p.Lane), Kind: p.Kind, Role: p.Role, Phase: p.Phase, Engine: p.Engine, Model: p.Model,
			Status: "waiting", Usage: usage,
		}}
	case *events.LaneSkipped:
		l := b.lane(p.Lane)
		l.ReportLane = ReportLane{
			ID: string(p.Lane), Kind: p.Kind, Role: p.Role, Phase: p.Phase, Engine: p.Engine, Model: p.Model,
			Status: "skipped", Reason: p.Reason, Usage: events.Usage{Confidence: events.ConfidenceExact},
		}
		l.cause = p.Cause
	case *events.LaneCovered:
		b.lanes[p.Lane].skipped.add(p.Skipped)
	case *events.LaneBegan:
		b.lanes[p.Lane].Status = "running"
	case *events.FindingRaised:
		b.lanes[p.Lane].findings = append(b.lanes[p.Lane].findings, p.Finding)
	case *events.FindingWithheld:
		l := b.lanes[p.Lane]
		l.withheld = append(l.withheld, ReportWithheld{
			Fingerprint: p.Finding.Fingerprint, Title: p.Finding.Title, File: p.Finding.File,
			FileBase64: p.Finding.FileBase64, LineStart: p.Finding.LineStart, LineEnd: p.Finding.LineEnd,
			Source: string(p.Lane), Reason: p.Reason,
			Severity: p.Finding.Severity, Category: p.Finding.Category, Rule: p.Finding.Rule,
		})
	case *events.LaneCompleted:
		l := b.lanes[p.Lane]
		l.skipped.add(p.Skipped)
		l.done = true
		b.end(l, "completed", "", p.Usage)
	case *events.LaneFailed:
		b.end(b.lanes[p.Lane], "failed", string(p.Kind)+": "+p.Message, p.Usage)
	case *events.LaneStopped:
		b.end(b.lanes[p.Lane], "stopped", p.Reason, p.Usage)
	case *events.LaneWithdrawn:
		b.end(b.lanes[p.Lane], "withdrawn", p.Reason, events.Usage{})
	case *events.LaneDeferred:
		b.end(b.lanes[p.Lane], "deferred", p.Reason, events.Usage{})
	case *events.LaneWaiting:
		b.lanes[p.Lane].Reason = p.Reason
	}
}

// lane finds a lane, and adds it at the end where it is new.
func (b *reportBuilder) lane(id events.LaneID) *laneReport {
	l := b.lanes[id]
	if l == nil {
		l = &laneReport{}
		b.lanes[id] = l
		b.order = append(b.order, id)
	}
	return l
}

func (b *reportBuilder) end(l *laneReport, status, reason string, used events.Usage) {
	l.Status, l.Reason = status, reason
	l.Usage = l.Usage.Plus(used)
}

func (b *reportBuilder) finish() {
	r := &b.report
	for _, id := range b.order {
		l := b.lanes[id]
		r.Lanes = append(r.Lanes, l.ReportLane)
		r.Usage = r.Usage.Plus(l.Usage)
		r.Withheld = append(r.Withheld, l.withheld...)
	}
	if r.Usage.Confidence == "" {
		r.Usage.Confidence = events.ConfidenceExact
	}
	if b.verdict != nil {
		b.findings()
	}
	b.coverage()
	r.Timing = b.timing.report(r.Started, r.Finished)
}

// findings merges the lanes' findings by fingerprint, at their heaviest, and sorts
// them by number. What a person dismissed is withheld.
func (b *reportBuilder) findings() {
	numbers := map[events.Fingerprint]*events.Number{}
	for i := range b.verdict.Numbers {
		n := &b.verdict.Numbers[i]
		numbers[n.Fingerprint] = n
	}
	all := b.merged(numbers)
	slices.SortStableFunc(all, func(x, y ReportFinding) int { return x.Number - y.Number })
	for i := range all {
		f := &all[i]
		if n := numbers[f.Fingerprint]; n != nil && n.Dismissed() {
			b.report.Withheld = append(b.report.Withheld, withheldFinding(f, "dismissed: "+n.Dismissal.Reason))
			continue
		}
		b.report.Findings = append(b.report.Findings, *f)
	}
	for i := range b.verdict.Fixed {
		if n := &b.verdict.Fixed[i]; !n.Dismissed() {
			b.report.Fixed = append(b.report.Fixed, ReportFixed{Fingerprint: n.Fingerprint, Number: n.Number})
		}
	}
}

func (b *reportBuilder) merged(numbers map[events.Fingerprint]*events.Number) []ReportFinding {
	var all []ReportFinding
	at := map[events.Fingerprint]int{}
	for _, id := range b.order {
		if !b.lanes[id].done {
			continue
		}
		for _, f := range b.lanes[id].findings {
			i, known := at[f.Fingerprint]
			if !known {
				i = len(all)
				at[f.Fingerprint] = i
				number := 0
				if n := numbers[f.Fingerprint]; n != nil {
					number = n.Number
				}
				all = append(all, reportFinding(f, number))
			}
			into := &all[i]
			if f.Severity.Weight() > into.Severity.Weight() {
				sources := into.Sources
				*into = reportFinding(f, into.Number)
				into.Sources = sources
			}
			if !slices.Contains(into.Sources, string(id)) {
				into.Sources = append(into.Sources, string(id))
			}
		}
	}
	return all
}

// withheldFinding is a finding that would be part of the review.
func withheldFinding(f *ReportFinding, reason string) ReportWithheld {
	return ReportWithheld{
		Fingerprint: f.Fingerprint, Title: f.Title, File: f.File, FileBase64: f.FileBase64, LineStart: f.LineStart,
		LineEnd: f.LineEnd, Source: strings.Join(f.Sources, ","), Reason: reason, Number: f.Number,
		Severity: f.Severity, Category: f.Category, Rule: f.Rule,
	}
}

func reportFinding(f events.Finding, number int) ReportFinding {
	return ReportFinding{
		Fingerprint: f.Fingerprint, Number: number, Severity: f.Severity, Category: f.Category, Title: f.Title,
		File: f.File, FileBase64: f.FileBase64, LineStart: f.LineStart, LineEnd: f.LineEnd,
		Placement: f.Placement, PlacementReason: f.PlacementReason, Body: f.Body, Suggestion: f.Suggestion,
		SuggestionReason: f.SuggestionReason, Rule: f.Rule,
	}
}

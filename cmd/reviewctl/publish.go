package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/render"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/findings"
)

// posting is a run's review as its forge is to show it, from the log alone: what a
// publication needs is on record. (ARCHITECTURE, rule 6)
func (s *Station) posting(ctx context.Context, job actors.PublishJob) (*render.Review, error) {
	report, err := buildReport(ctx, s.Log, job.Run)
	if err != nil {
		return nil, err
	}
	r := toPost(report)
	if err := s.aboutRun(ctx, job, r); err != nil {
		return nil, err
	}
	var known []findings.Finding
	if err := s.Rows.Look(ctx, func(rows projections.Rows) (err error) {
		known, err = findings.OfPR(ctx, rows, job.PR)
		return err
	}, findings.Name); err != nil {
		return nil, err
	}
	titles := map[int]string{}
	for i := range known {
		titles[known[i].Number] = known[i].Title
	}
	for i := range r.Fixed {
		r.Fixed[i].Title = titles[r.Fixed[i].Number]
	}
	return r, nil
}

// aboutRun adds what the report of `review` does not say.
func (s *Station) aboutRun(ctx context.Context, job actors.PublishJob, r *render.Review) error {
	err := eachPayload(ctx, s.Log, events.RunStream(job.Run), func(e *events.Event, p events.Payload) {
		started, ok := p.(*events.RunStarted)
		if !ok {
			return
		}
		r.BaseRef, r.Approve = started.BaseRef, started.Approve
		var decided events.Decided
		if json.Unmarshal([]byte(e.Decided), &decided) == nil {
			r.Rules = decided.Rules
		}
	})
	if err != nil {
		return err
	}
	return eachPayload(ctx, s.Log, job.PR, func(_ *events.Event, p events.Payload) {
		if adopted, ok := p.(*events.VerdictAdopted); ok && adopted.Head != job.Head {
			r.Again = true
		}
	})
}

// toPost is the report of `review` as the forge's adapter takes it.
func toPost(report *ReviewReport) *render.Review {
	r := &render.Review{
		Run: report.Run, Repo: report.Repo, Number: report.Number, Head: report.Head, Base: report.Base,
		MergeBase: report.MergeBase, BaseNote: report.BaseNote, Verdict: report.Verdict, Outcome: report.Outcome,
		Reason: report.Reason, Counts: report.Counts,
	}
	for i := range report.Findings {
		r.Findings = append(r.Findings, findingToPost(&report.Findings[i]))
	}
	for _, f := range report.Fixed {
		r.Fixed = append(r.Fixed, render.Fixed{Number: f.Number})
	}
	for i := range report.Withheld {
		w := &report.Withheld[i]
		r.Withheld = append(r.Withheld, render.Withheld{
			Number: w.Number, Title: w.Title, File: w.File, FileBase64: w.FileBase64, LineStart: w.LineStart,
			LineEnd: w.LineEnd, Source: w.Source, Reason: w.Reason,
		})
	}
	for _, c := range report.Coverage {
		r.Coverage = append(r.Coverage, render.Coverage{
			File: c.File, FileBase64: c.FileBase64, Status: string(c.Status), Reason: c.Reason,
		})
	}
	for i := range report.Lanes {
		l := &report.Lanes[i]
		r.Lanes = append(r.Lanes, render.Lane{
			ID: l.ID, Kind: l.Kind, Role: l.Role, Phase: l.Phase, Engine: l.Engine, Model: l.Model,
			Status: l.Status, Reason: l.Reason, Usage: l.Usage,
		})
	}
	return r
}

func findingToPost(f *ReportFinding) render.Finding {
	return render.Finding{
		Number: f.Number, Sources: f.Sources,
		Finding: events.Finding{
			Fingerprint: f.Fingerprint, Dedupe: events.DedupeKey(f.File, f.Category, f.Title, f.Body),
			Severity: f.Severity, Category: f.Category, Title: f.Title, File: f.File, FileBase64: f.FileBase64,
			LineStart: f.LineStart, LineEnd: f.LineEnd, Body: f.Body, Suggestion: f.Suggestion,
			SuggestionReason: f.SuggestionReason, Rule: f.Rule, Placement: f.Placement,
			PlacementReason: f.PlacementReason,
		},
	}
}

// holds says why a job is not the holder of its publication's lease, from the log:
// a process that was frozen remembers what is long over. (hard-parts §4)
func (s *Station) holds(ctx context.Context, job actors.PublishJob) error {
	var state pr.State
	if err := eachPayload(ctx, s.Log, job.PR, func(e *events.Event, p events.Payload) {
		pr.Fold(&state, e, p)
	}); err != nil {
		return fmt.Errorf("read %s: %w", job.PR, err)
	}
	p := state.Publication
	switch {
	case p == nil:
		return errors.New("the publication is over")
	case p.Run != job.Run || p.Try != job.Try:
		return fmt.Errorf("run %s publishes in try %d now", p.Run, p.Try)
	case p.Owner != s.Boots.own:
		return errors.New("its lease is over, or another process holds it")
	}
	return nil
}

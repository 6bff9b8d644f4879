package main

import (
	"context"
	"slices"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/findings"
)

// priorFindings reads what a lane's engine said of the pull request before and what
// is still open, by number. A lane is named by its engine.
func (s *Station) priorFindings(ctx context.Context, job actors.LaneJob) ([]session.Prior, error) {
	var all []findings.Finding
	err := s.Rows.Look(ctx, func(rows projections.Rows) (err error) {
		all, err = findings.OfPR(ctx, rows, job.PR)
		return err
	}, findings.Name)
	var mine []session.Prior
	for i := range all {
		f := &all[i]
		if f.State != findings.StateOpen || !slices.Contains(f.Sources, job.Key.Lane) {
			continue
		}
		mine = append(mine, session.Prior{
			Fingerprint: f.Fingerprint, Number: f.Number, Severity: f.Severity, Category: f.Category,
			Title: f.Title, File: f.File, LineStart: f.LineStart, LineEnd: f.LineEnd,
		})
	}
	slices.SortFunc(mine, func(a, b session.Prior) int { return a.Number - b.Number })
	return mine, err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	rendering "github.com/reviewctl/reviewctl/adapters/github/render"
	"github.com/reviewctl/reviewctl/events"
)

// fold reads a stream of the day's log.
func (d *day) fold(ctx context.Context, stream events.StreamName, apply func(*events.Event, events.Payload)) error {
	var bad error
	err := d.log.ReadStream(ctx, stream, 0, func(e *events.Event) bool {
		var p events.Payload
		if p, bad = events.Decode(e); bad == nil {
			apply(e, p)
		}
		return bad == nil
	})
	return errors.Join(err, bad)
}

// owns says why a job does not hold its publication's lease, or nil.
func (d *day) owns(ctx context.Context, job actors.PublishJob) error {
	var s pr.State
	if err := d.fold(ctx, job.PR, func(e *events.Event, p events.Payload) { pr.Fold(&s, e, p) }); err != nil {
		return err
	}
	if p := s.Publication; p == nil || p.Run != job.Run || p.Try != job.Try || !p.Active() {
		return fmt.Errorf("%s: try %d of run %s does not hold the lease", job.PR, job.Try, job.Run)
	}
	return nil
}

// content is the review of a run, as far as these engines have one.
func (d *day) content(ctx context.Context, job actors.PublishJob) (*rendering.Review, error) {
	r := &rendering.Review{Run: job.Run, Head: job.Head, Base: job.Base}
	var raised []events.Finding
	numbers := map[events.Fingerprint]int{}
	err := d.fold(ctx, events.RunStream(job.Run), func(_ *events.Event, p events.Payload) {
		switch p := p.(type) {
		case *events.RunStarted:
			r.Repo, r.Number, r.BaseRef, r.Approve = p.Repo, p.Number, p.BaseRef, p.Approve
		case *events.WorkspaceReady:
			r.MergeBase = p.MergeBase
			for _, f := range p.Files {
				r.Coverage = append(r.Coverage, rendering.Coverage{File: f.Path, Status: "reviewed"})
			}
		case *events.FindingRaised:
			raised = append(raised, p.Finding)
		case *events.VerdictReached:
			r.Verdict, r.Outcome, r.Counts, r.Reason = p.Verdict, p.Outcome, p.Counts, p.Why.Text
			for _, n := range p.Numbers {
				numbers[n.Fingerprint] = n.Number
			}
		}
	})
	for _, f := range raised {
		known := slices.ContainsFunc(r.Findings, func(other rendering.Finding) bool { return other.Fingerprint == f.Fingerprint })
		if n := numbers[f.Fingerprint]; n != 0 && !known {
			r.Findings = append(r.Findings, rendering.Finding{Finding: f, Number: n})
		}
	}
	slices.SortFunc(r.Findings, func(a, b rendering.Finding) int { return a.Number - b.Number })
	return r, err
}

// nameOf is a repository's name by its id.
func (d *day) nameOf(id string) (events.RepoName, bool) {
	for _, repo := range d.repos {
		if fmt.Sprint(repo.ID) == id {
			return repo.Name(), true
		}
	}
	return "", false
}

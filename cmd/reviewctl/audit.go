package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/status"
)

// Run decides everything again from the record. It calls no engine and writes
// nothing.
func (c *AuditCmd) Run(app *App) error {
	files, err := app.openToLook()
	if err != nil {
		return err
	}
	defer files.Close()
	a := newAuditor(app.Context, files, c.Since.Time(clock{}.Now()))
	if !c.All {
		if a.about, err = c.matters(app.Context, files); err != nil {
			return err
		}
	}
	if err := a.run(app.Context, files.Log); err != nil {
		return err
	}
	if err := app.Print.Answer(&a.answer); err != nil {
		return err
	}
	return a.answer.Result()
}

// matters says what the subject's decisions are about: the streams of the pull
// request and of its runs, and the runs on shared streams.
func (c *AuditCmd) matters(ctx context.Context, files *Files) (map[string]bool, error) {
	subject, err := c.Subject.Subject()
	if err != nil {
		return nil, err
	}
	about := map[string]bool{}
	add := func(id events.RunID) { about[string(events.RunStream(id))], about[string(id)] = true, true }
	return about, files.Look(ctx, func(rows projections.Rows) error {
		clear(about)
		if subject.Run != "" {
			id, err := findRun(ctx, rows, subject.Run)
			if err == nil {
				add(id)
			}
			return err
		}
		pr, err := findPR(ctx, rows, subject.PR)
		if err != nil {
			return err
		}
		about[string(pr.Stream)] = true
		runs, err := status.GetRuns(ctx, rows, projections.Filter{Repo: string(pr.Repo)})
		for i := range runs.Items {
			if runs.Items[i].Stream == pr.Stream {
				add(runs.Items[i].Run)
			}
		}
		return err
	})
}

// auditor reads the log once, in its order, and counts the decisions that are
// asked for. All are made again, since each rests on those before it.
type auditor struct {
	audit  *actors.Audit
	chain  *verifier
	about  map[string]bool // streams and runs; nil = everything
	since  time.Time
	answer AuditAnswer
	wrong  map[events.Ref]bool // decisions, by their first event
}

func newAuditor(ctx context.Context, files *Files, since time.Time) *auditor {
	return &auditor{
		audit: actors.NewAudit(func(s events.StreamName, from events.Version, yield func(*events.Event) bool) error {
			return files.Log.ReadStream(ctx, s, from, yield)
		}),
		chain: newVerifier(), since: since, wrong: map[events.Ref]bool{},
		answer: AuditAnswer{Mismatched: []AuditMismatch{}, Chain: ChainIntact},
	}
}

func (a *auditor) run(ctx context.Context, log events.Store) error {
	var failed error
	err := log.ReadAll(ctx, 0, func(e *events.Event) bool {
		if a.chain.answer.Chain == ChainIntact && !a.chain.take(e) {
			a.answer.Chain = ChainBroken + " at " + a.chain.answer.At.String()
		}
		failed = a.observe(e)
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	for _, m := range a.audit.End() {
		a.mismatch(m, events.Ref{})
	}
	if a.chain.answer.Chain == ChainIntact {
		a.chain.checkSeals()
		if a.chain.answer.Chain == ChainBroken {
			a.answer.Chain = ChainBroken + " at " + a.chain.answer.At.String()
		}
	}
	a.answer.Identical = a.answer.Checked - len(a.wrong)
	return nil
}

func (a *auditor) observe(e *events.Event) error {
	before := a.audit.Counts.Decisions
	found, err := a.audit.Observe(e)
	if err != nil {
		return err
	}
	if e.Time.Before(a.since) || (a.about != nil && !a.about[string(e.Stream)] && !a.about[e.Correlation]) {
		return nil
	}
	a.answer.Checked += a.audit.Counts.Decisions - before
	for _, m := range found {
		a.mismatch(m, firstOf(e))
	}
	return nil
}

// firstOf cites the first event of the decision that an event is part of.
func firstOf(e *events.Event) events.Ref {
	var d events.Decided
	if json.Unmarshal([]byte(e.Decided), &d) == nil && d.With != nil {
		return events.Ref{Stream: e.Stream, Version: *d.With}
	}
	return e.Ref()
}

func (a *auditor) mismatch(m actors.Mismatch, decision events.Ref) {
	if decision.Stream == "" {
		decision = m.Event
	}
	a.wrong[decision] = true
	a.answer.Mismatched = append(a.answer.Mismatched, AuditMismatch{
		Event: m.Event, Kind: m.Why, Recorded: m.Recorded, Recomputed: m.Recomputed,
	})
}

package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/catalogue"
	"github.com/reviewctl/reviewctl/projections/explain"
	"github.com/reviewctl/reviewctl/projections/status"
)

// look opens the log and reads rows that are caught up: as of now, waiting for at
// most --wait, or as of --at. A looking verb never makes a log.
func (l *Looking) look(app *App, read func(ctx context.Context, f *Files, rows projections.Rows, now time.Time) error) error {
	files, err := app.openToLook()
	if err != nil {
		return err
	}
	defer files.Close()
	now := clock{}.Now()
	if at := l.At.Time(now); !at.IsZero() {
		rows, report, err := projections.AsOf(app.Context, files.Log, catalogue.All(), at)
		if err != nil {
			return err
		}
		if err := report.Err(); err != nil {
			return err
		}
		return read(app.Context, files, rows, at)
	}
	ctx, cancel := context.WithTimeout(app.Context, l.Wait)
	defer cancel()
	return files.Look(ctx, func(rows projections.Rows) error { return read(ctx, files, rows, now) })
}

// recast gives a read model's answer the type that is printed.
func recast(from, to any) error {
	b, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

// Run prints the line.
func (c *QueueCmd) Run(app *App) error {
	return c.look(app, func(ctx context.Context, _ *Files, rows projections.Rows, now time.Time) error {
		report, err := status.Queue(ctx, rows)
		if err != nil {
			return err
		}
		if err := report.Estimate(ctx, rows, now); err != nil {
			return err
		}
		answer := QueueAnswer{Items: []QueueItem{}}
		if err := recast(report, &answer); err != nil {
			return err
		}
		return app.Print.Answer(&answer)
	})
}

// Run says why.
func (c *ExplainCmd) Run(app *App) error {
	subject, err := c.Subject.Subject()
	if err != nil {
		return err
	}
	return c.look(app, func(ctx context.Context, _ *Files, rows projections.Rows, _ time.Time) error {
		report, err := explainSubject(ctx, rows, subject)
		if err != nil {
			return err
		}
		var answer ExplainAnswer
		if err := recast(report, &answer); err != nil {
			return err
		}
		return app.Print.Answer(&answer)
	})
}

func explainSubject(ctx context.Context, rows projections.Rows, s Subject) (*explain.Report, error) {
	if s.Run != "" {
		id, err := findRun(ctx, rows, s.Run)
		if err != nil {
			return nil, err
		}
		return explain.Run(ctx, rows, id)
	}
	pr, err := findPR(ctx, rows, s.PR)
	if err != nil {
		return nil, err
	}
	return explain.PR(ctx, rows, pr.Stream)
}

// findRun finds the one run whose id begins so.
func findRun(ctx context.Context, rows projections.Rows, prefix string) (events.RunID, error) {
	runs, err := status.RunsByPrefix(ctx, rows, prefix)
	switch {
	case err != nil:
		return "", err
	case len(runs) == 0:
		return "", NotFound("run", prefix)
	case len(runs) > 1:
		some := make([]string, 0, len(runs))
		for i := range runs[:min(len(runs), 5)] {
			some = append(some, string(runs[i].Run))
		}
		return "", Ambiguous("run", prefix, some)
	}
	return runs[0].Run, nil
}

func findPR(ctx context.Context, rows projections.Rows, ref PRRef) (*status.PR, error) {
	pr, err := status.FindPR(ctx, rows, ref.Repo, ref.Number)
	if err == nil && pr == nil {
		err = NotFound("pull request", ref.String())
	}
	return pr, err
}

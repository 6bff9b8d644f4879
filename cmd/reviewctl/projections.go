package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/catalogue"
)

// ProjectionsAnswer is what `projections status` and `rebuild` print.
type ProjectionsAnswer struct {
	Position events.Position  `json:"position"` // of the newest event that a read model has seen
	Items    []ProjectionItem `json:"items"`
}

// ProjectionItem is one read model.
type ProjectionItem struct {
	Name     projections.ViewName `json:"name"`
	Version  int                  `json:"version"` // of its shape; 0 = never built
	Position events.Position      `json:"position"`
	Event    events.Ref           `json:"event"` // the last event that it has seen; "" = none
	Updated  *time.Time           `json:"updated"`
	Unknown  int64                `json:"unknown"` // events skipped because this version does not know them
	Stopped  *ProjectionStop      `json:"stopped"` // nil = it goes on
}

// ProjectionStop says why a read model cannot go on.
type ProjectionStop struct {
	Event events.Ref `json:"event"` // before which it stopped; "" = no event is to blame
	Error string     `json:"error"`
}

// Result is nil, or ErrAnswerNo where one is stopped.
func (a *ProjectionsAnswer) Result() error {
	for i := range a.Items {
		if a.Items[i].Stopped != nil {
			return ErrAnswerNo
		}
	}
	return nil
}

func projectionsAnswer(report projections.Report, name string) *ProjectionsAnswer {
	answer := &ProjectionsAnswer{Position: report.Position, Items: []ProjectionItem{}}
	for _, v := range report.Views {
		if name != "" && string(v.View) != name {
			continue
		}
		at := v.Checkpoint
		item := ProjectionItem{Name: v.View, Version: at.Version, Position: at.Position, Event: at.Last, Unknown: at.Unknown}
		if !at.Time.IsZero() {
			time := at.Time.UTC()
			item.Updated = &time
		}
		if s := v.Stopped; s != nil {
			item.Stopped = &ProjectionStop{Event: s.At, Error: s.Err.Error()}
		}
		answer.Items = append(answer.Items, item)
	}
	return answer
}

// checkView refuses a read model that is not there, with the names of those that
// are.
func checkView(name string) error {
	var names []string
	for _, v := range catalogue.All() {
		if name == "" || string(v.Name) == name {
			return nil
		}
		names = append(names, string(v.Name))
	}
	return &CLIError{
		Code: CodeNotFound, What: "no such read model", Subject: name, Remedy: "name one of " + strings.Join(names, ", "),
		Err: projections.ErrNoView,
	}
}

// Run shows how far the read models are, once they had time to catch up.
func (c *ProjectionsStatusCmd) Run(app *App) error {
	return withViews(app, c.Name, func(files *Files) (projections.Report, error) {
		ctx, cancel := context.WithTimeout(app.Context, c.Wait)
		defer cancel()
		report, err := files.CatchUp(ctx)
		if errors.Is(err, context.DeadlineExceeded) && app.Context.Err() == nil {
			app.Progress("the read models are behind the log still")
			return files.Rows.Report(app.Context)
		}
		return report, err
	})
}

// Run builds them again from the whole log.
func (c *ProjectionsRebuildCmd) Run(app *App) error {
	return withViews(app, c.Name, func(files *Files) (projections.Report, error) {
		before, err := files.Rows.Report(app.Context)
		if err != nil {
			return before, err
		}
		if files.unkept != nil {
			return before, fmt.Errorf("rebuild the read models: %w", files.unkept)
		}
		bar := newProgressBar(app, "rebuilding", int64(before.Position))
		defer bar.end()
		runner := projections.NewRunner(files.Log, &watchedRows{Rows: files.Stored, bar: bar}, catalogue.All())
		var names []projections.ViewName
		if c.Name != "" {
			names = append(names, projections.ViewName(c.Name))
		}
		rebuilt, err := runner.Rebuild(app.Context, names...)
		if err != nil {
			return projections.Report{}, err
		}
		report, err := runner.CatchUp(app.Context) // the others say where they are, too
		for i := range report.Views {
			if report.Views[i].Stopped == nil {
				report.Views[i].Stopped = rebuilt.Stopped(report.Views[i].View)
			}
		}
		return report, err
	})
}

// withViews opens the log, works on its read models, and prints how far they are.
func withViews(app *App, name string, work func(*Files) (projections.Report, error)) error {
	if err := checkView(name); err != nil {
		return err
	}
	files, err := app.openToLook()
	if err != nil {
		return err
	}
	defer files.Close()
	report, err := work(files)
	if err != nil {
		return err
	}
	answer := projectionsAnswer(report, name)
	if err := app.Print.Answer(answer); err != nil {
		return err
	}
	return answer.Result()
}

// watchedRows tells a progress bar how far what is being built is.
type watchedRows struct {
	projections.Rows
	bar *progressBar
}

// Commit serves projections.Rows.
func (w *watchedRows) Commit(ctx context.Context, b projections.Batch) error {
	err := w.Rows.Commit(ctx, b)
	if err == nil {
		w.bar.at(int64(b.To.Position))
	}
	return err
}

func (a *ProjectionsAnswer) text(p *Printer) string {
	var b strings.Builder
	rows := make([][]string, len(a.Items))
	for i := range a.Items {
		item := &a.Items[i]
		state, updated := "up to date", ""
		switch {
		case item.Stopped != nil:
			state = "stopped"
		case item.Position < a.Position:
			state = fmt.Sprintf("%d behind", a.Position-item.Position)
		}
		if item.Updated != nil {
			updated = item.Updated.Format(time.RFC3339)
		}
		rows[i] = []string{
			string(item.Name), state, strconv.FormatUint(uint64(item.Position), 10), eventOrDash(item.Event), updated,
			strconv.FormatInt(item.Unknown, 10),
		}
	}
	b.WriteString(table([]string{"NAME", "STATE", "POSITION", "EVENT", "UPDATED", "UNKNOWN"}, rows))
	for i := range a.Items {
		if s := a.Items[i].Stopped; s != nil {
			fmt.Fprintf(&b, "\n%s\n", p.paint("1;31", Plain(fmt.Sprintf("%s is stopped before %s: %s", a.Items[i].Name, eventOrDash(s.Event), s.Error))))
			fmt.Fprintf(&b, "  → reviewctl verify --all; then, with a version that knows the event, reviewctl projections rebuild %s\n", a.Items[i].Name)
		}
	}
	return b.String()
}

func eventOrDash(ref events.Ref) string {
	if ref.Stream == "" {
		return "-"
	}
	return ref.String()
}

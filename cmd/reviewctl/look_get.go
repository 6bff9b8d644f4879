package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/findings"
	"github.com/reviewctl/reviewctl/projections/history"
	"github.com/reviewctl/reviewctl/projections/label"
	"github.com/reviewctl/reviewctl/projections/ledger"
	"github.com/reviewctl/reviewctl/projections/status"
)

// Run lists one read model.
func (c *GetCmd) Run(app *App) error {
	return c.look(app, func(ctx context.Context, f *Files, rows projections.Rows, now time.Time) error {
		filter := projections.Filter{
			ID: c.ID, Repo: c.Repo, State: c.State, Since: c.Since.Time(now), Limit: c.Limit, After: c.Cursor,
		}
		page, err := models[c.Model].list(ctx, f, rows, filter)
		if errors.Is(err, projections.ErrCursor) {
			return wrongUsage("this is not a cursor of this list: "+c.Cursor, "copy it from `next` of the page before, and keep the other flags")
		}
		if err != nil {
			return err
		}
		answer := GetAnswer{Items: []json.RawMessage{}}
		if err := recast(page, &answer); err != nil {
			return err
		}
		if c.ID != "" && len(answer.Items) == 0 {
			if err := c.find(ctx, f, rows); err != nil {
				return err
			}
		}
		return app.Print.Answer(&answer)
	})
}

// find tells an ID that is not there from one that the other flags leave out.
func (c *GetCmd) find(ctx context.Context, f *Files, rows projections.Rows) error {
	page, err := models[c.Model].list(ctx, f, rows, projections.Filter{ID: c.ID, Limit: 1})
	if err != nil {
		return err
	}
	var found GetAnswer
	if err := recast(page, &found); err != nil {
		return err
	}
	if len(found.Items) == 0 {
		return NotFound(models[c.Model].noun, c.ID)
	}
	return nil
}

// model is a read model that can be listed. Each says what an ID means to it.
type model struct {
	noun string // what one item is
	list func(context.Context, *Files, projections.Rows, projections.Filter) (any, error)
}

var models = map[string]model{
	"prs":      {"pull request", getPRs},
	"heads":    {"head", getHeads},
	"runs":     {"run", getRuns},
	"lanes":    {"lane", getLanes},
	"findings": {"finding", getFindings},
	"pools":    {"pool", getPools},
	"accounts": {"account", getAccounts},
	"labels":   {"pull request", getLabels},
	"ledger":   {"entry", getLedger},
}

// onlyPR returns the one pull request that an ID names, OWNER/REPO#N or its stream.
func onlyPR(ctx context.Context, rows projections.Rows, id string) (*status.PR, error) {
	if !strings.Contains(id, "#") {
		return status.PRByStream(ctx, rows, events.StreamName(id))
	}
	ref, err := ParsePR(id)
	if err != nil {
		return nil, err
	}
	return status.FindPR(ctx, rows, ref.Repo, ref.Number)
}

// fits reports whether an item that was found by its ID is what the flags ask for.
func fits(f projections.Filter, repo events.RepoName, state string, updated time.Time) bool {
	return (f.Repo == "" || f.Repo == string(repo)) && (f.State == "" || f.State == state) && !updated.Before(f.Since)
}

// PRDetail is the one pull request that was asked for, with what happened to it.
type PRDetail struct {
	status.PR

	History []history.Entry `json:"history"`
}

func getPRs(ctx context.Context, _ *Files, rows projections.Rows, f projections.Filter) (any, error) {
	if f.ID == "" {
		return status.GetPRs(ctx, rows, f)
	}
	page := projections.Page[PRDetail]{Items: []PRDetail{}}
	pr, err := onlyPR(ctx, rows, f.ID)
	if err != nil || pr == nil || !fits(f, pr.Repo, string(pr.State), pr.Updated) {
		return page, err
	}
	story, err := history.Of(ctx, rows, pr.Stream)
	page.Items = append(page.Items, PRDetail{PR: *pr, History: story})
	return page, err
}

func getLabels(ctx context.Context, _ *Files, rows projections.Rows, f projections.Filter) (any, error) {
	if f.ID == "" {
		return label.Get(ctx, rows, f)
	}
	page := projections.Page[label.Row]{Items: []label.Row{}}
	pr, err := onlyPR(ctx, rows, f.ID)
	if err != nil || pr == nil {
		return page, err
	}
	wanted, err := label.RowOf(ctx, rows, pr.Stream)
	if err == nil && wanted != nil && fits(f, wanted.Repo, string(wanted.Label), wanted.Updated) {
		page.Items = append(page.Items, *wanted)
	}
	return page, err
}

// getHeads takes the beginning of a commit, which several pull requests may have,
// or a pull request.
func getHeads(ctx context.Context, _ *Files, rows projections.Rows, f projections.Filter) (any, error) {
	switch {
	case f.ID == "":
		return status.GetHeads(ctx, rows, f)
	case strings.ContainsAny(f.ID, "#/"):
		pr, err := onlyPR(ctx, rows, f.ID)
		if err != nil || pr == nil {
			return projections.Page[status.Head]{Items: []status.Head{}}, err
		}
		f.ID = string(pr.Stream) + "/"
		return status.GetHeads(ctx, rows, f)
	}
	page, err := status.HeadsByPrefix(ctx, rows, f)
	if err != nil {
		return nil, err
	}
	var commits []string
	for i := range page.Items {
		commits = append(commits, string(page.Items[i].Head))
	}
	return page, oneOf("head", f.ID, commits)
}

// oneOf is an error where a prefix stands for several.
func oneOf(kind, prefix string, ids []string) error {
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) > 1 {
		return Ambiguous(kind, prefix, ids[:min(len(ids), 5)])
	}
	return nil
}

// RunDetail is the one run that was asked for, with what happened in it and, once
// it has ended, what its lanes covered and where its time went.
type RunDetail struct {
	status.Run

	History  []history.Entry  `json:"history"`
	Coverage []ReportCoverage `json:"coverage,omitempty"`
	Timing   *ReportTiming    `json:"timing,omitempty"`
}

func getRuns(ctx context.Context, files *Files, rows projections.Rows, f projections.Filter) (any, error) {
	if f.ID == "" {
		return status.GetRuns(ctx, rows, f)
	}
	id, err := findRun(ctx, rows, f.ID)
	if err != nil {
		return nil, err
	}
	run, err := status.RunOf(ctx, rows, id)
	if err != nil || run == nil || !fits(f, run.Repo, string(run.State), run.Updated) {
		return projections.Page[RunDetail]{Items: []RunDetail{}}, err
	}
	detail := RunDetail{Run: *run}
	if detail.History, err = history.OfRun(ctx, rows, id); err != nil {
		return nil, err
	}
	if run.State == status.StateEnded {
		report, err := buildReport(ctx, files.Log, id)
		if err != nil {
			return nil, err
		}
		detail.Coverage, detail.Timing = report.Coverage, &report.Timing
	}
	return projections.Page[RunDetail]{Items: []RunDetail{detail}}, nil
}

// getLanes takes a run, or run/lane, by any unambiguous prefix of the run.
func getLanes(ctx context.Context, _ *Files, rows projections.Rows, f projections.Filter) (any, error) {
	if f.ID != "" {
		prefix, lane, _ := strings.Cut(f.ID, "/")
		run, err := findRun(ctx, rows, prefix)
		if err != nil {
			return nil, err
		}
		f.ID = string(run) + "/" + lane
	}
	return status.GetLanes(ctx, rows, f)
}

// getFindings takes a pull request, a run or a fingerprint.
func getFindings(ctx context.Context, _ *Files, rows projections.Rows, f projections.Filter) (any, error) {
	switch {
	case f.ID == "" || strings.Contains(f.ID, "/") && !strings.Contains(f.ID, "#"):
		return findings.Get(ctx, rows, f)
	case strings.Contains(f.ID, "#"):
		pr, err := onlyPR(ctx, rows, f.ID)
		if err != nil || pr == nil {
			return projections.Page[findings.Finding]{Items: []findings.Finding{}}, err
		}
		return findingsWhere(ctx, rows, f, func(x *findings.Finding) bool { return x.Stream == pr.Stream })
	}
	prefix := f.ID
	runs, err := status.RunsByPrefix(ctx, rows, prefix)
	if err != nil {
		return nil, err
	}
	if len(runs) == 1 {
		f.ID = string(runs[0].Run) + "/"
		return findings.Get(ctx, rows, f)
	}
	return findingsWhere(ctx, rows, f, func(x *findings.Finding) bool { return strings.HasPrefix(string(x.Fingerprint), prefix) })
}

// findingsWhere lists the findings that keep says true for, up to the limit.
func findingsWhere(ctx context.Context, rows projections.Rows, f projections.Filter, keep func(*findings.Finding) bool) (any, error) {
	limit := f.Limit
	f.ID, f.Limit = "", 0
	page, err := findings.Get(ctx, rows, f)
	page.Items = slices.DeleteFunc(page.Items, func(x findings.Finding) bool { return !keep(&x) })
	page.Items = page.Items[:min(limit, len(page.Items))]
	return page, err
}

func getPools(ctx context.Context, _ *Files, rows projections.Rows, f projections.Filter) (any, error) {
	page, err := status.GetPools(ctx, rows, f)
	if err != nil || f.ID == "" {
		return page, err
	}
	page.Items, err = named(page.Items, "pool", f.ID, func(p *status.Pool) string { return string(p.Pool) })
	return page, err
}

func getAccounts(ctx context.Context, _ *Files, rows projections.Rows, f projections.Filter) (any, error) {
	page, err := status.GetAccounts(ctx, rows, f)
	if err != nil || f.ID == "" {
		return page, err
	}
	page.Items, err = named(page.Items, "account", f.ID, func(a *status.Account) string { return string(a.Account) })
	return page, err
}

// named leaves the one item of that name, or the only one that begins with it.
func named[T any](items []T, kind, name string, of func(*T) string) ([]T, error) {
	var names []string
	for i := range items {
		if of(&items[i]) == name {
			return items[i : i+1], nil
		}
		names = append(names, of(&items[i]))
	}
	return items, oneOf(kind, name, names)
}

// getLedger lists reservations and what became of them. An ID is an account, or
// account/run.
func getLedger(ctx context.Context, _ *Files, rows projections.Rows, f projections.Filter) (any, error) {
	if f.ID != "" && !strings.Contains(f.ID, "/") {
		f.ID += "/"
	}
	return ledger.Get(ctx, rows, f)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/localgit"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/events"
)

// InterruptGrace is how long an interrupted review may take to stop its engines.
const InterruptGrace = 20 * time.Second

// Run reviews one change with the actors that serve uses, in this process.
func (c *ReviewCmd) Run(app *App) error {
	config, err := LoadConfig(app.Globals, app.Env)
	if err != nil {
		return err
	}
	policy, err := config.ReadPolicy(c.Policy)
	if err != nil {
		return err
	}
	change, err := c.change(app, config)
	if err != nil {
		return err
	}
	if change.forge == nil { // a pull request's own configuration is its author's, not ours
		if err := change.ownConfig(app.Context, config, c.Policy); err != nil {
			return err
		}
	}
	engines, err := c.engines(config, change.repository)
	if err != nil {
		return err
	}
	files, err := app.openFiles(config, true)
	if err != nil {
		return err
	}
	defer files.Close()
	report, posting, err := runReview(app, files, reviewJob{config: config, policy: policy, change: change, engines: engines})
	if err != nil {
		return err
	}
	if err := app.Print.Review(report, c.Format); err != nil {
		return err
	}
	if posting != nil {
		return posting
	}
	if err := report.Result(c.FailOn); !errors.Is(err, ErrNotDone) {
		return err
	}
	return notDone(app, report)
}

// notDone says on stderr why there is no review, or not a whole one.
func notDone(app *App, r *ReviewReport) error {
	what := &CLIError{Code: CodeNotRun, What: "the review is " + string(r.Outcome), Subject: r.Reason}
	switch {
	case !r.Until.IsZero():
		what.Remedy = "run it again after " + r.Until.UTC().Format(time.RFC3339)
	case r.Run != "":
		what.Remedy = "reviewctl explain " + string(r.Run)
	}
	if app.Quiet {
		return ErrNotDone
	}
	return what
}

// engines are those of the flags, else the repository's, else the policy's.
func (c *ReviewCmd) engines(config *Config, repository *RepositoryConfig) ([]events.EngineName, error) {
	names := c.Engine
	if len(names) == 0 && repository != nil {
		names = repository.Engines
	}
	engines := make([]events.EngineName, 0, len(names))
	for _, name := range names {
		if _, err := config.Engine(events.EngineName(name)); err != nil {
			return nil, err
		}
		engines = append(engines, events.EngineName(name))
	}
	return engines, nil
}

type reviewJob struct {
	config  *Config
	policy  Policy
	change  *localChange
	engines []events.EngineName
}

// runReview starts a station of its own, asks for the run, and waits for its end.
// unposted is why its review does not stand on the forge, where it should.
func runReview(outer *App, files *Files, job reviewJob) (report *ReviewReport, unposted, err error) {
	app, watch, drawn := withBoard(outer)
	defer drawn()
	watch.daemon = files.Home.DaemonRuns
	posting := newPosting()
	line, trouble := newPlaces(watch.place, files.Rows, app.Logger()), newTrouble(files.Home)
	station, err := startStation(app.Context, files, StationConfig{
		Config: job.config, Policy: job.policy, Logger: app.Logger(),
		Watch: func(e *events.Event, p events.Payload) {
			watch.observe(e, p)
			line.observe(p)
			trouble.observe(p)
			posting.observe(p)
		},
		Hub:         job.postsTo(),
		Undelivered: trouble.undelivered,
		Configs:     !files.Home.DaemonRuns(),
		Locate: func(events.RepoName) (workspace.Place, error) {
			place := *job.change.place.Load()
			place.Exclude = job.config.excludedPaths(job.change.repository)
			return place, nil
		},
	})
	if err != nil {
		return nil, nil, err
	}
	grace := StopGrace
	defer func() { station.stopWithin(grace) }()
	if err := job.takeUncommitted(app, station); err != nil {
		return nil, nil, err
	}
	id, stream, err := ask(app.Context, station, job)
	if err != nil {
		return nil, nil, err
	}
	started := watch.of(id, stream)
	telling := line.begin(app.Context, id)
	defer telling()
	select {
	case <-started.settled:
	case err := <-station.Process.Failed():
		return nil, nil, err
	case err := <-trouble.found:
		grace = troubleGrace
		return nil, nil, err
	case <-app.Context.Done():
		app.Progress("interrupted: stopping the engines and recording the end; once more ends it at once")
		interrupt(station, stream, started)
		return nil, nil, ErrInterrupted
	}
	if report, err = buildReport(app.Context, files.Log, id); err != nil {
		return nil, nil, err
	}
	job.change.complete(report)
	return report, job.post(app, station, posting, stream, id), nil
}

// takeUncommitted takes what is not committed into the change, or says that it is
// not in there.
func (j *reviewJob) takeUncommitted(app *App, s *Station) error {
	switch {
	case j.change.worktree:
		return j.change.addWorktree(app.Context, app, s.Boots.temp(s.Boots.own))
	case j.change.checkedOut && !app.Quiet:
		j.change.tellUncommitted(app.Context, app)
	}
	return nil
}

// withBoard shows how far it is: on a terminal as lines that are drawn over
// themselves, elsewhere a line for each change. What the returned App says stands
// above them; end takes them away.
func withBoard(app *App) (shown *App, watch *runWatch, end func()) {
	file, terminal := isTerminal(app.Stderr, app.Env)
	if !terminal || app.Quiet {
		return app, newRunWatch(app, false), func() {}
	}
	watch = newRunWatch(app, true)
	drawn := newScreen(app.Stderr, sizeOf(file), watch.lines)
	inner := *app
	inner.Stderr = drawn
	return &inner, watch, drawn.end
}

// ask numbers the change and makes its head known. The pull request answers with
// the run that it requests.
func ask(ctx context.Context, s *Station, job reviewJob) (events.RunID, events.StreamName, error) {
	c := job.change
	by := operator()
	if c.forge != nil {
		return askHub(ctx, s, job, by)
	}
	number, err := numberOf(ctx, s, c.repoID, c.ref, by)
	if err != nil {
		return "", "", err
	}
	c.number = number
	stream := events.PRStream(localgit.Host, c.repoID, number)
	if !s.Home.DaemonRuns() {
		if err := heedWords(ctx, s, stream); err != nil {
			return "", "", err
		}
	}
	observed, err := withoutSecrets(ctx, pr.Observe{
		Host: localgit.Host, RepoID: c.repoID, Repo: c.name, Number: number, Ref: c.ref, BaseRef: c.base.Ref,
		Title: c.title(), Author: c.commit.Author.Name, Head: c.head, Base: c.base.Commit, Manual: true,
		Priority: events.PriorityHigh, Owner: s.Boots.own,
		Settings: events.Settings{Engines: job.engines, Target: events.TargetNone},
	})
	if err != nil {
		return "", "", err
	}
	return observe(ctx, s, stream, by, observed)
}

// observe makes a head known, and returns the run that judges it.
func observe(ctx context.Context, s *Station, stream events.StreamName, by string, head events.Command) (events.RunID, events.StreamName, error) {
	answer, err := s.System.Ask(ctx, stream, by, head)
	if err != nil {
		return "", "", err
	}
	id, err := runRequested(ctx, s.Log, answer)
	return id, stream, err
}

// askHub makes the head of a pull request known as it is on GitHub.
func askHub(ctx context.Context, s *Station, job reviewJob, by string) (events.RunID, events.StreamName, error) {
	stream, observed, err := job.change.observeOnHub(ctx, s, job.engines)
	if err != nil {
		return "", "", err
	}
	if !s.Home.DaemonRuns() {
		if err := heedWords(ctx, s, stream); err != nil {
			return "", "", err
		}
	}
	return observe(ctx, s, stream, by, observed)
}

// numberOf returns the number of a branch, or of a range reviewed by hand.
func numberOf(ctx context.Context, s *Station, repoID, ref, by string) (int, error) {
	stream := events.RepoStream(localgit.Host, repoID)
	answer, err := s.System.Ask(ctx, stream, by, repo.NumberBranch{Ref: ref})
	if err != nil {
		return 0, err
	}
	if !answer.Accepted {
		return 0, &events.Refusal{Reason: answer.Reason}
	}
	numbers, err := numbersOf(ctx, s.Log, stream)
	return numbers[ref], err
}

// numbersOf reads the numbers on record in a repository's stream, by ref.
func numbersOf(ctx context.Context, log events.Store, stream events.StreamName) (map[string]int, error) {
	numbers := map[string]int{}
	err := eachPayload(ctx, log, stream, func(_ *events.Event, p events.Payload) {
		if numbered, ok := p.(*events.BranchNumbered); ok {
			numbers[numbered.Ref] = numbered.Number
		}
	})
	return numbers, err
}

func runRequested(ctx context.Context, log events.Store, a shell.Answer) (events.RunID, error) {
	if !a.Accepted {
		return "", &events.Refusal{Reason: a.Reason}
	}
	for _, ref := range a.Events {
		e, err := eventAt(ctx, log, ref)
		if err != nil {
			return "", err
		}
		p, err := events.Decode(e)
		if err != nil {
			return "", err
		}
		if requested, ok := p.(*events.RunRequested); ok {
			return requested.Run, nil
		}
	}
	return "", fmt.Errorf("the pull request asked for no run (%s)", a.Reason)
}

// interrupt cancels the review and waits a moment for its engines to stop.
func interrupt(s *Station, stream events.StreamName, run *watchedRun) {
	ctx, cancel := context.WithTimeout(context.Background(), InterruptGrace)
	defer cancel()
	if _, err := s.System.Ask(ctx, stream, operator(), pr.Cancel{Run: run.id, Reason: "interrupted", Interrupted: true}); err != nil {
		s.log.Warn("run not cancelled", slog.Any("error", err))
		return
	}
	select {
	case <-run.ended:
	case <-ctx.Done():
	}
}

// usageOf sorts git's refusals: what was named is wrong, so that the same call
// will not do.
func usageOf(err error, subject string) error {
	for _, row := range []struct {
		is           error
		what, remedy string
	}{
		{git.ErrNotRepository, "not a git repository", "name a folder within one"},
		{git.ErrNoCommit, "nothing is committed yet", "commit first; for --worktree an empty commit will do"},
		{git.ErrUnknownRef, "no such commit", "name a branch, a tag or a commit that is here"},
		{git.ErrOwnership, "the repository belongs to another user", "run it as that user, or take the repository over"},
		{git.ErrBare, "a bare repository has no uncommitted work", "leave --worktree out"},
		{git.ErrGitMissing, "git is not installed", "install git and call again"},
	} {
		if errors.Is(err, row.is) {
			return &CLIError{Code: CodeUsage, What: row.what, Subject: subject, Remedy: row.remedy, Err: err}
		}
	}
	return err
}

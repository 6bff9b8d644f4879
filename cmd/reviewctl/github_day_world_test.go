package main

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	running "github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/actors/shell/proto"
	"github.com/reviewctl/reviewctl/actors/virtual"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/github/poll"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
	"github.com/reviewctl/reviewctl/events"
)

// The names of a simulated day.
const (
	dayHost = "github.com"
	dayBot  = "reviewbot"
)

// day is a daemon and the GitHub that it serves, in a bubble of virtual time: real
// access, poller, publisher, deciders and actors; a log in memory; a workspace and
// engines that only take time.
type day struct {
	t       testing.TB
	clock   actors.Clock
	params  dayParams
	hub     *githubtest.Server
	calls   *dayCalls
	log     *virtual.Log
	client  *api.Client
	outside *dayOutside
	system  *proto.System
	process *proto.Process
	poller  *poll.Poller
	forge   *publish.Publisher
	figures *dayFigures

	repos []*githubtest.Repo
	pulls []dayPR
}

// dayPR is one pull request as people left it.
type dayPR struct {
	*githubtest.PullRequest

	repo         *githubtest.Repo
	labels       bool // its repository has the labels of verdicts
	draft, ended bool
	heads        int // that it had
}

// stream is the pull request's.
func (p *dayPR) stream() events.StreamName {
	return events.PRStream(dayHost, strconv.FormatInt(p.repo.ID, 10), p.Number)
}

func newDay(t testing.TB, clock actors.Clock, p dayParams) *day {
	t.Helper()
	d := &day{
		t: t, clock: clock, params: p, log: virtual.NewLog(), outside: newDayOutside(p.seed, clock), figures: newDayFigures(), calls: newDayCalls(),
		hub:   githubtest.New(t, githubtest.Params{Clock: clock, NoGit: true, Seed: p.seed}),
		pulls: make([]dayPR, p.pulls),
	}
	d.hub.OnAnswer(d.calls.count)
	token := d.hub.Token(dayBot)
	for i := range p.repos {
		repo := d.hub.Repo(fmt.Sprintf("octo/town%d", i))
		if dayLabels(i) {
			repo.Labels("reviewctl:approved", "reviewctl:changes-requested", "reviewctl:commented")
		}
		d.repos = append(d.repos, repo)
	}
	var err error
	if d.client, err = api.New(api.Params{
		BaseURL: "https://api.github.com/", Token: func() (string, error) { return token, nil },
		Transport: d.hub.RoundTripper(), Clock: clock, Log: slog.New(slog.DiscardHandler),
	}); err != nil {
		t.Fatal(err)
	}
	return d
}

// dayLabels says which repositories have the labels of verdicts.
func dayLabels(repo int) bool { return repo%2 == 0 }

// dayRules have the embedded engine and one that takes minutes, whose budget is
// metered.
func dayRules() actors.Rules {
	r := actors.DefaultRules()
	r.Run.Engines = append(r.Run.Engines, running.EngineRules{
		Engine: "careful", Kind: "exec", Model: "gpt-6", Pool: "gpt", Account: "main", Estimate: 60_000,
		Timeout: (30 * time.Minute).Milliseconds(),
	})
	r.Run.Phase1 = []events.EngineName{"careful", running.StaticEngine}
	return r
}

// start begins the daemon's business.
func (d *day) start() {
	d.t.Helper()
	rules, err := dayRules().Seal()
	if err != nil {
		d.t.Fatal(err)
	}
	d.system = proto.NewSystem(proto.Config{
		Store: d.log, Rules: func() *shell.Rules { return rules }, Boot: "day", Clock: d.clock, Draw: draw,
		Logger: slog.New(slog.DiscardHandler),
	})
	d.tell(events.FleetStream, fleet.Configure{MaxRuns: 32})
	d.tell(events.PoolStream("static"), pool.Configure{Size: 4, Reason: "as configured"})
	d.tell(events.PoolStream("gpt"), pool.Configure{Size: 16, Reason: "as configured"})
	d.tell(events.AccountStream("main"), account.Configure{SessionTokens: 1 << 40})
	d.forge = publish.New(publish.Params{
		Hub: d.client, Content: d.content, Repo: d.nameOf, Owns: d.owns, Clock: d.clock, Log: slog.New(slog.DiscardHandler),
	})
	d.process = proto.StartProcess(d.system, proto.ProcessConfig{
		Daemon: true, After: d.log.Len(), Watch: d.figures.read,
		Ports: actors.Ports{Engine: d.outside, Workspace: d.outside, Forge: d.forge},
	})
	d.poller = poll.New(poll.Params{
		Host: dayHost, Forge: d.client, Clock: d.clock, Log: slog.New(slog.DiscardHandler), Interval: d.params.interval, Ask: d.ask,
		Open:     func(context.Context, string) ([]int, error) { return nil, nil },
		Recorded: func(context.Context) ([]poll.Recorded, error) { return nil, nil },
	})
	d.poller.Configure(d.configured())
	d.poller.Start()
}

// configured are the repositories; one in ten is served first.
func (d *day) configured() []poll.Repository {
	var all []poll.Repository
	for i, repo := range d.repos {
		conf := poll.Repository{
			Name: repo.Name(), Base: "main", Priority: events.PriorityNormal,
			Settings: events.Settings{Target: events.TargetForge, Debounce: (30 * time.Minute).Milliseconds()},
		}
		if i%10 == 1 {
			conf.Priority = events.PriorityHigh
		}
		all = append(all, conf)
	}
	return all
}

func (d *day) ask(ctx context.Context, stream events.StreamName, cmd events.Command) error {
	answer, err := d.system.Ask(ctx, stream, actors.ByNode, cmd)
	if err == nil && !answer.Accepted {
		err = &events.Refusal{Reason: answer.Reason}
	}
	return err
}

func (d *day) tell(stream events.StreamName, cmd events.Command) {
	d.t.Helper()
	if err := d.ask(context.Background(), stream, cmd); err != nil {
		d.t.Fatalf("%s to %s: %v", cmd.Name(), stream, err)
	}
}

// stop ends everything in order.
func (d *day) stop() {
	d.poller.Stop()
	d.forge.Close()
	if err := d.process.Drain(context.Background()); err != nil {
		d.t.Error(err)
	}
	d.process.Stop(context.Background())
	if err := d.system.Stop(context.Background()); err != nil {
		d.t.Error(err)
	}
}

// do is one act of one person.
func (d *day) do(act dayAct) {
	repo, pull := d.repos[act.repo], &d.pulls[act.pull]
	switch act.what {
	case dayOpen:
		branch := fmt.Sprintf("topic%d", act.pull)
		d.pushed(repo.Push(branch, act.files), act)
		*pull = dayPR{heads: 1, repo: repo, draft: act.draft, labels: dayLabels(act.repo), PullRequest: repo.Open(githubtest.Pull{
			Head: branch, Author: []string{"ann", "ben", "cyd"}[act.pull%3], Draft: act.draft, Fork: act.fork,
			Title: fmt.Sprintf("Change %d", act.pull),
		})}
	case dayPush:
		pull.heads++
		d.pushed(pull.Push(act.files), act)
	case dayForce:
		pull.heads++
		d.pushed(pull.ForcePush(act.files), act)
	case dayReady:
		pull.draft = false
		pull.Ready()
	case dayClose:
		d.end(pull)
		pull.Close()
	case dayMerge:
		d.end(pull)
		pull.Merge()
	}
}

func (d *day) pushed(head events.Commit, act dayAct) {
	d.outside.pushed(head, dayChange{file: dayFile(act.pull), lines: act.lines})
}

func (d *day) end(pull *dayPR) {
	pull.ended = true
	d.calls.end(dayPull{string(pull.repo.Name()), pull.Number})
}

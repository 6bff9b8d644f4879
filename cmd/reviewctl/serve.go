package main

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/adapters/localgit"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/events"
)

// ShadowSuffix is behind the log's name of a daemon that runs in the shadow of
// another: it has its own log. (hard-parts §4)
const ShadowSuffix = ".shadow"

// Run is the daemon: it ends with the context, in order.
func (c *ServeCmd) Run(app *App) error {
	config, err := LoadConfig(app.Globals, app.Env)
	if err != nil {
		return err
	}
	policy, err := config.ReadPolicy("")
	if err != nil {
		return err
	}
	if c.Shadow {
		config.Store += ShadowSuffix
		embeddedOnly(config, &policy)
	}
	if c.Listen != "" {
		config.Listen = c.Listen
	}
	repositories := localRepositories(config)
	if len(repositories) == 0 {
		return &CLIError{
			Code: CodeConfig, What: "there is nothing to serve", Subject: "no enabled repository with a path is configured",
			Remedy: "add one under repositories in " + ConfigFile + ": {name, path, branches, base}",
		}
	}
	files, err := openFiles(app.Context, config, true)
	if err != nil {
		return err
	}
	defer files.Close()
	return serve(app, files, config, policy, repositories)
}

// embeddedOnly leaves out every engine that runs a program: a shadow spends
// nothing, and plans nothing that it would not run. (hard-parts §4)
func embeddedOnly(c *Config, p *Policy) {
	runs := func(name string) bool { return name != EngineStatic }
	maps.DeleteFunc(c.Engines, func(name string, _ EngineConfig) bool { return runs(name) })
	for i := range c.Repositories {
		c.Repositories[i].Engines = slices.DeleteFunc(c.Repositories[i].Engines, runs)
	}
	p.Phase1.Engine = slices.DeleteFunc(p.Phase1.Engine, func(name events.EngineName) bool { return runs(string(name)) })
}

func serve(app *App, files *Files, config *Config, policy Policy, repositories []*RepositoryConfig) error {
	door, err := openDoor(config.Listen)
	if err != nil {
		return err
	}
	defer door.Close()
	boots, station, err := startDaemon(app, files, config, policy)
	if err != nil {
		return err
	}
	defer boots()
	defer station.Stop()
	stop, err := pollAll(app.Context, station, config, repositories)
	if err != nil {
		return err
	}
	defer stop()
	socket, err := openSocket(files)
	if err != nil {
		return err
	}
	defer socket.Close()
	views, cancel := context.WithCancel(app.Context)
	defer cancel()
	warm := make(chan struct{})
	go func() {
		defer close(warm)
		if err := files.Rows.Run(views); err != nil && views.Err() == nil {
			station.log.Error("views are not kept up", slog.Any("error", err))
		}
	}()
	door.Ready()
	app.Progress("serving " + door.host)
	select {
	case <-app.Context.Done():
	case err = <-station.Process.Failed():
	}
	cancel()
	<-warm
	if app.Context.Err() != nil && err == nil {
		return ErrStopped
	}
	return err
}

// startDaemon takes the daemon's lock and starts the station.
func startDaemon(app *App, files *Files, config *Config, policy Policy) (unlock func(), s *Station, err error) {
	if err := files.Home.Make(); err != nil {
		return nil, nil, err
	}
	lock, err := files.Home.LockDaemon()
	if err != nil {
		return nil, nil, err
	}
	unlock = func() { _ = lock.Unlock() }
	s, err = startStation(app.Context, files, StationConfig{
		Config: config, Policy: policy, Daemon: true, Configs: true, Logger: app.Logger(),
		Locate: config.locate,
	})
	if err != nil {
		unlock()
		return nil, nil, err
	}
	return unlock, s, nil
}

// localRepositories are those on this disk that are to be reviewed.
func localRepositories(c *Config) []*RepositoryConfig {
	var out []*RepositoryConfig
	for i := range c.Repositories {
		if r := &c.Repositories[i]; r.Path != "" && r.IsEnabled() {
			out = append(out, r)
		}
	}
	return out
}

// locate finds a configured repository on this disk.
func (c *Config) locate(name events.RepoName) (workspace.Place, error) {
	for _, r := range localRepositories(c) {
		if r.RepoName() == name {
			return workspace.Place{Path: r.Path, Base: r.Base}, nil
		}
	}
	return workspace.Place{}, errors.New("repository " + string(name) + " is not configured here")
}

// pollAll records the repositories' flags and watches their branches.
func pollAll(ctx context.Context, s *Station, config *Config, repositories []*RepositoryConfig) (stop func(), err error) {
	var pollers []*localgit.Poller
	stop = func() {
		for _, p := range pollers {
			p.Stop()
		}
	}
	for _, r := range repositories {
		p, err := s.poller(ctx, config, r)
		if err != nil {
			stop()
			return nil, err
		}
		p.Start()
		pollers = append(pollers, p)
	}
	return stop, nil
}

func (s *Station) poller(ctx context.Context, config *Config, r *RepositoryConfig) (*localgit.Poller, error) {
	id := localID(r.RepoName())
	stream := events.RepoStream(localgit.Host, id)
	engines := make([]events.EngineName, len(r.Engines))
	for i, name := range r.Engines {
		engines[i] = events.EngineName(name)
	}
	if err := s.tell(ctx, stream, repo.Configure{
		Repo: r.RepoName(), Base: r.Base, Enabled: true, Engines: engines,
	}); err != nil {
		return nil, err
	}
	return localgit.NewPoller(localgit.Params{
		Repo: r.RepoName(), RepoID: id, Path: r.Path, Base: r.Base, Globs: r.Branches,
		Owner: events.OwnerAny, Priority: events.PriorityNormal, Clock: clock{}, Log: s.log,
		Interval: min(time.Duration(config.Scheduling.PollInterval), localgit.IntervalDefault),
		Settings: events.Settings{
			Engines: engines, Target: events.TargetNone,
			Debounce: r.DebounceTime(config.Scheduling).Milliseconds(),
		},
		Ask:     s.tell,
		Numbers: func(ctx context.Context) (map[string]int, error) { return numbersOf(ctx, s.Log, stream) },
	})
}

// tell asks an actor in our own name; a refusal is an error.
func (s *Station) tell(ctx context.Context, stream events.StreamName, cmd events.Command) error {
	answer, err := s.System.Ask(ctx, stream, actors.ByNode, cmd)
	if err == nil && !answer.Accepted {
		err = &events.Refusal{Reason: answer.Reason}
	}
	return err
}

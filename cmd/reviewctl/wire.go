package main

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/actors/shell/proto"
	"github.com/reviewctl/reviewctl/adapters/engine"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
	"github.com/reviewctl/reviewctl/adapters/sqlite"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections/deadlines"
)

// StopGrace bounds an ordered stop.
const StopGrace = 30 * time.Second

// StationConfig is what a process that works needs to know.
type StationConfig struct {
	Config *Config
	Policy Policy
	Daemon bool
	Locate func(events.RepoName) (workspace.Place, error)
	Watch  func(e *events.Event, p events.Payload)
	Hub    *hub // that reviews are posted to; nil = none are posted

	Undelivered func(error) // why a command was not carried out this time; may be nil
	Logger      *slog.Logger
	Configs     bool // the configured sizes and limits hold from now on
}

// storeOf is what a station's actors write to. Only the main function of the tests
// puts something between, before anything runs: a kill just before or after an
// event is recorded.
var storeOf = func(log *sqlite.Log) events.Store { return log }

// Station is a process that works: actors, business and engines on one log.
type Station struct {
	*Files
	Boots   *Boots
	System  *proto.System
	Process *proto.Process
	Engines *engine.Runner
	Work    *workspace.Workspace
	forge   *publish.Publisher          // nil = nothing is posted
	rules   atomic.Pointer[shell.Rules] // in force: each decision keeps those it was made by
	room    room
	log     *slog.Logger
}

// startStation wires a process that works. This is the only place that joins
// actors and adapters.
func startStation(ctx context.Context, files *Files, c StationConfig) (*Station, error) {
	boots, err := NewBoots(files.Home)
	if err != nil {
		return nil, err
	}
	s := &Station{Files: files, Boots: boots, log: c.Logger.With(slog.String("boot", string(boots.own)))}
	if err := s.start(ctx, c); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *Station) start(ctx context.Context, c StationConfig) error {
	bury := c.Daemon || !s.Home.DaemonRuns()
	if bury {
		if err := s.Boots.Tidy(); err != nil {
			return err
		}
	}
	rules, err := rulesOf(c.Config, c.Policy).Seal()
	if err != nil {
		return err
	}
	s.rules.Store(rules)
	s.System = proto.NewSystem(proto.Config{
		Store: storeOf(s.Log), Snapshots: s.Files, Rules: s.rules.Load, Boot: s.Boots.own,
		Clock: clock{}, Draw: draw, Logger: s.log,
	})
	if err := s.outside(c); err != nil {
		return err
	}
	if bury {
		if _, err := s.Work.Sweep(s.Boots.Dead); err != nil {
			s.log.Warn("checkouts of dead processes stay", slog.Any("error", err))
		}
		s.keepRoom(c)
	}
	if err := s.record(ctx, rules, c); err != nil {
		return err
	}
	return s.begin(ctx, c, bury)
}

// outside makes the adapters that effects use.
func (s *Station) outside(c StationConfig) error {
	var err error
	if s.Work, err = workspace.New(workspace.Params{
		Root: s.Home.checkouts(), Pool: s.Home.trees(), Mirrors: s.Home.mirrors(),
		Boot: s.Boots.own, Locate: c.Locate, Clock: clock{}, Log: s.log,
	}); err != nil {
		return err
	}
	if c.Hub != nil {
		s.forge = c.Hub.publisher(s)
	}
	s.Engines, err = engine.New(engine.Params{
		Engines: engineConfigs(c.Config), Workspace: s.Work, Temp: s.Boots.temp(s.Boots.own), Artifacts: s.Home.artifacts(),
		Boot: s.Boots.own, Clock: clock{}, Log: s.log, GoCache: s.Home.goCache(), Prior: s.priorFindings,
	})
	return err
}

// engineConfigs are the engines as their adapter takes them.
func engineConfigs(c *Config) map[events.EngineName]engine.Config {
	engines := map[events.EngineName]engine.Config{}
	for name, e := range c.Engines {
		engines[events.EngineName(name)] = engine.Config{
			Kind: e.Kind, Command: e.Command, Formats: e.Formats, Model: e.Model, Account: e.Account, Timeout: e.LaneTimeout(),
			Sandbox: e.Sandbox, Env: e.Env,
		}
	}
	engines[EngineStatic] = c.Static.engine(c.Engines[EngineStatic])
	return engines
}

// record stores the rules, and, for whoever is in charge, the configured sizes
// and limits: no actor ever asks a configuration.
func (s *Station) record(ctx context.Context, rules *shell.Rules, c StationConfig) error {
	text, err := rulesOf(c.Config, c.Policy).Text()
	if err != nil {
		return err
	}
	policy := actors.RecordPolicy{PolicyRecorded: events.PolicyRecorded{Rules: text}}
	if _, err := s.System.Ask(ctx, events.PolicyStream(rules.Digest), actors.ByNode, policy); err != nil {
		return err
	}
	if !c.Configs {
		return nil
	}
	s.room.budget.Store(c.Config.worktreeBudget())
	if err := s.tell(ctx, events.FleetStream, fleet.Configure{MaxRuns: c.Config.Scheduling.MaxRuns}); err != nil {
		return err
	}
	pools := slotsOf(c.Config)
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		size := pool.Configure{Size: pools[name].n, Reason: pools[name].why}
		if err := s.tell(ctx, events.PoolStream(name), size); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Config.Accounts)) {
		limits := account.Configure{
			SessionTokens: int64(c.Config.Accounts[name].SessionTokens),
			WeeklyTokens:  int64(c.Config.Accounts[name].WeeklyTokens),
		}
		if err := s.tell(ctx, events.AccountStream(events.AccountName(name)), limits); err != nil {
			return err
		}
	}
	return nil
}

// begin starts the business: a daemon where its router left off, any other
// process at the end of the log, since nothing before it is its own.
func (s *Station) begin(ctx context.Context, c StationConfig, bury bool) error {
	caught, err := s.CatchUp(ctx)
	if err != nil {
		return err
	}
	if err := caught.Err(deadlines.Name); err != nil {
		return err
	}
	var waits []events.Deadline
	if err := deadlines.Load(ctx, s.Stored, func(d events.Deadline) bool {
		waits = append(waits, d)
		return true
	}); err != nil {
		return err
	}
	p := proto.ProcessConfig{
		Daemon: c.Daemon, Shared: true, Bury: bury, After: caught.Position, Deadlines: waits,
		Ports: actors.Ports{Engine: s.Engines, Workspace: s.Work}, Boots: s.Boots, Marks: s.Files, Watch: c.Watch,
		Undelivered: c.Undelivered,
	}
	if s.forge != nil {
		p.Ports.Forge = s.forge
	}
	if c.Daemon {
		if p.After, err = s.LoadMark(ctx, proto.MarkRouter); err != nil {
			return err
		}
	}
	s.Process = proto.StartProcess(s.System, p)
	return nil
}

// Stop ends everything in order: the engines, whose last answers are recorded;
// the business; the actors; what is on disk. It may be called on a station that
// did not start whole.
func (s *Station) Stop() { s.stopWithin(StopGrace) }

func (s *Station) stopWithin(grace time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if s.Process != nil {
		s.Process.Leave()
	}
	if s.Engines != nil {
		s.Engines.Close()
	}
	if s.forge != nil {
		s.forge.Close()
	}
	if s.Process != nil {
		if err := s.Process.Drain(ctx); err != nil {
			s.log.Warn("stopped with work on its way", slog.Any("error", err))
		}
		s.Process.Stop(ctx)
	}
	if s.System != nil {
		if err := s.System.Stop(ctx); err != nil {
			s.log.Warn("stopped with writes under way", slog.Any("error", err))
		}
	}
	s.room.stop()
	if s.Work != nil {
		s.Work.Stop()
	}
	s.Boots.Close()
}

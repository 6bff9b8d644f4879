package main

import (
	"context"
	"reflect"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/poll"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/status"
)

// intake is the poller of GitHub, and what it was made with.
type intake struct {
	poller *poll.Poller
	made   SchedulingConfig
}

// watchHub makes the poller follow a configuration. One that has no repository on
// GitHub is asked nothing.
func (d *daemon) watchHub(config *Config) {
	held := *config
	if held.GitHub.APIURL != d.atStart.GitHub.APIURL { // guard: a token for another GitHub is sent to this one
		held.GitHub = d.atStart.GitHub
	}
	d.hub.config.Store(&held)
	var wanted []poll.Repository
	for _, r := range hubRepositories(config) {
		wanted = append(wanted, d.onHub(config, r))
	}
	s := config.Scheduling
	made := SchedulingConfig{PollInterval: s.PollInterval, SkipLabels: s.SkipLabels, IgnoredAuthors: s.IgnoredAuthors}
	if d.intake != nil && (len(wanted) == 0 || !reflect.DeepEqual(d.intake.made, made)) {
		d.intake.poller.Stop()
		d.intake = nil
	}
	if len(wanted) == 0 {
		return
	}
	fresh := d.intake == nil
	if fresh {
		d.intake = &intake{poller: poll.New(d.polling(s)), made: made}
	}
	d.intake.poller.Configure(wanted)
	if fresh {
		d.intake.poller.Start()
	}
}

// onHub are the settings by which a repository on GitHub is watched. A shadow posts
// nothing.
func (d *daemon) onHub(config *Config, r *RepositoryConfig) poll.Repository {
	engines := make([]events.EngineName, len(r.Engines))
	for i, name := range r.Engines {
		engines[i] = events.EngineName(name)
	}
	target := events.TargetForge
	if d.cmd.Shadow {
		target = events.TargetNone
	}
	return poll.Repository{
		Name: r.RepoName(), Base: r.Base, Priority: events.PriorityNormal,
		Settings: events.Settings{
			Engines: engines, Target: target, Approve: r.Approve,
			Debounce: r.DebounceTime(config.Scheduling).Milliseconds(),
		},
	}
}

// polling are the poller's ways into this process.
func (d *daemon) polling(s SchedulingConfig) poll.Params {
	return poll.Params{
		Host: d.hub.host, Forge: d.hub.client, Ask: d.station.observe, Open: d.open, Recorded: d.recorded, Learn: d.hub.learn,
		Clock: clock{}, Log: d.station.log, Interval: time.Duration(s.PollInterval),
		SkipLabels: s.SkipLabels, Ignored: s.IgnoredAuthors,
	}
}

// open lists the pull requests that are open on record in the repository of an id.
func (d *daemon) open(ctx context.Context, id string) (numbers []int, err error) {
	err = d.station.Look(ctx, func(rows projections.Rows) error {
		page, err := status.GetPRs(ctx, rows, projections.Filter{ID: events.CategoryPR + "-" + d.hub.host + "/" + id + "/"})
		numbers = nil
		for i := range page.Items {
			if p := &page.Items[i]; !p.Closed {
				numbers = append(numbers, p.Number)
			}
		}
		return err
	})
	return numbers, err
}

// recorded lists the repositories of GitHub that have a stream.
func (d *daemon) recorded(ctx context.Context) (found []poll.Recorded, err error) {
	err = d.station.Look(ctx, func(rows projections.Rows) error {
		page, err := status.GetRepos(ctx, rows, projections.Filter{})
		found = nil
		for _, r := range page.Items {
			if d.hub.isOurs(r.Stream) {
				found = append(found, poll.Recorded{ID: idOf(r.Stream), Repo: r.Repo, Base: r.Base, Enabled: r.Enabled, Engines: r.Engines})
			}
		}
		return err
	})
	return found, err
}

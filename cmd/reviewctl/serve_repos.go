package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/adapters/localgit"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/status"
)

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

// knownPlaces are where the repositories lie on this disk. One that is configured no
// more is known until the process ends: what runs there goes on.
type knownPlaces struct {
	mu sync.Mutex
	at map[events.RepoName]workspace.Place
}

func (p *knownPlaces) learn(c *Config) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at == nil {
		p.at = map[events.RepoName]workspace.Place{}
	}
	for _, r := range localRepositories(c) {
		p.at[r.RepoName()] = workspace.Place{Path: r.Path, Base: r.Base, Mirror: true, Exclude: c.excludedPaths(r)}
	}
}

func (p *knownPlaces) locate(name events.RepoName) (workspace.Place, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at, ok := p.at[name]; ok {
		return at, nil
	}
	return workspace.Place{}, errors.New("repository " + string(name) + " is not configured here")
}

// polled is a repository that is watched, and by which settings.
type polled struct {
	poller *localgit.Poller
	params localgit.Params // without what is no setting
}

// watch records the flags of the repositories, watches those that are enabled,
// and lets go of the others.
func (d *daemon) watch(ctx context.Context, config *Config) error {
	if d.pollers == nil {
		d.pollers = map[events.RepoName]*polled{}
	}
	wanted := map[events.RepoName]bool{}
	for _, r := range localRepositories(config) {
		wanted[r.RepoName()] = true
	}
	for name, p := range d.pollers {
		if !wanted[name] {
			p.poller.Stop()
			delete(d.pollers, name)
		}
	}
	for _, r := range localRepositories(config) {
		if err := d.watchOne(ctx, config, r); err != nil {
			return fmt.Errorf("watch repository %s: %w", r.Name, err)
		}
	}
	return d.disable(ctx, wanted)
}

func (d *daemon) watchOne(ctx context.Context, config *Config, r *RepositoryConfig) error {
	params := pollerParams(config, r)
	if err := d.station.tell(ctx, events.RepoStream(localgit.Host, params.RepoID), repo.Configure{
		Repo: r.RepoName(), Base: r.Base, Enabled: true, Engines: params.Settings.Engines,
	}); err != nil {
		return err
	}
	before := d.pollers[r.RepoName()]
	if before != nil && reflect.DeepEqual(before.params, params) {
		return nil
	}
	next := &polled{params: params}
	var err error
	if next.poller, err = localgit.NewPoller(d.station.polling(params)); err != nil {
		return err
	}
	if before != nil {
		before.poller.Stop()
	}
	next.poller.Start()
	d.pollers[r.RepoName()] = next
	return nil
}

// pollerParams are the settings by which a repository is watched.
func pollerParams(config *Config, r *RepositoryConfig) localgit.Params {
	engines := make([]events.EngineName, len(r.Engines))
	for i, name := range r.Engines {
		engines[i] = events.EngineName(name)
	}
	return localgit.Params{
		Repo: r.RepoName(), RepoID: localID(r.RepoName()), Path: r.Path, Base: r.Base, Globs: r.Branches,
		Owner: events.OwnerAny, Priority: events.PriorityNormal,
		Interval: min(time.Duration(config.Scheduling.PollInterval), localgit.IntervalDefault),
		Settings: events.Settings{
			Engines: engines, Target: events.TargetNone,
			Debounce: r.DebounceTime(config.Scheduling).Milliseconds(),
		},
	}
}

// polling adds what a poller needs of this process.
func (s *Station) polling(p localgit.Params) localgit.Params {
	stream := events.RepoStream(localgit.Host, p.RepoID)
	p.Clock, p.Log, p.Ask = clock{}, s.log, s.observe
	p.Numbers = func(ctx context.Context) (map[string]int, error) { return numbersOf(ctx, s.Log, stream) }
	return p
}

// unwatch lets go of all repositories.
func (d *daemon) unwatch() {
	for _, p := range d.pollers {
		p.poller.Stop()
	}
}

// reasonDisabled is why the heads of a repository wait no more.
const reasonDisabled = "its repository is disabled, or not configured any more"

// disable records that the repositories on record that are not wanted are
// disabled. What runs there goes on; what waits is closed, and opened again where
// the repository comes back.
func (d *daemon) disable(ctx context.Context, wanted map[events.RepoName]bool) error {
	var repos []status.Repo
	var waiting []status.PR
	err := d.station.Look(ctx, func(rows projections.Rows) error {
		page, err := status.GetRepos(ctx, rows, projections.Filter{})
		if err != nil {
			return err
		}
		repos, waiting = nil, nil
		for _, r := range page.Items {
			if wanted[r.Repo] || !r.Enabled || !strings.HasPrefix(string(r.Stream), string(events.RepoStream(localgit.Host, ""))) {
				continue
			}
			repos = append(repos, r)
			prs, err := status.GetPRs(ctx, rows, projections.Filter{Repo: string(r.Repo)})
			if err != nil {
				return err
			}
			for i := range prs.Items {
				if s := prs.Items[i].State; s == status.StateQueued || s == status.StateWaiting {
					waiting = append(waiting, prs.Items[i])
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range repos {
		off := repo.Configure{Repo: r.Repo, Base: r.Base, Enabled: false, Engines: r.Engines}
		if err := d.station.tell(ctx, r.Stream, off); err != nil {
			return err
		}
	}
	for i := range waiting {
		if err := d.station.tell(ctx, waiting[i].Stream, pr.Close{Reason: reasonDisabled}); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
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
	mu      sync.Mutex
	at      map[events.RepoName]workspace.Place
	hub     *hub          // that knows those on GitHub
	settled chan struct{} // closed when the start has closed what waits in no known place
}

// startPlaces are the places of a daemon that starts.
func startPlaces(c *Config, h *hub) *knownPlaces {
	p := &knownPlaces{hub: h, at: map[events.RepoName]workspace.Place{}, settled: make(chan struct{})}
	p.learn(c)
	return p
}

// settle lets go of who waits for the place of an unknown repository.
func (p *knownPlaces) settle() { close(p.settled) }

func (p *knownPlaces) learn(c *Config) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range localRepositories(c) {
		p.at[r.RepoName()] = workspace.Place{Path: r.Path, Base: r.Base, Mirror: true, Exclude: c.excludedPaths(r)}
	}
}

func (p *knownPlaces) find(name events.RepoName) (workspace.Place, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.at[name]
	return at, ok
}

// locate finds a repository's place. While the daemon starts, what ran before it
// waits here: its head is closed, and does not fail, where its repository has gone
// from the configuration meanwhile.
func (p *knownPlaces) locate(name events.RepoName) (workspace.Place, error) {
	at, ok := p.find(name)
	if !ok {
		if at, found, err := p.hub.place(name); found || err != nil {
			return at, err
		}
		<-p.settled
		if at, ok = p.find(name); !ok {
			return at, errors.New("repository " + string(name) + " is not configured here")
		}
	}
	return at, nil
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
	d.watchHub(config)
	hosts := []string{localgit.Host}
	if d.intake == nil { // else the poller tidies up
		hosts = append(hosts, d.hub.host)
	}
	return d.disable(ctx, wanted, hosts)
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
	if d.intake != nil {
		d.intake.poller.Stop()
	}
}

// reasonDisabled is why the heads of a repository wait no more.
const reasonDisabled = "its repository is disabled, or not configured any more"

// disable closes what waits in repositories on record that are not wanted, and
// records that they are disabled: in this order, so that one that was closed in
// part is closed in full after a crash. What runs there goes on while its place is
// known. All is opened again where the repository comes back.
func (d *daemon) disable(ctx context.Context, wanted map[events.RepoName]bool, hosts []string) error {
	var repos []status.Repo
	var idle []status.PR
	err := d.station.Look(ctx, func(rows projections.Rows) error {
		page, err := status.GetRepos(ctx, rows, projections.Filter{})
		if err != nil {
			return err
		}
		repos, idle = nil, nil
		for _, r := range page.Items {
			host, _, _ := strings.Cut(r.Stream.Subject(), "/")
			if !r.Enabled || !slices.Contains(hosts, host) || host == localgit.Host && wanted[r.Repo] {
				continue
			}
			repos = append(repos, r)
			prs, err := d.idle(ctx, rows, r.Repo)
			if err != nil {
				return err
			}
			idle = append(idle, prs...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range idle {
		if err := d.station.tell(ctx, idle[i].Stream, pr.Close{Reason: reasonDisabled}); err != nil {
			return err
		}
	}
	for _, r := range repos {
		off := repo.Configure{Repo: r.Repo, Base: r.Base, Enabled: false, Engines: r.Engines}
		if err := d.station.tell(ctx, r.Stream, off); err != nil {
			return err
		}
	}
	return nil
}

// idle lists the pull requests of a repository whose heads wait for the daemon, or
// run where this process does not know where their code lies. What a `review` in a
// terminal minds is none of them.
func (d *daemon) idle(ctx context.Context, rows projections.Rows, name events.RepoName) ([]status.PR, error) {
	page, err := status.GetPRs(ctx, rows, projections.Filter{Repo: string(name)})
	if err != nil {
		return nil, err
	}
	_, known := d.places.find(name)
	var idle []status.PR
	for i := range page.Items {
		p := &page.Items[i]
		if p.State != status.StateQueued && p.State != status.StateWaiting && (known || p.State != status.StateRunning) {
			continue
		}
		head, err := status.HeadOf(ctx, rows, p.Stream, p.Head)
		if err != nil {
			return nil, err
		}
		if head != nil && head.Owner == events.OwnerAny {
			idle = append(idle, *p)
		}
	}
	return idle, nil
}

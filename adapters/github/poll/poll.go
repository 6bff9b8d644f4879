package poll

import (
	"context"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// Forge is what a Poller asks of GitHub; *api.Client serves it.
type Forge interface {
	Repo(ctx context.Context, name events.RepoName) (*api.Repo, error)
	OpenPulls(ctx context.Context, name events.RepoName) (pulls []api.Pull, changed bool, err error)
	Pull(ctx context.Context, name events.RepoName, number int) (*api.Pull, error)
}

// Repository is one that is to be looked at.
type Repository struct {
	Name     events.RepoName // as it is configured; it may be called otherwise by now
	Base     string          // the configured base branch, for the record alone
	Priority events.Priority
	Settings events.Settings // of its heads
}

// Recorded is a repository of this host that has a stream.
type Recorded struct {
	ID      string // GitHub's
	Repo    events.RepoName
	Base    string
	Enabled bool
	Engines []events.EngineName
}

// Params are one host, and what a Poller needs.
type Params struct {
	Host  string // the forge's name in streams
	Forge Forge

	// Ask sends a command and waits until it is carried out, or refused with a
	// *events.Refusal.
	Ask func(ctx context.Context, stream events.StreamName, cmd events.Command) error
	// Open lists the numbers of the pull requests that are open on record, of the
	// repository with this id. One that no daemon minds (what a `review` in a terminal
	// observed) may be among them.
	Open func(ctx context.Context, id string) ([]int, error)
	// Recorded lists the repositories of this host on record.
	Recorded func(ctx context.Context) ([]Recorded, error)
	// Learn is told what a repository is now, before any command names it. It may be
	// nil, and is called with the same again.
	Learn func(configured events.RepoName, is api.Repo)

	Clock      actors.Clock
	Log        *slog.Logger
	Interval   time.Duration // between two looks; default IntervalDefault
	SkipLabels []string      // that say not to review; nil = SkipLabelsDefault, empty = none
	Ignored    []string      // logins whose pull requests are not reviewed; nil = IgnoredDefault
}

// Poller looks at the repositories of one host.
type Poller struct {
	Params

	terms   terms
	loop    actors.Loop
	turns   sync.Mutex // of Configure
	tidying sync.Mutex // of tidy
	records records
	wake    chan struct{}

	mu      sync.Mutex
	watched []*watched // in the order of the configuration
	started time.Time
	last    time.Time // a look began
	paused  time.Time // until when nothing is asked of GitHub
	untidy  bool      // repositories on record may have lost their place
}

// watched is one repository. While it is looked at, its fields are that look's,
// but for those of the Poller's lock.
type watched struct {
	conf   Repository
	name   events.RepoName // as GitHub calls it; "" = not known yet
	asOf   time.Time       // when GitHub said so
	unsure bool            // whether it still is called so, and still is this one
	memory *memory         // nil = what is on record was not read yet
	noted  bool            // since the start: the record says trouble, or that there is none
	reason string          // of the trouble that is on record; "" = none
	logged string          // of the trouble that was logged last
	odd    map[int]string  // pull requests that nobody can be told of, and why

	// Of the Poller's lock.
	id    string    // GitHub's; "" = not known yet
	tried bool      // since it was configured
	slow  bool      // the last look took too long
	due   time.Time // zero = at once
	look  *looking  // nil = it is not looked at
}

// looking is a look under way.
type looking struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// New makes a Poller that has nothing to look at yet. It asks for nothing.
func New(p Params) *Poller {
	if p.Interval <= 0 {
		p.Interval = IntervalDefault
	}
	if p.SkipLabels == nil {
		p.SkipLabels = SkipLabelsDefault()
	}
	if p.Ignored == nil {
		p.Ignored = IgnoredDefault()
	}
	return &Poller{Params: p, terms: newTerms(p.SkipLabels, p.Ignored), wake: make(chan struct{}, 1)}
}

// Configure says which repositories are to be looked at from now on. Those that
// are new, or have other settings, are due at once. Where it returns, no look is
// under way by what held before. It may be called before Start, and again.
func (p *Poller) Configure(repositories []Repository) {
	p.turns.Lock()
	defer p.turns.Unlock()
	p.mu.Lock()
	before := map[string]*watched{}
	for _, w := range p.watched {
		before[fold(w.conf.Name)] = w
	}
	var next, left []*watched
	var begun []*looking
	for _, r := range repositories {
		w := before[fold(r.Name)]
		delete(before, fold(r.Name))
		if w != nil && reflect.DeepEqual(w.conf, r) {
			next = append(next, w)
			continue
		}
		if w != nil {
			left = append(left, w)
		}
		next = append(next, &watched{conf: r, odd: map[int]string{}})
	}
	for _, w := range before {
		left = append(left, w)
	}
	for _, w := range left {
		if w.look != nil {
			w.look.cancel()
			begun = append(begun, w.look)
		}
	}
	p.watched, p.untidy = next, true
	p.mu.Unlock()
	for _, l := range begun {
		<-l.done
	}
	p.rouse()
}

// fold is a name as GitHub compares it.
func fold(name events.RepoName) string { return strings.ToLower(string(name)) }

// rouse lets the driver look what is due. It never blocks.
func (p *Poller) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

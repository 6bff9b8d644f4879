package poll_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/adapters/github/poll"
	"github.com/reviewctl/reviewctl/events"
)

const host = "github.com"

// wall is the clock of the bubble that a test runs in.
type wall struct{}

func (wall) Now() time.Time { return time.Now() }

func (wall) After(d time.Duration, f func()) (cancel func()) {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

// book takes the place of the actors: the repositories by their real decider, the
// pull requests as a list of what was asked.
type book struct {
	mu      sync.Mutex
	repos   map[events.StreamName]*repo.State
	open    map[string]map[int]bool // by the repository's id
	asked   []string
	appends int
	last    pr.Observe
	broken  error // answers everything while it is set
}

func newBook() *book {
	return &book{repos: map[events.StreamName]*repo.State{}, open: map[string]map[int]bool{}}
}

func (b *book) ask(_ context.Context, stream events.StreamName, cmd events.Command) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken != nil {
		return b.broken
	}
	subject := strings.TrimPrefix(stream.Subject(), host+"/")
	id, _, _ := strings.Cut(subject, "/")
	if b.open[id] == nil {
		b.open[id] = map[int]bool{}
	}
	switch c := cmd.(type) {
	case pr.Observe:
		b.open[id][c.Number] = true
		b.last = c
		b.asked = append(b.asked, strings.TrimSpace(fmt.Sprintf("%s %s %.7s %s", subject, c.Repo, c.Head, factsOf(c.Facts))))
	case pr.Close:
		var number int
		if _, err := fmt.Sscanf(subject, id+"/%d", &number); err != nil {
			return err
		}
		delete(b.open[id], number)
		b.asked = append(b.asked, subject+" "+c.Reason)
	default:
		if b.repos[stream] == nil {
			b.repos[stream] = &repo.State{}
		}
		made, err := repo.DefaultRules().Decide(b.repos[stream], events.Given{}, cmd)
		for _, p := range made {
			repo.Fold(b.repos[stream], nil, p)
			b.asked = append(b.asked, subject+" "+sentence(p))
		}
		b.appends += len(made)
		return err
	}
	return nil
}

func factsOf(f *pr.Facts) string {
	var words []string
	if f.Draft {
		words = append(words, "draft")
	}
	if f.SkipLabel != "" {
		words = append(words, f.SkipLabel)
	}
	if f.Ignored {
		words = append(words, "ignored")
	}
	return strings.Join(words, " ")
}

func sentence(p events.Payload) string {
	switch p := p.(type) {
	case *events.RepoConfigured:
		if !p.Enabled {
			return fmt.Sprintf("%s disabled", p.Repo)
		}
		return fmt.Sprintf("%s configured", p.Repo)
	case *events.RepoRenamed:
		return fmt.Sprintf("renamed %s to %s", p.From, p.To)
	case *events.RepoUnreachable:
		return "unreachable: " + p.Reason
	case *events.RepoReachable:
		return "reachable"
	}
	return string(p.Type())
}

// take returns what was asked since the last time, but for commands that the
// repository's actor had no answer to.
func (b *book) take() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	asked := b.asked
	b.asked = nil
	return asked
}

func (b *book) opened(_ context.Context, id string) ([]int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []int
	for number := range b.open[id] {
		all = append(all, number)
	}
	slices.Sort(all)
	return all, b.broken
}

func (b *book) recorded(context.Context) ([]poll.Recorded, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []poll.Recorded
	for stream, s := range b.repos {
		all = append(all, poll.Recorded{
			ID: strings.TrimPrefix(stream.Subject(), host+"/"), Repo: s.Name(), Base: s.Base, Enabled: s.Enabled, Engines: s.Engines,
		})
	}
	return all, b.broken
}

var errStore = errors.New("the store is away")

// poller makes one that looks at repositories. It is not started.
func (b *book) poller(t *testing.T, forge poll.Forge, log *strings.Builder, names ...events.RepoName) *poll.Poller {
	t.Helper()
	if log == nil {
		log = &strings.Builder{}
	}
	p := poll.New(poll.Params{
		Host: host, Forge: forge, Ask: b.ask, Open: b.opened, Recorded: b.recorded, Clock: wall{},
		Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	p.Configure(configured(names...))
	t.Cleanup(p.Stop)
	return p
}

func configured(names ...events.RepoName) []poll.Repository {
	var list []poll.Repository
	for _, name := range names {
		list = append(list, poll.Repository{
			Name: name, Priority: events.PriorityNormal, Settings: events.Settings{Target: events.TargetForge, Debounce: 1_800_000},
		})
	}
	return list
}

// asks waits until nothing happens and compares what was asked meanwhile.
func (b *book) asks(t *testing.T, what string, want ...string) {
	t.Helper()
	got := b.take()
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = strings.HasPrefix(got[i], want[i])
	}
	if !ok {
		t.Errorf("%s: asked\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

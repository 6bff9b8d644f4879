package localgit_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/adapters/localgit"
	"github.com/reviewctl/reviewctl/events"
)

// actorsBook takes commands: numbers by the real decider, the rest on a list.
type actorsBook struct {
	mu     sync.Mutex
	state  repo.State
	asked  []string // "N REF HEAD" for an observation, "N closed" for a closing
	last   pr.Observe
	broken error // answers everything while it is set
	health []string
	signal chan struct{}
}

func newBook() *actorsBook { return &actorsBook{signal: make(chan struct{}, 1000)} }

func (b *actorsBook) ask(_ context.Context, stream events.StreamName, cmd events.Command) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken != nil {
		return b.broken
	}
	number := string(stream[strings.LastIndexByte(string(stream), '/')+1:])
	switch c := cmd.(type) {
	case repo.NumberBranch:
		if stream != "repo-local/x/y" {
			return fmt.Errorf("asked %s for a number", stream)
		}
		made, err := repo.DefaultRules().Decide(&b.state, events.Given{}, c)
		for _, p := range made {
			repo.Fold(&b.state, nil, p)
		}
		return err
	case repo.NoteUnreachable:
		b.health = append(b.health, c.Reason)
		return nil
	case repo.NoteReachable:
		b.health = append(b.health, "well")
		return nil
	case pr.Observe:
		b.asked = append(b.asked, fmt.Sprintf("%s %s %.7s", number, c.Ref, c.Head))
		b.last = c
	case pr.Close:
		b.asked = append(b.asked, number+" closed")
	}
	b.signal <- struct{}{}
	return nil
}

func (b *actorsBook) numbers(context.Context) (map[string]int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.state.Numbers), nil
}

// take returns what was asked since the last time.
func (b *actorsBook) take() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	asked := b.asked
	b.asked = nil
	return asked
}

// clock arms timers that a test lets go off.
type clock struct {
	mu    sync.Mutex
	armed []*alarm
	set   chan time.Duration // each timer that was armed
}

type alarm struct {
	f    func()
	once sync.Once
}

func newClock() *clock { return &clock{set: make(chan time.Duration, 1000)} }

func (c *clock) Now() time.Time { return time.Unix(1_700_000_000, 0) }

func (c *clock) After(d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &alarm{f: f}
	c.armed = append(c.armed, a)
	c.set <- d
	return func() { a.once.Do(func() {}) }
}

func (c *clock) fire() {
	c.mu.Lock()
	armed := c.armed
	c.armed = nil
	c.mu.Unlock()
	for _, a := range armed {
		a.once.Do(a.f)
	}
}

func poller(t *testing.T, path string, book *actorsBook, c *clock, change func(*localgit.Params)) *localgit.Poller {
	t.Helper()
	params := localgit.Params{
		Repo: "x/y", RepoID: "x/y", Path: path, Owner: events.OwnerAny, Priority: events.PriorityNormal,
		Settings: events.Settings{Target: events.TargetNone}, Ask: book.ask, Numbers: book.numbers,
		Clock: c, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Interval: time.Minute,
	}
	if change != nil {
		change(&params)
	}
	p, err := localgit.NewPoller(params)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

func round(t *testing.T, p *localgit.Poller, book *actorsBook, want ...string) {
	t.Helper()
	if err := p.Round(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := book.take(); !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q", got, want)
	}
}

func TestRounds(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	tip := s.Commit("base")
	s.Git("checkout", "-q", "-b", "feature/b")
	b1 := s.Commit("the title")
	s.Git("branch", "feature/a")
	s.Git("branch", "other")
	book := newBook()
	only := func(p *localgit.Params) { p.Globs = []string{"feature/*"} }
	p := poller(t, s.Dir, book, newClock(), only)

	round(t, p, book, "1 feature/a "+b1[:7], "2 feature/b "+b1[:7])
	want := pr.Observe{
		Host: "local", RepoID: "x/y", Repo: "x/y", Number: 2, Ref: "feature/b", BaseRef: "main",
		Title: "the title", Author: "Ada", Head: events.Commit(b1), Base: events.Commit(tip),
		Priority: events.PriorityNormal, Owner: events.OwnerAny, Settings: events.Settings{Target: events.TargetNone},
	}
	if book.last.Head != want.Head || fmt.Sprint(book.last) != fmt.Sprint(want) {
		t.Errorf("observed\n%+v, want\n%+v", book.last, want)
	}
	round(t, p, book)
	b2 := s.Commit("two")
	round(t, p, book, "2 feature/b "+b2[:7])
	s.Git("branch", "-m", "feature/a", "feature/c")
	round(t, p, book, "1 closed", "3 feature/c "+b1[:7])
	s.Git("branch", "feature/a", b1)
	round(t, p, book, "1 feature/a "+b1[:7])

	// After a start the actors are told everything again, and what has gone.
	s.Git("branch", "-D", "feature/c")
	round(t, poller(t, s.Dir, book, newClock(), only), book, "3 closed", "1 feature/a "+b1[:7], "2 feature/b "+b2[:7])
}

// A repository that cannot be read, or that has lost its base, closes nothing;
// when it is back, nothing has changed.
func TestUnreadableClosesNothing(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Commit("base")
	s.Git("checkout", "-q", "-b", "a")
	head := s.Commit("one")
	book := newBook()
	p := poller(t, s.Dir, book, newClock(), nil)
	round(t, p, book, "1 a "+head[:7])
	gitDir := filepath.Join(s.Dir, ".git")
	fails := func(what string, want error) {
		t.Helper()
		if err := p.Round(context.Background()); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", what, err, want)
		}
		if got := book.take(); len(got) != 0 {
			t.Errorf("%s: asked %q", what, got)
		}
	}
	if err := os.Rename(gitDir, gitDir+"-away"); err != nil {
		t.Fatal(err)
	}
	fails("folder away", git.ErrNotRepository)
	empty := gittest.At(t, s.Dir)
	empty.Git("init", "-q", "-b", "main")
	fails("empty repository in its place", git.ErrUnknownRef)
	if err := os.RemoveAll(gitDir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(gitDir+"-away", gitDir); err != nil {
		t.Fatal(err)
	}
	s.Git("branch", "-m", "main", "elsewhere")
	fails("base gone", git.ErrUnknownRef)
	s.Git("branch", "-m", "elsewhere", "main")
	round(t, p, book)
	round(t, p, book)
	want := []string{"well", "no such folder|not a git repository", "unknown ref", "well"}
	if len(book.health) != len(want) {
		t.Fatalf("noted %q", book.health)
	}
	for i, said := range book.health {
		if ok, err := regexp.MatchString(want[i], said); err != nil || !ok {
			t.Errorf("noted %q, want %q", said, want[i])
		}
	}
}

// What could not be asked is asked again, and a refusal is not.
func TestTroubleIsRetried(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Commit("base")
	s.Git("checkout", "-q", "-b", "a")
	head := s.Commit("one")
	book := newBook()
	p := poller(t, s.Dir, book, newClock(), nil)
	book.broken = errors.New("the store is away")
	if err := p.Round(context.Background()); !errors.Is(err, book.broken) {
		t.Errorf("error %v", err)
	}
	book.broken = nil
	round(t, p, book, "1 a "+head[:7])
	s.Git("checkout", "-q", "main")
	s.Git("branch", "-D", "a")
	book.broken = errors.New("the store is away")
	if err := p.Round(context.Background()); !errors.Is(err, book.broken) {
		t.Errorf("error %v", err)
	}
	book.broken = nil
	round(t, p, book, "1 closed")
	s.Git("branch", "a", head)
	book.broken = &events.Refusal{Reason: "no"}
	if err := p.Round(context.Background()); err != nil {
		t.Errorf("a refusal is an error: %v", err)
	}
	book.broken = nil
	round(t, p, book)

	// A closing that a fresh start owes is owed until it is done.
	s.Git("branch", "-D", "a")
	p = poller(t, s.Dir, book, newClock(), nil)
	book.broken = errors.New("the store is away")
	if err := p.Round(context.Background()); !errors.Is(err, book.broken) {
		t.Errorf("error %v", err)
	}
	book.broken = nil
	round(t, p, book, "1 closed")
	round(t, p, book)
}

// The base is the configured branch, else what origin/HEAD names, else main, else
// master.
func TestBaseBranch(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	head := s.Commit("base")
	s.Git("branch", "develop")
	bases := func(p *localgit.Poller, book *actorsBook) string {
		if err := p.Round(context.Background()); err != nil {
			t.Fatal(err)
		}
		return book.last.BaseRef + " of " + strings.Join(book.take(), ", ")
	}
	of := func(base string) string {
		book := newBook()
		return bases(poller(t, s.Dir, book, newClock(), func(p *localgit.Params) { p.Base = base }), book)
	}
	if got, want := of("develop"), "develop of 1 main "+head[:7]; got != want {
		t.Errorf("configured: %s, want %s", got, want)
	}
	if got, want := of(""), "main of 1 develop "+head[:7]; got != want {
		t.Errorf("main: %s, want %s", got, want)
	}
	s.Git("update-ref", "refs/remotes/origin/develop", head)
	s.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
	if got, want := of(""), "develop of 1 main "+head[:7]; got != want {
		t.Errorf("origin/HEAD: %s, want %s", got, want)
	}
}

func TestBadGlob(t *testing.T) {
	t.Parallel()
	if _, err := localgit.NewPoller(localgit.Params{Globs: []string{"a["}}); err == nil {
		t.Error("a broken pattern is accepted")
	}
}

// A change is noticed by the watch, with the interval's timer never going off;
// loose, packed and nested branches.
func TestNotice(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Commit("base")
	s.Git("checkout", "-q", "-b", "a")
	book, c := newBook(), newClock()
	p := poller(t, s.Dir, book, c, nil)
	p.Start()
	p.Start()
	<-book.signal // the first round
	asked := func(want string) {
		t.Helper()
		deadline := time.NewTimer(5 * time.Minute) // nothing takes that long unless it is broken
		defer deadline.Stop()
		for {
			select {
			case d := <-c.set:
				if d == localgit.SettleTime { // something was noticed
					c.fire()
				}
			case <-book.signal:
				if slices.Contains(book.take(), want) {
					return
				}
			case <-deadline.C:
				t.Fatalf("%s was not noticed", want)
			}
		}
	}
	head := s.Commit("one")
	asked("1 a " + head[:7])
	s.Git("branch", "deep/er/b")
	asked("2 deep/er/b " + head[:7])
	s.Git("pack-refs", "--all")
	s.Git("branch", "-D", "deep/er/b")
	asked("2 closed")
	p.Stop()
	p.Stop()
}

// Without any notice the interval finds the change.
func TestInterval(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Commit("base")
	s.Git("checkout", "-q", "-b", "a")
	away := filepath.Join(filepath.Dir(s.Dir), "away")
	if err := os.Rename(s.Dir, away); err != nil {
		t.Fatal(err)
	}
	book, c := newBook(), newClock()
	p := poller(t, s.Dir, book, c, nil)
	p.Start()
	if d := <-c.set; d != time.Minute {
		t.Errorf("armed %s, want the interval", d)
	}
	if err := os.Rename(away, s.Dir); err != nil {
		t.Fatal(err)
	}
	c.fire()
	<-book.signal
	if got := book.take(); len(got) != 1 {
		t.Errorf("asked %q", got)
	}
	p.Stop()
	p.Start()
	p.Stop()
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	one := s.Commit("one")
	s.Git("checkout", "-q", "-b", "feature/x")
	two := s.Commit("two")
	s.Git("tag", "v1", one)
	s.Git("update-ref", "refs/remotes/origin/y", one)
	s.Git("branch", "deadbeefdead", one)
	r, err := git.Open(context.Background(), s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct{ text, ref, head string }{
		{"", "feature/x", two}, {"HEAD", "feature/x", two}, {"feature/x", "feature/x", two},
		{"refs/heads/main", "main", one}, {"origin/y", "origin/y", one}, {"v1", one[:12], one},
		{two[:8], two[:12], two}, {two, two[:12], two}, {"HEAD~1", one[:12], one},
		{"deadbeefdead", "deadbeefdead", one},
	}
	for _, c := range cases {
		got, err := localgit.Identify(context.Background(), r, c.text)
		if err != nil || got.Ref != c.ref || string(got.Head) != c.head {
			t.Errorf("%q: %+v, %v; want %s %s", c.text, got, err, c.ref, c.head)
		}
	}
	s.Git("checkout", "-q", "--detach")
	if got, err := localgit.Identify(context.Background(), r, ""); err != nil || got.Ref != two[:12] {
		t.Errorf("detached: %+v, %v", got, err)
	}
	for _, text := range []string{"nope", "-rf", "a\nb", "main..v1"} {
		if _, err := localgit.Identify(context.Background(), r, text); !errors.Is(err, git.ErrUnknownRef) {
			t.Errorf("%q: error %v, want ErrUnknownRef", text, err)
		}
	}
}

// A branch that is rewritten is a new head; a base that moves is none. (decision 8)
func TestRewrittenBranchAndMovedBase(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	base := s.Commit("base")
	s.Git("checkout", "-q", "-b", "a")
	first := s.Commit("one")
	book := newBook()
	p := poller(t, s.Dir, book, newClock(), nil)
	round(t, p, book, "1 a "+first[:7])
	s.Git("reset", "-q", "--hard", base)
	second := s.Commit("rewritten")
	round(t, p, book, "1 a "+second[:7])
	s.Git("checkout", "-q", "main")
	moved := s.Commit("moved")
	round(t, p, book)
	s.Git("checkout", "-q", "a")
	third := s.Commit("three")
	round(t, p, book, "1 a "+third[:7])
	if string(book.last.Base) != moved {
		t.Errorf("base %s, want the moved one %s", book.last.Base, moved)
	}
}

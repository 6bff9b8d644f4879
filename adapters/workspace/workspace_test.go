package workspace_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/events"
)

// clock is a clock that a test moves by hand.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	armed map[int]func()
	count int
	due   chan struct{} // a token for each After
}

func newClock() *clock {
	return &clock{now: time.Unix(1_700_000_000, 0), armed: map[int]func(){}, due: make(chan struct{}, 100)}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) After(_ time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	id := c.count
	c.armed[id] = f
	c.due <- struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.armed, id)
	}
}

// fire lets every armed timer go off.
func (c *clock) fire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, f := range c.armed {
		delete(c.armed, id)
		f()
	}
}

// desk is a workspace over one scratch repository called "x/y".
type desk struct {
	*workspace.Workspace
	s     *gittest.Scratch
	root  string
	clock *clock
}

func setup(t *testing.T, change func(*workspace.Params)) *desk {
	t.Helper()
	d := &desk{s: gittest.New(t), root: filepath.Join(t.TempDir(), "runs"), clock: newClock()}
	p := params(d.s, d.root, d.clock)
	if change != nil {
		change(&p)
	}
	w, err := workspace.New(p)
	if err != nil {
		t.Fatal(err)
	}
	d.Workspace = w
	t.Cleanup(w.Stop)
	return d
}

// params are those of a workspace that reads the scratch repository itself.
func params(s *gittest.Scratch, root string, c *clock) workspace.Params {
	return workspace.Params{
		Root: root, Boot: "boot1", Clock: c, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Locate: func(name events.RepoName) (workspace.Place, error) {
			if name != "x/y" {
				return workspace.Place{}, errors.New("no such repository is configured")
			}
			return workspace.Place{Path: s.Dir}, nil
		},
	}
}

func (d *desk) job(head, base string) actors.WorkspaceJob {
	return actors.WorkspaceJob{
		Run: "00000000000000aa", Try: 3, Repo: "x/y", Ref: "main", Head: events.Commit(head),
		Base: events.Commit(base), Until: d.clock.Now().Add(time.Minute),
	}
}

// answered prepares and returns the command that answered.
func (d *desk) answered(job actors.WorkspaceJob) events.Command {
	got := make(chan events.Command, 1)
	d.Prepare(job, func(cmds ...events.Command) { got <- cmds[len(cmds)-1] })
	return <-got
}

// folders are the names in the folder for checkouts.
func (d *desk) folders(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(d.root)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestPrepareAndOpen(t *testing.T) {
	t.Parallel()
	d := setup(t, nil)
	d.s.Write("f", "one\n")
	base := d.s.Commit("one")
	d.s.Git("checkout", "-q", "-b", "feature")
	d.s.Write("f", "one\ntwo\n")
	head := d.s.Commit("two")

	cmd, ok := d.answered(d.job(head, base)).(run.NoteWorkspace)
	if !ok {
		t.Fatalf("answer %T", cmd)
	}
	ready := cmd.Ready
	if ready.Try != 3 || string(ready.MergeBase) != base || ready.BaseNote != "" || ready.Lines != 1 ||
		len(ready.Files) != 1 || ready.Files[0].Path != "f" || len(ready.DiffPrint) != 64 {
		t.Errorf("ready = %+v", ready)
	}
	change, err := d.Open(context.Background(), d.job(head, base))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(change.Dir, "f"))
	if err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("f = %q, %v", text, err)
	}
	if change.Print != git.DiffPrint(change.Patch) || change.Print != ready.DiffPrint || string(change.Head) != head {
		t.Errorf("change = %+v", change)
	}
	if names := d.folders(t); len(names) != 1 || !strings.HasPrefix(names[0], "boot1.00000000000000aa.") {
		t.Errorf("checkouts %q", names)
	}
}

// However many ask, there is one preparation, and each answer comes once.
func TestOnePreparationForARun(t *testing.T) {
	t.Parallel()
	d := setup(t, nil)
	head := d.s.Commit("one")
	job := d.job(head, "")
	const many = 20
	answers := make(chan events.Command, 2*many)
	dirs := make(chan string, many)
	for range many {
		d.Prepare(job, func(cmds ...events.Command) { answers <- cmds[0] })
		go func() {
			change, err := d.Open(context.Background(), job)
			if err != nil {
				t.Error(err)
				dirs <- ""
				return
			}
			dirs <- change.Dir
		}()
	}
	first := <-dirs
	for range many - 1 {
		if dir := <-dirs; dir != first {
			t.Errorf("two checkouts: %s and %s", dir, first)
		}
	}
	for range many {
		if cmd, ok := (<-answers).(run.NoteWorkspace); !ok {
			t.Errorf("answer %T", cmd)
		}
	}
	d.Stop()
	if len(answers) != 0 {
		t.Errorf("%d answers too many", len(answers))
	}
}

// What is not there any more is prepared again, and so is another head.
func TestOpenPreparesAgain(t *testing.T) {
	t.Parallel()
	d := setup(t, nil)
	one := d.s.Commit("one")
	two := d.s.Commit("two")
	first, err := d.Open(context.Background(), d.job(one, ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(first.Dir, first.Dir+"-gone"); err != nil {
		t.Fatal(err)
	}
	second, err := d.Open(context.Background(), d.job(one, ""))
	if err != nil || second.Dir == first.Dir {
		t.Fatalf("second = %+v, %v", second, err)
	}
	if _, err := os.Stat(second.Dir); err != nil {
		t.Error(err)
	}
	third, err := d.Open(context.Background(), d.job(two, ""))
	if err != nil || string(third.Head) != two || third.Dir == second.Dir {
		t.Errorf("third = %+v, %v", third, err)
	}
}

func TestRelease(t *testing.T) {
	t.Parallel()
	d := setup(t, nil)
	d.s.Write("a/b/c", "x\n")
	head := d.s.Commit("one")
	if _, err := d.Open(context.Background(), d.job(head, "")); err != nil {
		t.Fatal(err)
	}
	d.Release("00000000000000aa")
	d.Release("00000000000000aa")
	d.Release("unknown")
	d.Stop()
	if names := d.folders(t); len(names) != 0 {
		t.Errorf("checkouts left: %q", names)
	}
}

// A stopped workspace answers still, and keeps nothing.
func TestStop(t *testing.T) {
	t.Parallel()
	d := setup(t, nil)
	head := d.s.Commit("one")
	if _, err := d.Open(context.Background(), d.job(head, "")); err != nil {
		t.Fatal(err)
	}
	d.Stop()
	d.Stop()
	if names := d.folders(t); len(names) != 0 {
		t.Errorf("checkouts left: %q", names)
	}
	if cmd, ok := d.answered(d.job(head, "")).(run.NoteWorkspaceTrouble); !ok || cmd.Try != 3 {
		t.Errorf("answer %T, want trouble", cmd)
	}
	if _, err := d.Open(context.Background(), d.job(head, "")); err == nil {
		t.Error("Open after Stop has no error")
	}
}

// Time that runs out is trouble, not a failure; the next try begins again.
func TestUntil(t *testing.T) {
	t.Parallel()
	locating, proceed := make(chan struct{}, 1), make(chan struct{})
	d := setup(t, func(p *workspace.Params) {
		locate := p.Locate
		p.Locate = func(name events.RepoName) (workspace.Place, error) {
			locating <- struct{}{}
			<-proceed
			return locate(name)
		}
	})
	head := d.s.Commit("one")
	got := make(chan events.Command, 1)
	d.Prepare(d.job(head, ""), func(cmds ...events.Command) { got <- cmds[0] })
	<-locating
	d.clock.fire()
	close(proceed)
	cmd, ok := (<-got).(run.NoteWorkspaceTrouble)
	if !ok || !strings.Contains(cmd.Reason, "in time") {
		t.Errorf("answer %T %+v, want trouble", cmd, cmd)
	}
	if cmd, ok := d.answered(d.job(head, "")).(run.NoteWorkspace); !ok {
		t.Errorf("second answer %T", cmd)
	}
}

// A caller that gives up ends its own waiting and nobody else's.
func TestOpenGivesUp(t *testing.T) {
	t.Parallel()
	proceed := make(chan struct{})
	d := setup(t, func(p *workspace.Params) {
		locate := p.Locate
		p.Locate = func(name events.RepoName) (workspace.Place, error) {
			<-proceed
			return locate(name)
		}
	})
	head := d.s.Commit("one")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := d.Open(ctx, d.job(head, "")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	close(proceed)
	if _, err := d.Open(context.Background(), d.job(head, "")); err != nil {
		t.Error(err)
	}
}

package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/adapters/workspace/mirror"
	"github.com/reviewctl/reviewctl/events"
)

// kept is a workspace that keeps trees and mirrors beside its checkouts.
func kept(t testing.TB, s *gittest.Scratch, dir string, boot events.BootID, c *clock) *workspace.Workspace {
	t.Helper()
	p := params(s, filepath.Join(dir, "checkouts"), c)
	p.Clock = impatient{c}
	p.Boot, p.Pool, p.Mirrors = boot, filepath.Join(dir, "trees"), filepath.Join(dir, "mirrors")
	p.Locate = func(events.RepoName) (workspace.Place, error) {
		return workspace.Place{Path: s.Dir, Mirror: true}, nil
	}
	w, err := workspace.New(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return w
}

// impatient is a clock that waits for nobody who may join a fetch.
type impatient struct{ *clock }

func (c impatient) After(d time.Duration, f func()) func() {
	if d <= mirror.GatherTime {
		go f()
		return func() {}
	}
	return c.clock.After(d, f)
}

func jobOf(run, head string) actors.WorkspaceJob {
	return actors.WorkspaceJob{Run: events.RunID(run), Try: 1, Repo: "x/y", Ref: "a", BaseRef: "main", Head: events.Commit(head), Base: events.Commit(head)}
}

func opened(t testing.TB, w *workspace.Workspace, run, head string) string {
	t.Helper()
	change, err := w.Open(context.Background(), jobOf(run, head))
	if err != nil {
		t.Fatal(err)
	}
	return change.Dir
}

func inode(t testing.TB, path string) string {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v", st.Sys())
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// A tree that a finished run left serves the next run of the repository, in this
// process or another: what does not differ is the very same file, and what an
// engine did to it is undone.
func TestPooledTrees(t *testing.T) {
	t.Parallel()
	s, dir := gittest.New(t), t.TempDir()
	s.Write("same/f", "same\n")
	s.Write("other", "one\n")
	one := s.Commit("one")
	s.Write("other", "two\n")
	two := s.Commit("two")
	w := kept(t, s, dir, "b1", newClock())
	first := opened(t, w, "r1", one)
	was := inode(t, filepath.Join(first, "same", "f"))
	if err := os.Chmod(first, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(first, "planted"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.Release("r1")
	w.Stop()
	if left := names(t, filepath.Join(dir, "checkouts")); len(left) != 0 {
		t.Errorf("checkouts left: %q", left)
	}
	w = kept(t, s, dir, "b2", newClock())
	second := opened(t, w, "r2", two)
	if now := inode(t, filepath.Join(second, "same", "f")); now != was {
		t.Errorf("an unchanged file was written again:\n%s\n%s", was, now)
	}
	text, err := os.ReadFile(filepath.Join(second, "other"))
	if err != nil || string(text) != "two\n" {
		t.Errorf("other = %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(second, "planted")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a planted file is left: %v", err)
	}
	if st, err := os.Stat(second); err != nil || st.Mode().Perm() != 0o555 {
		t.Errorf("the tree's top is %v, %v", st.Mode(), err)
	}
	third := opened(t, w, "r3", two) // the tree of r2 is in use
	if third == second || inode(t, filepath.Join(third, "same", "f")) == was {
		t.Error("two runs share a tree")
	}
	w.Release("r2")
	w.Release("r3")
	w.Stop()
	if trees := names(t, filepath.Join(dir, "trees")); len(trees) != 4 { // two trees, two lists
		t.Errorf("pool %q", trees)
	}
}

// A tree whose taker died is swept with the taker's checkouts. (case W02)
func TestTakenTreeOfTheDead(t *testing.T) {
	t.Parallel()
	s, dir := gittest.New(t), t.TempDir()
	s.Write("f", "x")
	head := s.Commit("one")
	w := kept(t, s, dir, "b1", newClock())
	opened(t, w, "r1", head)
	w.Release("r1")
	w.Stop()
	crashed := kept(t, s, dir, "b2", newClock())
	opened(t, crashed, "r2", head)
	sweeper := kept(t, s, dir, "b3", newClock())
	n, err := sweeper.Sweep(func(b events.BootID) bool { return b == "b2" })
	if err != nil || n != 1 {
		t.Errorf("swept %d, %v", n, err)
	}
	if left := names(t, filepath.Join(dir, "checkouts")); len(left) != 0 {
		t.Errorf("checkouts left: %q", left)
	}
	opened(t, sweeper, "r3", head)
}

// A manifest that cannot be read costs a fresh export, and nothing else.
func TestTreeWithoutManifest(t *testing.T) {
	t.Parallel()
	s, dir := gittest.New(t), t.TempDir()
	s.Write("f", "x")
	head := s.Commit("one")
	w := kept(t, s, dir, "b1", newClock())
	for _, spoil := range []func(path string) error{
		func(path string) error { return os.WriteFile(path, []byte("nonsense"), 0o600) },
		func(path string) error { return os.Truncate(path, 20) },
		os.Remove,
	} {
		opened(t, w, "r1", head)
		w.Release("r1")
		lists := func() []string {
			found, err := filepath.Glob(filepath.Join(dir, "trees", "*.list"))
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		w.Settle()
		for _, list := range lists() {
			if err := spoil(list); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := os.ReadFile(filepath.Join(opened(t, w, "r2", head), "f")); err != nil || string(text) != "x" {
			t.Errorf("f = %q, %v", text, err)
		}
		w.Release("r2")
		w.Settle()
	}
}

// Trees go when nobody took them for a day, and the oldest first where the budget
// is exceeded; mirrors go after all trees, and not those that a run of any process
// reads. (semantics 29.1)
func TestCollect(t *testing.T) {
	t.Parallel()
	s, dir := gittest.New(t), t.TempDir()
	s.Write("f", strings.Repeat("x", 100_000))
	head := s.Commit("one")
	c := newClock()
	c.now = time.Now()
	w := kept(t, s, dir, "b1", c)
	other := kept(t, s, dir, "b2", c)
	living := func(events.BootID) bool { return false }
	nobody := func(events.BootID) bool { return true }
	for _, run := range []string{"r1", "r2", "r3"} {
		opened(t, w, run, head)
	}
	opened(t, other, "r4", head)
	for _, run := range []string{"r1", "r2", "r3"} {
		w.Release(events.RunID(run))
	}
	w.Settle()
	lists, err := filepath.Glob(filepath.Join(dir, "trees", "*.list"))
	if err != nil || len(lists) != 3 {
		t.Fatalf("lists %q, %v", lists, err)
	}
	for i, list := range lists {
		at := c.now.Add(time.Duration(i-3) * time.Hour)
		if err := os.Chtimes(list, at, at); err != nil {
			t.Fatal(err)
		}
	}
	collect := func(what string, budget int64, dead func(events.BootID) bool, want workspace.Collection) {
		t.Helper()
		got, err := w.Collect(context.Background(), budget, dead)
		got.Freed, got.Left = 0, 0
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", what, got, err, want)
		}
	}
	collect("enough room", 1<<30, living, workspace.Collection{})
	collect("one too many", 390_000, living, workspace.Collection{Trees: 1})
	if slices.Contains(names(t, filepath.Join(dir, "trees")), filepath.Base(lists[0])) {
		t.Error("the tree that was kept longest is still there")
	}
	collect("no room, everything used just now", 0, living, workspace.Collection{Trees: 2})
	c.mu.Lock()
	c.now = c.now.Add(48 * time.Hour)
	c.mu.Unlock()
	collect("a run reads the mirror", 0, living, workspace.Collection{})
	if _, err := os.Stat(filepath.Join(dir, "checkouts")); err != nil {
		t.Error(err)
	}
	opened(t, other, "r5", head)
	collect("nobody reads it, but it was used just now", 0, nobody, workspace.Collection{})
	c.mu.Lock()
	c.now = c.now.Add(48 * time.Hour)
	c.mu.Unlock()
	collect("nobody reads it", 0, nobody, workspace.Collection{Mirrors: 1})
	opened(t, w, "r6", head) // made anew
}

// Old trees go whatever the budget is.
func TestCollectOld(t *testing.T) {
	t.Parallel()
	s, dir := gittest.New(t), t.TempDir()
	head := s.Commit("one")
	c := newClock()
	c.now = time.Now()
	w := kept(t, s, dir, "b1", c)
	opened(t, w, "r1", head)
	w.Release("r1")
	w.Settle()
	for _, odd := range []string{"a.b", "gone.1", "x.y.z"} {
		if err := os.MkdirAll(filepath.Join(dir, "trees", odd, "f"), 0o555); err != nil {
			t.Fatal(err)
		}
	}
	c.now = c.now.Add(25 * time.Hour)
	got, err := w.Collect(context.Background(), 1<<40, func(events.BootID) bool { return false })
	if err != nil || got.Trees != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if left := names(t, filepath.Join(dir, "trees")); len(left) != 0 {
		t.Errorf("left %q", left)
	}
}

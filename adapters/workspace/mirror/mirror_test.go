package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/adapters/workspace/mirror"
	"github.com/reviewctl/reviewctl/events"
)

// realClock is the system's.
type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) After(d time.Duration, f func()) func() {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

func store(t testing.TB, root string, boot events.BootID) *mirror.Store {
	t.Helper()
	s, err := mirror.New(mirror.Params{Root: root, Boot: boot, Clock: realClock{}, Gather: -1,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func sourceOf(t testing.TB, s *gittest.Scratch) mirror.Source {
	t.Helper()
	from, err := git.LocalAddress(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return mirror.Source{Repo: "x/y", From: from}
}

func want(commits ...string) mirror.Want {
	w := mirror.Want{Run: "r"}
	for _, c := range commits {
		w.Commits = append(w.Commits, events.Commit(c))
	}
	return w
}

// ensured makes commits readable and returns the mirror.
func ensured(t testing.TB, s *mirror.Store, src mirror.Source, w mirror.Want) (*git.Repo, mirror.Pin) {
	t.Helper()
	repo, pin, err := s.Ensure(context.Background(), src, w)
	if err != nil {
		t.Fatal(err)
	}
	asked := *repo
	for _, c := range w.Commits {
		if _, err := asked.Knowing().ResolveCommit(context.Background(), string(c)); err != nil {
			t.Fatal(err)
		}
	}
	return repo, pin
}

func refsBelow(repo *git.Repo, prefix string) []string {
	var found []string
	_ = filepath.WalkDir(filepath.Join(repo.GitDir, filepath.FromSlash(prefix)), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(repo.GitDir, path)
			found = append(found, filepath.ToSlash(rel))
		}
		return nil
	})
	return found
}

// countGit puts a git on the PATH that writes down what it is asked for. The test
// must not be parallel.
func countGit(t *testing.T) (count func(subcommand string) int) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	file := filepath.Join(bin, "count")
	script := "#!/bin/sh\necho \"$1\" >> " + file + "\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func(subcommand string) int {
		text, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		n := 0
		for _, word := range strings.Fields(string(text)) {
			if subcommand == "" || word == subcommand {
				n++
			}
		}
		return n
	}
}

// However many pull requests of one repository are queued, in however many
// processes, there is one fetch. (performance goal 17)
func TestOneFetchForMany(t *testing.T) {
	s := gittest.New(t)
	base := s.Commit("base")
	const many = 12
	var heads []string
	for i := range many {
		s.Git("checkout", "-q", "-b", fmt.Sprint("feature/", i), base)
		heads = append(heads, s.Commit(fmt.Sprint("head ", i)))
	}
	src, root := sourceOf(t, s), t.TempDir()
	stores := []*mirror.Store{store(t, root, "b1"), store(t, root, "b2")}
	count := countGit(t)
	var all sync.WaitGroup
	for i, head := range heads {
		all.Go(func() { ensured(t, stores[i%2], src, want(head, base)) })
	}
	all.Wait()
	ensured(t, stores[0], src, want(heads[3], base)) // one who comes later
	if n := count("fetch"); n != 1 {
		t.Errorf("%d fetches for %d pull requests, want 1", n, many)
	}
}

// Commits that no branch names are gathered into one fetch. (goal 17)
func TestGather(t *testing.T) {
	s := gittest.New(t)
	base := s.Commit("base")
	tree := s.Git("rev-parse", "HEAD^{tree}")
	var heads []string
	for range 5 {
		heads = append(heads, s.CommitTree(tree, base))
	}
	src := sourceOf(t, s)
	over := make(chan func(), 1)
	st, err := mirror.New(mirror.Params{Root: t.TempDir(), Boot: "b", Gather: time.Minute,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Clock: handClock{over}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	count := countGit(t)
	var all sync.WaitGroup
	all.Go(func() { ensured(t, st, src, want(heads[0], base)) })
	moment := <-over // the first one gathers
	joined := make(chan struct{})
	for _, head := range heads[1:] {
		all.Go(func() {
			ctx := noticed{Context: context.Background(), joined: joined}
			if _, _, err := st.Ensure(ctx, src, want(head, base)); err != nil {
				t.Error(err)
			}
		})
	}
	for range heads[1:] {
		<-joined
	}
	moment()
	all.Wait()
	if n := count("fetch"); n != 1 {
		t.Errorf("%d fetches, want 1", n)
	}
}

// handClock hands its timers to the test.
type handClock struct{ armed chan func() }

func (handClock) Now() time.Time { return time.Now() }

func (c handClock) After(_ time.Duration, f func()) func() {
	c.armed <- f
	return func() {}
}

// noticed says when somebody begins to wait for its end.
type noticed struct {
	context.Context
	joined chan struct{}
}

func (n noticed) Done() <-chan struct{} {
	n.joined <- struct{}{}
	return n.Context.Done()
}

// A branch that is rewritten, deleted, or replaced by one below it is no trouble,
// and neither is a source that has gone when everything is here. (cases W08, W09)
func TestBranchesMove(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	base := s.Commit("base")
	s.Git("checkout", "-q", "-b", "a/b")
	first := s.Commit("one")
	s.Git("branch", "stays")
	st, src := store(t, t.TempDir(), "b"), sourceOf(t, s)
	ensured(t, st, src, want(first, base))
	s.Git("reset", "-q", "--hard", base)
	second := s.Commit("rewritten")
	ensured(t, st, src, want(second, base))
	s.Git("checkout", "-q", "main")
	s.Git("branch", "-D", "a/b")
	s.Git("checkout", "-q", "-b", "a")
	third := s.Commit("three")
	repo, _ := ensured(t, st, src, want(third, base))
	fourth := s.Commit("four") // a round later the old branch is out of the way
	ensured(t, st, src, want(fourth, base))
	branches, err := repo.Branches(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range branches {
		names = append(names, b.Name)
	}
	if got := strings.Join(names, " "); got != "a main stays" {
		t.Errorf("branches %s", got)
	}
	if err := os.Rename(filepath.Join(s.Dir, ".git"), filepath.Join(s.Dir, "away")); err != nil {
		t.Fatal(err)
	}
	ensured(t, st, src, want(fourth, base))
	_, _, err = st.Ensure(context.Background(), src, want(strings.Repeat("1", 40)))
	if !errors.Is(err, git.ErrNotRepository) {
		t.Errorf("a source that is gone: %v", err)
	}
}

// A commit that is gone is one run's failure, not that of those who came with it.
func TestMissingCommit(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	base := s.Commit("base")
	s.Git("checkout", "-q", "-b", "a")
	head := s.Commit("one")
	st, src := store(t, t.TempDir(), "b"), sourceOf(t, s)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			if i%2 == 0 {
				ensured(t, st, src, want(head, base))
				return
			}
			_, _, err := st.Ensure(context.Background(), src, want(strings.Repeat(fmt.Sprint(i), 40), base))
			if !errors.Is(err, git.ErrMissingObject) {
				t.Errorf("error %v, want ErrMissingObject", err)
			}
		})
	}
	all.Wait()
	for _, text := range []string{"", "HEAD", "--all", "abc1234"} {
		if _, _, err := st.Ensure(context.Background(), src, want(text)); !errors.Is(err, git.ErrUnknownRef) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Repositories with other object names, and with a history that is cut off.
// (cases W25, D17)
func TestKindsOfSources(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	st := store(t, root, "b")
	long := gittest.New(t, "--object-format=sha256")
	head := long.Commit("one")
	repo, _ := ensured(t, st, sourceOf(t, long), want(head))
	if repo.Format() != git.SHA256 {
		t.Error("a mirror of another format")
	}
	full := gittest.New(t)
	full.Commit("one")
	full.Commit("two")
	tip := full.Commit("three")
	dir := filepath.Join(t.TempDir(), "shallow")
	full.Git("clone", "-q", "--depth=2", "file://"+full.Dir, dir)
	repo, _ = ensured(t, st, sourceOf(t, gittest.At(t, dir)), want(tip))
	if !repo.Shallow {
		t.Error("the mirror of a shallow clone is not shallow")
	}
	full.Git("config", "uploadpack.allowFilter", "true")
	full.Write("f", "text")
	head = full.Commit("four")
	dir = filepath.Join(t.TempDir(), "partial")
	full.Git("clone", "-q", "--bare", "--filter=blob:none", "file://"+full.Dir, dir)
	_, _, err := st.Ensure(context.Background(), sourceOf(t, gittest.At(t, dir)), want(head))
	if !errors.Is(err, git.ErrIncomplete) {
		t.Errorf("a partial clone: %v, want ErrIncomplete", err)
	}
}

// Pins stand while their run lives, and go together. Sweep takes those of dead
// processes and leaves all others.
func TestPins(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	head := s.Commit("one")
	root := t.TempDir()
	one, two := store(t, root, "b1"), store(t, root, "b2")
	src := sourceOf(t, s)
	repo, pin := ensured(t, one, src, want(head))
	ensured(t, two, src, want(head))
	ensured(t, two, src, want(head))
	if refs := refsBelow(repo, "refs/run"); len(refs) != 3 {
		t.Errorf("pins %q", refs)
	}
	one.Release(pin)
	one.Release(mirror.Pin{})
	one.Close()
	if refs := refsBelow(repo, "refs/run"); len(refs) != 2 || !strings.HasPrefix(refs[0], "refs/run/b2/r-") {
		t.Errorf("pins %q", refs)
	}
	three := store(t, root, "b3")
	if err := three.Sweep(context.Background(), func(events.BootID) bool { return false }); err != nil || len(refsBelow(repo, "refs/run")) != 2 {
		t.Errorf("swept pins of the living: %v", err)
	}
	if err := three.Sweep(context.Background(), func(b events.BootID) bool { return b == "b2" }); err != nil || len(refsBelow(repo, "refs/run")) != 0 {
		t.Errorf("pins %q, %v", refsBelow(repo, "refs/run"), err)
	}
}

// A clean-up spares what a run has pinned, though no branch names it any more, and
// a mirror in use is not removed. (case W28, semantics 29.1)
func TestTidyAndRemove(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	base := s.Commit("base")
	s.Git("checkout", "-q", "-b", "a")
	st, src := store(t, t.TempDir(), "b"), sourceOf(t, s)
	var repo *git.Repo
	var pins []mirror.Pin
	var heads []string
	for i := range mirror.PacksMax + 2 {
		s.Git("reset", "-q", "--hard", base)
		heads = append(heads, s.Commit(fmt.Sprint(i)))
		var pin mirror.Pin
		repo, pin = ensured(t, st, src, want(heads[i], base))
		pins = append(pins, pin)
	}
	packs := func() int {
		found, err := filepath.Glob(filepath.Join(repo.GitDir, "objects", "pack", "*.pack"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	kept, err := st.List()
	if err != nil || len(kept) != 1 || kept[0].Bytes == 0 || kept[0].Used.IsZero() {
		t.Fatalf("mirrors %+v, %v", kept, err)
	}
	if err := st.Tidy(context.Background(), kept[0]); err != nil {
		t.Fatal(err)
	}
	if n := packs(); n > 2 {
		t.Errorf("%d packs are left", n)
	}
	for _, head := range heads {
		if _, err := git.OpenBare(repo.GitDir, git.SHA1).ResolveCommit(context.Background(), head); err != nil {
			t.Error(err)
		}
	}
	living := func(events.BootID) bool { return false }
	later := kept[0].Used.Add(time.Hour)
	for _, c := range []struct {
		since time.Time
		dead  func(events.BootID) bool
		want  bool
	}{
		{kept[0].Used.Add(-time.Hour), func(events.BootID) bool { return true }, false}, // used since
		{later, living, false}, // pinned
		{later, func(events.BootID) bool { return true }, true},
	} {
		if gone, err := st.Remove(kept[0].Name, c.since, c.dead); err != nil || gone != c.want {
			t.Errorf("removed: %v, %v; want %v", gone, err, c.want)
		}
	}
	for _, pin := range pins {
		st.Release(pin)
	}
	ensured(t, st, src, want(heads[len(heads)-1])) // made anew
	if list, err := os.ReadDir(filepath.Dir(repo.GitDir)); err != nil || slices.ContainsFunc(list, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), ".old")
	}) {
		t.Errorf("left: %v, %v", list, err)
	}
}

//go:build unix

package git_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
)

// footprint is everything below a folder: names, modes and contents.
func footprint(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&all, "%q %v", path, st.Mode())
		if entry.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&all, " %x", sha256.Sum256(text))
		}
		all.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// snapshot takes one and checks that nothing of the repository's own has changed.
func snapshot(t *testing.T, s *gittest.Scratch) *git.Snapshot {
	t.Helper()
	before := footprint(t, s.Dir)
	r, err := git.Open(context.Background(), s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Snapshot(context.Background(), filepath.Join(t.TempDir(), "snapshot"))
	if err != nil {
		t.Fatal(err)
	}
	if after := footprint(t, s.Dir); after != before {
		t.Errorf("the repository or its checkout changed:\n%s\n%s", before, after)
	}
	return got
}

// statuses are the changed files of a snapshot, "STATUS PATH".
func statuses(t *testing.T, s *git.Snapshot) string {
	t.Helper()
	files, err := s.Repo.ChangedFiles(context.Background(), s.Parent, s.Head)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != s.Files {
		t.Errorf("%d files, and it says %d", len(files), s.Files)
	}
	var list []string
	for _, f := range files {
		list = append(list, fmt.Sprintf("%s %q", f.Status, f.Path))
	}
	return strings.Join(list, ", ")
}

// started has a.txt, b.txt and dir/c.txt in its one commit.
func started(t *testing.T, args ...string) *gittest.Scratch {
	s := gittest.New(t, args...)
	s.Write("a.txt", "one\ntwo\n")
	s.Write("b.txt", "bee\nbee\nbee\n")
	s.Write("dir/c.txt", "sea\n")
	s.Commit("base")
	return s
}

func remove(s *gittest.Scratch, path string) {
	s.T.Helper()
	if err := os.RemoveAll(filepath.Join(s.Dir, path)); err != nil {
		s.T.Fatal(err)
	}
}

func link(s *gittest.Scratch, to, path string) {
	s.T.Helper()
	if err := os.Symlink(to, filepath.Join(s.Dir, path)); err != nil {
		s.T.Fatal(err)
	}
}

func TestSnapshotIsWhatACommitOfEverythingWouldBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(s *gittest.Scratch)
		want string
	}{
		"nothing":  {func(*gittest.Scratch) {}, ""},
		"unstaged": {func(s *gittest.Scratch) { s.Write("a.txt", "one\nthree\n") }, `M "a.txt"`},
		"staged": {func(s *gittest.Scratch) {
			s.Write("a.txt", "one\nthree\n")
			s.Git("add", "a.txt")
		}, `M "a.txt"`},
		"staged and changed again": {func(s *gittest.Scratch) {
			s.Write("a.txt", "one\nthree\n")
			s.Git("add", "a.txt")
			s.Write("a.txt", "one\nfour\n")
		}, `M "a.txt"`},
		"staged and taken back": {func(s *gittest.Scratch) {
			s.Write("a.txt", "one\nthree\n")
			s.Git("add", "a.txt")
			s.Write("a.txt", "one\ntwo\n")
		}, ""},
		"new": {func(s *gittest.Scratch) { s.Write("new/x.txt", "new\n") }, `A "new/x.txt"`},
		"ignored": {func(s *gittest.Scratch) {
			s.Write(".gitignore", "*.log\n")
			s.Write("x.log", "noise\n")
		}, `A ".gitignore"`},
		"excluded here": {func(s *gittest.Scratch) {
			s.Write(".git/info/exclude", "*.log\n")
			s.Write("x.log", "noise\n")
		}, ""},
		"intended": {func(s *gittest.Scratch) {
			s.Write("n.txt", "new\n")
			s.Git("add", "-N", "n.txt")
		}, `A "n.txt"`},
		"intended and gone": {func(s *gittest.Scratch) {
			s.Write("n.txt", "new\n")
			s.Git("add", "-N", "n.txt")
			remove(s, "n.txt")
		}, ""},
		"deleted":                            {func(s *gittest.Scratch) { remove(s, "a.txt") }, `D "a.txt"`},
		"deleted staged":                     {func(s *gittest.Scratch) { s.Git("rm", "-q", "a.txt") }, `D "a.txt"`},
		"kept though its deletion is staged": {func(s *gittest.Scratch) { s.Git("rm", "-q", "--cached", "a.txt") }, ""},
		"renamed":                            {func(s *gittest.Scratch) { s.Git("mv", "b.txt", "z.txt") }, `R "z.txt"`},
		"renamed on disk": {func(s *gittest.Scratch) {
			remove(s, "b.txt")
			s.Write("z.txt", "bee\nbee\nbee\n")
		}, `R "z.txt"`},
		"executable": {func(s *gittest.Scratch) {
			if err := os.Chmod(filepath.Join(s.Dir, "a.txt"), 0o755); err != nil {
				s.T.Fatal(err)
			}
		}, `M "a.txt"`},
		"case W20: a link out of the tree": {func(s *gittest.Scratch) { link(s, "/etc/passwd", "out") }, `A "out"`},
		"a file becomes a link": {func(s *gittest.Scratch) {
			remove(s, "a.txt")
			link(s, "b.txt", "a.txt")
		}, `T "a.txt"`},
		"a folder becomes a link": {func(s *gittest.Scratch) {
			remove(s, "dir")
			s.Write("other/c.txt", "sea\n")
			link(s, "other", "dir")
		}, `A "dir", R "other/c.txt"`},
		"case D13: a file becomes a folder": {func(s *gittest.Scratch) {
			remove(s, "a.txt")
			s.Write("a.txt/in", "in\n")
		}, `D "a.txt", A "a.txt/in"`},
		"a folder becomes a file": {func(s *gittest.Scratch) {
			remove(s, "dir")
			s.Write("dir", "a file\n")
		}, `A "dir", D "dir/c.txt"`},
		"odd names": {func(s *gittest.Scratch) {
			s.Write("a b\t\n\"'\\.txt", "odd\n")
			s.Write("caf\xe9.txt", "odd\n")
			s.Write("-rf", "odd\n")
			s.Write(":(top)x", "odd\n")
		}, `A "-rf", A ":(top)x", A "a b\t\n\"'\\.txt", A "caf` + "\uFFFD" + `.txt"`},
		"sparse": {func(s *gittest.Scratch) {
			s.Git("sparse-checkout", "set", "--no-cone", "/a.txt")
			s.Write("a.txt", "changed\n")
		}, `M "a.txt"`},
		"sparse index": {func(s *gittest.Scratch) {
			s.Git("sparse-checkout", "set", "--cone", "--sparse-index")
			s.Write("a.txt", "changed\n")
		}, `M "a.txt"`},
		"split index": {func(s *gittest.Scratch) {
			s.Git("update-index", "--split-index")
			s.Write("a.txt", "changed\n")
			s.Git("add", "a.txt")
		}, `M "a.txt"`},
		"without an index": {func(s *gittest.Scratch) { remove(s, ".git/index") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := started(t)
			c.do(s)
			got := snapshot(t, s)
			if found := statuses(t, got); found != c.want {
				t.Errorf("got %s, want %s", found, c.want)
			}
			if string(got.Parent) != s.Head() || (got.Head == got.Parent) != (c.want == "") {
				t.Errorf("head %s on %s", got.Head, got.Parent)
			}
			s.Git("add", "-A", "--sparse", "--", ".")
			if want := s.Git("write-tree"); want != treeOf(t, got) {
				t.Errorf("tree %s, and git would commit %s", treeOf(t, got), want)
			}
		})
	}
}

func treeOf(t *testing.T, s *git.Snapshot) string {
	t.Helper()
	return gittest.At(t, s.Repo.GitDir).Git("rev-parse", string(s.Head)+"^{tree}")
}

func TestSnapshotIsNamedByItsState(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--object-format=sha256"}} {
		s := started(t, args...)
		s.Write("a.txt", "one\nthree\n")
		first := snapshot(t, s)
		s.Git("add", "a.txt") // the same state, staged
		if again := snapshot(t, s); again.Head != first.Head {
			t.Errorf("the same state is %s, then %s", first.Head, again.Head)
		}
		s.Write("a.txt", "one\nfour\n")
		if other := snapshot(t, s); other.Head == first.Head || other.Parent != first.Parent {
			t.Errorf("another state is %s, too", other.Head)
		}
		r, err := git.Open(context.Background(), first.Repo.GitDir)
		if err != nil {
			t.Fatal(err)
		}
		if *r != *first.Repo {
			t.Errorf("opened as %+v, made as %+v", r, first.Repo)
		}
		base, err := r.DefaultBase(context.Background(), first.Head, "")
		if err != nil || base.Ref != "main" || base.MergeBase != first.Parent || base.Note != "" {
			t.Errorf("base %+v, %v", base, err)
		}
		if text, err := r.ReadFile(context.Background(), first.Head, "a.txt", 100); err != nil || string(text) != "one\nthree\n" {
			t.Errorf("it holds %q, %v", text, err)
		}
	}
}

// What a racy index hides: a file of the same size that changed in the moment in
// which the index was written.
func TestSnapshotSeesWhatChangedWithTheIndex(t *testing.T) {
	t.Parallel()
	s := started(t)
	file := filepath.Join(s.Dir, "a.txt")
	st, err := os.Stat(filepath.Join(s.Dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	at := st.ModTime()
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
	s.Git("update-index", "--refresh")
	if err := os.Chtimes(filepath.Join(s.Dir, ".git", "index"), at, at); err != nil {
		t.Fatal(err)
	}
	s.Write("a.txt", "one\nTWO\n")
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
	s.Git("config", "core.trustctime", "false")
	if got := statuses(t, snapshot(t, s)); got != `M "a.txt"` {
		t.Errorf("got %s", got)
	}
}

func TestSnapshotOfAConflict(t *testing.T) {
	t.Parallel()
	s := started(t)
	s.Git("checkout", "-q", "-b", "other")
	s.Write("a.txt", "one\ntheirs\n")
	s.Git("rm", "-q", "b.txt")
	s.Commit("theirs")
	s.Git("checkout", "-q", "main")
	s.Write("a.txt", "one\nours\n")
	s.Write("b.txt", "ours\n")
	s.Commit("ours")
	// A merge that stops: git exits with 1.
	s.Git("-c", "alias.try=!git merge -q other || true", "try")
	remove(s, "b.txt")
	got := snapshot(t, s)
	if found := statuses(t, got); found != `M "a.txt", D "b.txt"` {
		t.Errorf("got %s", found)
	}
	text, err := got.Repo.ReadFile(context.Background(), got.Head, "a.txt", 1000)
	if err != nil || !strings.Contains(string(text), "<<<<<<<") {
		t.Errorf("got %q, %v", text, err)
	}
}

// Case W17: no filter of the repository runs, whoever configured it; nor a hook,
// nor a monitor (case W16).
func TestSnapshotRunsNothing(t *testing.T) {
	t.Parallel()
	s := started(t)
	trap := filepath.Join(t.TempDir(), "ran")
	program := "sh -c 'echo ran >>" + trap + "; cat'"
	for key, value := range map[string]string{
		"filter.evil.clean": program, "filter.evil.smudge": program, "filter.evil.required": "true",
		"filter.long.process": program, "filter.lfs.clean": "no-such-program", "filter.lfs.required": "true", // case W22
		"core.fsmonitor": "touch " + trap, "diff.evil.textconv": program,
	} {
		s.Git("config", key, value)
	}
	for _, hook := range []string{"post-index-change", "pre-commit", "fsmonitor-watchman"} {
		path := filepath.Join(s.Dir, ".git", "hooks", hook)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("#!/bin/sh\ntouch "+trap+"\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	s.Write(".gitattributes", "*.txt filter=evil diff=evil\n*.bin filter=long\n*.png filter=lfs\n")
	s.Write("a.txt", "one\nthree\n")
	s.Write("x.bin", "x")
	s.Write("y.png", "y")
	if got := statuses(t, snapshot(t, s)); got != `A ".gitattributes", M "a.txt", A "x.bin", A "y.png"` {
		t.Errorf("got %s", got)
	}
	if _, err := os.Stat(trap); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something ran")
	}
}

// Line ends become those of a commit.
func TestSnapshotEndsLinesAsACommitDoes(t *testing.T) {
	t.Parallel()
	s := started(t)
	s.Git("config", "core.autocrlf", "true")
	s.Write("a.txt", "one\r\nthree\r\n")
	got := snapshot(t, s)
	if text, err := got.Repo.ReadFile(context.Background(), got.Head, "a.txt", 100); err != nil || string(text) != "one\nthree\n" {
		t.Errorf("got %q, %v", text, err)
	}
}

// Cases W19 and D14: a submodule's commit is part of the change, what lies in it is not; a
// repository that is none of the submodules is left out.
func TestSnapshotOfSubmodules(t *testing.T) {
	t.Parallel()
	s, inner := started(t), started(t)
	s.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "sub")
	s.Commit("with a submodule")
	sub := gittest.At(t, filepath.Join(s.Dir, "sub"))
	sub.Write("a.txt", "uncommitted\n")
	if got := statuses(t, snapshot(t, s)); got != "" {
		t.Errorf("got %s", got)
	}
	sub.Commit("newer")
	s.Git("clone", "-q", inner.Dir, "nested")
	got := snapshot(t, s)
	if found := statuses(t, got); found != `M "sub"` {
		t.Errorf("got %s", found)
	}
	if len(got.Left) != 1 || got.Left[0].Path != "nested/" {
		t.Errorf("left out: %v", got.Left)
	}
}

func TestSnapshotLeavesOutWhatCannotBeCommitted(t *testing.T) {
	t.Parallel()
	s := started(t)
	huge := filepath.Join(s.Dir, "huge.bin")
	s.Write("huge.bin", "")
	if err := os.Truncate(huge, git.SnapshotFileMax+1); err != nil {
		t.Fatal(err)
	}
	s.Write("good.txt", "good\n")
	want := []string{"huge.bin"}
	if os.Geteuid() != 0 {
		s.Write("locked.txt", "locked\n")
		if err := os.Chmod(filepath.Join(s.Dir, "locked.txt"), 0); err != nil {
			t.Fatal(err)
		}
		want = append(want, "locked.txt")
	}
	remove(s, "a.txt")
	if err := syscall.Mkfifo(filepath.Join(s.Dir, "a.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := git.Open(context.Background(), s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Snapshot(context.Background(), filepath.Join(t.TempDir(), "snapshot"))
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, f := range got.Left {
		left = append(left, f.Path)
	}
	for _, path := range want {
		if !strings.Contains(strings.Join(left, " "), path) {
			t.Errorf("%s is not named: %v", path, got.Left)
		}
	}
	if found := statuses(t, got); !strings.Contains(found, `A "good.txt"`) {
		t.Errorf("got %s", found)
	}
}

func TestSnapshotHeedsWhatTheOperatorIgnores(t *testing.T) { // not parallel: it sets the environment
	s := started(t)
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "gitconfig"))
	if err := errors.Join(os.MkdirAll(filepath.Join(home, "git"), 0o700), os.WriteFile(filepath.Join(home, "git", "ignore"), []byte("*.swp\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	s.Write("x.swp", "noise\n")
	s.Write("x.other", "noise\n")
	if got := statuses(t, snapshot(t, s)); got != `A "x.other"` {
		t.Errorf("got %s", got)
	}
	other := filepath.Join(home, "mine")
	s.Git("config", "-f", filepath.Join(home, "gitconfig"), "core.excludesFile", other)
	if err := os.WriteFile(other, []byte("*.other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := statuses(t, snapshot(t, s)); got != `A "x.swp"` {
		t.Errorf("got %s", got)
	}
}

func TestSnapshotWantsACheckoutWithACommit(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, c := range map[string]struct {
		args []string
		want error
	}{"bare": {[]string{"--bare"}, git.ErrBare}, "unborn": {nil, git.ErrUnknownRef}} {
		r, err := git.Open(ctx, gittest.New(t, c.args...).Dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Snapshot(ctx, filepath.Join(t.TempDir(), "s")); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What the user's repository loses afterwards, the snapshot may lose, but not
// what is new in it.
func TestSnapshotKeepsItsOwnObjects(t *testing.T) {
	t.Parallel()
	s := started(t)
	s.Write("a.txt", "one\nthree\n")
	got := snapshot(t, s)
	s.Git("checkout", "-q", "--", "a.txt")
	s.Git("-c", "gc.reflogExpire=now", "gc", "-q", "--prune=now")
	if text, err := got.Repo.ReadFile(context.Background(), got.Head, "a.txt", 100); err != nil || string(text) != "one\nthree\n" {
		t.Errorf("got %q, %v", text, err)
	}
}

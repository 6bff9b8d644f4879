package git_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/events"
)

func open(t *testing.T, s *gittest.Scratch) *git.Repo {
	t.Helper()
	repo, err := git.Open(context.Background(), s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

func TestOpen(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("a/b/f", "x\n")
	s.Commit("one")
	s.Write("plain.txt", "x\n")
	bare := filepath.Join(t.TempDir(), "x.git")
	s.Git("clone", "-q", "--bare", s.Dir, bare)
	linked := filepath.Join(t.TempDir(), "new\nline")
	s.Git("worktree", "add", "-q", "--detach", linked, "HEAD")

	cases := []struct {
		path, top string
		bare      bool
		err       error
	}{
		{path: s.Dir, top: s.Dir},
		{path: filepath.Join(s.Dir, "a", "b"), top: s.Dir},
		{path: bare, top: bare, bare: true},
		{path: filepath.Join(s.Dir, ".git"), top: filepath.Join(s.Dir, ".git"), bare: true},
		{path: filepath.Join(s.Dir, ".git", "refs", "heads"), top: filepath.Join(s.Dir, ".git"), bare: true},
		{path: linked, top: linked},
		{path: filepath.Join(s.Dir, "plain.txt"), err: git.ErrNotRepository},
		{path: filepath.Join(s.Dir, "nowhere"), err: git.ErrNotRepository},
		{path: t.TempDir(), err: git.ErrNotRepository},
	}
	for _, c := range cases {
		repo, err := git.Open(context.Background(), c.path)
		if !errors.Is(err, c.err) {
			t.Errorf("Open(%q): error %v, want %v", c.path, err, c.err)
		}
		if err == nil && (repo.Top != c.top || repo.Bare != c.bare) {
			t.Errorf("Open(%q): top %q, bare %v", c.path, repo.Top, repo.Bare)
		}
		if err == nil && !c.bare && repo.CommonDir != filepath.Join(s.Dir, ".git") {
			t.Errorf("Open(%q): common folder %q", c.path, repo.CommonDir)
		}
	}
}

// git's own variables, which a hook that calls us sets, lead nowhere else.
// Not parallel: it sets the process's environment.
func TestOpenIgnoresTheEnvironment(t *testing.T) {
	other, s := gittest.New(t), gittest.New(t)
	other.Commit("other")
	want := s.Commit("one")
	t.Setenv("GIT_DIR", filepath.Join(other.Dir, ".git"))
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.quotePath")
	t.Setenv("GIT_CONFIG_VALUE_0", "maybe")
	got, err := open(t, s).ResolveCommit(context.Background(), "HEAD")
	if err != nil || string(got) != want {
		t.Errorf("HEAD = %s, %v; want %s", got, err, want)
	}
}

func TestGitMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := git.Open(context.Background(), t.TempDir()); !errors.Is(err, git.ErrGitMissing) {
		t.Errorf("error %v, want ErrGitMissing", err)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	first := s.Commit("one")
	head := s.Commit("two")
	s.Git("tag", "-a", "-m", "t", "v1", first)
	s.Git("tag", "blob", s.Blob("text"))
	repo := open(t, s)
	refs := map[string]string{
		"HEAD": head, "main": head, "refs/heads/main": head, head: head, head[:7]: head,
		"HEAD~1": first, "v1": first, "v1^{}": first,
		"": "", "nope": "", "-rf": "", "--output=x": "", "main nope": "", "HEAD~9": "", "blob": "",
		"main..v1": "", "main\nHEAD": "", "HEAD\x00": "", strings.Repeat("a", 5000): "",
		strings.Repeat("1", 40): "", "HEAD:": "",
	}
	for ref, want := range refs {
		got, err := repo.ResolveCommit(context.Background(), ref)
		if string(got) != want {
			t.Errorf("%.40q = %q, want %q", ref, got, want)
		}
		var unknown *git.RefError
		if want == "" && (!errors.Is(err, git.ErrUnknownRef) || !errors.As(err, &unknown) || unknown.Ref != ref) {
			t.Errorf("%.40q: error %v, want the RefError of it", ref, err)
		}
	}
	found, err := repo.ResolveCommits(context.Background(), "nope", "HEAD", "", "v1")
	want := []events.Commit{"", events.Commit(head), "", events.Commit(first)}
	if err != nil || len(found) != 4 || found[0] != want[0] || found[1] != want[1] || found[2] != want[2] || found[3] != want[3] {
		t.Errorf("ResolveCommits = %q, %v; want %q", found, err, want)
	}
}

// A repository with SHA-256 ids works all the way. (case W25)
func TestSHA256(t *testing.T) {
	t.Parallel()
	s := gittest.New(t, "--object-format=sha256")
	s.Write("f", "a\n")
	head := s.Commit("one")
	repo := open(t, s)
	ctx := context.Background()
	base, err := repo.DefaultBase(ctx, events.Commit(head), "")
	if err != nil || len(base.MergeBase) != 64 || base.MergeBase != repo.EmptyTree {
		t.Fatalf("base = %+v, %v", base, err)
	}
	files, err := repo.ChangedFiles(ctx, base.MergeBase, events.Commit(head))
	if err != nil || len(files) != 1 || files[0].Path != "f" || files[0].Added != 1 {
		t.Errorf("files = %+v, %v", files, err)
	}
	dir := t.TempDir()
	if _, err := repo.Export(ctx, events.Commit(head), dir, git.ExportLimits{}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(text) != "a\n" {
		t.Errorf("f = %q, %v", text, err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
}

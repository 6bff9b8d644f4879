// Package changetest makes small changes for the tests of adapters/engine: two
// sets of files become a checkout of the head and git's own patch.
package changetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// Files maps names to contents.
type Files map[string]string

// The commits of every change made here.
const (
	Head events.Commit = "1111111111111111111111111111111111111111"
	Base events.Commit = "2222222222222222222222222222222222222222"
)

// New returns the change from base to head.
func New(t testing.TB, base, head Files) *actors.Change {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "a"), base)
	write(t, filepath.Join(root, "b"), head)
	patch := difference(t, root)
	change := &actors.Change{
		Dir: filepath.Join(root, "b"), Head: Head, Base: Base, MergeBase: Base,
		Patch: patch, Print: events.DigestOf(patch),
	}
	for _, f := range Parse(t, change).Files {
		shown, exact := diff.ShowPath(f.Path())
		old := ""
		if f.Status == diff.Renamed {
			old = f.Old
		}
		change.Files = append(change.Files, events.ChangedFile{
			Path: shown, PathBase64: exact, Old: old, Status: f.Status.String(),
			Added: f.Added, Deleted: f.Removed, Binary: f.Binary,
		})
		change.Lines += f.Added + f.Removed
	}
	return change
}

// Parse returns the change's patch.
func Parse(t testing.TB, change *actors.Change) *diff.Change {
	t.Helper()
	parsed, err := diff.Parse(change.Patch)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func write(t testing.TB, dir string, files Files) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// difference makes a tree of each of the folders a and b and compares them, as
// adapters/git does with two commits.
func difference(t testing.TB, root string) []byte {
	t.Helper()
	store := filepath.Join(root, "git")
	git(t, root, "init", "--quiet", "--bare", store)
	return git(t, root, "--git-dir="+store, "diff", "--no-color", "--no-ext-diff", "-M", tree(t, root, store, "a"), tree(t, root, store, "b"))
}

func tree(t testing.TB, root, store, dir string) string {
	t.Helper()
	git(t, root, "--git-dir="+store, "--work-tree="+filepath.Join(root, dir), "add", "--all", "--force")
	return strings.TrimSpace(string(git(t, root, "--git-dir="+store, "write-tree")))
}

func git(t testing.TB, root string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), "git", append([]string{"-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = root
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return out
}

// Package gittest makes scratch repositories for tests, with the git program and
// without anybody's configuration. Every date and author is fixed, so that the
// same steps give the same commits everywhere.
package gittest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Scratch is a repository in a folder that goes with the test.
type Scratch struct {
	T   testing.TB
	Dir string

	clock int // of the next commit, in seconds
}

// epoch is the date of the first commit.
const epoch = 1_700_000_000

// New makes an empty repository whose branch is main; further arguments go to
// "git init".
func New(t testing.TB, args ...string) *Scratch {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &Scratch{T: t, Dir: dir, clock: epoch}
	s.Git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return s
}

// At is a repository that is there already.
func At(t testing.TB, dir string) *Scratch {
	return &Scratch{T: t, Dir: dir, clock: epoch + 1_000_000}
}

// Env is the environment of the scratch git: nobody's configuration.
func (s *Scratch) Env() []string {
	date := fmt.Sprintf("%d +0000", s.clock)
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.Dir, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=Ben", "GIT_COMMITTER_EMAIL=ben@example.org", "GIT_COMMITTER_DATE=" + date,
		"GIT_ALLOW_PROTOCOL=file",
	}
}

// Git runs git in the repository, ends the test where it fails, and returns what
// it printed, without the last newline.
func (s *Scratch) Git(args ...string) string {
	s.T.Helper()
	return s.Input("", args...)
}

// Input is Git with a standard input.
func (s *Scratch) Input(stdin string, args ...string) string {
	s.T.Helper()
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = s.Dir, s.Env(), strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.T.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Write puts a file into the checkout.
func (s *Scratch) Write(path, text string) {
	s.T.Helper()
	full := filepath.Join(s.Dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		s.T.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		s.T.Fatal(err)
	}
}

// Commit commits the whole checkout and returns the commit's id.
func (s *Scratch) Commit(message string) string {
	s.T.Helper()
	s.Git("add", "-A", "--", ".")
	s.Git("commit", "-q", "--allow-empty", "--no-verify", "-m", message)
	s.clock++
	return s.Head()
}

// Head is the checked-out commit.
func (s *Scratch) Head() string {
	s.T.Helper()
	return s.Git("rev-parse", "HEAD")
}

// Blob stores a content and returns its id.
func (s *Scratch) Blob(content string) string {
	s.T.Helper()
	return s.Input(content, "hash-object", "-w", "--stdin")
}

// Entry is a line of a tree that is made without a checkout.
type Entry struct{ Mode, Type, ID, Path string }

// File is an Entry for a regular file.
func (s *Scratch) File(path, content string) Entry {
	s.T.Helper()
	return Entry{Mode: "100644", Type: "blob", ID: s.Blob(content), Path: path}
}

// Tree stores one tree, whose names may be anything but a slash, and returns its
// id.
func (s *Scratch) Tree(entries ...Entry) string {
	s.T.Helper()
	var lines strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&lines, "%s %s %s\t%s\x00", e.Mode, e.Type, e.ID, e.Path)
	}
	return s.Input(lines.String(), "mktree", "-z", "--missing")
}

// CommitTree makes a commit of a tree, on no branch.
func (s *Scratch) CommitTree(tree string, parents ...string) string {
	s.T.Helper()
	args := []string{"commit-tree", tree, "-m", "made"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	s.clock++
	return s.Git(args...)
}

// DeepTree stores the trees of files whose paths may have slashes, and returns the
// id of the top.
func (s *Scratch) DeepTree(files ...Entry) string {
	s.T.Helper()
	below := map[string][]Entry{}
	var here []Entry
	for _, f := range files {
		dir, rest, nested := strings.Cut(f.Path, "/")
		if !nested {
			here = append(here, f)
			continue
		}
		f.Path = rest
		below[dir] = append(below[dir], f)
	}
	for dir, inside := range below {
		here = append(here, Entry{Mode: "040000", Type: "tree", ID: s.DeepTree(inside...), Path: dir})
	}
	return s.Tree(here...)
}

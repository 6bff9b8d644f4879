package git_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/events"
)

// Each case builds a repository and says which head is asked for, what its merge
// base must be, and a part of the note. (CLI.md, "Doing a review")
func TestDefaultBase(t *testing.T) {
	t.Parallel()
	const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	cases := []struct {
		name, configured, note string
		build                  func(s *gittest.Scratch) (head, mergeBase, ref string)
	}{
		{name: "branch from main", build: func(s *gittest.Scratch) (string, string, string) {
			fork := s.Commit("one")
			s.Git("checkout", "-q", "-b", "feature")
			head := s.Commit("two")
			s.Git("checkout", "-q", "main")
			s.Commit("main moves on")
			return head, fork, "main"
		}},
		{name: "configured wins over main", configured: "develop", build: func(s *gittest.Scratch) (string, string, string) {
			s.Commit("one")
			s.Git("checkout", "-q", "-b", "develop")
			fork := s.Commit("two")
			s.Git("checkout", "-q", "-b", "feature")
			return s.Commit("three"), fork, "develop"
		}},
		{name: "configured is not there", configured: "develop", build: func(s *gittest.Scratch) (string, string, string) {
			fork := s.Commit("one")
			s.Git("checkout", "-q", "-b", "feature")
			return s.Commit("two"), fork, "main"
		}},
		{name: "first commit", note: "first commit", build: func(s *gittest.Scratch) (string, string, string) {
			return s.Commit("one"), emptyTree, emptyTree
		}},
		{name: "master", build: func(s *gittest.Scratch) (string, string, string) {
			s.Git("branch", "-q", "-M", "master")
			fork := s.Commit("one")
			s.Git("checkout", "-q", "-b", "feature")
			return s.Commit("two"), fork, "master"
		}},
		{name: "no default branch", note: "no origin/HEAD, main or master", build: func(s *gittest.Scratch) (string, string, string) {
			s.Git("checkout", "-q", "-b", "trunk")
			first := s.Commit("one")
			return s.Commit("two"), first, first
		}},
		{name: "old commit of main", note: "already lies on main", build: func(s *gittest.Scratch) (string, string, string) {
			first := s.Commit("one")
			head := s.Commit("two")
			s.Commit("three")
			return head, first, first
		}},
		{name: "origin/HEAD wins", configured: "develop", build: func(s *gittest.Scratch) (string, string, string) {
			s.Commit("one")
			fork := s.Commit("two")
			s.Git("update-ref", "refs/remotes/origin/trunk", fork)
			s.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
			s.Git("branch", "develop", "HEAD~1")
			return s.Commit("three"), fork, "origin/HEAD"
		}},
		{name: "tip of main", note: "already lies on main: compared with its first parent", build: func(s *gittest.Scratch) (string, string, string) {
			first := s.Commit("one")
			return s.Commit("two"), first, first
		}},
		{name: "merge on main", note: "first parent", build: func(s *gittest.Scratch) (string, string, string) {
			s.Commit("one")
			s.Git("checkout", "-q", "-b", "side")
			s.Commit("two")
			s.Git("checkout", "-q", "main")
			first := s.Commit("three")
			s.Git("merge", "-q", "--no-ff", "-m", "merge", "side")
			return s.Head(), first, first
		}},
		{name: "unrelated", note: "shares no history", build: func(s *gittest.Scratch) (string, string, string) {
			s.Commit("one")
			s.Git("checkout", "-q", "--orphan", "z")
			return s.Commit("z"), emptyTree, "main"
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := gittest.New(t)
			head, mergeBase, ref := c.build(s)
			base, err := open(t, s).DefaultBase(context.Background(), events.Commit(head), c.configured)
			if err != nil {
				t.Fatal(err)
			}
			if string(base.MergeBase) != mergeBase || base.Ref != ref {
				t.Errorf("base = %+v, want merge base %s of %s", base, mergeBase, ref)
			}
			if (c.note == "") != (base.Note == "") || !strings.Contains(base.Note, c.note) {
				t.Errorf("note = %q, want %q in it", base.Note, c.note)
			}
		})
	}
}

// In a shallow clone a parent is named by its child and is not here.
func TestDefaultBaseOfShallowClone(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Commit("one")
	s.Commit("two")
	s.Git("checkout", "-q", "-b", "feature")
	head := s.Commit("three")
	clone := filepath.Join(t.TempDir(), "shallow")
	s.Git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+s.Dir, clone)
	shallow := gittest.At(t, clone)
	repo := open(t, shallow)
	ctx := context.Background()

	base, err := repo.DefaultBase(ctx, events.Commit(shallow.Git("rev-parse", "origin/main")), "")
	if err != nil || base.MergeBase != repo.EmptyTree || !strings.Contains(base.Note, "shallow") {
		t.Errorf("tip of main: %+v, %v", base, err)
	}
	shallow.Git("remote", "set-head", "origin", "main")
	base, err = repo.DefaultBase(ctx, events.Commit(head), "")
	if err != nil || base.MergeBase != repo.EmptyTree || !strings.Contains(base.Note, "shallow") {
		t.Errorf("branch: %+v, %v", base, err)
	}
}

func TestBetweenEmptyTree(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	head := events.Commit(s.Commit("one"))
	repo := open(t, s)
	base, err := repo.Between(context.Background(), repo.EmptyTree, head)
	if err != nil || base.MergeBase != repo.EmptyTree || base.Note == "" {
		t.Errorf("base = %+v, %v", base, err)
	}
}

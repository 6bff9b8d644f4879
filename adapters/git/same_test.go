package git_test

import (
	"context"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/events"
)

func TestSameFile(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("kept", "one")
	s.Write("edited", "one")
	s.Write("gone", "one")
	s.Write("a b\t\"c\"", "one")
	from := events.Commit(s.Commit("base"))
	s.Write("edited", "two")
	s.Write("new", "two")
	s.Git("rm", "-q", "gone")
	to := events.Commit(s.Commit("head"))
	repo, err := git.Open(context.Background(), s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"kept": true, "a b\t\"c\"": true, "never": true, "edited": false, "new": false, "gone": false, "a\nkept": false,
	} {
		same, err := repo.SameFile(context.Background(), from, to, path)
		if err != nil || same != want {
			t.Errorf("%q: got %v, %v, want %v", path, same, err, want)
		}
	}
	if same, err := repo.SameFile(context.Background(), repo.EmptyTree, to, "kept"); err != nil || same {
		t.Errorf("of the empty tree: got %v, %v", same, err)
	}
}

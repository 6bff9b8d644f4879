package githubtest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-github/v66/github"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// Where comments are after a push, and what is null. (cases D36, D37)
func TestAPushMovesComments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{})
	_, pull := w.openTown()
	first := pull.Head()
	got := w.post(pull, m{"commit_id": first, "event": "COMMENT", "body": "b", "comments": []m{
		{"path": "n.txt", "line": 5, "body": "stays in the file, moves down"},
		{"path": "n.txt", "line": 25, "body": "is changed"},
		{"path": "n.txt", "start_line": 4, "line": 6, "body": "several lines"},
		{"path": "n.txt", "line": 5, "side": "LEFT", "body": "on the left"},
		{"path": "new.go", "line": 3, "body": "in a file that goes"},
	}})
	if got.Status != 200 {
		t.Fatal(got.Text)
	}
	changed := strings.Replace(strings.Replace(numbers, "\n5\n", "\nfive\n", 1), "\n25\n", "\n25 it is\n", 1)
	second := pull.Push(githubtest.Files{"n.txt": "zero\n" + changed, "new.go": githubtest.Gone})
	list, _, err := w.client.PullRequests.ListComments(context.Background(), "octo", "town", 1, &github.PullRequestListCommentsOptions{})
	if err != nil || len(list) != 5 {
		t.Fatalf("%v %v", list, err)
	}
	for i, want := range []struct{ line, start, original int }{{6, 0, 5}, {0, 0, 25}, {7, 5, 6}, {5, 0, 5}, {0, 0, 3}} {
		c := list[i]
		if c.GetLine() != want.line || c.GetStartLine() != want.start || c.GetOriginalLine() != want.original || (c.Line == nil) != (want.line == 0) || (c.Position == nil) != (want.line == 0) {
			t.Errorf("%s: line %v, start %v, original %d, position %v", c.GetBody(), c.Line, c.StartLine, c.GetOriginalLine(), c.Position)
		}
		if c.GetCommitID() != string(second) || c.GetOriginalCommitID() != string(first) || c.GetSubjectType() != "line" {
			t.Errorf("%s: commit %s, original %s", c.GetBody(), c.GetCommitID(), c.GetOriginalCommitID())
		}
	}
	older, _, err := w.client.PullRequests.ListReviewComments(context.Background(), "octo", "town", 1, got.ID, nil)
	if err != nil || len(older) != 5 || older[0].Line != nil || older[0].GetOriginalPosition() != 5 || older[0].GetPosition() == 0 || older[1].Position != nil {
		t.Errorf("%v %v", older, err)
	}
	pull.Reset(first)
	for i, c := range pull.Reviews()[0].Comments {
		if c.Line != c.OriginalLine || c.Position != c.OriginalAt {
			t.Errorf("back at the first head, comment %d is on line %d", i, c.Line)
		}
	}
}

// Case D37: the commit of a review stays, or moves: both were seen.
func TestTheCommitOfAReviewStaysOrMoves(t *testing.T) {
	t.Parallel()
	for _, moves := range []bool{false, true} {
		w := newWorld(t, githubtest.Params{NoGit: true, Modes: githubtest.Modes{ReviewsMove: moves}})
		_, pull := w.openTown()
		first := pull.Head()
		w.post(pull, m{"event": "APPROVE"})
		second := pull.ForcePush(githubtest.Files{"z": "z"})
		list, _, err := w.client.PullRequests.ListReviews(context.Background(), "octo", "town", 1, nil)
		want := first
		if moves {
			want = second
		}
		if err != nil || list[0].GetCommitID() != string(want) {
			t.Errorf("moves is %t: %s, want %s", moves, list[0].GetCommitID(), want)
		}
	}
}

// What people do on the page needs no token and is no work of ours.
func TestStepsOfPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	_, pull := w.openTown()
	mine := pull.Review(githubtest.Review{Author: "bot[bot]", State: "PENDING", Body: "by hand"})
	if got := w.post(pull, m{"body": "x"}); got.Status != 422 || len(pull.Submitted()) != 0 {
		t.Errorf("%s", got.Text)
	}
	pull.Discard(mine)
	id := w.post(pull, m{"body": "x", "event": "APPROVE"}).ID
	pull.EditBody(id, "y")
	pull.Dismiss(id)
	got := pull.Reviews()
	if len(got) != 1 || !got[0].Ours || got[0].Body != "y" || got[0].State != "DISMISSED" {
		t.Errorf("%+v", got)
	}
	pull.Close()
	pull.Reopen()
	pull.SetDraft(true)
	pull.Ready()
	if list := numbersOf(t, w.do(w.token, "GET", "/repos/octo/town/pulls", nil)); len(list) != 1 {
		t.Errorf("%v", list)
	}
}

// A base that moves is no push: the head and its comments stay.
func TestTheBaseMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{})
	repo, pull := w.openTown()
	before, _, _ := w.client.PullRequests.Get(context.Background(), "octo", "town", 1)
	repo.Push("main", githubtest.Files{"unrelated": "x"})
	after, _, err := w.client.PullRequests.Get(context.Background(), "octo", "town", 1)
	if err != nil || after.GetHead().GetSHA() != before.GetHead().GetSHA() || after.GetChangedFiles() != 2 || after.GetBase().GetSHA() != before.GetBase().GetSHA() {
		t.Errorf("%v %v", after, err)
	}
	pull.Push(githubtest.Files{"more": "x"})
	after, _, _ = w.client.PullRequests.Get(context.Background(), "octo", "town", 1)
	if after.GetBase().GetSHA() != string(repo.Head("main")) || after.GetChangedFiles() != 3 || after.GetCommits() != 2 {
		t.Errorf("%v", after)
	}
	pull.Merge()
	after, _, _ = w.client.PullRequests.Get(context.Background(), "octo", "town", 1)
	if !after.GetMerged() || after.GetState() != "closed" || after.GetMergeCommitSHA() != string(repo.Head("main")) {
		t.Errorf("%v", after)
	}
}

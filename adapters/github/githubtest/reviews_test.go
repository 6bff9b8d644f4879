package githubtest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-github/v66/github"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

type commitFile = github.CommitFile

func reviewPath(pull *githubtest.PullRequest, id int64, rest string) string {
	return fmt.Sprintf("/repos/octo/town/pulls/%d/reviews/%d%s", pull.Number, id, rest)
}

// Case G14: a pending review is its author's alone, has no time, and stands in the
// way of every other one.
func TestAReviewWithoutAnEventIsPending(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	_, pull := w.openTown()
	other := w.Token("carl")
	first := w.post(pull, m{"body": "mine"})
	if first.State != "PENDING" || strings.Contains(first.Text, "submitted_at") {
		t.Fatalf("%s", first.Text)
	}
	if got := w.do(other, "GET", "/repos/octo/town/pulls/1/reviews", nil); got.Text != "[]" {
		t.Errorf("another sees it: %s", got.Text)
	}
	if got := w.do(other, "GET", reviewPath(pull, first.ID, ""), nil); got.Status != http.StatusNotFound {
		t.Errorf("another gets it: %s", got.Text)
	}
	list, _, err := w.client.PullRequests.ListReviews(context.Background(), "octo", "town", 1, nil)
	if err != nil || len(list) != 1 || list[0].SubmittedAt != nil {
		t.Errorf("its author does not see it: %v %v", list, err)
	}
	for _, body := range []m{{"body": "again"}, {"body": "again", "event": "COMMENT"}} {
		if got := w.post(pull, body); got.Status != 422 || got.Errors[0] != "User can only have one pending review per pull request" {
			t.Errorf("%v: %s", body, got.Text)
		}
	}
	w.write()
	if got := w.do(other, "POST", "/repos/octo/town/pulls/1/reviews", m{"body": "I may", "event": "COMMENT"}); got.Status != http.StatusOK {
		t.Errorf("it stands in another's way: %s", got.Text)
	}
	w.write()
	if got := w.do(w.token, "DELETE", reviewPath(pull, first.ID, ""), nil); got.Status != http.StatusOK || got.ID != first.ID {
		t.Errorf("%s", got.Text)
	}
	if got := w.post(pull, m{"body": "now", "event": "COMMENT"}); got.Status != http.StatusOK || got.State != "COMMENTED" {
		t.Errorf("%s", got.Text)
	}
}

// Case G24: there is no idempotency; that is the point.
func TestTheSamePostMakesASecondReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	_, pull := w.openTown()
	for range 2 {
		w.post(pull, m{"body": "same", "event": "COMMENT"})
	}
	if n := len(pull.Submitted()); n != 2 {
		t.Errorf("%d reviews", n)
	}
}

func TestWhatAReviewMustSay(t *testing.T) {
	t.Parallel()
	comment := []m{{"path": "new.go", "line": 1, "body": "x"}}
	long := strings.Repeat("ü", 65_536) // characters, not bytes
	for _, test := range []struct {
		name   string
		author string
		body   m
		want   string
	}{
		{"a comment", "ann", m{"event": "COMMENT", "body": "x"}, "COMMENTED"},
		{"an approval without words", "ann", m{"event": "APPROVE"}, "APPROVED"},
		{"changes", "ann", m{"event": "REQUEST_CHANGES", "body": "x"}, "CHANGES_REQUESTED"},
		{"changes without words", "ann", m{"event": "REQUEST_CHANGES", "comments": comment}, "You need to leave a comment indicating the requested changes."},
		{"a comment without words but inline", "ann", m{"event": "COMMENT", "comments": comment}, "COMMENTED"},
		{"a comment without any words", "ann", m{"event": "COMMENT"}, "Body can't be blank"},
		{"an unknown event", "ann", m{"event": "LIKE", "body": "x"}, "was provided invalid value"},
		{"the longest body", "ann", m{"event": "COMMENT", "body": long}, "COMMENTED"},
		{"a longer one", "ann", m{"event": "COMMENT", "body": long + "x"}, "Body is too long"},
		{"a longer inline one", "ann", m{"event": "COMMENT", "comments": []m{{"path": "new.go", "line": 1, "body": long + "x"}}}, "Body is too long"},
		{"one's own, approved (case G13)", "bot[bot]", m{"event": "APPROVE"}, "Can not approve your own pull request"},
		{"one's own, refused (case G13)", "bot[bot]", m{"event": "REQUEST_CHANGES", "body": "x"}, "Can not request changes on your own pull request"},
		{"one's own, commented on (case G13)", "bot[bot]", m{"event": "COMMENT", "body": "x"}, "COMMENTED"},
		{"of a deleted account", githubtest.Ghost, m{"event": "APPROVE"}, "APPROVED"},
	} {
		w := newWorld(t, githubtest.Params{NoGit: true, Silent: test.body["event"] == "LIKE"})
		repo, _ := w.openTown()
		pull := repo.Open(githubtest.Pull{Head: "fix", Author: test.author})
		if got := w.post(pull, test.body); got.State != test.want && !strings.Contains(strings.Join(got.Errors, ""), test.want) {
			t.Errorf("%s: %.300s", test.name, got.Text)
		}
	}
}

// Cases G26 and G27: a commit of the pull request is taken, the old one too; one that
// was pushed away is not.
func TestTheCommitMustBelongToThePullRequest(t *testing.T) {
	t.Parallel()
	for _, noGit := range []bool{false, true} {
		w := newWorld(t, githubtest.Params{NoGit: noGit})
		repo, pull := w.openTown()
		first := pull.Head()
		pull.Push(githubtest.Files{"new.go": "package town\n\nfunc G() {}\n"})
		inline := []m{{"path": "new.go", "line": 3, "body": "x"}, {"path": "n.txt", "line": 5, "body": "y"}}
		got := w.post(pull, m{"commit_id": first, "event": "COMMENT", "comments": inline})
		if got.Status != http.StatusOK {
			t.Fatal(got.Text)
		}
		old, kept := pull.Reviews()[0].Comments[0], pull.Reviews()[0].Comments[1]
		if !old.Outdated() || old.Line != 0 || old.OriginalLine != 3 || kept.Outdated() || kept.Line != 5 {
			t.Errorf("an older commit: %+v %+v", old, kept)
		}
		if got := w.post(pull, m{"commit_id": repo.Head("main"), "event": "COMMENT", "body": "x"}); got.Status != 422 || got.Errors[0] != "The commitOID is not part of the pull request" {
			t.Errorf("the base's commit: %s", got.Text)
		}
		pull.ForcePush(githubtest.Files{"new.go": "package other\n\nfunc H() {}\n"})
		if got := w.post(pull, m{"commit_id": first, "event": "COMMENT", "comments": inline}); got.Status != 422 || got.Errors[0] != "Start commit oid is not part of the pull request" {
			t.Errorf("pushed away: %s", got.Text)
		}
	}
}

func TestSubmittingDeletingDismissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true, Silent: true})
	_, pull := w.openTown()
	reader := w.Token("reader")
	id := w.post(pull, m{"body": "x"}).ID
	events := func(body m) raw {
		w.write()
		return w.do(w.token, "POST", reviewPath(pull, id, "/events"), body)
	}
	if got := events(m{}); got.Status != 422 {
		t.Errorf("no event: %s", got.Text)
	}
	if got := events(m{"event": "APPROVE"}); got.State != "APPROVED" || !strings.Contains(got.Text, `"body":"x"`) {
		t.Errorf("%s", got.Text)
	}
	if got := events(m{"event": "APPROVE"}); got.Status != 422 || got.Errors[0] != "Can not submit a review that is not pending" {
		t.Errorf("a second time: %s", got.Text)
	}
	w.write()
	if got := w.do(w.token, "DELETE", reviewPath(pull, id, ""), nil); got.Status != 422 || got.Errors[0] != "Can not delete a non-pending pull request review" {
		t.Errorf("deleting a submitted one: %s", got.Text)
	}
	w.write()
	if got := w.do(w.token, "PUT", reviewPath(pull, id, ""), m{"body": "y"}); got.Status != 200 || pull.Reviews()[0].Body != "y" {
		t.Errorf("%s", got.Text)
	}
	w.repo("octo/town").Access("reader", githubtest.RoleRead)
	w.write()
	if got := w.do(reader, "PUT", reviewPath(pull, id, ""), m{"body": "z"}); got.Status != http.StatusNotFound { // case G34
		t.Errorf("another's: %s", got.Text)
	}
	w.write()
	if got := w.do(reader, "PUT", reviewPath(pull, id, "/dismissals"), m{"message": "no"}); got.Status != http.StatusForbidden {
		t.Errorf("dismissed by a reader: %s", got.Text)
	}
	w.write()
	if got := w.do(w.token, "PUT", reviewPath(pull, id, "/dismissals"), m{"message": "no"}); got.State != "DISMISSED" {
		t.Errorf("%s", got.Text)
	}
	w.write()
	if got := w.do(w.token, "PUT", reviewPath(pull, id, "/dismissals"), m{"message": "no"}); got.Status != 422 {
		t.Errorf("dismissed twice: %s", got.Text)
	}
	if got := w.do(w.token, "GET", reviewPath(pull, 1, ""), nil); got.Status != http.StatusNotFound {
		t.Errorf("%s", got.Text)
	}
}

// Case G58: what is read-only says so.
func TestArchivedAndLocked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	repo, pull := w.openTown()
	pull.Lock(true)
	if got := w.post(pull, m{"body": "x", "event": "COMMENT"}); got.Status != 403 || !strings.Contains(got.Message, "locked") {
		t.Errorf("%s", got.Text)
	}
	repo.Archive(true)
	if got := w.post(pull, m{"body": "x", "event": "COMMENT"}); got.Status != 403 || got.Message != "Repository was archived so is read-only." {
		t.Errorf("%s", got.Text)
	}
	if got := w.do(w.token, "GET", "/repos/octo/town/pulls/1", nil); got.Status != 200 {
		t.Errorf("reading: %s", got.Text)
	}
	repo.Archive(false)
	pull.Lock(false)
	pull.Merge()
	if got := w.post(pull, m{"body": "x", "event": "COMMENT"}); got.Status != 200 {
		t.Errorf("a merged one takes reviews: %s", got.Text)
	}
}

package githubtest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// heard is a test that only listens.
type heard struct {
	testing.TB
	errors []string
}

func (h *heard) Helper() {}

func (h *heard) Errorf(format string, args ...any) {
	h.errors = append(h.errors, fmt.Sprintf(format, args...))
}

func TestCheckFindsWhatMustNotBe(t *testing.T) {
	t.Parallel()
	const marker = "<!-- reviewctl review v1 repo=octo/town pr=1 head=%s -->\n"
	secret := "s3cr" + "et-of-the-test"
	for name, test := range map[string]struct {
		do   func(w *world, pull *githubtest.PullRequest, marked string)
		want string // "" = nothing is wrong
	}{
		"a review": {func(w *world, pull *githubtest.PullRequest, marked string) {
			w.post(pull, m{"event": "COMMENT", "body": marked + "hello", "comments": []m{{"path": "new.go", "line": 1, "body": marked}}})
		}, ""},
		"two of one head": {func(w *world, pull *githubtest.PullRequest, marked string) {
			w.post(pull, m{"event": "COMMENT", "body": marked})
			w.post(pull, m{"event": "COMMENT", "body": marked})
		}, "has a review of bot[bot] already"},
		"one of them dismissed": {func(w *world, pull *githubtest.PullRequest, marked string) {
			pull.Dismiss(w.post(pull, m{"event": "COMMENT", "body": marked}).ID)
			w.post(pull, m{"event": "COMMENT", "body": marked})
		}, ""},
		"one of a person, without a marker": {func(_ *world, pull *githubtest.PullRequest, _ string) {
			pull.Review(githubtest.Review{Author: "carl", State: "APPROVED", Body: "@ann fine"})
		}, ""},
		"no marker": {func(w *world, pull *githubtest.PullRequest, _ string) {
			w.post(pull, m{"event": "COMMENT", "body": "x"})
		}, "has 0 markers"},
		"two markers inline": {func(w *world, pull *githubtest.PullRequest, marked string) {
			w.post(pull, m{"body": marked, "comments": []m{{"path": "new.go", "line": 1, "body": marked + marked}}})
		}, "comment on new.go:1: the body has 2 markers"},
		"a mention": {func(w *world, pull *githubtest.PullRequest, marked string) {
			w.post(pull, m{"body": marked + "thanks @ann"})
		}, "mentions @ann"},
		"a secret": {func(w *world, pull *githubtest.PullRequest, marked string) {
			w.post(pull, m{"body": marked + secret})
		}, "canary"},
		"a secret that was refused": {func(w *world, pull *githubtest.PullRequest, _ string) {
			w.post(pull, m{"event": "LIKE", "body": secret})
		}, "holds a canary"},
		"two writes at once": {func(w *world, pull *githubtest.PullRequest, marked string) {
			id := w.post(pull, m{"body": marked}).ID
			w.do(w.token, "DELETE", reviewPath(pull, id, ""), nil)
		}, "was written 0s after the one before"},
		"a write to what was seen closed": {func(w *world, pull *githubtest.PullRequest, marked string) {
			pull.Close()
			w.do(w.token, "GET", "/repos/octo/town/pulls/1", nil)
			w.post(pull, m{"event": "COMMENT", "body": marked})
		}, "was seen closed"},
		"a write to what was closed unseen": {func(w *world, pull *githubtest.PullRequest, marked string) {
			w.do(w.token, "GET", "/repos/octo/town/pulls/1", nil)
			pull.Close()
			w.post(pull, m{"event": "COMMENT", "body": marked})
		}, ""},
		"a pending one deleted after the end": {func(w *world, pull *githubtest.PullRequest, marked string) {
			id := w.post(pull, m{"body": marked}).ID
			pull.Merge()
			w.do(w.token, "GET", "/repos/octo/town/pulls/1", nil)
			w.write()
			w.do(w.token, "DELETE", reviewPath(pull, id, ""), nil)
		}, ""},
		"a POST repeated blindly (case G24)": {func(w *world, pull *githubtest.PullRequest, marked string) {
			w.Fault(githubtest.Fault{Route: postReview, Nth: 1, Kind: githubtest.BadGateway})
			w.post(pull, m{"event": "COMMENT", "body": marked})
			w.post(pull, m{"event": "COMMENT", "body": marked})
		}, "was sent again without reading"},
		"a POST repeated after a look": {func(w *world, pull *githubtest.PullRequest, marked string) {
			w.Fault(githubtest.Fault{Route: postReview, Nth: 1, Kind: githubtest.BadGateway})
			w.post(pull, m{"event": "COMMENT", "body": marked})
			w.do(w.token, "GET", "/repos/octo/town/pulls/1/reviews", nil)
			w.post(pull, m{"event": "COMMENT", "body": marked})
		}, ""},
	} {
		w := newWorld(t, githubtest.Params{NoGit: true, Silent: true})
		w.Canary(secret)
		_, pull := w.openTown()
		test.do(w, pull, fmt.Sprintf(marker, pull.Head()))
		h := &heard{TB: t}
		w.Check(h)
		if got := strings.Join(h.errors, "\n"); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestTheLogForgetsWhenToldTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true, LogMax: 3})
	w.Repo("octo/town")
	for range 20 {
		w.do(w.token, "GET", "/repos/octo/town", nil)
	}
	log := w.Log()
	if len(log) > 6 || log[len(log)-1].N != 20 || log[0].At.After(w.clock.Now()) || log[0].Login != "bot[bot]" || log[0].Status != http.StatusOK {
		t.Errorf("%d requests, %+v", len(log), log[0])
	}
	w.clock.forward(time.Hour)
	w.ClearLog()
	if len(w.Log()) != 0 {
		t.Error("not cleared")
	}
}

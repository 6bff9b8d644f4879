package githubtest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v66/github"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

func TestWhoMayWhat(t *testing.T) {
	t.Parallel()
	const (
		repoURL = "/repos/octo/town"
		pullURL = repoURL + "/pulls/1"
	)
	w := newWorld(t, githubtest.Params{NoGit: true, Silent: true})
	repo, _ := w.openTown()
	repo.Private(true)
	for _, login := range []string{"stranger", "reader"} {
		repo.Access(login, map[string]githubtest.Role{"stranger": githubtest.RoleNone, "reader": githubtest.RoleRead}[login])
	}
	revoked := w.Token("bot[bot]")
	w.Revoke(revoked)
	elsewhere := w.Issue(githubtest.Grant{Login: "carl", Permissions: []githubtest.Permission{githubtest.WritePulls}, Repos: []string{"octo/other"}})
	readOnly := w.Token("carl", githubtest.ReadPulls)
	app := w.Token("app[bot]", githubtest.ReadPulls, githubtest.ReadContents)
	issues := w.Token("carl", githubtest.WriteIssues)
	public := w.Issue(githubtest.Grant{Login: "carl", Scopes: []string{"public_repo"}})
	review, label := m{"body": "x"}, m{"labels": []string{"made-here"}}
	for _, test := range []struct {
		name, token, method, path string
		body                      m
		status                    int
		message                   string
	}{
		{"nobody", "", "GET", pullURL, nil, 401, "Requires authentication"},
		{"an unknown token", "x", "GET", pullURL, nil, 401, "Bad credentials"},
		{"a revoked one", revoked, "GET", pullURL, nil, 401, "Bad credentials"},
		{"who has no role in it", w.Token("stranger"), "GET", pullURL, nil, 404, "Not Found"},
		{"a token for another repository", elsewhere, "GET", repoURL, nil, 404, "Not Found"},
		{"a classic one without the scope", public, "GET", repoURL, nil, 404, "Not Found"},
		{"a repository that is not there", w.token, "GET", "/repos/octo/none", nil, 404, "Not Found"},
		{"a pull request that is not there", w.token, "GET", repoURL + "/pulls/77", nil, 404, "Not Found"},
		{"a number that is none", w.token, "GET", repoURL + "/pulls/x", nil, 404, "Not Found"},
		{"a call that is not there", w.token, "GET", repoURL + "/nothing", nil, 404, "Not Found"},
		{"reading with a right to read", readOnly, "GET", pullURL, nil, 200, ""},
		{"writing with a right to read (case G33)", readOnly, "POST", pullURL + "/reviews", review, 403, "Resource not accessible by personal access token"},
		{"an App's token (case G33)", app, "POST", pullURL + "/reviews", review, 403, "Resource not accessible by integration"},
		{"reading pulls with a right to issues", issues, "GET", pullURL, nil, 403, "Resource not accessible by personal access token"},
		{"labels with a right to issues", issues, "GET", repoURL + "/issues/1/labels", nil, 200, ""},
		{"labels by a reader", w.Token("reader"), "POST", repoURL + "/issues/1/labels", label, 403, "Must have admin rights to Repository."},
		{"a review by a reader", w.Token("reader"), "POST", pullURL + "/reviews", review, 200, ""},
		{"text that is no JSON", w.token, "GET", repoURL + "/labels", nil, 200, ""},
	} {
		w.clock.forward(time.Second)
		got := w.do(test.token, test.method, test.path, test.body)
		if got.Status != test.status || got.Message != test.message {
			t.Errorf("%s: %d %s", test.name, got.Status, got.Text)
		}
		if got.Status >= 400 && (!strings.HasPrefix(got.Docs, "https://docs.github.com/rest") || !strings.Contains(got.Text, `"status":"`)) {
			t.Errorf("%s: not GitHub's shape of an error: %s", test.name, got.Text)
		}
	}
}

func TestWhatATokenIsToldOfItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	w.Repo("octo/town").Access("bot[bot]", githubtest.RoleTriage)
	me, resp, err := w.client.Users.Get(context.Background(), "")
	if err != nil || me.GetLogin() != "bot[bot]" || me.GetType() != "Bot" || me.GetID() != w.UserID("BOT[bot]") {
		t.Errorf("%v %v", me, err)
	}
	if resp.Header.Get("X-Oauth-Scopes") != "repo" {
		t.Errorf("%v", resp.Header)
	}
	fine := w.do(w.Token("ann", githubtest.WritePulls), "GET", "/user", nil)
	if _, classic := fine.Header["X-Oauth-Scopes"]; classic || fine.Header.Get("X-Accepted-Github-Permissions") == "" {
		t.Errorf("%v", fine.Header)
	}
	repo, _, err := w.client.Repositories.Get(context.Background(), "octo", "town")
	if p := repo.GetPermissions(); err != nil || !p["triage"] || p["push"] || !p["pull"] {
		t.Errorf("%v %v", repo.GetPermissions(), err)
	}
}

// Case G54: a token ends in the middle of a run, by GitHub's clock.
func TestTokensEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	w.openTown()
	token := w.Issue(githubtest.Grant{Login: "bot[bot]", Permissions: []githubtest.Permission{githubtest.WritePulls}, Expires: w.clock.Now().Add(time.Hour)})
	get := func() int { return w.do(token, "GET", "/repos/octo/town/pulls/1", nil).Status }
	w.clock.forward(time.Hour - time.Second)
	if got := get(); got != http.StatusOK {
		t.Errorf("before: %d", got)
	}
	w.Set(func(p *githubtest.Params) { p.Skew = time.Second })
	if got := get(); got != http.StatusUnauthorized {
		t.Errorf("after: %d", got)
	}
}

func TestRightsAreWithdrawnInTheMiddle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	_, pull := w.openTown()
	w.Fault(githubtest.Fault{Route: "POST /repos/*/pulls/*/reviews", Nth: 2, Kind: githubtest.Withdrawn})
	for i, want := range []int{200, 403, 403} {
		if got := w.post(pull, m{"body": "x", "event": "COMMENT"}); got.Status != want || want == 403 && !strings.Contains(got.Message, "not accessible by integration") {
			t.Errorf("%d: %s", i, got.Text)
		}
	}
	w.Fault(githubtest.Fault{Nth: 1, Kind: githubtest.Expired})
	for range 2 {
		if got := w.do(w.token, "GET", "/repos/octo/town", nil); got.Status != http.StatusUnauthorized {
			t.Errorf("%s", got.Text)
		}
	}
}

func TestWithoutAUserAgentNothingIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	got, err := w.try(w.token, "GET", "/user", nil, http.Header{"User-Agent": nil})
	if err != nil || got.Status != http.StatusForbidden || json.Valid([]byte(got.Text)) {
		t.Errorf("%d %s %v", got.Status, got.Text, err)
	}
}

// Case G35: a renamed repository redirects, and what becomes of a POST then.
func TestARenamedRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	repo, pull := w.openTown()
	repo.Rename("octo/city")
	get := w.do(w.token, "GET", "/repos/octo/town/pulls?state=all", nil)
	if get.Status != http.StatusMovedPermanently || get.Message != "Moved Permanently" {
		t.Errorf("%s", get.Text)
	}
	to := strings.TrimPrefix(get.Header.Get("Location"), "https://api.github.com")
	if got := w.do(w.token, "GET", to, nil); got.Status != http.StatusOK || !strings.HasSuffix(to, "/pulls?state=all") || !strings.HasPrefix(to, "/repositories/") {
		t.Errorf("%s: %s", to, got.Text)
	}
	if got := w.do(w.token, "GET", "/repos/OCTO/City", nil); got.Status != http.StatusOK || !strings.Contains(got.Text, `"full_name":"octo/city"`) {
		t.Errorf("case does not matter: %s", got.Text)
	}
	if got := w.post(pull, m{"body": "x"}); got.Status != http.StatusTemporaryRedirect {
		t.Errorf("%s", got.Text)
	}
	w.Set(func(p *githubtest.Params) { p.Modes.WritesMoved301 = true })
	r, err := w.review(pull, &github.PullRequestReviewRequest{Body: github.String("x"), Event: github.String("COMMENT")})
	if len(pull.Reviews()) != 0 { // the trap: go-github turns the POST into a GET
		t.Errorf("%v %v", r, err)
	}
	other := w.Repo("octo/town") // the old name is free
	if got := w.do(w.token, "GET", "/repos/octo/town", nil); got.Status != http.StatusOK || got.ID != other.ID {
		t.Errorf("%s", got.Text)
	}
	repo.Delete()
	if got := w.do(w.token, "GET", to, nil); got.Status != http.StatusNotFound {
		t.Errorf("%s", got.Text)
	}
}

// Case G31: the fork is gone: the head has no repository.
func TestADeletedFork(t *testing.T) {
	t.Parallel()
	for _, noGit := range []bool{false, true} {
		w := newWorld(t, githubtest.Params{NoGit: noGit})
		repo := w.Repo("octo/town")
		repo.Push("fix", githubtest.Files{"a": "a"})
		pull := repo.Open(githubtest.Pull{Head: "fix", Fork: true, Author: "ann"})
		got, _, err := w.client.PullRequests.Get(context.Background(), "octo", "town", 1)
		if err != nil || got.GetHead().GetRepo().GetFullName() != "ann/town" || !got.GetHead().GetRepo().GetFork() || repo.Head("fix") != "" {
			t.Errorf("%v %v", got, err)
		}
		pull.Push(githubtest.Files{"a": "b"})
		pull.DeleteFork()
		got, _, err = w.client.PullRequests.Get(context.Background(), "octo", "town", 1)
		if err != nil || got.Head.Repo != nil || got.Head.User != nil || got.GetHead().GetSHA() != string(pull.Head()) {
			t.Errorf("%v %v", got, err)
		}
		if list, _, err := w.client.PullRequests.List(context.Background(), "octo", "town", nil); err != nil || len(list) != 1 {
			t.Errorf("%v %v", list, err)
		}
	}
}

// What a repository and a token are told while they lose what they had.
func TestDisabledChangedUnrelated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	repo, _ := w.openTown()
	repo.Orphan("alone", githubtest.Files{"a": "a"})
	alone := repo.Open(githubtest.Pull{Head: "alone", Labels: []string{"x", "y"}})
	alone.Unlabel("X")
	got, _, err := w.client.PullRequests.Get(context.Background(), "octo", "town", alone.Number)
	if err != nil || got.GetChangedFiles() != 1 || len(got.Labels) != 1 || repo.Pull(alone.Number) != alone {
		t.Errorf("a history of its own: %v %v", got, err)
	}
	w.Change(w.token, func(g *githubtest.Grant) { g.Scopes = []string{} })
	if got := w.post(alone, m{"body": "x"}); got.Status != http.StatusNotFound || !w.Log()[1].Write() {
		t.Errorf("without the scope: %s", got.Text)
	}
	repo.Disable(true)
	if got := w.do(w.token, "GET", "/repos/octo/town", nil); got.Status != http.StatusForbidden || got.Message != "Repository access blocked" {
		t.Errorf("disabled: %s", got.Text)
	}
}

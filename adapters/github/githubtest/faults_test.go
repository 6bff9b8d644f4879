package githubtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-github/v66/github"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

const postReview = "POST /repos/*/pulls/*/reviews"

// Case G24: what the client sees, and whether the review is there.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fault  githubtest.Fault
		stored bool
		status int // 0 = the connection is closed
		json   bool
	}{
		{githubtest.Fault{Kind: githubtest.LostResponse}, true, 0, false},
		{githubtest.Fault{Kind: githubtest.Truncated}, true, 200, false},
		{githubtest.Fault{Kind: githubtest.Empty}, true, 200, false},
		{githubtest.Fault{Kind: githubtest.HTML}, true, 200, false},
		{githubtest.Fault{Kind: githubtest.Delay, Delay: time.Minute}, true, 200, true},
		{githubtest.Fault{Kind: githubtest.SlowBody, Delay: time.Millisecond}, true, 200, true},
		{githubtest.Fault{Kind: githubtest.NoConnection}, false, 0, false},
		{githubtest.Fault{Kind: githubtest.BadGateway}, false, 502, false},
		{githubtest.Fault{Kind: githubtest.BadGateway, Stored: true}, true, 502, false},
		{githubtest.Fault{Kind: githubtest.Unavailable}, false, 503, true},
		{githubtest.Fault{Kind: githubtest.ServerError}, false, 500, true},
		{githubtest.Fault{Kind: githubtest.NotJSON}, false, 403, false},
		{githubtest.Fault{Kind: githubtest.Forbidden}, false, 403, true},
		{githubtest.Fault{Kind: githubtest.Hidden}, false, 404, true},
		{githubtest.Fault{Kind: githubtest.GoneForGood}, false, 410, true},
		{githubtest.Fault{Kind: githubtest.Blocked}, false, 451, true},
		{githubtest.Fault{Kind: githubtest.Conflict}, false, 409, true},
		{githubtest.Fault{Kind: githubtest.TooLarge}, false, 406, true},
		{githubtest.Fault{Kind: githubtest.Accepted}, false, 202, true},
		{githubtest.Fault{Kind: githubtest.Primary}, false, 403, true},
		{githubtest.Fault{Kind: githubtest.Redirect}, false, 301, true},
		{githubtest.Fault{Kind: githubtest.Says, Status: 403, Text: "Resource protected by organization SAML enforcement."}, false, 403, true},
		{githubtest.Fault{Kind: githubtest.Says, Status: 200, Text: "{}"}, false, 200, true},
		{githubtest.Fault{Kind: githubtest.Says, Status: 200}, false, 200, false},
	} {
		w := newWorld(t, githubtest.Params{NoGit: true})
		_, pull := w.openTown()
		test.fault.Route, test.fault.Nth = postReview, 1
		in := w.Fault(test.fault)
		got, err := w.try(w.token, "POST", "/repos/octo/town/pulls/1/reviews", m{"body": "x", "event": "COMMENT"}, nil)
		if (err != nil) != (test.status == 0) || got.Status != test.status || json.Valid([]byte(got.Text)) != test.json {
			t.Errorf("%s: %d %q %v", test.fault.Kind, got.Status, got.Text, err)
		}
		if stored := len(pull.Reviews()) == 1; stored != test.stored || w.Log()[0].Stored != test.stored {
			t.Errorf("%s: stored is %t", test.fault.Kind, stored)
		}
		if in.Hits() != 1 || w.Log()[0].Fault != test.fault.Kind || w.Log()[0].Status != test.status {
			t.Errorf("%s: the log says %+v", test.fault.Kind, w.Log()[0])
		}
		if got.Status != 0 && got.Header.Get("X-Ratelimit-Limit") == "" {
			t.Errorf("%s: no limits in %v", test.fault.Kind, got.Header)
		}
	}
}

// The same over a connection, where closing it is what a client really meets.
func TestFaultsOverTCP(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	_, pull := w.openTown()
	post := func(ctx context.Context) (*http.Response, error) {
		w.write()
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, w.URL()+"/repos/octo/town/pulls/1/reviews", strings.NewReader(`{"body":"x","event":"COMMENT"}`))
		for name, value := range map[string]string{"Authorization": "Bearer " + w.token, "Content-Type": "application/json", "X-Github-Api-Version": "2022-11-28"} {
			req.Header.Set(name, value)
		}
		return w.Client().Do(req)
	}
	w.Fault(githubtest.Fault{Route: postReview, Nth: 1, Kind: githubtest.LostResponse})
	if resp, err := post(context.Background()); err == nil {
		_ = resp.Body.Close()
		t.Error("an answer came")
	}
	w.Fault(githubtest.Fault{Route: postReview, Nth: 1, Kind: githubtest.SlowBody})
	resp, err := post(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(resp.Body); err != nil || !json.Valid(text) {
		t.Errorf("%s %v", text, err)
	}
	_ = resp.Body.Close()
	if n := len(pull.Reviews()); n != 2 {
		t.Errorf("%d reviews", n)
	}
}

// In a bubble of virtual time: an answer that comes too late, and a body that drips.
// No goroutine of the server is left, and nothing real is waited for.
func TestTheTransportWorksInVirtualTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := githubtest.New(t, githubtest.Params{NoGit: true})
		repo := s.Repo("octo/town")
		repo.Push("fix", githubtest.Files{"a": "a\n"})
		pull := repo.Open(githubtest.Pull{Head: "fix"})
		client := github.NewClient(&http.Client{Transport: s.RoundTripper(), Timeout: 30 * time.Second}).WithAuthToken(s.Token("bot[bot]"))
		s.Fault(githubtest.Fault{Route: postReview, Nth: 1, Kind: githubtest.Delay, Delay: time.Minute})
		start := time.Now()
		_, _, err := client.PullRequests.CreateReview(context.Background(), "octo", "town", 1, &github.PullRequestReviewRequest{Body: github.String("x")})
		var timeout interface{ Timeout() bool }
		if !errors.As(err, &timeout) || !timeout.Timeout() || time.Since(start) != 30*time.Second || len(pull.Reviews()) != 1 {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		s.Fault(githubtest.Fault{Route: "GET /repos/*/pulls/*/reviews", Nth: 1, Kind: githubtest.SlowBody, Delay: time.Second})
		start = time.Now()
		if _, _, err := client.PullRequests.ListReviews(context.Background(), "octo", "town", 1, nil); err == nil || time.Since(start) != 30*time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

func TestWhichRequestsAFaultStrikes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true, Seed: 7})
	w.openTown()
	run := func(f githubtest.Fault) string {
		in := w.Fault(f)
		defer in.Off()
		var out strings.Builder
		for range 8 {
			got := w.do(w.token, "GET", "/repos/octo/town/pulls/1", nil)
			out.WriteByte("x."[map[bool]int{true: 0, false: 1}[got.Status == 503]])
		}
		return out.String()
	}
	const route = "GET /repos/*/pulls/*"
	for want, f := range map[string]githubtest.Fault{
		"..x.....": {Route: route, Nth: 3}, "..xxx...": {Route: route, Nth: 3, Count: 3}, "xxxxxxxx": {Route: route, Nth: githubtest.Every},
		"xx......": {Route: route, Count: 2}, "........": {Route: "GET /repos/*/pulls", Nth: githubtest.Every},
		"x.......": {Route: "GET /repos/octo/town/pulls/1", Nth: 1}, ".x......": {Route: "* /repos/{owner}/{repo}/pulls/{pull_number}", Nth: 2},
	} {
		f.Kind = githubtest.Unavailable
		if got := run(f); got != want {
			t.Errorf("%+v struck %s", f, got)
		}
	}
	some := run(githubtest.Fault{Route: route, P: 0.5, Kind: githubtest.Unavailable})
	if n := strings.Count(some, "x"); n == 0 || n == 8 {
		t.Errorf("half of them: %s", some)
	}
	if got := run(githubtest.Fault{Login: "carl", Kind: githubtest.Unavailable}); strings.Contains(got, "x") {
		t.Errorf("of another: %s", got)
	}
}

// A replica shows each state for two more reads after there was a newer one.
func TestStaleReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	repo, pull := w.openTown()
	const reviews = "/repos/octo/town/pulls/1/reviews"
	w.Fault(githubtest.Fault{Route: "GET /repos/*/pulls/*/reviews", Kind: githubtest.Stale, Lag: 2})
	count := func() int { return strings.Count(w.do(w.token, "GET", reviews, nil).Text, `"state":`) }
	if got := count(); got != 0 {
		t.Fatalf("%d", got)
	}
	w.post(pull, m{"body": "x"})
	for i, want := range []int{0, 0, 1, 1} {
		if got := count(); got != want {
			t.Errorf("read %d: %d reviews", i, got)
		}
	}
	if got := w.post(pull, m{"body": "x"}); got.Status != 422 {
		t.Errorf("writes are never stale: %s", got.Text)
	}
	w.Fault(githubtest.Fault{Route: "GET /repos/*/pulls", Kind: githubtest.Stale})
	repo.Push("late", githubtest.Files{"l": "l"})
	repo.Open(githubtest.Pull{Head: "late"})
	old := pull.Head()
	pull.Push(githubtest.Files{"new.go": "package x\n"})
	for i, want := range []bool{true, false} {
		got := w.do(w.token, "GET", "/repos/octo/town/pulls", nil)
		if stale := strings.Contains(got.Text, string(old)); stale != want || len(numbersOf(t, got)) != map[bool]int{true: 1, false: 2}[want] {
			t.Errorf("list %d: %v, stale is %t", i, numbersOf(t, got), stale)
		}
	}
}

// Case G26: a hook moves the head between a GET and the POST that follows it.
func TestHooksMoveTheHead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	_, pull := w.openTown()
	old := pull.Head()
	var seen []string
	w.OnRequest(func(r githubtest.Request) {
		seen = append(seen, "before "+r.Method)
		if r.Method == http.MethodPost {
			pull.ForcePush(githubtest.Files{"other": "x"})
		}
	})
	w.OnAnswer(func(r githubtest.Request) { seen = append(seen, "after "+http.StatusText(r.Status)) })
	w.do(w.token, "GET", "/repos/octo/town/pulls/1", nil)
	if got := w.post(pull, m{"commit_id": old, "event": "COMMENT", "body": "x"}); got.Status != 422 {
		t.Errorf("%s", got.Text)
	}
	if got := strings.Join(seen, ", "); got != "before GET, after OK, before POST, after Unprocessable Entity" {
		t.Errorf("%s", got)
	}
	if w.Count("GET /repos/*/pulls/*") != 1 || w.Count("POST") != 0 || w.Count("") != 2 {
		t.Error("the counts are wrong")
	}
}

// GitHub Enterprise Server has its API below /api/v3.
func TestEnterprisePaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	_, pull := w.openTown()
	client := github.NewClient(nil).WithAuthToken(w.token)
	client.BaseURL, _ = url.Parse(w.URL() + "/api/v3/")
	got, _, err := client.PullRequests.Get(context.Background(), "octo", "town", 1)
	if err != nil || got.GetURL() != w.URL()+"/api/v3/repos/octo/town/pulls/1" || got.GetHTMLURL() != w.URL()+"/octo/town/pull/1" || got.GetHead().GetSHA() != string(pull.Head()) {
		t.Errorf("%v %v", got, err)
	}
}

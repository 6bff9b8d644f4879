package api

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-github/v66/github"
)

// theirs is go-github on its own, with a transport of the test.
func theirs(f trip) *github.Client { return github.NewClient(&http.Client{Transport: f}) }

func always(status int, body string, headers ...string) trip {
	return func(*http.Request) (*http.Response, error) { return reply(status, body, headers...), nil }
}

// TestWhatGoGitHubDoes measures again what github.md §0 says of go-github v66: if one
// of these fails after an update, a rule of this package may have lost its reason.
func TestWhatGoGitHubDoes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	list := func(g *github.Client) error {
		_, _, err := g.PullRequests.List(ctx, "o", "r", nil)
		return err
	}
	var plain *github.ErrorResponse
	var abuse *github.AbuseRateLimitError
	var rate *github.RateLimitError
	var accepted *github.AcceptedError

	if err := list(theirs(always(304, ""))); !errors.As(err, &plain) {
		t.Errorf("304 is an error: %v", err)
	}
	if err := list(theirs(always(202, "{}"))); !errors.As(err, &accepted) {
		t.Errorf("202 is an error: %v", err)
	}
	exhausted := []string{"X-RateLimit-Remaining: 0", "X-RateLimit-Reset: " + itoa(time.Now().Add(time.Hour).Unix())}
	if err := list(theirs(always(403, "{}", exhausted...))); !errors.As(err, &rate) {
		t.Errorf("403 with 0 remaining is a rate limit: %v", err)
	}
	if err := list(theirs(always(429, "{}", exhausted...))); !errors.As(err, &plain) {
		t.Errorf("429 is a plain error: %v", err)
	}
	known := `{"message":"secondary","documentation_url":"https://docs.github.com/rest#about-secondary-rate-limits"}`
	odd := `{"message":"secondary rate limit","documentation_url":"https://docs.github.com/terms"}`
	if err := list(theirs(always(403, odd))); errors.As(err, &abuse) { // case G10
		t.Errorf("an odd URL is a plain error: %v", err)
	}
	err := list(theirs(always(403, known, "Retry-After: "+time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))))
	if !errors.As(err, &abuse) || abuse.RetryAfter == nil || *abuse.RetryAfter != 0 { // case G09
		t.Errorf("a date is 0 s: %v", err)
	}
	err = list(theirs(always(403, known, "X-RateLimit-Remaining: 4771", "X-RateLimit-Reset: "+itoa(time.Now().Add(-time.Minute).Unix()))))
	if !errors.As(err, &abuse) || abuse.RetryAfter == nil || *abuse.RetryAfter >= 0 { // case G09
		t.Errorf("a reset that is over is a negative wait: %v", err)
	}

	asked := 0
	g := theirs(func(*http.Request) (*http.Response, error) {
		asked++
		return reply(403, known, "Retry-After: 60"), nil
	})
	_, _, _ = g.PullRequests.CreateReview(ctx, "o", "r", 1, &github.PullRequestReviewRequest{})
	if err := list(g); !errors.As(err, &abuse) || asked != 1 { // case G11
		t.Errorf("a client that was throttled refuses by itself: %v, %d requests", err, asked)
	}

	err = list(theirs(always(422, `{"message":"m","errors":["text"]}`)))
	if !errors.As(err, &plain) || plain.Errors[0].Message != "text" {
		t.Errorf("strings are messages: %v", err)
	}
	err = list(theirs(always(422, `{"message":"m","errors":"text"}`)))
	if !errors.As(err, &plain) || plain.Message != "" {
		t.Errorf("one text loses the message: %v", err)
	}
	if err := list(theirs(always(200, ""))); err != nil {
		t.Errorf("an empty 200 is no error: %v", err)
	}

	methods := ""
	g = theirs(func(r *http.Request) (*http.Response, error) {
		methods += r.Method + " "
		if r.Method == http.MethodPost {
			return reply(301, "", "Location: https://api.github.com/repositories/1/pulls/1/reviews"), nil
		}
		return reply(200, "{}"), nil
	})
	review, _, err := g.PullRequests.CreateReview(ctx, "o", "r", 1, &github.PullRequestReviewRequest{})
	if err != nil || review.GetID() != 0 || methods != "POST GET " { // case G35
		t.Errorf("a POST that is redirected becomes a GET that succeeds: %v, %s", err, methods)
	}

	var path string
	g = theirs(func(r *http.Request) (*http.Response, error) {
		path = r.URL.EscapedPath()
		return reply(200, "[]"), nil
	})
	_, _ = g.Issues.RemoveLabelForIssue(ctx, "o", "r", 1, "area/x #1")
	if path != "/repos/o/r/issues/1/labels/area/x%20" { // case G41
		t.Errorf("labels are not escaped: %s", path)
	}

	ended, cancel := context.WithCancel(ctx)
	g = theirs(func(*http.Request) (*http.Response, error) {
		cancel()
		return nil, &Fault{Kind: KindTransient, Unknown: true}
	})
	_, _, err = g.PullRequests.CreateReview(ended, "o", "r", 1, &github.PullRequestReviewRequest{})
	var fault *Fault
	if errors.As(err, &fault) || !errors.Is(err, context.Canceled) {
		t.Errorf("where the context has ended too, our fault is lost: %v", err)
	}
}

// TestGoGitHubNeverSeesLimits: neither a limit nor stale numbers make go-github
// refuse by itself; a 304 is the answer of before.
func TestGoGitHubNeverSeesLimits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		asked := 0
		c := client(t, func(*http.Request) (*http.Response, error) {
			asked++
			reset := itoa(time.Now().Add(-time.Hour).Unix())
			return reply(200, `{"id":1,"full_name":"octo/town"}`, "X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: "+reset), nil
		})
		for range 3 {
			if _, err := c.Repo(t.Context(), town); err != nil {
				t.Fatal(err)
			}
		}
		if asked != 3 || time.Since(epochOfBubble) != 0 {
			t.Errorf("%d requests in %s", asked, time.Since(epochOfBubble))
		}
	})
}

// epochOfBubble is when time begins in testing/synctest.
var epochOfBubble = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

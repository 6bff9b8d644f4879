package githubtest_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v66/github"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

func TestEveryAnswerSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true, Limits: githubtest.Limits{Hour: 3}, Skew: 90 * time.Second})
	w.openTown()
	reset := strconv.FormatInt(w.clock.Now().Add(90*time.Second+time.Hour).Unix(), 10)
	for _, want := range []string{"2", "1", "0"} {
		got := w.do(w.token, "GET", "/repos/octo/town/pulls/9", nil)
		if got.Header.Get("X-Ratelimit-Remaining") != want || got.Header.Get("X-Ratelimit-Reset") != reset || got.Header.Get("X-Ratelimit-Resource") != "core" {
			t.Errorf("%v", got.Header)
		}
		at, err := http.ParseTime(got.Header.Get("Date"))
		if err != nil || !at.Equal(w.clock.Now().Add(90*time.Second)) {
			t.Errorf("Date is %s, %v", at, err)
		}
	}
	got := w.do(w.token, "GET", "/repos/octo/town", nil)
	if got.Status != http.StatusForbidden || !strings.HasPrefix(got.Message, "API rate limit exceeded") || got.Header.Get("X-Ratelimit-Remaining") != "0" {
		t.Errorf("%d %s", got.Status, got.Text)
	}
	if got := w.do(w.token, "GET", "/rate_limit", nil); got.Status != http.StatusOK || !strings.Contains(got.Text, `"remaining":0`) {
		t.Errorf("the limit itself is free: %s", got.Text)
	}
	_, _, err := w.client.Repositories.Get(w.write(), "octo", "town")
	var limited *github.RateLimitError
	if !errors.As(err, &limited) {
		t.Errorf("go-github says %v", err)
	}
	w.Set(func(p *githubtest.Params) { p.Limits.Primary = http.StatusTooManyRequests })
	if got := w.do(w.token, "GET", "/repos/octo/town", nil); got.Status != http.StatusTooManyRequests {
		t.Errorf("%d", got.Status)
	}
	if got := w.do(w.Token("carl"), "GET", "/repos/octo/town", nil); got.Status != http.StatusOK {
		t.Errorf("another token: %d", got.Status)
	}
	w.clock.forward(time.Hour)
	if got := w.do(w.token, "GET", "/repos/octo/town", nil); got.Status != http.StatusOK || got.Header.Get("X-Ratelimit-Remaining") != "2" {
		t.Errorf("an hour later: %d", got.Status)
	}
}

// Case G12: writes are at least a second apart, and not too many a minute.
func TestWhoWritesTooFastIsHeldBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true, Limits: githubtest.Limits{Minute: 5}})
	_, pull := w.openTown()
	label := func() int {
		return w.do(w.token, "POST", "/repos/octo/town/issues/1/labels", m{"labels": []string{"x"}}).Status
	}
	w.post(pull, m{"event": "COMMENT", "body": "x"})
	w.clock.forward(999 * time.Millisecond)
	if got := label(); got != http.StatusForbidden {
		t.Errorf("999 ms later: %d", got)
	}
	w.clock.forward(59 * time.Second)
	if got := label(); got != http.StatusForbidden {
		t.Errorf("still blocked: %d", got)
	}
	if got := w.do(w.token, "GET", "/repos/octo/town/pulls/1", nil).Status; got != http.StatusOK {
		t.Errorf("reading meanwhile (case G11): %d", got)
	}
	w.clock.forward(2 * time.Minute)
	for i := range 6 {
		want := http.StatusOK
		if i == 5 {
			want = http.StatusForbidden
		}
		if got := label(); got != want {
			t.Errorf("write %d of the minute: %d", i+1, got)
		}
		w.clock.forward(time.Second)
	}
}

// Cases G09 and G10: every way in which a secondary limit was seen to be told.
func TestSecondaryLimitsAreToldInManyWays(t *testing.T) {
	t.Parallel()
	for mode, test := range map[githubtest.SecondaryMode]struct {
		abuse bool // go-github knows it
		check func(http.Header, time.Time) bool
	}{
		githubtest.WithRetryAfter: {true, func(h http.Header, _ time.Time) bool { return h.Get("Retry-After") == "60" }},
		githubtest.WithDate: {true, func(h http.Header, now time.Time) bool {
			at, err := http.ParseTime(h.Get("Retry-After"))
			return err == nil && !at.Before(now.Add(time.Minute)) && at.Before(now.Add(62*time.Second))
		}},
		githubtest.WithNothing: {true, func(h http.Header, _ time.Time) bool {
			return h.Get("Retry-After") == "" && h.Get("X-Ratelimit-Reset") == "" && h.Get("X-Bare") == ""
		}},
		githubtest.WithResetFar: {true, func(h http.Header, now time.Time) bool {
			return h.Get("Retry-After") == "" && h.Get("X-Ratelimit-Remaining") == "4771" && h.Get("X-Ratelimit-Reset") == strconv.FormatInt(now.Add(50*time.Minute).Unix(), 10)
		}},
		githubtest.WithResetPast: {true, func(h http.Header, now time.Time) bool {
			return h.Get("Retry-After") == "" && h.Get("X-Ratelimit-Reset") == strconv.FormatInt(now.Add(-30*time.Second).Unix(), 10)
		}},
		githubtest.WithOddURL:    {false, func(h http.Header, _ time.Time) bool { return h.Get("Retry-After") == "60" }},
		githubtest.WithStatus429: {false, func(h http.Header, _ time.Time) bool { return h.Get("Retry-After") == "60" }},
	} {
		w := newWorld(t, githubtest.Params{NoGit: true})
		_, pull := w.openTown()
		w.Fault(githubtest.Fault{Route: "POST /repos/*/pulls/*/reviews", Nth: 1, Kind: githubtest.Secondary, Mode: mode})
		_, err := w.review(pull, &github.PullRequestReviewRequest{Body: github.String("x")})
		var abuse *github.AbuseRateLimitError
		if errors.As(err, &abuse) != test.abuse || err == nil {
			t.Errorf("mode %d: go-github says %v", mode, err)
		}
		if last := w.Log()[0]; !test.check(last.Answered, w.clock.Now()) || !strings.Contains(last.Answer, "secondary rate limit") {
			t.Errorf("mode %d: %v %s", mode, last.Answered, last.Answer)
		}
		if got := w.post(pull, m{"body": "x"}); got.Status != http.StatusForbidden {
			t.Errorf("mode %d: the block is over after a second: %d", mode, got.Status)
		}
		w.clock.forward(time.Minute)
		if got := w.post(pull, m{"body": "x"}); got.Status != http.StatusOK {
			t.Errorf("mode %d: the block does not end: %s", mode, got.Text)
		}
	}
}

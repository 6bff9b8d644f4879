package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

func faultIn(t *testing.T, err error) *Fault {
	t.Helper()
	var f *Fault
	if !errors.As(err, &f) {
		t.Fatalf("no fault: %v", err)
	}
	return f
}

const (
	repoBody    = `{"id":7,"full_name":"octo/town"}`
	pendingBody = `{"id":9,"state":"PENDING"}`
)

// elapsed is how long a bubble has run.
func elapsed() time.Duration { return time.Since(epochOfBubble) }

// TestAThrottledWriteLeavesReadingAlone: case G11; the wait is GitHub's own.
func TestAThrottledWriteLeavesReadingAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		writes := 0
		c := client(t, func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodGet {
				return reply(200, repoBody), nil
			}
			if writes++; writes == 1 {
				return reply(403, `{"message":"secondary rate limit","documentation_url":"https://x/#secondary-rate-limits"}`, "Retry-After: 60"), nil
			}
			return reply(200, pendingBody), nil
		})
		_, err := c.CreatePending(t.Context(), town, 1, Draft{})
		if f := faultIn(t, err); f.Kind != KindSecondary || f.Unknown || !f.RetryAt.Equal(time.Now().Add(time.Minute)) {
			t.Fatal(f)
		}
		if _, err := c.Repo(t.Context(), town); err != nil || elapsed() != 0 {
			t.Fatal(err, elapsed())
		}
		// A write whose time is shorter than the wait is refused at once, and nothing is sent.
		short, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		_, err = c.CreatePending(short, town, 1, Draft{})
		if f := faultIn(t, err); f.Kind != KindSecondary || f.Status != 0 || f.Unknown || elapsed() != 0 || writes != 1 {
			t.Fatal(f, elapsed(), writes)
		}
		_, err = c.CreatePending(withUntil(t.Context(), time.Now().Add(30*time.Second)), town, 1, Draft{})
		if f := faultIn(t, err); f.Kind != KindSecondary || elapsed() != 0 {
			t.Fatal(f, elapsed())
		}
		if _, err = c.CreatePending(t.Context(), town, 1, Draft{}); err != nil || elapsed() != time.Minute || writes != 2 {
			t.Fatal(err, elapsed(), writes)
		}
	})
}

// TestTheSecondaryLimitWithoutATime waits longer each time, whatever the hourly
// limit's reset says. (case G09)
func TestTheSecondaryLimitWithoutATime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		limited := 4
		c := client(t, func(*http.Request) (*http.Response, error) {
			if limited > 0 {
				limited--
				return reply(403, blockedText, "X-RateLimit-Remaining: 4771", "X-RateLimit-Limit: 5000",
					"X-RateLimit-Reset: "+itoa(time.Now().Add(50*time.Minute).Unix())), nil
			}
			return reply(200, pendingBody), nil
		})
		for _, minutes := range []int{1, 2, 4, 8} {
			before := time.Now()
			_, err := c.CreatePending(t.Context(), town, 1, Draft{})
			if f := faultIn(t, err); time.Until(f.RetryAt) != time.Duration(minutes)*time.Minute {
				t.Fatal(minutes, f, time.Since(before))
			}
		}
		if _, err := c.CreatePending(t.Context(), town, 1, Draft{}); err != nil || elapsed() != 15*time.Minute {
			t.Fatal(err, elapsed())
		}
		limited = 1
		_, err := c.CreatePending(t.Context(), town, 1, Draft{})
		if f := faultIn(t, err); time.Until(f.RetryAt) != time.Minute {
			t.Fatal("a success did not end the doubling:", f)
		}
	})
}

// TestTheHourlyLimit stops reading and writing until GitHub's reset, by GitHub's
// clock: ours is ten minutes ahead.
func TestTheHourlyLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		over := time.Now().Add(20 * time.Minute) // as GitHub writes it: 10 minutes earlier
		c := client(t, func(*http.Request) (*http.Response, error) {
			date := "Date: " + time.Now().Add(-10*time.Minute).UTC().Format(http.TimeFormat)
			if time.Now().Before(over) {
				return reply(403, `{"message":"API rate limit exceeded"}`, date, "X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 0",
					"X-RateLimit-Reset: "+itoa(over.Add(-10*time.Minute).Unix())), nil
			}
			return reply(200, repoBody, date), nil
		})
		if _, err := c.Repo(t.Context(), town); err != nil || elapsed() < 20*time.Minute || elapsed() > 20*time.Minute+2*time.Second {
			t.Fatal(err, elapsed())
		}
		if got := c.Requests().Sent; got != 2 {
			t.Errorf("%d requests", got)
		}
	})
}

// TestPollsGiveWay: what is left of the hourly limit is for publishing.
func TestPollsGiveWay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := client(t, func(r *http.Request) (*http.Response, error) {
			rate := []string{"X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 500", "X-RateLimit-Reset: " + itoa(time.Now().Add(30*time.Minute).Unix())}
			if strings.HasSuffix(r.URL.Path, "/reviews") {
				return reply(200, "[]", rate...), nil
			}
			return reply(200, repoBody, rate...), nil
		})
		if _, err := c.Repo(t.Context(), town); err != nil {
			t.Fatal(err)
		}
		_, err := c.Repo(withUntil(t.Context(), time.Now().Add(time.Minute)), town)
		if f := faultIn(t, err); f.Kind != KindPrimary || f.Status != 0 || !f.RetryAt.After(time.Now()) {
			t.Fatal(f)
		}
		if _, err := c.Reviews(t.Context(), town, 1); err != nil || elapsed() != 0 {
			t.Fatal(err, elapsed())
		}
		if _, err := c.Repo(t.Context(), town); err != nil || elapsed() != 30*time.Minute+time.Second {
			t.Fatal(err, elapsed())
		}
	})
}

// TestAnotherTokenHasOtherLimits: nobody waits for the limit of a token that was
// replaced.
func TestAnotherTokenHasOtherLimits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		token := "one"
		c := client(t, func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.Header.Get("Authorization"), "one") {
				return reply(403, "{}", "X-RateLimit-Limit: 60", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: "+itoa(time.Now().Add(time.Hour).Unix())), nil
			}
			return reply(200, repoBody), nil
		}, func(p *Params) { p.Token = func() (string, error) { return token, nil } })
		_, err := c.Repo(withUntil(t.Context(), time.Now().Add(time.Minute)), town)
		if f := faultIn(t, err); f.Kind != KindPrimary {
			t.Fatal(f)
		}
		token = "two"
		if _, err := c.Repo(t.Context(), town); err != nil || elapsed() != 0 {
			t.Fatal(err, elapsed())
		}
	})
}

// TestPointsOfAMinute: polls leave a part of each minute to others.
func TestPointsOfAMinute(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := client(t, always(200, repoBody))
		for range pointsForPolls {
			if _, err := c.Repo(t.Context(), town); err != nil {
				t.Fatal(err)
			}
		}
		if elapsed() != 0 {
			t.Fatal(elapsed())
		}
		short := withUntil(t.Context(), time.Now().Add(time.Second))
		_, err := c.Repo(short, town)
		if f := faultIn(t, err); f.Kind != KindPaced {
			t.Fatal(f)
		}
		if _, err := c.repo(short, town, trafficLook, false); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Repo(t.Context(), town); err != nil || elapsed() != time.Minute {
			t.Fatal(err, elapsed())
		}
	})
}

// TestLateNumbersDoNotCount: answers arrive in another order than they were given.
func TestLateNumbersDoNotCount(t *testing.T) {
	t.Parallel()
	l := newLimits(bubbleClock{}, nil)
	l.belongTo("a")
	see := func(identity string, remaining int, reset int64, more ...string) {
		l.observe(identity, headers(append(more, "X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: "+itoa(int64(remaining)), "X-RateLimit-Reset: "+itoa(reset))...), at)
	}
	see("a", 100, at.Unix()+60)
	see("a", 200, at.Unix()+60)                                  // older
	see("a", 4000, at.Unix()-3600)                               // of the hour before
	see("b", 1, at.Unix()+60)                                    // of another token
	see("a", 1, at.Unix()+60, "X-RateLimit-Resource: search")    // of something else
	l.observe("a", headers("X-RateLimit-Remaining: broken"), at) // of nobody
	if l.rate.Remaining != 100 {
		t.Errorf("%+v", l.rate)
	}
	if see("a", 5000, at.Unix()+3660); l.rate.Remaining != 5000 {
		t.Errorf("%+v", l.rate)
	}
}

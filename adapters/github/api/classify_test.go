package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// at is a time that HTTP can write.
var at = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

const blockedText = `{"message":"You have exceeded a secondary rate limit and have been temporarily blocked from content creation."}`

// TestClassify is the table of answers that are no success. (github.md §4)
func TestClassify(t *testing.T) {
	t.Parallel()
	epoch := func(d time.Duration) string { return "X-RateLimit-Reset: " + itoa(at.Add(d).Unix()) }
	date := "Date: " + at.Format(http.TimeFormat)
	for _, c := range []struct {
		name    string
		method  string
		status  int
		body    string
		headers []string
		kind    Kind
		sub     Sub
		wait    time.Duration
		unknown bool
	}{
		{"case G09: Retry-After in seconds", "POST", 403, blockedText, []string{"Retry-After: 72"}, KindSecondary, "", 72 * time.Second, false},
		{"case G09: Retry-After as a date", "POST", 403, blockedText, []string{date, "Retry-After: " + at.Add(90*time.Second).Format(http.TimeFormat)}, KindSecondary, "", 90 * time.Second, false},
		{"case G09 a: no headers", "POST", 403, blockedText, nil, KindSecondary, "", time.Minute, false},
		{"case G09 b: the primary reset is far, and much remains", "POST", 403, blockedText, []string{date, "X-RateLimit-Remaining: 4771", epoch(50 * time.Minute)}, KindSecondary, "", time.Minute, false},
		{"case G09 c: the reset is over", "POST", 403, blockedText, []string{date, "X-RateLimit-Remaining: 4771", epoch(-30 * time.Second)}, KindSecondary, "", time.Minute, false},
		{"nothing remains and the reset is over", "POST", 403, blockedText, []string{date, "X-RateLimit-Remaining: 0", epoch(-30 * time.Second)}, KindSecondary, "", time.Minute, false},
		{"Retry-After that is over", "POST", 403, blockedText, []string{date, "Retry-After: " + at.Add(-time.Minute).Format(http.TimeFormat)}, KindSecondary, "", time.Minute, false},
		{"Retry-After of no time", "POST", 429, "", []string{"Retry-After: 0"}, KindSecondary, "", time.Minute, false},
		{"Retry-After of a year", "POST", 429, "", []string{"Retry-After: 31536000"}, KindSecondary, "", limitWaitMax, false},
		{"Retry-After that is no time", "POST", 429, "", []string{"Retry-After: soon"}, KindSecondary, "", time.Minute, false},
		{"case G10: an odd documentation URL", "POST", 403, `{"message":"You have triggered an abuse detection mechanism.","documentation_url":"https://docs.github.com/en/site-policy"}`, nil, KindSecondary, "", time.Minute, false},
		{"case G10: too quickly, as 422", "POST", 422, `{"message":"Validation Failed","errors":[{"resource":"PullRequestReview","code":"custom","field":"body","message":"was submitted too quickly"}]}`, nil, KindSecondary, "", time.Minute, false},
		{"primary as 403", "GET", 403, `{"message":"API rate limit exceeded for user ID 1."}`, []string{date, "X-RateLimit-Remaining: 0", epoch(20 * time.Minute)}, KindPrimary, "", 20 * time.Minute, false},
		{"primary as 429", "GET", 429, `{"message":"API rate limit exceeded"}`, []string{date, "X-RateLimit-Remaining: 0", epoch(20 * time.Minute)}, KindPrimary, "", 20 * time.Minute, false},
		{"primary, our clock is 10 minutes ahead of GitHub's", "GET", 403, "{}", []string{"Date: " + at.Add(-10*time.Minute).Format(http.TimeFormat), "X-RateLimit-Remaining: 0", epoch(5 * time.Minute)}, KindPrimary, "", 15 * time.Minute, false},
		{"primary in words alone", "GET", 403, `{"message":"API rate limit exceeded"}`, nil, KindPrimary, "", time.Minute, false},
		{"429 as a page", "GET", 429, "<html><title>Too many</title></html>", nil, KindSecondary, "", time.Minute, false},

		{"case G54: bad credentials", "POST", 401, `{"message":"Bad credentials"}`, nil, KindAuth, "", 0, false},
		{"case G54: exp", "GET", 401, `{"message":"'Expiration time' claim ('exp') is too far in the future"}`, nil, KindClockSkew, "", 0, false},
		{"case G54: iat", "GET", 401, `{"message":"'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"}`, nil, KindClockSkew, "", 0, false},
		{"401: an expired token is not a clock", "GET", 401, `{"message":"The personal access token expired"}`, nil, KindAuth, "", 0, false},

		{"case G33: an integration's rights", "POST", 403, `{"message":"Resource not accessible by integration"}`, nil, KindPermission, SubToken, 0, false},
		{"case G33: a token's rights", "POST", 403, `{"message":"Resource not accessible by personal access token"}`, nil, KindPermission, SubToken, 0, false},
		{"push", "POST", 403, `{"message":"Must have push access to view collaborator permission."}`, nil, KindPermission, SubRole, 0, false},
		{"admin", "POST", 403, `{"message":"Must have admin rights to Repository."}`, nil, KindPermission, SubRole, 0, false},
		{"case G58: archived", "POST", 403, `{"message":"Repository was archived so is read-only."}`, nil, KindPermission, SubArchived, 0, false},
		{"case G58: locked", "POST", 403, `{"message":"Unable to create comment because issue is locked."}`, nil, KindPermission, SubLocked, 0, false},
		{"case G58: interaction limits", "POST", 403, `{"message":"Interactions on this repository have been restricted to collaborators only."}`, nil, KindPermission, SubInteraction, 0, false},
		{"suspended", "GET", 403, `{"message":"Sorry. Your account was suspended."}`, nil, KindPermission, SubSuspended, 0, false},
		{"SAML", "GET", 403, `{"message":"Resource protected by organization SAML enforcement. You must grant your OAuth token access to this organization."}`, nil, KindPermission, SubSSO, 0, false},
		{"403 without a reason", "GET", 403, "<html>no</html>", nil, KindPermission, "", 0, false},

		{"case G34: hidden or gone", "GET", 404, `{"message":"Not Found"}`, nil, KindNotFound, "", 0, false},
		{"gone", "GET", 410, "{}", nil, KindGone, "", 0, false},
		{"blocked", "GET", 451, `{"message":"Repository access blocked","block":{"reason":"dmca"}}`, nil, KindBlocked, "", 0, false},
		{"case G34: 451 is not 404", "POST", 451, "", nil, KindBlocked, "", 0, false},
		{"the diff is too large", "GET", 406, `{"message":"Sorry, the diff exceeded the maximum number of lines (20000)","errors":[{"resource":"PullRequest","field":"diff","code":"too_large"}]}`, nil, KindDiffTooLarge, "", 0, false},
		{"406 of another kind", "GET", 406, `{"message":"Must accept"}`, nil, KindUnexpected, "", 0, false},
		{"conflict", "PUT", 409, `{"message":"Head branch was modified"}`, nil, KindConflict, "", 0, false},

		{"case G13: our own pull request", "POST", 422, `{"message":"Unprocessable Entity","errors":["Can not approve your own pull request"]}`, nil, KindValidation, SubOwnPull, 0, false},
		{"case G13: our own, asking for changes", "POST", 422, `{"message":"Unprocessable Entity","errors":["Can not request changes on your own pull request"]}`, nil, KindValidation, SubOwnPull, 0, false},
		{"case G27: the commit is not part of it any more", "POST", 422, `{"message":"Unprocessable Entity","errors":["Start commit oid is not part of the pull request"]}`, nil, KindValidation, SubCommitGone, 0, false},
		{"a pending review", "POST", 422, `{"message":"Unprocessable Entity","errors":["User can only have one pending review per pull request"]}`, nil, KindValidation, SubPendingExists, 0, false},
		{"a line", "POST", 422, `{"message":"Unprocessable Entity","errors":["Line could not be resolved"]}`, nil, KindValidation, SubLineUnresolved, 0, false},
		{"a path", "POST", 422, `{"message":"Unprocessable Entity","errors":["Path could not be resolved"]}`, nil, KindValidation, SubPathUnresolved, 0, false},
		{"outside the diff", "POST", 422, `{"message":"Unprocessable Entity","errors":["Pull request review thread line must be part of the diff"]}`, nil, KindValidation, SubLineOutsideDiff, 0, false},
		{"another hunk", "POST", 422, `{"message":"Unprocessable Entity","errors":["Pull request review thread start line must be part of the same hunk as the line."]}`, nil, KindValidation, SubOtherHunk, 0, false},
		{"the wrong way round", "POST", 422, `{"message":"Unprocessable Entity","errors":["Pull request review thread start line must precede the end line."]}`, nil, KindValidation, SubLinesReversed, 0, false},
		{"no hunk", "POST", 422, `{"message":"Unprocessable Entity","errors":["Pull request review thread diff hunk can't be blank"]}`, nil, KindValidation, SubNoHunk, 0, false},
		{"not pending", "DELETE", 422, `{"message":"Unprocessable Entity","errors":["Can not delete a non-pending pull request review"]}`, nil, KindValidation, SubNotPending, 0, false},
		{"submitted", "POST", 422, `{"message":"Unprocessable Entity","errors":["Can not submit a review that is not pending"]}`, nil, KindValidation, SubNotPending, 0, false},
		{"too long", "POST", 422, `{"message":"Validation Failed","errors":[{"resource":"PullRequestReview","code":"custom","field":"body","message":"body is too long (maximum is 65536 characters)"}]}`, nil, KindValidation, SubTooLong, 0, false},
		{"exists", "POST", 422, `{"message":"Validation Failed","errors":[{"resource":"Label","code":"already_exists","field":"name"}]}`, nil, KindValidation, SubExists, 0, false},
		{"a text for errors", "POST", 422, `{"message":"Unprocessable Entity","errors":"Can not approve your own pull request"}`, nil, KindValidation, SubOwnPull, 0, false},
		{"422 that we do not know", "POST", 422, `{"message":"Validation Failed","errors":["something new"]}`, nil, KindValidation, SubUnknown, 0, false},
		{"422 as a page", "POST", 422, "<html></html>", nil, KindValidation, SubUnknown, 0, false},

		{"502 of a read", "GET", 502, "<html><head><title>Unicorn!</title></head></html>", nil, KindTransient, "", 0, false},
		{"502 of a write", "POST", 502, "<html>", nil, KindTransient, "", 0, true},
		{"500 of a deletion", "DELETE", 500, "", nil, KindTransient, "", 0, true},
		{"503 of a read", "GET", 503, "", []string{"Retry-After: 5"}, KindTransient, "", 0, false},
		{"202 of a read", "GET", 202, "{}", nil, KindNotReady, "", 0, false},
		{"202 of a write", "POST", 202, "{}", nil, KindNotReady, "", 0, true},
		{"case G35: a write that is sent elsewhere", "POST", 307, `{"message":"Moved Permanently"}`, []string{"Location: /x"}, KindRedirected, "", 0, false},
		{"teapot", "GET", 418, "", nil, KindUnexpected, "", 0, false},
	} {
		f := classify(answer{method: c.method, status: c.status, header: headers(c.headers...), body: []byte(c.body), now: at})
		if f.Kind != c.kind || f.Sub != c.sub || f.after != c.wait || f.Unknown != c.unknown || f.Status != c.status {
			t.Errorf("%s: %s %q, wait %s, unknown %t: %+v", c.name, f.Kind, f.Sub, f.after, f.Unknown, f)
		}
		if f.Limited() != (c.wait > 0) || f.Limited() && !f.RetryAt.Equal(at.Add(c.wait)) {
			t.Errorf("%s: again at %s", c.name, f.RetryAt)
		}
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// TestBackoffDoubles: 60, 120, 240 … seconds, a quarter of jitter at most, and no
// more than a quarter of an hour. (case G09)
func TestBackoffDoubles(t *testing.T) {
	t.Parallel()
	want := []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 15 * time.Minute, 15 * time.Minute}
	for strikes, wait := range want {
		if got := backoff(strikes, 0); got != wait {
			t.Errorf("after %d limits: %s", strikes, got)
		}
		if got := backoff(strikes, 0.999); got <= wait || got > wait+wait/4 {
			t.Errorf("after %d limits, with jitter: %s", strikes, got)
		}
	}
	f := classify(answer{status: 429, header: headers("Retry-After: 10"), now: at, jitter: 0.999})
	if f.after <= 10*time.Second || f.after > 10*time.Second+jitterMax {
		t.Errorf("a time that was named, with jitter: %s", f.after)
	}
}

// TestKinds: time alone helps some, and a limit is one of them.
func TestKinds(t *testing.T) {
	t.Parallel()
	var limited, passing []Kind
	for _, kind := range AllKinds() {
		f := &Fault{Kind: kind}
		if f.Limited() {
			limited = append(limited, kind)
		}
		if f.Passing() {
			passing = append(passing, kind)
		}
	}
	if !slices.Equal(limited, []Kind{KindPrimary, KindSecondary, KindPaced}) || !slices.Equal(passing, append(limited, KindNotReady, KindTransient)) {
		t.Error(limited, passing)
	}
	for sub, inline := range map[Sub]bool{SubLineUnresolved: true, SubNoHunk: true, SubTooLong: false, SubUnknown: false, "": false} {
		if f := (&Fault{Kind: KindValidation, Sub: sub}); f.Inline() != inline {
			t.Error(f)
		}
	}
}

// TestNeeds: GitHub names the permission that is missing.
func TestNeeds(t *testing.T) {
	t.Parallel()
	f := classify(answer{
		method: "POST", status: 403, now: at, header: headers("X-Accepted-GitHub-Permissions: pull_requests=write"),
		body: []byte(`{"message":"Resource not accessible by personal access token"}`),
	})
	f.Op = "create review of octo/town#1"
	if want := "create review of octo/town#1: permission (token): GitHub answered 403: Resource not accessible by personal access token; the token needs pull_requests=write"; f.Error() != want {
		t.Error(f.Error())
	}
}

// TestSaid: what GitHub says is one harmless line of bounded length.
func TestSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, want string }{
		{`{"message":"a","errors":["b","c"]}`, "a; b; c"},
		{`{"message":"a","errors":[{"resource":"R","field":"f","code":"custom","message":"m"},"s"]}`, "a; R f custom m; s"},
		{`{"message":"a","errors":"text"}`, "a; text"},
		{`{"errors":"text"}`, "text"},
		{`{"message":"a","errors":{"odd":1}}`, "a"},
		{`{"message":7}`, `{"message":7}`},
		{"<!DOCTYPE html><title>\n Unicorn!  &middot;\n</title>", "Unicorn! &middot;"},
		{"<html>", "an HTML page"},
		{"", ""},
		{"plain\x1b[31m\x00\u202e red\r\nnext", "plain[31m red next"},
	} {
		if got := said([]byte(c.body)); got != c.want {
			t.Errorf("%q: %q, not %q", c.body, got, c.want)
		}
	}
	if got := said([]byte(strings.Repeat("ü", 1<<20))); len(got) > messageBytesMax+8 {
		t.Errorf("%d bytes", len(got))
	}
}

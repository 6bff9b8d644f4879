package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Waits of limits.
const (
	backoffMin   = 60 * time.Second // where GitHub names no time (case G09)
	backoffMax   = 15 * time.Minute
	limitWaitMax = time.Hour + 5*time.Minute // GitHub's longest clock is an hour
	jitterMax    = 5 * time.Second           // after a time that GitHub named
)

// answer is what came back, as the classifier sees it.
type answer struct {
	method  string
	status  int
	header  http.Header
	body    []byte
	now     time.Time // by our clock
	strikes int       // limits in a row before this one
	jitter  float64   // in [0, 1)
}

// classify is the one place that says what an answer which is no success means.
// (github.md §4)
func classify(a answer) *Fault {
	f := &Fault{Status: a.status, Message: said(a.body)}
	text := strings.ToLower(f.Message)
	switch {
	case a.limited(text):
		f.limit(a, text)
	case a.status == http.StatusUnauthorized:
		f.Kind = KindAuth
		if clockIsOff(text) {
			f.Kind = KindClockSkew
		}
	case a.status == http.StatusForbidden:
		f.Kind = KindPermission
		f.Sub, _ = subOf(permissionPhrases, text)
		f.Needs = oneLine(a.header.Get("X-Accepted-Github-Permissions"))
	case a.status == http.StatusNotFound:
		f.Kind = KindNotFound
		f.Needs = oneLine(a.header.Get("X-Accepted-Github-Permissions"))
	case a.status == http.StatusGone:
		f.Kind = KindGone
	case a.status == http.StatusUnavailableForLegalReasons:
		f.Kind = KindBlocked
	case a.status == http.StatusNotAcceptable && strings.Contains(strings.ToLower(string(a.body)), "too_large"):
		f.Kind = KindDiffTooLarge
	case a.status == http.StatusConflict:
		f.Kind = KindConflict
	case a.status == http.StatusUnprocessableEntity:
		f.invalid(text)
	case a.status == http.StatusAccepted:
		f.Kind = KindNotReady
		f.Unknown = writes(a.method)
	case a.status >= 500 || a.status == http.StatusRequestTimeout || a.status < 300:
		f.Kind = KindTransient
		f.Unknown = writes(a.method)
	case a.status < 400:
		f.Kind = KindRedirected
	default:
		f.Kind = KindUnexpected
	}
	return f
}

// limited reports whether an answer is a limit, of either sort. A message may say
// so with 422 too: "was submitted too quickly".
func (a answer) limited(text string) bool {
	switch a.status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusForbidden:
		return a.exhausted() || a.header.Get("Retry-After") != "" || containsAny(text, secondaryPhrases) || strings.Contains(text, primaryPhrase)
	case http.StatusUnprocessableEntity:
		return containsAny(text, secondaryPhrases)
	}
	return false
}

// limit says which limit it is and how long it lasts, by GitHub's own clock. The
// reset of the hourly limit counts only where that limit is used up. (case G09)
func (f *Fault) limit(a answer, text string) {
	wait, named := a.retryAfter()
	f.Kind = KindSecondary
	if a.exhausted() && !containsAny(text, secondaryPhrases) {
		f.Kind, named = KindPrimary, true
		wait = max(wait, a.reset())
	} else if strings.Contains(text, primaryPhrase) {
		f.Kind = KindPrimary
	}
	if named {
		f.after = min(wait, limitWaitMax) + time.Duration(a.jitter*float64(jitterMax))
	} else {
		f.after = backoff(a.strikes, a.jitter)
	}
	f.RetryAt = a.now.Add(f.after)
}

// backoff is 60, 120, 240 … seconds and up to a quarter more.
func backoff(strikes int, jitter float64) time.Duration {
	wait := backoffMin
	for ; strikes > 0 && wait < backoffMax; strikes-- {
		wait *= 2
	}
	wait = min(wait, backoffMax)
	return wait + time.Duration(jitter*float64(wait)/4)
}

// exhausted reports whether nothing remains of the hourly limit and its end is
// ahead.
func (a answer) exhausted() bool {
	return a.header.Get("X-Ratelimit-Remaining") == "0" && a.reset() > 0
}

// reset is how long the hourly limit lasts. GitHub's time minus GitHub's time: a
// clock here that is off does not matter.
func (a answer) reset() time.Duration {
	seconds, err := strconv.ParseInt(a.header.Get("X-Ratelimit-Reset"), 10, 64)
	if err != nil || seconds <= 0 {
		return 0
	}
	return time.Unix(seconds, 0).Sub(serverTime(a.header, a.now))
}

// retryAfter is the header of this name, in seconds or as a date. A time that has
// passed says nothing.
func (a answer) retryAfter() (wait time.Duration, named bool) {
	value := strings.TrimSpace(a.header.Get("Retry-After"))
	if value == "" {
		return 0, false
	}
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
		wait = time.Duration(min(seconds, int64(limitWaitMax/time.Second))) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(serverTime(a.header, a.now))
	}
	return max(wait, 0), wait > 0
}

// serverTime is GitHub's clock, or ours where it does not tell.
func serverTime(h http.Header, now time.Time) time.Time {
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		return at
	}
	return now
}

// clockIsOff finds the claims of a signed token that GitHub refused. (case G54)
func clockIsOff(text string) bool {
	return strings.Contains(text, "('exp')") || strings.Contains(text, "('iat')") ||
		strings.Contains(text, "expiration time") || strings.Contains(text, "issued at")
}

func (f *Fault) invalid(text string) {
	f.Kind = KindValidation
	sub, known := subOf(validationPhrases, text)
	if !known {
		sub = SubUnknown
	}
	f.Sub = sub
}

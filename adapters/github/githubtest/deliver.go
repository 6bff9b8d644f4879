package githubtest

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

// delivery is how an answer comes to the client.
type delivery struct {
	answer *answer
	kind   FaultKind
	entry  *entry
	drop   bool          // the connection is closed instead
	wait   time.Duration // before the first byte
	slow   time.Duration // between two bytes
}

// errDropped is what the transport in memory says of a closed connection.
var errDropped = errors.New("read: connection reset by peer")

// first reports whether the fault comes instead of carrying out the request.
func (in *Injected) first() bool {
	if in.Stored {
		return false
	}
	switch in.Kind {
	case LostResponse, Delay, Truncated, Empty, HTML, SlowBody, Stale:
		return false
	default:
		return true
	}
}

// page502 is what GitHub's front sends when nobody is behind it.
const page502 = "<!DOCTYPE html>\n<html><head><title>Unicorn! &middot; GitHub</title></head><body><p>We had issues producing the response to your request.</p></body></html>\n"

func htmlAnswer(status int) *answer {
	a := newAnswer(status, nil)
	a.body = []byte(page502)
	a.header.Set("Content-Type", "text/html; charset=utf-8")
	return a
}

// deliver turns an answer into what the fault makes of it. a is nil when the
// request was not carried out.
func (in *Injected) deliver(c *call, a *answer) *delivery {
	d := &delivery{answer: a, kind: in.Kind}
	switch in.Kind {
	case LostResponse, NoConnection:
		d.drop = true
	case Delay:
		d.wait = in.Delay
	case SlowBody:
		d.slow = max(in.Delay, time.Millisecond)
	case Truncated:
		d.answer = &answer{status: a.status, header: a.header, body: a.body[:len(a.body)/2]}
	case Empty:
		d.answer = &answer{status: http.StatusOK, header: a.header}
	case HTML:
		d.answer = htmlAnswer(http.StatusOK)
		c.general(d.answer)
		c.charge(d.answer)
	default:
		d.answer = in.refusal(c)
		c.general(d.answer)
		c.charge(d.answer)
	}
	return d
}

// refusal is the answer of a fault that says no.
func (in *Injected) refusal(c *call) *answer {
	if in.Kind == Withdrawn && c.token != nil {
		c.token.Permissions = []Permission{ReadContents, ReadPulls, ReadIssues}
	}
	switch in.Kind {
	case BadGateway:
		return htmlAnswer(http.StatusBadGateway)
	case NotJSON:
		return htmlAnswer(http.StatusForbidden)
	case Unavailable:
		return newAnswer(http.StatusServiceUnavailable, map[string]any{"message": "Service unavailable"})
	case ServerError:
		return newAnswer(http.StatusInternalServerError, map[string]any{"message": "Server Error"})
	case Expired:
		if c.token != nil {
			c.token.revoked = true
		}
		return newAnswer(http.StatusUnauthorized, map[string]any{"message": "Bad credentials", "documentation_url": docs, "status": "401"})
	case Hidden:
		return c.notFound()
	case GoneForGood:
		return c.problem(http.StatusGone, "This resource is gone.")
	case Blocked:
		return c.problem(http.StatusUnavailableForLegalReasons, "Repository access blocked", "block", map[string]any{"reason": "dmca"})
	case Conflict:
		return c.problem(http.StatusConflict, "Conflict")
	case TooLarge:
		return c.problem(http.StatusNotAcceptable, "Sorry, the diff exceeded the maximum number of lines (20000)", "errors",
			[]any{map[string]any{"resource": "PullRequest", "field": "diff", "code": "too_large"}})
	case Accepted:
		return newAnswer(http.StatusAccepted, map[string]any{"message": "job is scheduled on GitHub side; try again later"})
	case Primary:
		if q := c.quota(); q != nil {
			q.used = c.s.params.Limits.Hour
		}
		return c.exhausted(c.s.params.Limits.Primary)
	case Secondary:
		if q := c.quota(); q != nil && c.write() {
			q.blocked = c.now.Add(c.s.params.Limits.Block)
		}
		return c.secondary(in.Mode, c.s.params.Limits.Block)
	case Redirect:
		a := newAnswer(http.StatusMovedPermanently, map[string]any{"message": "Moved Permanently", "url": c.origin.api + c.r.URL.RequestURI()})
		a.header.Set("Location", c.origin.api+c.r.URL.RequestURI())
		return a
	case Says:
		a := c.problem(in.Status, in.Text)
		if in.Text == "" || strings.ContainsAny(in.Text[:1], "{[<") {
			a.body = []byte(in.Text)
		}
		return a
	default: // Forbidden, Withdrawn
	}
	return c.problem(http.StatusForbidden, "Resource not accessible by integration")
}

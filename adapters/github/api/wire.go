package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
)

// errorBodyBytesKept bounds what is looked at of an answer that is no success.
const errorBodyBytesKept = 64 << 10

// shape is what the body of a success must be.
type shape byte

const (
	shapeObject shape = '{'
	shapeList   shape = '['
)

// exchange is one request with its answer, carried through go-github and net/http
// by the context: what they make of an answer loses too much. (github.md §0)
type exchange struct {
	op          string
	traffic     traffic
	conditional bool
	shape       shape

	fault   *Fault
	sent    bool
	moved   bool   // it was answered elsewhere
	url     string // where
	key     string // of the cache
	etag    string
	next    string // the address of the next page
	body    []byte
	same    bool        // 304: the answer is the one of before
	value   any         // which is in memory already
	headers http.Header // of the last answer
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	ex, _ := ctx.Value(exchangeKey{}).(*exchange)
	return ex
}

// wire is what go-github takes for the network. It sends one request as it is and
// answers with a success or a Fault: go-github never sees a limit, so it never
// refuses anything by itself. (cases G09, G10, G11)
type wire struct{ c *Client }

// RoundTrip sends one request.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	ex := exchangeOf(req.Context())
	if ex == nil {
		return nil, errors.New("a request that nobody asked for")
	}
	resp, fault := w.c.serve(req, ex)
	if fault != nil {
		fault.Op = ex.op
		ex.fault = fault
		return nil, fault
	}
	return resp, nil
}

func (c *Client) serve(req *http.Request, ex *exchange) (*http.Response, *Fault) {
	if !c.ours(req.URL) { // guard: another host is sent the token
		return nil, &Fault{Kind: KindRedirected, Message: "the answer leads to another host: " + oneLine(req.URL.Host)}
	}
	token, identity, release, fault := c.enter(req.Context(), ex.traffic)
	if fault != nil {
		return nil, fault
	}
	defer release()
	out := req.Clone(req.Context())
	out.Header.Set("Authorization", "Bearer "+token)
	held := c.condition(out, ex, identity)
	resp, body, fault := c.send(out, ex)
	if fault != nil {
		fault.Message = scrub(fault.Message, token)
		return nil, fault
	}
	now := c.clock.Now()
	c.limits.observe(identity, resp.Header, now)
	ex.headers = resp.Header
	switch {
	case resp.StatusCode == http.StatusNotModified && held != nil:
		c.limits.passed(ex.traffic)
		c.tally.notModified()
		return c.unchanged(req, resp, ex, held), nil
	case resp.StatusCode == http.StatusNotModified:
		return nil, &Fault{Kind: KindTransient, Status: resp.StatusCode, Message: "unchanged, but what?", Unknown: ex.traffic.writes()}
	case redirects(resp) && !ex.traffic.writes():
		ex.moved = true
		return plain(req, resp, nil), nil
	case resp.StatusCode >= 300 || resp.StatusCode == http.StatusAccepted:
		return nil, c.refused(req, resp, body, ex, token)
	}
	if fault := ex.understand(req.Method, resp, body); fault != nil {
		fault.Message = scrub(fault.Message, token)
		return nil, fault
	}
	c.limits.passed(ex.traffic)
	ex.next, ex.body = nextPage(resp.Header), body
	ex.etag = tagOf(resp.Header, ex.next)
	return plain(req, resp, body), nil
}

// refused makes the fault of an answer that is no success.
func (c *Client) refused(req *http.Request, resp *http.Response, body []byte, ex *exchange, token string) *Fault {
	body = body[:min(len(body), errorBodyBytesKept)]
	body = bytes.ReplaceAll(body, []byte(token), []byte("[token]"))
	f := classify(answer{
		method: req.Method, status: resp.StatusCode, header: resp.Header, body: body,
		now: c.clock.Now(), strikes: c.limits.struck(ex.traffic), jitter: c.jitter(),
	})
	f.Needs, f.Message = scrub(f.Needs, token), scrub(f.Message, token)
	if f.Kind == KindPrimary || f.Kind == KindSecondary {
		c.limits.met(ex.traffic, f)
	} else {
		c.limits.passed(ex.traffic)
	}
	level := slog.LevelDebug
	if f.Sub == SubUnknown || f.Kind == KindUnexpected { // only the text can say what it is (case G26)
		level = slog.LevelWarn
	}
	c.log.Log(req.Context(), level, "github refused", "op", ex.op, "status", f.Status, "kind", f.Kind, "body", oneLine(string(body)))
	return f
}

// understand checks that the body of a success is what it must be: an empty 200, a
// page of HTML or half a list is none. (github.md §0)
func (ex *exchange) understand(method string, resp *http.Response, body []byte) *Fault {
	trimmed := bytes.TrimSpace(body)
	var why string
	switch {
	case len(trimmed) == 0:
		why = "the answer is empty"
	case trimmed[0] != byte(ex.shape):
		why = "the answer is not what it should be: " + said(body[:min(len(body), errorBodyBytesKept)])
	case !json.Valid(trimmed):
		why = "the answer is cut short or damaged"
	case holdsMore(trimmed, valuesMax): // guard: a few bytes for each value take all memory when they are decoded
		why = fmt.Sprintf("the answer has more than %d values", valuesMax)
	default:
		return nil
	}
	return &Fault{Kind: KindTransient, Status: resp.StatusCode, Message: oneLine(why), Unknown: writes(method)}
}

// plain is an answer as go-github gets it. It must not see limits: it would count
// them by the system's clock and refuse by itself, so each answer looks like one
// from a cache.
func plain(req *http.Request, resp *http.Response, body []byte) *http.Response {
	h := resp.Header.Clone()
	h.Set("X-From-Cache", "1")
	return &http.Response{
		Status: resp.Status, StatusCode: resp.StatusCode, Proto: resp.Proto, ProtoMajor: resp.ProtoMajor, ProtoMinor: resp.ProtoMinor,
		Header: h, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
}

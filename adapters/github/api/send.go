package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// Bounds of one request.
const (
	requestTimeMax = 30 * time.Second // with the whole answer
	bodyBytesMax   = 64 << 20
)

var errTooSlow = errors.New("no answer in time")

// send sends a request and reads the whole answer, both within bounds of time and
// size.
func (c *Client) send(req *http.Request, ex *exchange) (*http.Response, []byte, *Fault) {
	ctx, cancel := context.WithCancelCause(req.Context())
	defer cancel(nil)
	defer c.clock.After(requestTimeMax, func() { cancel(errTooSlow) })()
	ex.sent, ex.url = true, req.URL.String()
	c.limits.sent(ex.traffic)
	c.tally.sent(ex)
	if ex.traffic.writes() {
		c.pace.began()
		defer c.pace.ended()
	}
	ctx, unconnected := c.watch(ctx)
	resp, err := c.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		f := broken(ctx, ex, err)
		f.Unknown = f.Unknown && !unconnected()
		return nil, nil, f
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.bodyMax+1))
	if err == nil && int64(len(body)) > c.bodyMax {
		err = fmt.Errorf("the answer is longer than %d bytes", c.bodyMax)
	}
	if err != nil && resp.StatusCode < 300 {
		f := broken(ctx, ex, err)
		f.Status = resp.StatusCode
		return nil, nil, f
	}
	return resp, body, nil // half of an error's text is enough
}

// watch reports whether a request that failed never had a connection: then it is
// certain that a write has not happened. Transports of tests do not tell.
func (c *Client) watch(ctx context.Context) (watched context.Context, unconnected func() bool) {
	if _, ok := c.next.(*http.Transport); !ok {
		return ctx, func() bool { return false }
	}
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	return httptrace.WithClientTrace(ctx, trace), func() bool { return !connected.Load() }
}

// broken is the fault of a request without an answer.
func broken(ctx context.Context, ex *exchange, err error) *Fault {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	f := &Fault{Kind: KindTransient, Message: oneLine(err.Error()), Unknown: ex.traffic.writes()}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		f.cause = err
	}
	return f
}

package githubtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// requestMax bounds the body of a request.
const requestMax = 16 << 20

// RoundTripper is the server without a network: the request is served on the
// caller's goroutine, so that it can be used below testing/synctest. It answers any
// host; api.github.com is GitHub's own.
func (s *Server) RoundTripper() http.RoundTripper { return memory{s} }

type memory struct{ s *Server }

// RoundTrip serves one request.
func (m memory) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(io.LimitReader(r.Body, requestMax))
		_ = r.Body.Close() // it was read to its end
		if err != nil {
			return nil, err
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	d := m.s.exchange(r, body)
	if d.wait > 0 {
		if err := m.s.pause(r.Context(), d.wait); err != nil {
			m.s.lost(d)
			return nil, err
		}
	}
	if d.drop {
		return nil, errDropped
	}
	text := d.answer.body
	resp := &http.Response{
		StatusCode: d.answer.status, Status: fmt.Sprintf("%d %s", d.answer.status, http.StatusText(d.answer.status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: d.answer.header.Clone(), Request: r, ContentLength: int64(len(text)),
		Body: io.NopCloser(bytes.NewReader(text)),
	}
	if r.Method == http.MethodHead {
		resp.Body = http.NoBody
	}
	if d.slow > 0 {
		resp.Body = io.NopCloser(&slowBody{s: m.s, ctx: r.Context(), rest: text, gap: d.slow})
	}
	return resp, nil
}

// pause waits by the server's clock, as long as the client does.
func (s *Server) pause(ctx context.Context, d time.Duration) error {
	done := make(chan struct{})
	cancel := s.clock.After(d, func() { close(done) })
	defer cancel()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.stopping:
		return errDropped
	}
}

// slowBody gives a byte at a time.
type slowBody struct {
	s    *Server
	ctx  context.Context //nolint:containedctx // of the request that the body answers
	rest []byte
	gap  time.Duration
}

func (b *slowBody) Read(into []byte) (int, error) {
	if len(b.rest) == 0 {
		return 0, io.EOF
	}
	if len(into) == 0 {
		return 0, nil
	}
	if err := b.s.pause(b.ctx, b.gap); err != nil {
		return 0, err
	}
	into[0] = b.rest[0]
	b.rest = b.rest[1:]
	return 1, nil
}

// serveTCP serves the API and git over a real connection.
func (s *Server) serveTCP(w http.ResponseWriter, r *http.Request) {
	if isGit(r.URL.Path) {
		s.serveGit(w, r)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, requestMax))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	s.send(w, r, s.exchange(r, body))
}

// send writes an answer to a connection, as its fault says.
func (s *Server) send(w http.ResponseWriter, r *http.Request, d *delivery) {
	if d.wait > 0 && s.pause(r.Context(), d.wait) != nil {
		s.lost(d)
		d.drop = true
	}
	if d.drop {
		panic(http.ErrAbortHandler) // the connection is closed without an answer
	}
	for name, values := range d.answer.header {
		w.Header()[name] = values
	}
	if d.answer.status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(d.answer.body)))
	}
	w.WriteHeader(d.answer.status)
	if d.slow == 0 {
		_, _ = w.Write(d.answer.body) // the client may have gone
		return
	}
	for i := range d.answer.body {
		if s.pause(r.Context(), d.slow) != nil {
			return
		}
		_, _ = w.Write(d.answer.body[i : i+1])
		_ = http.NewResponseController(w).Flush()
	}
}

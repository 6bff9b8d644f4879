package api

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/events"
)

// bubbleClock is the system's clock, which testing/synctest moves.
type bubbleClock struct{}

func (bubbleClock) Now() time.Time { return time.Now() }

func (bubbleClock) After(d time.Duration, f func()) func() {
	timer := time.AfterFunc(max(d, 0), f)
	return func() { timer.Stop() }
}

// trip answers requests in a test.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := f(req)
	if resp != nil {
		resp.Request = req
	}
	return resp, err
}

// reply makes an answer. Headers are given as "Name: value".
func reply(status int, body string, lines ...string) *http.Response {
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: headers(lines...), Body: io.NopCloser(strings.NewReader(body)), ContentLength: -1}
}

func headers(lines ...string) http.Header {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}

const town = events.RepoName("octo/town")

// secretToken is built here so that no scanner takes it for a real one.
func secretToken() string { return "gh" + "p_" + strings.Repeat("s3cr3t", 6) }

// client is a Client whose requests a test answers.
func client(t *testing.T, f trip, change ...func(*Params)) *Client {
	t.Helper()
	p := Params{
		Token: func() (string, error) { return secretToken(), nil }, Transport: f, Clock: bubbleClock{},
		Jitter: func() float64 { return 0 },
	}
	for _, c := range change {
		c(&p)
	}
	c, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// bubble runs a test in time that stands still until all wait.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// pass lets time of the bubble pass.
func pass(d time.Duration) { time.Sleep(d) }

// fake is a GitHub and a Client of it, without sockets and without git.
func fake(t *testing.T, p githubtest.Params, change ...func(*Params)) (*githubtest.Server, *Client) {
	t.Helper()
	p.Clock, p.NoGit = bubbleClock{}, true
	s := githubtest.New(t, p)
	token := s.Token("reviewer")
	set := func(p *Params) { p.Token = func() (string, error) { return token, nil } }
	return s, client(t, s.RoundTripper().RoundTrip, append([]func(*Params){set}, change...)...)
}

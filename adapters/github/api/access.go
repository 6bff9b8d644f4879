package api

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"

	"github.com/google/go-github/v66/github"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/events"
)

// userAgent names us, as GitHub asks of every program.
const userAgent = "reviewctl (+https://github.com/reviewctl/reviewctl)"

// Params are what the access is made of.
type Params struct {
	// BaseURL is the API's address: https://api.github.com/ (the default) or
	// https://HOST/api/v3/ of a GitHub Enterprise Server.
	BaseURL string
	// Token gives the token. It is called anew for each request, so that a file
	// that is written again is used at once.
	Token func() (string, error)
	// Transport carries requests. nil = TCP with the system's proxy settings.
	Transport http.RoundTripper
	// Clock is what all waiting is done by.
	Clock actors.Clock
	// CacheDir keeps answers for conditional requests. "" = in memory alone.
	CacheDir string
	// Log gets what GitHub refused, without secrets. nil = nowhere.
	Log *slog.Logger
	// Jitter spreads waits: a number in [0, 1). nil = a random one.
	Jitter func() float64
	// Heard is told how each request ended, by its fault or nil. It may be nil.
	Heard func(*Fault)
}

// Client is one credential's access to one GitHub. Its methods may be called from
// any goroutine.
type Client struct {
	root   *url.URL
	clock  actors.Clock
	log    *slog.Logger
	jitter func() float64
	heard  func(*Fault)
	token  func() (string, error)
	next   http.RoundTripper

	bodyMax int64 // of an answer, in bytes

	// Reading and writing have a go-github client each: one that was throttled
	// would refuse everything by itself. (case G11)
	read  *github.Client
	write *github.Client

	cache  *cache
	memo   *memo
	limits *limits
	pace   *pace
	tally  *tally

	mu      sync.Mutex
	moved   map[events.RepoName]events.RepoName
	settled map[string]string // a list's address to the tags of its pages as they were returned last
}

// New returns the access to a GitHub. Nothing is asked of it yet.
func New(p Params) (*Client, error) {
	root, err := ParseBaseURL(p.BaseURL)
	if err != nil {
		return nil, err
	}
	if p.Token == nil || p.Clock == nil {
		return nil, errors.New("the access to GitHub needs a token and a clock")
	}
	c := &Client{
		root: root, clock: p.Clock, log: p.Log, jitter: p.Jitter, heard: p.Heard, token: p.Token, next: p.Transport, bodyMax: bodyBytesMax,
		memo: newMemo(), tally: newTally(), moved: map[events.RepoName]events.RepoName{}, settled: map[string]string{},
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.jitter == nil {
		c.jitter = rand.Float64
	}
	if c.heard == nil {
		c.heard = func(*Fault) {}
	}
	if c.next == nil {
		c.next = newTransport()
	}
	c.limits = newLimits(c.clock, c.jitter)
	c.pace = newPace(c.clock)
	if p.CacheDir != "" {
		if c.cache, err = openCache(p.CacheDir, c.clock); err != nil {
			return nil, err
		}
	}
	if c.read, err = c.newGitHub(c.followRead); err != nil {
		return nil, err
	}
	if c.write, err = c.newGitHub(refuseRedirect); err != nil {
		return nil, err
	}
	return c, nil
}

// newGitHub returns a go-github client whose requests go through the wire.
func (c *Client) newGitHub(redirect func(*http.Request, []*http.Request) error) (*github.Client, error) {
	g := github.NewClient(&http.Client{Transport: &wire{c}, CheckRedirect: redirect})
	g.UserAgent = userAgent
	root, err := url.Parse(c.root.String())
	if err != nil {
		return nil, fmt.Errorf("parse the API's URL: %w", err)
	}
	g.BaseURL = root
	return g, nil
}

// newTransport is Go's own with bounds on what one host gets.
func newTransport() http.RoundTripper {
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t := standard.Clone()
	t.MaxIdleConnsPerHost = readsAtOnceMax + 1
	t.MaxConnsPerHost = readsAtOnceMax + 2
	t.MaxResponseHeaderBytes = 1 << 20
	return t
}

package githubtest

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
)

// Params are what a GitHub begins with. The zero value is GitHub as it is, with
// the real clock and repositories that are kept by git.
type Params struct {
	Clock  actors.Clock  // nil = the real one
	NoGit  bool          // commits are made up and kept in memory; no program is ever run
	TLS    bool          // URL is an https one, whose certificate is in CAFile
	Skew   time.Duration // how far GitHub's clock is ahead of Clock
	Seed   uint64        // of faults with a probability
	LogMax int           // how many requests the log remembers; 0 = all
	Silent bool          // nothing is recorded: the test asks what GitHub does not describe
	Limits Limits
	Diff   DiffLimits
	Modes  Modes
}

// Modes are the places where GitHub was seen to behave in two ways.
type Modes struct {
	ReviewsMove     bool // a push moves the commit_id of reviews too (case D37)
	WritesMoved301  bool // a write to a renamed repository is answered 301, not 307 (case G35)
	ObjectErrors    bool // the errors of a 422 are objects, not strings
	TextErrors      bool // they are one string: go-github cannot read the body at all
	CommentsFrozen  bool // comments keep their commit_id too
	AnonymousReads  bool // public repositories can be read without a token
	NoLabelByAdding bool // adding a label that the repository does not have is refused (case G41)
}

// Server is one GitHub. Its methods may be called from any goroutine.
type Server struct {
	t      testing.TB
	params Params
	clock  actors.Clock
	record *recorder
	routes []route

	mu       sync.Mutex
	tcp      *httptest.Server
	stopping chan struct{}
	stopOnce sync.Once

	tokens map[string]*token
	users  map[string]*user
	repos  map[int64]*Repo
	names  map[string]int64 // lower-case OWNER/REPO, as it is and as it was
	serial map[string]int64 // the last id of each kind

	faults  []*Injected
	keeping bool // states of pull requests are kept for stale reads
	before  []func(Request)
	after   []func(Request)
	log     []*entry
	logged  int      // requests so far
	secrets []string // canaries
	problem []string // what Check found while requests were served
	cache   map[string]*rendered
}

// New makes a GitHub that goes with the test. Nothing listens until URL is called.
func New(t testing.TB, p Params) *Server {
	t.Helper()
	s := &Server{
		t: t, params: p, clock: p.Clock, stopping: make(chan struct{}),
		tokens: map[string]*token{}, users: map[string]*user{}, repos: map[int64]*Repo{}, names: map[string]int64{},
		serial: map[string]int64{}, cache: map[string]*rendered{}, routes: newRoutes(),
	}
	if s.clock == nil {
		s.clock = realClock{}
	}
	s.params.Limits.settle(p.Clock != nil)
	s.params.Diff.settle()
	s.record = newRecorder(t, p.Silent)
	t.Cleanup(s.Close)
	return s
}

// Set changes the parameters while the server runs. The clock, NoGit and TLS stay.
func (s *Server) Set(change func(*Params)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.params)
	clear(s.cache)
}

// URL is the address of the API over TCP, without a slash at the end. The first
// call begins to listen.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tcp == nil {
		s.tcp = httptest.NewUnstartedServer(http.HandlerFunc(s.serveTCP))
		if s.params.TLS {
			s.tcp.StartTLS()
		} else {
			s.tcp.Start()
		}
	}
	return s.tcp.URL
}

// Client is an HTTP client that trusts the server over TCP.
func (s *Server) Client() *http.Client {
	s.URL()
	return s.tcp.Client()
}

// CAFile is the certificate of a TLS server, as git's http.sslCAInfo wants it.
func (s *Server) CAFile() string {
	s.t.Helper()
	s.URL()
	file := filepath.Join(s.t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.tcp.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return file
}

// Close stops listening and lets go of every answer that is held back. The test's
// end does it too.
func (s *Server) Close() {
	s.stopOnce.Do(func() {
		close(s.stopping)
		s.mu.Lock()
		tcp := s.tcp
		s.mu.Unlock()
		if tcp != nil {
			tcp.CloseClientConnections()
			tcp.Close()
		}
	})
}

// now is the time by GitHub's own clock, in whole seconds.
func (s *Server) now() time.Time { return s.time().Truncate(time.Second) }

func (s *Server) time() time.Time { return s.clock.Now().UTC().Add(s.params.Skew) }

// next is the next id of a kind. Ids of reviews and comments need more than 32
// bits, as GitHub's do.
func (s *Server) next(kind string) int64 {
	s.serial[kind]++
	return firstID[kind] + s.serial[kind]
}

var firstID = map[string]int64{
	"user": 1_000, "repo": 700_000, "label": 5_000_000_000, "pull": 1_900_000_000,
	"review": 2_500_000_000, "comment": 3_100_000_000, "request": 0,
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) After(d time.Duration, f func()) func() {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

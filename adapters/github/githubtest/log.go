package githubtest

import (
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Request is one request of the log, or as a hook sees it: before it is served it
// has no answer.
type Request struct {
	N        int // 1, 2, …
	At       time.Time
	Method   string
	Path     string // with the repository's present name, without the query
	Route    string // METHOD and template: "GET /repos/{owner}/{repo}/pulls"
	Query    url.Values
	Header   http.Header
	Body     string
	Login    string // whose token it was
	Repo     string // OWNER/REPO
	Number   int    // of the pull request; 0 = none
	Status   int    // as it was answered; 0 = the connection was closed
	Answer   string
	Fault    FaultKind // that struck; "" = none
	Charged  bool      // it counted for the hourly limit
	Stored   bool      // a write that was carried out, whatever was answered
	Answered http.Header
}

// Write reports whether the request may change something.
func (r Request) Write() bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

type entry struct {
	Request
	token string
	pull  *PullRequest
}

// note puts a request into the log.
func (s *Server) note(c *call) *entry {
	e := &entry{token: presented(c.r.Header), Request: Request{
		Method: c.r.Method, Path: c.path, Query: c.r.URL.Query(), Header: c.r.Header.Clone(), Body: string(c.body),
	}}
	if c.route != nil {
		e.Route = c.route.method + " " + c.route.template
	}
	if c.repo != nil {
		e.Repo = c.repo.full()
		e.Number = number(c.values["pull_number"]+c.values["issue_number"], 0)
		e.pull = c.repo.pull(e.Number)
	}
	s.remember(e)
	return e
}

// remember appends to the log, which forgets its older half when it is full.
func (s *Server) remember(e *entry) {
	s.logged++
	e.N, e.At = s.logged, s.clock.Now().UTC()
	s.log = append(s.log, e)
	if most := s.params.LogMax; most > 0 && len(s.log) > 2*most {
		s.log = append([]*entry(nil), s.log[len(s.log)-most:]...)
	}
}

func (e *entry) answered(d *delivery) {
	e.Fault = d.kind
	if d.answer != nil && !d.drop {
		e.Status, e.Answered, e.Answer = d.answer.status, d.answer.header, string(d.answer.body)
	}
}

func (e *entry) copy(s *Server) Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.Request
}

// Log is every request so far.
func (s *Server) Log() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Request, len(s.log))
	for i, e := range s.log {
		list[i] = e.Request
	}
	return list
}

// Count is how many requests fit a pattern of Fault.Route.
func (s *Server) Count(pattern string) int {
	n := 0
	for _, r := range s.Log() {
		if fits(pattern, r.Method, r.Path) {
			n++
		}
	}
	return n
}

// ClearLog forgets the requests so far.
func (s *Server) ClearLog() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
}

// OnRequest calls f before each request is served, so that a test may move a head
// between two requests. It runs on the request's goroutine, without any lock.
func (s *Server) OnRequest(f func(Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = append(slices.Clone(s.before), f)
}

// OnAnswer calls f after each request was carried out and before it is answered.
func (s *Server) OnAnswer(f func(Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after = append(slices.Clone(s.after), f)
}

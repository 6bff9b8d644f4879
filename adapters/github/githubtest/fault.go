package githubtest

import (
	"math/rand/v2"
	"strings"
	"time"
)

// FaultKind is what goes wrong.
type FaultKind string

// The faults. What is not marked "stored" happens before the request is carried
// out, unless Fault.Stored says otherwise.
const (
	LostResponse FaultKind = "lost response" // stored; then the connection is closed
	Delay        FaultKind = "delay"         // stored; the answer comes after Fault.Delay
	Truncated    FaultKind = "truncated"     // stored; half of the JSON comes, with status 200
	Empty        FaultKind = "empty"         // stored; status 200 and no body
	HTML         FaultKind = "html"          // stored; status 200 and a page
	SlowBody     FaultKind = "slow body"     // stored; the body comes byte by byte, Fault.Delay apart
	Stale        FaultKind = "stale"         // a read sees what was Fault.Lag reads ago
	NoConnection FaultKind = "no connection" // the connection is closed at once
	BadGateway   FaultKind = "bad gateway"   // 502 with a page
	Unavailable  FaultKind = "unavailable"   // 503
	ServerError  FaultKind = "server error"  // 500
	NotJSON      FaultKind = "not json"      // 403 with a page
	Forbidden    FaultKind = "forbidden"     // 403 "Resource not accessible", once
	Withdrawn    FaultKind = "withdrawn"     // as Forbidden; and writes of the token are refused from now on
	Expired      FaultKind = "expired"       // 401; and the token is worthless from now on
	Hidden       FaultKind = "hidden"        // 404
	GoneForGood  FaultKind = "gone"          // 410
	Blocked      FaultKind = "blocked"       // 451
	Conflict     FaultKind = "conflict"      // 409
	TooLarge     FaultKind = "too large"     // 406
	Accepted     FaultKind = "accepted"      // 202: not ready
	Primary      FaultKind = "primary"       // the hour is exhausted from now on
	Secondary    FaultKind = "secondary"     // a secondary limit, told as Fault.Mode says
	Redirect     FaultKind = "redirect"      // 301 to itself, for ever
	Says         FaultKind = "says"          // Fault.Status with Fault.Text as its message
)

// Every as Nth strikes each request that fits.
const Every = 0

// Fault is one thing that goes wrong with requests that fit.
type Fault struct {
	Route  string // "POST /repos/*/pulls/*/reviews"; * = one part of a path, after /repos/ both; "" = every request, git's too
	Login  string // of the token; "" = all
	Nth    int    // the first that is struck, 1, 2, …; Every = each
	Count  int    // how many in a row from Nth on; 0 = one, or all for Every
	P      float64
	Kind   FaultKind
	Delay  time.Duration
	Lag    int // of Stale; 0 = 1
	Mode   SecondaryMode
	Status int    // of Says
	Text   string // of Says: the message, or the whole body when it begins with { or [ or <
	Stored bool   // the request is carried out first
}

// Injected is a fault that the server has.
type Injected struct {
	Fault
	s    *Server
	seen int // requests that fitted
	hits int
	off  bool
	rand *rand.Rand
	lags map[*PullRequest]*lag
}

// Fault makes something go wrong from now on.
func (s *Server) Fault(f Fault) *Injected {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := &Injected{Fault: f, s: s, rand: rand.New(rand.NewPCG(s.params.Seed, uint64(len(s.faults)))), lags: map[*PullRequest]*lag{}}
	if f.Kind == Stale {
		in.Lag = max(f.Lag, 1)
		s.keeping = true
		for _, r := range s.repos {
			for _, p := range r.pulls {
				in.lags[p] = &lag{at: len(p.past)}
			}
		}
	}
	s.faults = append(s.faults, in)
	return in
}

// Hits is how many requests were struck.
func (in *Injected) Hits() int {
	in.s.mu.Lock()
	defer in.s.mu.Unlock()
	return in.hits
}

// Off ends the fault.
func (in *Injected) Off() {
	in.s.mu.Lock()
	defer in.s.mu.Unlock()
	in.off = true
}

// strike is the fault that a request meets, or nil. The first that was set wins.
func (s *Server) strike(c *call) *Injected {
	for _, in := range s.faults {
		if in.off || !fits(in.Route, c.r.Method, c.path) || in.Login != "" && !strings.EqualFold(in.Login, c.entry.Login) {
			continue
		}
		in.seen++
		if in.meets() {
			in.hits++
			return in
		}
	}
	return nil
}

func (in *Injected) meets() bool {
	switch {
	case in.P > 0:
		return in.rand.Float64() < in.P
	case in.Nth == Every:
		return in.Count == 0 || in.seen <= in.Count
	}
	return in.seen >= in.Nth && in.seen < in.Nth+max(in.Count, 1)
}

// fits compares a request with a pattern.
func fits(pattern, method, path string) bool {
	if pattern == "" {
		return true
	}
	want, rest, both := strings.Cut(pattern, " ")
	if !both {
		want, rest = "*", pattern
	}
	if want != "*" && want != method {
		return false
	}
	segments := strings.Split(path, "/")
	parts := strings.Split(rest, "/")
	if fitParts(parts, segments) {
		return true
	}
	// "/repos/*/pulls": the star stands for OWNER/REPO.
	return len(parts) > 2 && parts[1] == "repos" && parts[2] == "*" &&
		fitParts(append([]string{"", "repos", "*", "*"}, parts[3:]...), segments)
}

func fitParts(parts, segments []string) bool {
	if len(parts) != len(segments) {
		return false
	}
	for i, p := range parts {
		if p != "*" && !strings.HasPrefix(p, "{") && !strings.EqualFold(p, segments[i]) {
			return false
		}
	}
	return true
}

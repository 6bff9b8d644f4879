package githubtest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Canary names texts that must not be sent from now on: secrets of the test. (github.md §5,
// "Invariants")
func (s *Server) Canary(secrets ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets = append(s.secrets, secrets...)
}

// Check asserts what must hold after every scenario:
//
//   - at most one review a pull request, head, author and kind of marker that is
//     submitted and not dismissed;
//   - each body of ours is within the limit, has exactly one marker, mentions nobody
//     and holds no canary;
//   - writes are as far apart as Limits.Gap says;
//   - nothing is written to a pull request that the token saw closed, but that a
//     pending review may be deleted and a label taken off;
//   - no POST of a review is sent again before its pull request's reviews were read,
//     when nobody could know what had become of it.
//
// Ours is what came over the API.
func (s *Server) Check(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.problem {
		t.Errorf("githubtest: %s", p)
	}
	for _, p := range s.findings() {
		t.Errorf("githubtest: %s", p)
	}
}

// findings are what is wrong with what is stored.
func (s *Server) findings() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for id := firstID["repo"] + 1; id <= firstID["repo"]+s.serial["repo"]; id++ {
		for _, p := range s.repos[id].pulls {
			seen := map[string]int64{}
			for _, r := range p.cur.reviews {
				if r.Ours {
					s.findReview(p, r, seen, add)
				}
			}
		}
	}
	return list
}

// markerStart is how every marker of ours begins.
const markerStart = "<!-- reviewctl "

var (
	markerKind = regexp.MustCompile(`<!-- reviewctl (\S+)`)
	markerHead = regexp.MustCompile(`\bhead=([0-9a-f]{40})\b`)
)

func (s *Server) findReview(p *PullRequest, r *Review, seen map[string]int64, add func(string, ...any)) {
	where := fmt.Sprintf("%s#%d, review %d", p.repo.full(), p.Number, r.ID)
	s.findBody(where, r.Body, add)
	for _, c := range r.Comments {
		s.findBody(fmt.Sprintf("%s, comment on %s:%d", where, c.Path, c.OriginalLine), c.Body, add)
	}
	if r.State == pending || r.State == dismissed {
		return
	}
	head, kind := string(r.Original), ""
	if m := markerHead.FindStringSubmatch(r.Body); m != nil {
		head = m[1]
	}
	if m := markerKind.FindStringSubmatch(r.Body); m != nil {
		kind = m[1]
	}
	key := r.Author + " " + kind + " " + head
	if first := seen[key]; first != 0 {
		add("%s: the head %s has a review of %s already: %d", where, head, r.Author, first)
	}
	seen[key] = r.ID
}

func (s *Server) findBody(where, body string, add func(string, ...any)) {
	if n := utf8.RuneCountInString(body); n > bodyMax {
		add("%s: the body has %d characters", where, n)
	}
	if n := strings.Count(body, markerStart); n != 1 {
		add("%s: the body has %d markers, not one: %.200q", where, n, body)
	}
	if name := liveMention(body); name != "" {
		add("%s: the body mentions %s", where, name)
	}
	for _, secret := range s.secrets {
		if strings.Contains(body, secret) {
			add("%s: the body holds a canary", where)
		}
	}
}

// watch looks at each request as it is answered.
func (s *Server) watch(c *call, d *delivery) {
	for _, secret := range s.secrets {
		if strings.Contains(string(c.body), secret) || strings.Contains(c.r.URL.RequestURI(), secret) {
			s.problem = append(s.problem, fmt.Sprintf("request %d, %s %s, holds a canary", c.entry.N, c.r.Method, c.entry.Path))
		}
	}
	if c.token == nil {
		return
	}
	s.watchGap(c)
	if c.pull == nil && c.entry.pull == nil {
		return
	}
	p := c.entry.pull
	answered := d.answer != nil && d.kind == "" && d.answer.status == http.StatusOK
	switch c.entry.Route {
	case "GET " + pullPath:
		if answered {
			c.token.closed[p.ID] = c.state(p).closed
		}
	case "GET " + reviewsPath:
		if answered {
			delete(c.token.unknown, p.ID)
		}
	case "POST " + reviewsPath:
		if c.token.unknown[p.ID] {
			s.problem = append(s.problem, fmt.Sprintf("request %d, %s %s, was sent again without reading the reviews in between", c.entry.N, c.r.Method, c.entry.Path))
		}
		switch d.kind {
		case LostResponse, NoConnection, BadGateway, Unavailable, ServerError, Truncated, Empty, HTML:
			c.token.unknown[p.ID] = true
		default: // the client knows
		}
	}
	deleting := c.entry.Route == "DELETE "+reviewPath || strings.HasPrefix(c.entry.Route, "DELETE "+issueLabels)
	if c.write() && !deleting && c.token.closed[p.ID] && p.cur.closed {
		s.problem = append(s.problem, fmt.Sprintf("request %d, %s %s, writes to a pull request that was seen closed", c.entry.N, c.r.Method, c.entry.Path))
	}
}

// watchGap measures the time between writes of a token.
func (s *Server) watchGap(c *call) {
	if !c.write() {
		return
	}
	gap, last := s.params.Limits.Gap, c.token.written
	c.token.written = c.now
	if gap > 0 && !last.IsZero() && c.now.Sub(last) < gap {
		s.problem = append(s.problem, fmt.Sprintf("request %d, %s %s, was written %s after the one before", c.entry.N, c.r.Method, c.entry.Path, c.now.Sub(last).Round(time.Millisecond)))
	}
}

// lost notes that the client of a request went away before its answer.
func (s *Server) lost(d *delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := d.entry; e != nil && e.pull != nil && e.Route == "POST "+reviewsPath && s.tokens[e.token] != nil {
		s.tokens[e.token].unknown[e.pull.ID] = true
	}
}

package githubtest

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// origin is how the server calls itself in a request's answer.
type origin struct {
	api string // https://api.github.com
	web string // https://github.com
	git string // where repositories are fetched
}

// call is one request on its way.
type call struct {
	s      *Server
	r      *http.Request
	body   []byte
	route  *route
	values map[string]string // of the route's {names}
	path   string            // as repositories are called now: /repos/OWNER/REPO/…
	origin origin
	token  *token
	viewer *user
	repo   *Repo
	pull   *PullRequest
	shown  map[*PullRequest]*state // what a stale read sees instead
	now    time.Time
	entry  *entry
	odd    FaultKind // why the answer is other than GitHub describes it
}

func (s *Server) newCall(r *http.Request, body []byte) *call {
	c := &call{s: s, r: r, body: body, now: s.time(), values: map[string]string{}}
	scheme := "https"
	if r.URL.Scheme != "" {
		scheme = r.URL.Scheme
	} else if r.TLS == nil {
		scheme = "http"
	}
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	root := scheme + "://" + host
	c.origin = origin{api: root, web: root, git: root}
	segments := pathSegments(r.URL)
	switch {
	case host == "api.github.com":
		c.origin.web, c.origin.git = "https://github.com", "https://github.com"
	case len(segments) > 1 && segments[0] == "api" && segments[1] == "v3": // GitHub Enterprise Server
		c.origin.api += "/api/v3"
		segments = segments[2:]
	}
	if s.tcp != nil {
		c.origin.git = s.tcp.URL
	}
	c.find(segments)
	return c
}

// pathSegments are a path's parts, each decoded by itself: names of labels may have
// slashes. (case G41)
func pathSegments(u *url.URL) []string {
	parts := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, part := range parts {
		if text, err := url.PathUnescape(part); err == nil {
			parts[i] = text
		}
	}
	return parts
}

// find looks for the route and for the repository, by name or by number.
func (c *call) find(segments []string) {
	if len(segments) >= 2 && segments[0] == "repositories" {
		id, _ := strconv.ParseInt(segments[1], 10, 64)
		c.repo = c.s.repos[id]
		rest := segments[2:]
		segments = []string{"repos", "?", "?"}
		if c.repo != nil {
			segments = []string{"repos", c.repo.owner, c.repo.name}
		}
		segments = append(segments, rest...)
	} else if len(segments) >= 3 && segments[0] == "repos" {
		c.repo = c.s.repos[c.s.names[strings.ToLower(segments[1]+"/"+segments[2])]]
	}
	escaped := make([]string, len(segments))
	for i, part := range segments {
		escaped[i] = url.PathEscape(part)
	}
	c.path = "/" + strings.Join(escaped, "/")
	for i := range c.s.routes {
		if values, ok := c.s.routes[i].match(c.r.Method, segments); ok {
			c.route, c.values = &c.s.routes[i], values
			return
		}
	}
}

// moved reports whether the request names the repository as it was once called.
func (c *call) moved() bool {
	return c.repo != nil && !strings.HasPrefix(c.rawPath(), "/repositories/") &&
		!strings.EqualFold(c.values["owner"]+"/"+c.values["repo"], c.repo.full())
}

func (c *call) rawPath() string { return strings.TrimPrefix(c.r.URL.EscapedPath(), "/api/v3") }

// write reports whether the request may change something.
func (c *call) write() bool { return c.r.Method != http.MethodGet && c.r.Method != http.MethodHead }

// state is what this request sees of a pull request.
func (c *call) state(p *PullRequest) *state {
	if st, stale := c.shown[p]; stale {
		return st
	}
	return p.cur
}

// number reads the pull request of the path; false when there is none.
func (c *call) number() bool {
	text := c.values["pull_number"] + c.values["issue_number"]
	n, err := strconv.Atoi(text)
	if err != nil {
		return false
	}
	c.pull = c.repo.pull(n)
	return c.pull != nil && c.state(c.pull) != nil
}

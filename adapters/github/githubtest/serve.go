package githubtest

import (
	"fmt"
	"net/http"
	"strings"
)

// exchange serves one request: hooks, faults, rules, hooks. Both transports come
// through here, on the caller's goroutine.
func (s *Server) exchange(r *http.Request, body []byte) *delivery {
	c, before := s.accept(r, body)
	for _, hook := range before {
		hook(c.entry.copy(s))
	}
	d, after := s.carryOut(c)
	for _, hook := range after {
		hook(c.entry.copy(s))
	}
	s.record.write(c, d)
	return d
}

func (s *Server) accept(r *http.Request, body []byte) (*call, []func(Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.newCall(r, body)
	c.entry = s.note(c)
	return c, s.before
}

func (s *Server) carryOut(c *call) (*delivery, []func(Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.decide(c)
	d.entry = c.entry
	c.entry.answered(d)
	s.watch(c, d)
	return d, s.after
}

// decide answers under the lock.
func (s *Server) decide(c *call) *delivery {
	c.token = s.token(c.r.Header)
	if c.token != nil {
		c.viewer = s.user(c.token.Login)
		c.entry.Login = c.token.Login
	}
	hit := s.strike(c)
	if hit != nil && hit.first() {
		return hit.deliver(c, nil)
	}
	if hit != nil && hit.Kind == Stale {
		hit.show(c)
		hit = nil
	}
	a := c.serve()
	c.entry.Stored = c.write() && a.status < http.StatusMultipleChoices
	c.finish(a)
	if hit != nil {
		return hit.deliver(c, a)
	}
	return &delivery{answer: a}
}

// serve applies the rules in GitHub's order: who asks, how often, which repository,
// with what right, and then what is asked.
func (c *call) serve() *answer {
	s := c.s
	if c.r.Header.Get("User-Agent") == "" {
		c.odd = "no user agent"
		a := newAnswer(http.StatusForbidden, nil)
		a.body = []byte("\r\nRequest forbidden by administrative rules. Please make sure your request has a User-Agent header (https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required). Check https://developer.github.com for other possible causes.\r\n")
		a.header.Set("Content-Type", "text/html; charset=utf-8")
		return a
	}
	if c.token == nil {
		if presented(c.r.Header) != "" {
			return newAnswer(http.StatusUnauthorized, map[string]any{"message": "Bad credentials", "documentation_url": docs, "status": "401"})
		}
		if !s.params.Modes.AnonymousReads || c.write() || c.repo == nil {
			return c.problem(http.StatusUnauthorized, "Requires authentication")
		}
	}
	if a := c.limit(); a != nil {
		return a
	}
	if c.route == nil {
		return newAnswer(http.StatusNotFound, map[string]any{"message": "Not Found", "documentation_url": docs, "status": "404"})
	}
	if strings.HasPrefix(c.route.template, repoPath) {
		if a := c.admit(); a != nil {
			return a
		}
	}
	return c.kept()
}

// admit checks the repository: there, visible, called by its name, and open to
// what is asked.
func (c *call) admit() *answer {
	if c.repo == nil || c.repo.deleted || !c.token.sees(c.repo) {
		return c.notFound()
	}
	if c.moved() {
		return c.redirect()
	}
	if c.repo.disabled {
		c.odd = "block" // a field that is not described
		return c.problem(http.StatusForbidden, "Repository access blocked", "block", map[string]any{"reason": "tos", "created_at": stamp(c.repo.created), "html_url": "https://github.com/tos"})
	}
	if c.write() || c.repo.private {
		if !c.token.may(c.repo, c.route.needs...) {
			return c.lacking()
		}
		if c.token != nil && c.repo.role(c.token.Login) < c.route.role {
			return c.problem(http.StatusForbidden, "Must have admin rights to Repository.")
		}
	}
	if strings.Contains(c.route.template, "_number}") && !c.number() {
		return c.notFound()
	}
	if c.write() && c.repo.archived {
		return c.problem(http.StatusForbidden, "Repository was archived so is read-only.")
	}
	return nil
}

// lacking is how GitHub says that a token has not the right: a classic one is told
// that there is nothing, a fine-grained one or an App's is told more. (case G33)
func (c *call) lacking() *answer {
	if c.token.Permissions == nil {
		return c.notFound()
	}
	if c.viewer.bot() {
		return c.problem(http.StatusForbidden, "Resource not accessible by integration")
	}
	return c.problem(http.StatusForbidden, "Resource not accessible by personal access token")
}

// redirect sends the request to the repository's number. (case G35)
func (c *call) redirect() *answer {
	rest := strings.SplitN(strings.TrimPrefix(c.rawPath(), "/"), "/", 4) // repos OWNER REPO REST
	to := fmt.Sprintf("%s/repositories/%d", c.origin.api, c.repo.ID)
	if len(rest) == 4 {
		to += "/" + rest[3]
	}
	if c.r.URL.RawQuery != "" {
		to += "?" + c.r.URL.RawQuery
	}
	status, message := http.StatusMovedPermanently, "Moved Permanently"
	if c.write() && !c.s.params.Modes.WritesMoved301 {
		status, message = http.StatusTemporaryRedirect, "Temporary Redirect"
	}
	a := newAnswer(status, map[string]any{
		"message": message, "url": to,
		"documentation_url": docs + "/guides/best-practices-for-using-the-rest-api#follow-redirects",
	})
	a.header.Set("Location", to)
	return a
}

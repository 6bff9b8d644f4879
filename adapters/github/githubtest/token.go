package githubtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Permission is what a fine-grained token may do, as RESOURCE:LEVEL.
type Permission string

// The permissions that the calls of this server ask for. Metadata can always be
// read. Labels of a pull request are written with either of the two.
const (
	ReadContents Permission = "contents:read"
	ReadPulls    Permission = "pull_requests:read"
	WritePulls   Permission = "pull_requests:write"
	ReadIssues   Permission = "issues:read"
	WriteIssues  Permission = "issues:write"
)

// Grant is what a token stands for.
type Grant struct {
	Login       string
	Permissions []Permission // of a fine-grained token; nil = a classic one
	Scopes      []string     // of a classic one; nil = repo
	Repos       []string     // OWNER/REPO that a fine-grained token sees; nil = all that its owner sees
	Expires     time.Time    // zero = never
}

type token struct {
	Grant
	text    string
	revoked bool
	quota   quota
	closed  map[int64]bool // pull requests that it was shown closed
	unknown map[int64]bool // those where nobody knows what became of a review
	written time.Time      // its last write
}

// Token is a token of a login: a fine-grained one with these permissions on every
// repository, or a classic one with the scope repo when none is named.
func (s *Server) Token(login string, permissions ...Permission) string {
	return s.Issue(Grant{Login: login, Permissions: permissions})
}

// Issue makes a token.
func (s *Server) Issue(g Grant) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.user(g.Login)
	prefix := "gh" + "p_"
	if g.Permissions != nil {
		prefix = "github" + "_pat_"
	} else if g.Scopes == nil {
		g.Scopes = []string{"repo"}
	}
	s.serial["token"]++
	sum := sha256.Sum256([]byte{byte(s.serial["token"]), byte(s.serial["token"] >> 8), 'r'})
	text := prefix + hex.EncodeToString(sum[:])[:36]
	clear(s.cache) // what the login is to repositories may have changed
	s.tokens[text] = &token{Grant: g, text: text, closed: map[int64]bool{}, unknown: map[int64]bool{}}
	return text
}

// Change gives a token other rights from now on. (permission withdrawn in the
// middle of a run)
func (s *Server) Change(text string, change func(*Grant)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.tokens[text].Grant)
	clear(s.cache)
}

// Revoke makes a token worthless.
func (s *Server) Revoke(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[text].revoked = true
}

// presented is the token that a request carries; "" = none.
func presented(h http.Header) string {
	value := h.Get("Authorization")
	kind, rest, _ := strings.Cut(value, " ")
	switch strings.ToLower(kind) {
	case "bearer", "token":
		return strings.TrimSpace(rest)
	case "basic":
		text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
		if err != nil {
			return ""
		}
		name, password, _ := strings.Cut(string(text), ":")
		if password == "" {
			return name
		}
		return password
	}
	return value
}

// token is the valid token of a request, or nil.
func (s *Server) token(h http.Header) *token {
	t := s.tokens[presented(h)]
	if t == nil || t.revoked || !t.Expires.IsZero() && !s.time().Before(t.Expires) {
		return nil
	}
	return t
}

// sees reports whether the token's owner and the token itself see a repository.
func (t *token) sees(r *Repo) bool {
	if t == nil {
		return !r.private
	}
	if !r.private {
		return true
	}
	if r.role(t.Login) < RoleRead {
		return false
	}
	if t.Permissions == nil {
		return slices.Contains(t.Scopes, "repo")
	}
	return t.Repos == nil || slices.ContainsFunc(t.Repos, func(name string) bool { return strings.EqualFold(name, r.full()) })
}

// may reports whether the token has one of the permissions on a repository.
func (t *token) may(r *Repo, one ...Permission) bool {
	if len(one) == 0 {
		return true
	}
	if t == nil {
		return false
	}
	if t.Permissions == nil {
		return slices.Contains(t.Scopes, "repo") || !r.private && slices.Contains(t.Scopes, "public_repo")
	}
	if t.Repos != nil && !slices.ContainsFunc(t.Repos, func(name string) bool { return strings.EqualFold(name, r.full()) }) {
		return false
	}
	return slices.ContainsFunc(one, func(p Permission) bool {
		if slices.Contains(t.Permissions, p) {
			return true
		}
		resource, level, _ := strings.Cut(string(p), ":")
		return level == "read" && slices.Contains(t.Permissions, Permission(resource+":write"))
	})
}

package githubtest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi" //nolint:gosec // Go is newer than 1.6.3
	"os/exec"
	"path/filepath"
	"strings"
)

// gitVerbs are the requests of git's smart protocol that fetch.
var gitVerbs = []string{"/info/refs", "/git-upload-pack", "/git-receive-pack"}

// isGit reports whether a path is one of git's protocol.
func isGit(path string) bool {
	_, verb := gitPath(path)
	return verb != ""
}

// gitPath splits /OWNER/REPO.git/VERB.
func gitPath(path string) (name, verb string) {
	for _, v := range gitVerbs {
		if before, found := strings.CutSuffix(path, v); found {
			return strings.TrimSuffix(strings.TrimPrefix(before, "/"), ".git"), v
		}
	}
	return "", ""
}

// serveGit is git's smart protocol for /OWNER/REPO.git, through git http-backend.
// A repository that the token does not see is not there; one that was renamed
// redirects. Nothing can be pushed.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request) {
	name, verb := gitPath(r.URL.Path)
	body, err := io.ReadAll(io.LimitReader(r.Body, requestMax))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	s.mu.Lock()
	repo := s.repos[s.names[strings.ToLower(name)]]
	status := s.admitGit(repo, s.token(r.Header), r)
	e := &entry{Request: Request{Method: r.Method, Path: r.URL.Path, Route: "git " + verb[1:], Query: r.URL.Query(), Header: r.Header.Clone(), Status: status}}
	s.remember(e)
	c := &call{s: s, r: r, path: r.URL.Path, entry: e, now: s.time(), token: s.token(r.Header)}
	struck := s.strike(c)
	var fault *delivery
	if struck != nil && struck.first() {
		fault = struck.deliver(c, nil)
		e.answered(fault)
	}
	var dir, space, moved string
	if status == http.StatusOK {
		dir = repo.store.(*gitStore).scratch.Dir
		if repo.parent != nil {
			space = fmt.Sprintf("fork%d", repo.ID)
		}
		if !strings.EqualFold(name, repo.full()) {
			moved = "/" + repo.full() + ".git" + verb + "?" + r.URL.RawQuery
		}
	}
	s.mu.Unlock()
	switch {
	case fault != nil:
		s.send(w, r, fault)
	case status == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "Repository not found.", status)
	case status != http.StatusOK:
		http.Error(w, "Repository not found.", status)
	case moved != "":
		w.Header().Set("Location", moved)
		w.WriteHeader(http.StatusMovedPermanently)
	default:
		backend(dir, space).ServeHTTP(w, inside(r, dir, verb, body))
	}
}

// admitGit is the status of a request of git: 200 when it may be served.
func (s *Server) admitGit(repo *Repo, t *token, r *http.Request) int {
	switch {
	case t == nil && presented(r.Header) != "":
		return http.StatusUnauthorized
	case repo == nil || repo.deleted || repo.disabled || !t.sees(repo):
		if t == nil {
			return http.StatusUnauthorized // GitHub asks for a name first
		}
		return http.StatusNotFound
	case repo.private && !t.may(repo, ReadContents):
		return http.StatusForbidden
	case strings.Contains(r.URL.Path+r.URL.RawQuery, "git-receive-pack"):
		return http.StatusForbidden
	}
	if _, ok := repo.store.(*gitStore); !ok {
		return http.StatusNotFound
	}
	return http.StatusOK
}

// backend is git's own CGI program for one bare repository.
func backend(dir, space string) http.Handler {
	program, err := exec.LookPath("git")
	if err != nil {
		return http.NotFoundHandler()
	}
	env := []string{"GIT_PROJECT_ROOT=" + filepath.Dir(dir), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"}
	if space != "" {
		env = append(env, "GIT_NAMESPACE="+space)
	}
	return &cgi.Handler{Path: program, Args: []string{"http-backend"}, Root: "/", Dir: dir, Env: env, Stderr: io.Discard}
}

// inside is the request as git http-backend sees it. Its body is whole, because CGI
// knows no chunks.
func inside(r *http.Request, dir, verb string, body []byte) *http.Request {
	in := r.Clone(r.Context())
	in.URL.Path = "/" + filepath.Base(dir) + verb
	in.URL.RawPath = ""
	in.Body, in.ContentLength, in.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	in.Header.Del("Authorization")
	return in
}

package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/status"
)

// gitUser is whose password a token is, to GitHub's git servers.
const gitUser = "x-access-token"

// hub is one GitHub as this process knows it: how to reach it, and what its
// repositories are called now. It asks for nothing by itself.
type hub struct {
	client *api.Client
	host   string // in the names of streams
	web    string // where people look, and git fetches: https://github.com
	env    func(string) string
	log    *slog.Logger
	config atomic.Pointer[Config]
	asked  events.RepoName // that somebody named on the command line, configured or not

	mu    sync.Mutex
	known map[string]namedRepo // by GitHub's id
	fault *api.Fault           // of the newest request, where all of GitHub is in trouble; nil = none
}

// namedRepo is a repository by the name in the configuration and the one it has.
type namedRepo struct {
	configured, now events.RepoName
	clone           string // "" = as its name says
}

// openHub makes the access to the configured GitHub.
func openHub(c *Config, home Home, env func(string) string, log *slog.Logger) (*hub, error) {
	return newHub(c, home.apiCache(), nil, env, log)
}

// newHub is openHub with the folder where GitHub's answers are kept ("" = nowhere),
// and with what carries requests (nil = TCP).
func newHub(c *Config, cache string, transport http.RoundTripper, env func(string) string, log *slog.Logger) (*hub, error) {
	h := &hub{env: env, log: log, known: map[string]namedRepo{}}
	h.config.Store(c)
	client, err := api.New(api.Params{
		BaseURL: c.GitHub.APIURL, Token: h.token, Transport: transport, Clock: clock{}, CacheDir: cache, Log: log,
		Heard: h.note,
	})
	if err != nil {
		return nil, &CLIError{Code: CodeConfig, What: "GitHub cannot be reached", Subject: hideText(err.Error()), Remedy: "see github.api_url in " + ConfigFile}
	}
	h.client, h.host = client, client.Host()
	root, err := api.ParseBaseURL(c.GitHub.APIURL)
	if err != nil {
		return nil, err // New has read it
	}
	h.web = api.Web(root)
	return h, nil
}

// token is read anew each time.
func (h *hub) token() (string, error) {
	c := h.config.Load().GitHub
	return c.token(h.env)
}

// secrets are what is never posted.
func (h *hub) secrets() []string {
	token, err := h.token()
	if err != nil || token == "" {
		return nil
	}
	return []string{token}
}

// isOurs reports whether a stream is of a repository or pull request on this GitHub.
func (h *hub) isOurs(stream events.StreamName) bool {
	subject := stream.Subject()
	return strings.HasPrefix(subject, h.host+"/")
}

// idOf is GitHub's id of the repository of a stream.
func idOf(stream events.StreamName) string {
	parts := strings.Split(stream.Subject(), "/")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

// entry finds the configuration of a repository by any of its names.
func (h *hub) entry(names ...events.RepoName) *RepositoryConfig {
	for _, r := range hubRepositories(h.config.Load()) {
		for _, name := range names {
			if strings.EqualFold(r.Name, string(name)) {
				return r
			}
		}
	}
	return nil
}

// recall learns the names on record, so that what ran before a start goes on.
func (h *hub) recall(ctx context.Context, f *Files) error {
	return f.Look(ctx, func(rows projections.Rows) error {
		page, err := status.GetRepos(ctx, rows, projections.Filter{})
		if err != nil {
			return err
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, r := range page.Items {
			configured := r.Was
			if configured == "" {
				configured = r.Repo
			}
			if h.isOurs(r.Stream) && r.Enabled {
				h.known[idOf(r.Stream)] = namedRepo{configured: configured, now: r.Repo}
			}
		}
		return nil
	})
}

// learn is told what a repository is now.
func (h *hub) learn(configured events.RepoName, is api.Repo) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := strconv.FormatInt(is.ID, 10)
	for other, known := range h.known { // else the one that had the name is taken for this one (case G35)
		if other != id && (strings.EqualFold(string(known.configured), string(configured)) || strings.EqualFold(string(known.now), string(is.FullName))) {
			delete(h.known, other)
		}
	}
	h.known[id] = namedRepo{configured: configured, now: is.FullName, clone: is.CloneURL}
}

// nameOf is a repository's name by GitHub's id of it, while it is configured.
func (h *hub) nameOf(id string) (events.RepoName, bool) {
	h.mu.Lock()
	known, ok := h.known[id]
	h.mu.Unlock()
	return known.now, ok && (known.now == h.asked || h.entry(known.configured, known.now) != nil)
}

// find is what is known of a repository by any of its names. One that is called so
// comes before one that was: the name may have gone over to it.
func (h *hub) find(name events.RepoName) namedRepo {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := namedRepo{configured: name, now: name}
	for _, known := range h.known {
		switch {
		case strings.EqualFold(string(known.now), string(name)):
			return known
		case strings.EqualFold(string(known.configured), string(name)):
			found = known
		}
	}
	return found
}

// legacy reports whether markers of earlier systems count in a repository.
func (h *hub) legacy(name events.RepoName) bool {
	known := h.find(name)
	r := h.entry(known.configured, known.now)
	return r != nil && r.LegacyMarkers
}

// place is where a configured repository is fetched from; ok is false where there is
// none of that name.
func (h *hub) place(name events.RepoName) (at workspace.Place, ok bool, err error) {
	known := h.find(name)
	r := h.entry(known.configured, known.now)
	if r == nil {
		return at, false, nil
	}
	at, err = h.placeOf(known)
	at.Exclude = h.config.Load().excludedPaths(r)
	return at, true, err
}

// placeOf is where a repository is fetched from. The token is for GitHub alone: an
// address elsewhere is refused.
func (h *hub) placeOf(known namedRepo) (workspace.Place, error) {
	address := known.clone
	if address == "" {
		address = h.web + "/" + string(known.now) + ".git"
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme+"://"+strings.ToLower(u.Host) != h.web {
		return workspace.Place{}, &CLIError{
			Code: CodeConfig, What: "GitHub says that the repository is fetched from elsewhere than " + h.web + ", which is not sent the token",
			Subject: string(known.now), Remedy: "set github.api_url in " + ConfigFile + " to the API of the host that it is fetched from",
		}
	}
	from, err := git.ParseAddress(address)
	if err != nil {
		return workspace.Place{}, err
	}
	env, err := gitEnv(h.env)
	return workspace.Place{
		From: from, Env: env, Mirror: true, Credential: &git.Credential{User: gitUser, Token: h.token},
	}, err
}

// publisher posts what the station's log says.
func (h *hub) publisher(s *Station) *publish.Publisher {
	return publish.New(publish.Params{
		Hub: h.client, Content: s.posting, Repo: h.nameOf, Owns: s.holds, Legacy: h.legacy, Secrets: h.secrets,
		Labels: h.config.Load().GitHub.Labels.names(), Clock: clock{}, Log: h.log,
	})
}

// note keeps what troubles all of GitHub, until a request succeeds.
func (h *hub) note(fault *api.Fault) {
	if fault != nil && fault.Kind != api.KindAuth && fault.Kind != api.KindClockSkew && fault.Kind != api.KindTransient && !fault.Limited() {
		fault = nil // of one repository: it is on record there
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fault = fault
}

// trouble says in words what troubles all of GitHub; "" = nothing.
func (h *hub) trouble() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fault == nil {
		return ""
	}
	return Plain(h.fault.Error())
}

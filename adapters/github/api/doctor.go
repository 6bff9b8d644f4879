package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Access is what a token may do in a repository, as far as GitHub tells without
// anything being written.
type Access struct {
	Viewer  User
	Repo    Repo
	Classic bool     // a classic token, with scopes; else a fine-grained or an App's one
	Scopes  []string // of a classic token
	Expires time.Time
	Rate    Rate
	Skew    time.Duration // how far GitHub's clock is ahead of ours
	Missing []string      // what is missing, in words; nil = nothing that we can see
	Unseen  []string      // what only a write would show
}

// skewMax is where a clock is called wrong: GitHub writes whole seconds, and answers
// take a few.
const skewMax = 30 * time.Second

// Doctor reads what the token may do in a repository.
func (c *Client) Doctor(ctx context.Context, name events.RepoName) (*Access, error) {
	a := &Access{}
	var err error
	var ex *exchange
	a.Viewer, ex, err = fetch(ctx, c, request{op: "read the token's account", path: "user", traffic: trafficLook}, decodeInto(viewerOf))
	if err != nil {
		return nil, err
	}
	a.headers(ex.headers, c.clock.Now())
	path, ok := repoPath(name)
	if !ok {
		return nil, badName("read repository " + oneLine(string(name)))
	}
	r := request{op: "read repository " + string(name), path: path, traffic: trafficLook}
	if a.Repo, _, err = fetch(ctx, c, r, decodeInto(repoOf)); err != nil {
		return nil, err
	}
	c.learn(name, a.Repo.FullName)
	a.judge()
	r = request{op: "list pull requests of " + string(name), path: path + "/pulls?state=open&per_page=1", traffic: trafficLook, shape: shapeList}
	if _, _, err := fetch(ctx, c, r, decodeList(pullOf)); err != nil {
		f, ok := err.(*Fault) //nolint:errorlint // fetch returns it as it is
		if !ok || f.Kind != KindPermission && f.Kind != KindNotFound {
			return nil, err
		}
		a.Missing = append(a.Missing, orElse(f.Needs, "Pull requests: read")+" (GitHub does not show its pull requests)")
	}
	a.Rate = c.Rate()
	return a, nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// headers takes what stands in the headers of any answer.
func (a *Access) headers(h http.Header, now time.Time) {
	_, a.Classic = h["X-Oauth-Scopes"]
	for scope := range strings.SplitSeq(h.Get("X-Oauth-Scopes"), ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			a.Scopes = append(a.Scopes, oneLine(scope))
		}
	}
	for _, layout := range []string{"2006-01-02 15:04:05 MST", "2006-01-02 15:04:05 -0700"} {
		if at, err := time.Parse(layout, h.Get("Github-Authentication-Token-Expiration")); err == nil {
			a.Expires = at.UTC()
			break
		}
	}
	a.Skew = serverTime(h, now).Sub(now).Round(time.Second)
}

// judge says in words what is missing for reading pull requests and writing reviews
// and labels.
func (a *Access) judge() {
	missing := func(format string, args ...any) { a.Missing = append(a.Missing, fmt.Sprintf(format, args...)) }
	repo := a.Repo
	if a.Classic && !slices.Contains(a.Scopes, "repo") && (repo.Private || !slices.Contains(a.Scopes, "public_repo")) {
		want := "repo"
		if !repo.Private {
			want = "public_repo or repo"
		}
		missing("the scope %s of the token, which has %s", want, orElse(strings.Join(a.Scopes, ", "), "none"))
	}
	switch {
	case repo.Archived:
		missing("%s is archived: nothing can be written there", repo.FullName)
	case repo.Disabled:
		missing("%s is disabled by GitHub", repo.FullName)
	}
	p := repo.Permissions
	if !p.Pull && !p.Triage && !p.Push && !p.Maintain && !p.Admin {
		missing("read access of %s to %s", a.Viewer.Login, repo.FullName)
	}
	if !p.Triage && !p.Push && !p.Maintain && !p.Admin {
		missing("the role Triage or Write of %s in %s: labels cannot be set without it, and an approval does not count", a.Viewer.Login, repo.FullName)
	}
	if !a.Classic {
		a.Unseen = append(a.Unseen, "whether the token has Pull requests: Read and write (GitHub tells only when a review is written)")
	}
	if a.Skew > skewMax || a.Skew < -skewMax {
		missing("a right clock: GitHub's is %s ahead of the one here", a.Skew)
	}
}

package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Account is whose a token is, and what GitHub tells of the token itself.
type Account struct {
	Viewer  User
	Classic bool     // a classic token, with scopes; else a fine-grained or an App's one
	Scopes  []string // of a classic token
	Expires time.Time
	Skew    time.Duration // how far GitHub's clock is ahead of ours, at least
}

// Access is what a token may do in a repository, as far as GitHub tells without
// anything being written.
type Access struct {
	Repo    Repo
	Pull    int    // an open pull request; 0 = there is none, or it is not shown
	Missing []Lack // nil = nothing that we can see
}

// Lack is a permission that is missing, in words, and what to do about it.
type Lack struct{ What, Remedy string }

// skewMax is where a clock is called wrong.
const skewMax = 30 * time.Second

// reviewNone is the id of a review that no pull request has.
const reviewNone = 1<<53 - 1

// Account reads whose the token is. It is asked for anew each time.
func (c *Client) Account(ctx context.Context) (*Account, error) {
	a := &Account{}
	var ex *exchange
	var err error
	asked := c.clock.Now()
	a.Viewer, ex, err = fetch(ctx, c, request{op: "read the token's account", path: "user", traffic: trafficLook}, decodeInto(viewerOf))
	if err != nil {
		return nil, err
	}
	a.headers(ex.headers, asked, c.clock.Now())
	return a, nil
}

// ClockOff reports whether the clocks are further apart than they should be.
func (a *Account) ClockOff() bool { return a.Skew > skewMax || a.Skew < -skewMax }

// Access reads what the account's token may do in a repository.
func (c *Client) Access(ctx context.Context, a *Account, name events.RepoName) (*Access, error) {
	found, err := c.repo(ctx, name, trafficLook, false)
	if err != nil {
		return nil, err
	}
	access := &Access{Repo: *found, Missing: a.lacks(found)}
	path, ok := repoPath(found.FullName)
	if !ok {
		return nil, badName("list pull requests of " + oneLine(string(found.FullName)))
	}
	r := request{op: "list pull requests of " + string(found.FullName), path: path + "/pulls?state=open&per_page=1", traffic: trafficLook, shape: shapeList}
	pulls, _, err := fetch(ctx, c, r, decodeList(pullOf))
	var f *Fault
	switch {
	case errors.As(err, &f) && (f.Kind == KindPermission || f.Kind == KindNotFound):
		access.Missing = append(access.Missing, tokenLacks(f.Needs, "pull requests: read"))
	case err != nil:
		return nil, err
	case len(pulls) > 0:
		access.Pull = pulls[0].Number
	}
	return access, nil
}

// MayReview tries whether the token may write reviews, which only a write tells of a
// token without scopes: it deletes a review that no pull request has. known is false
// where the answer says neither yes nor no.
func (c *Client) MayReview(ctx context.Context, name events.RepoName, number int) (lack *Lack, known bool, err error) {
	err = c.DeletePending(ctx, name, number, reviewNone)
	var f *Fault
	switch {
	case err == nil || !errors.As(err, &f):
		return nil, false, err
	case f.Kind == KindNotFound, f.Kind == KindValidation:
		return nil, true, nil
	case f.Kind == KindPermission && (f.Sub == SubToken || f.Needs != ""):
		lack := tokenLacks(f.Needs, "pull requests: write")
		return &lack, true, nil
	case f.Kind == KindPermission && f.Sub == SubLocked:
		return nil, false, nil
	}
	return nil, false, err
}

// tokenLacks is a permission of a token, as GitHub names it in a header or as we know
// it.
func tokenLacks(needs, otherwise string) Lack {
	words := permissionWords(needs)
	if words == "" {
		words = otherwise
	}
	return Lack{
		What:   "the token lacks the permission " + words,
		Remedy: "give it " + words + " for this repository, in the token's settings (Settings, Developer settings, Personal access tokens)",
	}
}

// permissionWords puts "issues=write; pull_requests=write" in words: the header lists
// choices between semicolons, and what belongs together between commas.
func permissionWords(needs string) string {
	var choices []string
	for choice := range strings.SplitSeq(needs, ";") {
		var all []string
		for p := range strings.SplitSeq(choice, ",") {
			if resource, level, ok := strings.Cut(strings.TrimSpace(p), "="); ok {
				all = append(all, strings.ReplaceAll(resource, "_", " ")+": "+level)
			}
		}
		if all != nil {
			choices = append(choices, strings.Join(all, " and "))
		}
	}
	return strings.Join(choices, ", or ")
}

// headers takes what stands in the headers of any answer.
func (a *Account) headers(h http.Header, asked, now time.Time) {
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
	// It was written between the question and now, and is cut to whole seconds.
	switch at := serverTime(h, now); {
	case at.After(now):
		a.Skew = at.Sub(now).Round(time.Second)
	case at.Before(asked.Truncate(time.Second)):
		a.Skew = at.Sub(asked.Truncate(time.Second)).Round(time.Second)
	}
}

// lacks says in words what is missing for reading pull requests and writing reviews
// and labels.
func (a *Account) lacks(repo *Repo) []Lack {
	var missing []Lack
	if a.Classic && !slices.Contains(a.Scopes, "repo") && (repo.Private || !slices.Contains(a.Scopes, "public_repo")) {
		want := "repo"
		if !repo.Private {
			want = "public_repo or repo"
		}
		has := strings.Join(a.Scopes, ", ")
		if has == "" {
			has = "none"
		}
		missing = append(missing, Lack{
			"the token lacks the scope " + want + ": it has " + has,
			"give it the scope " + want + ", in the token's settings (Settings, Developer settings, Personal access tokens)",
		})
	}
	switch name := string(repo.FullName); {
	case repo.Archived:
		missing = append(missing, Lack{name + " is archived: nothing can be written there", "unarchive it, or set enabled: false at the repository"})
	case repo.Disabled:
		missing = append(missing, Lack{name + " is disabled by GitHub", "see what GitHub says on its page, or set enabled: false at the repository"})
	}
	p := repo.Permissions
	if !p.Triage && !p.Push && !p.Maintain && !p.Admin {
		missing = append(missing, Lack{
			a.Viewer.Login + " has no role Triage or Write in " + string(repo.FullName) + ": labels cannot be set without it, and a verdict does not count",
			"let an owner of the repository give " + a.Viewer.Login + " the role Write",
		})
	}
	return missing
}

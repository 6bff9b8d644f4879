package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// hubWait bounds the questions about one repository on GitHub.
const hubWait = 30 * time.Second

// onHub looks whether a repository on GitHub can be read, fetched and written to.
// Nothing is written there.
func (d *doctor) onHub(ctx context.Context, label string, r *RepositoryConfig) {
	if _, err := d.config.GitHub.token(d.app.Env); err != nil {
		d.failed(label, err)
		return
	}
	if d.hub == nil {
		var err error
		if d.hub, err = openHub(d.config, d.home, d.app.Env, d.app.Logger()); err != nil {
			d.failed(label, err)
			return
		}
	}
	ctx, cancel := context.WithTimeout(ctx, hubWait)
	defer cancel()
	access, err := d.hub.client.Doctor(ctx, r.RepoName())
	if err != nil {
		e := hubProblem(err, PRRef{Repo: r.RepoName()})
		var known *CLIError
		if errors.As(e, &known) {
			d.bad(label, "on GitHub: "+Plain(err.Error()), hubRemedy(err, known.Remedy))
		}
		return
	}
	for _, missing := range access.Missing {
		d.bad(label, "on GitHub, "+Plain(missing)+" is missing", "give the token of "+Plain(access.Viewer.Login)+" what is missing, or another token")
	}
	d.fetchable(ctx, label, r, access)
	if len(access.Missing) == 0 {
		d.good(label, fmt.Sprintf("on GitHub as %s; the token is %s's; %s; %d of %d requests left until %s", Plain(string(access.Repo.FullName)),
			Plain(access.Viewer.Login), d.labels(ctx, r.RepoName()), access.Rate.Remaining, access.Rate.Limit, events.FormatTime(access.Rate.Reset)))
	}
}

// hubRemedy is what helps against a fault of GitHub.
func hubRemedy(err error, otherwise string) string {
	var fault *api.Fault
	if !errors.As(err, &fault) {
		return otherwise
	}
	switch fault.Kind {
	case api.KindAuth:
		return "give a token that is valid, under github.token_env or github.token_file"
	case api.KindClockSkew:
		return "set the clock, and let it be kept (NTP)"
	case api.KindNotFound:
		return "see that the name is right, and give the token access to the repository"
	case api.KindPermission:
		return "give the token the permission " + cmp.Or(Plain(fault.Needs), "pull requests: write")
	}
	return strings.TrimSpace(otherwise)
}

// labels says whether verdicts are labelled, which a repository asks for by having
// the labels.
func (d *doctor) labels(ctx context.Context, name events.RepoName) string {
	have, err := d.hub.client.Labels(ctx, name)
	if err != nil {
		return "its labels are not known (" + Plain(err.Error()) + ")"
	}
	l := d.config.GitHub.Labels
	for _, want := range []string{l.Approved, l.ChangesRequested, l.Commented} {
		found := false
		for _, label := range have {
			found = found || api.SameLabel(label, want)
		}
		if !found {
			return "verdicts are not labelled there (no label " + Plain(want) + ")"
		}
	}
	return "verdicts are labelled"
}

// fetchable asks git for the repository's branches with the token.
func (d *doctor) fetchable(ctx context.Context, label string, r *RepositoryConfig, access *api.Access) {
	place, err := d.hub.placeOf(namedRepo{configured: r.RepoName(), now: access.Repo.FullName, clone: access.Repo.CloneURL})
	if err == nil {
		_, err = git.AskRemoteWith(ctx, existing(d.home.dir), place.From, place.Env, place.Credential)
	}
	if err != nil && !errors.Is(err, git.ErrUnknownRef) {
		d.bad(label, "git cannot fetch it: "+Plain(err.Error()), "give the token the permission contents: read, and let git reach the host ("+EnvGit+"=https_proxy)")
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/poll"
	"github.com/reviewctl/reviewctl/events"
)

// pullPath is the path of a pull request on GitHub, whatever stands behind it.
var pullPath = regexp.MustCompile(`^/([A-Za-z0-9._-]+)/([A-Za-z0-9._-]+)/pull/([0-9]+)(/.*)?$`)

// pullName is what can be meant as a pull request alone.
var pullName = regexp.MustCompile(`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+#-?[0-9]+$`)

// onHub reads the address of a pull request on the configured GitHub, or
// OWNER/REPO#N; ok is false where it is neither.
func (c *ReviewCmd) onHub(config *Config) (ref PRRef, ok bool, err error) {
	if u, bad := url.Parse(c.Path); bad == nil && (u.Scheme == "https" || u.Scheme == "http") {
		parts := pullPath.FindStringSubmatch(u.Path)
		if parts == nil {
			return PRRef{}, false, nil
		}
		root, err := api.ParseBaseURL(config.GitHub.APIURL)
		if err != nil {
			return PRRef{}, false, wrongUsage(hideText(err.Error()), "see github.api_url in "+ConfigFile)
		}
		web := api.Web(root)
		if at := u.Scheme + "://" + strings.TrimPrefix(strings.ToLower(u.Host), "www."); at != web || u.User != nil {
			return PRRef{}, false, wrongUsage("the pull request is not on the configured GitHub, which is "+web,
				"set github.api_url in "+ConfigFile+" to the API of its host: https://HOST/api/v3/")
		}
		ref, err = ParsePR(parts[1]+"/"+parts[2], parts[3])
		return ref, err == nil, err
	}
	if !strings.Contains(c.Path, "#") {
		return PRRef{}, false, nil
	}
	ref, err = ParsePR(c.Path)
	if err != nil && pullName.MatchString(c.Path) { // no folder is meant
		return PRRef{}, false, err
	}
	return ref, err == nil && !strings.HasPrefix(string(ref.Repo), "local/"), nil
}

// forgeChange is a pull request on GitHub.
type forgeChange struct {
	hub     *hub
	pull    *api.Pull
	publish bool
	approve bool
}

// hubChange reads a pull request as it is now.
func (c *ReviewCmd) hubChange(app *App, config *Config, ref PRRef) (*localChange, error) {
	if c.Worktree || c.Base != "" || c.Head != "" {
		return nil, wrongUsage("a pull request has a base and a head of its own", "leave --worktree, --base and --head out")
	}
	if _, err := config.GitHub.token(app.Env); err != nil {
		return nil, err
	}
	path, err := SQLitePath(config.Store)
	if err != nil {
		return nil, err
	}
	h, err := openHub(config, HomeOf(path), app.Env, app.Logger())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(app.Context, askTimeout)
	defer cancel()
	is, err := h.client.Repo(ctx, ref.Repo)
	if err != nil {
		return nil, hubProblem(err, ref)
	}
	pull, err := h.client.Pull(ctx, is.FullName, ref.Number)
	if err != nil {
		return nil, hubProblem(err, ref)
	}
	title, author, why := poll.Describe(pull)
	if why != "" { // guard: a pull request is recorded that a daemon on this log refuses
		return nil, hubProblem(errors.New(why), ref)
	}
	h.learn(ref.Repo, *is)
	h.asked = is.FullName
	place, err := h.placeOf(namedRepo{configured: ref.Repo, now: is.FullName, clone: is.CloneURL})
	if err != nil {
		return nil, err
	}
	entry := h.entry(ref.Repo, is.FullName)
	change := &localChange{
		repository: entry, name: is.FullName, repoID: strconv.FormatInt(is.ID, 10), number: ref.Number,
		ref: fmt.Sprintf("refs/pull/%d/head", ref.Number), head: pull.Head,
		commit: &git.Commit{Subject: title}, base: git.Base{Ref: pull.BaseRef, Commit: pull.Base},
		forge: &forgeChange{hub: h, pull: pull, publish: c.Publish, approve: entry != nil && entry.Approve},
	}
	change.commit.Author.Name = author
	if c.Publish && pull.Closed {
		return nil, wrongUsage("the pull request is closed: nothing is posted there", "leave --publish out: the review is printed")
	}
	change.place.Store(&place)
	return change, nil
}

// hubProblem says what to do about an answer of GitHub.
func hubProblem(err error, ref PRRef) error {
	var fault *api.Fault
	if !errors.As(err, &fault) {
		return &CLIError{Code: CodeUnavailable, What: "the pull request cannot be read", Subject: ref.String() + ": " + Plain(err.Error()), Remedy: "reviewctl doctor, and call again", Err: err}
	}
	switch fault.Kind {
	case api.KindNotFound, api.KindGone:
		return &CLIError{
			Code: CodeNotFound, What: "no such pull request, or the token may not see it", Subject: ref.String(), Err: err,
			Remedy: "see that it is there and that the token may read the repository: reviewctl doctor",
		}
	case api.KindAuth, api.KindClockSkew, api.KindPermission, api.KindBlocked:
		return &CLIError{Code: CodeConfig, What: "GitHub refuses the token", Subject: Plain(err.Error()), Remedy: "reviewctl doctor says what it lacks", Err: err}
	case api.KindRedirected:
		return &CLIError{
			Code: CodeConfig, What: "GitHub sends us elsewhere", Subject: Plain(err.Error()), Err: err,
			Remedy: "see that github.api_url in " + ConfigFile + " is the API's own address",
		}
	case api.KindValidation:
		return &CLIError{Code: CodeUsage, What: "that is no pull request", Subject: Plain(err.Error()), Remedy: "write OWNER/REPO#N", Err: err}
	case api.KindUnexpected, api.KindDiffTooLarge, api.KindConflict:
		return &CLIError{Code: CodeUnavailable, What: "GitHub gives no answer that helps", Subject: Plain(err.Error()), Remedy: "reviewctl doctor, and call again", Err: err}
	}
	e := &CLIError{Code: CodeUnavailable, What: "GitHub does not answer", Subject: Plain(err.Error()), Remedy: "call again later", Err: err}
	if !fault.RetryAt.IsZero() {
		e.Remedy = "call again after " + events.FormatTime(fault.RetryAt)
	}
	return e
}

// observe is what the actor of the pull request is told: somebody asked for it.
func (c *localChange) observeOnHub(ctx context.Context, s *Station, engines []events.EngineName) (events.StreamName, events.Command, error) {
	f := c.forge
	stream := events.PRStream(f.hub.host, c.repoID, c.number)
	target := events.TargetNone
	if f.publish {
		target = events.TargetForge
	}
	author := ""
	if f.pull.Author.ID != 0 {
		author = strconv.FormatInt(f.pull.Author.ID, 10)
	}
	cmd, err := withoutSecrets(ctx, pr.Observe{
		Host: f.hub.host, RepoID: c.repoID, Repo: c.name, Number: c.number, Ref: c.ref, BaseRef: c.base.Ref,
		Title: c.title(), Author: c.commit.Author.Name, Head: c.head, Base: c.base.Commit, Manual: true,
		Priority: events.PriorityHigh, Owner: s.Boots.own,
		Settings: events.Settings{Engines: engines, Target: target, Approve: f.approve},
		Facts:    &pr.Facts{Draft: f.pull.Draft, AuthorID: author},
	})
	return stream, cmd, err
}

package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/localgit"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/adapters/workspace/mirror"
	"github.com/reviewctl/reviewctl/events"
)

// EnvGit names the variables that git gets of this process when it fetches from an
// address, separated by commas: SSH_AUTH_SOCK, https_proxy, GIT_ASKPASS. Without it
// git gets none, and so uses no credential of anybody's. (case W16)
const EnvGit = "REVIEWCTL_GIT_ENV"

// askTimeout bounds the first question to a server.
const askTimeout = 2 * time.Minute

// pullRequest finds the address of a pull request, which only a forge understands.
var pullRequest = regexp.MustCompile(`/(pull|pulls|merge_requests|pull-requests)/[0-9]+/?$`)

// change finds out which range is meant: of a repository on this disk, or of one
// elsewhere.
func (c *ReviewCmd) change(app *App, config *Config) (*localChange, error) {
	_, missing := os.Lstat(c.Path)
	if missing != nil {
		ref, ok, err := c.onHub(config)
		if err != nil {
			return nil, err
		}
		if ok {
			return c.hubChange(app, config, ref)
		}
	}
	if c.Publish {
		return nil, wrongUsage("--publish wants a pull request on a forge",
			"give its address, https://github.com/OWNER/REPO/pull/N or OWNER/REPO#N, or leave --publish out: the review is printed")
	}
	if missing == nil || !git.LooksRemote(c.Path) {
		return findChange(app.Context, config, c)
	}
	if pullRequest.MatchString(c.Path) {
		return nil, wrongUsage("a pull request's address wants a forge, and this version knows GitHub alone",
			"give the repository's address, and the branch with --head")
	}
	from, err := git.ParseAddress(c.Path)
	if err != nil {
		return nil, wrongUsage(err.Error(), "give https://…, ssh://…, file:///… or host:path, without a password")
	}
	if c.Worktree {
		return nil, wrongUsage("--worktree wants a checkout, and an address has none", "leave it out, or give the path of a checkout")
	}
	return c.elsewhere(app, config, from)
}

// elsewhere brings the repository's branches here and finds the range among them.
func (c *ReviewCmd) elsewhere(app *App, config *Config, from git.Address) (*localChange, error) {
	env, err := gitEnv(app.Env)
	if err != nil {
		return nil, err
	}
	path, err := SQLitePath(config.Store)
	if err != nil {
		return nil, err
	}
	var boot [8]byte
	_, _ = rand.Read(boot[:]) // never fails
	store, err := mirror.New(mirror.Params{
		Root: HomeOf(path).mirrors(), Boot: events.BootID("look-" + hex.EncodeToString(boot[:])),
		Clock: clock{}, Log: app.Logger(), Gather: -1,
	})
	if err != nil {
		return nil, err
	}
	defer store.Close() // its pin goes; the run has its own, and a mirror that was just used is kept
	name := cmp.Or(git.OriginName(c.Path), localgit.Host+"/repository")
	change := &localChange{name: name, repoID: localID(name), givenName: c.Base}
	for i := range config.Repositories {
		if config.Repositories[i].RepoName() == name {
			change.repository = &config.Repositories[i]
		}
	}
	app.Progress("fetching " + from.String())
	branch, err := c.fetch(app.Context, store, mirror.Source{Repo: name, From: from, Env: env}, change)
	if err != nil {
		return nil, fetchProblem(err, from)
	}
	app.Logger().Info("fetched", slog.String("repo", string(name)), slog.String("head", string(change.head)))
	base := cmp.Or(change.configuredBase(), branch)
	change.place.Store(&workspace.Place{From: from, Env: env, Base: base})
	if c.Base != "" {
		if change.given, err = change.repo.ResolveCommit(app.Context, c.Base); err != nil {
			return nil, usageOf(err, c.Base)
		}
		return change, change.findBase(app.Context, change.repo)
	}
	change.base, err = change.repo.DefaultBase(app.Context, change.head, base)
	return change, usageOf(err, string(change.head))
}

// fetch fills in the head, and returns the source's own branch.
func (c *ReviewCmd) fetch(ctx context.Context, store *mirror.Store, src mirror.Source, change *localChange) (branch string, err error) {
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	remote, err := git.AskRemote(asking, store.Root, src.From, src.Env)
	if err != nil {
		return "", err
	}
	want := mirror.Want{Run: "look", Commits: []events.Commit{remote.Head}, Newest: true, Tags: c.Base != "" || c.Head != ""}
	for _, named := range []string{c.Head, c.Base} {
		if git.IsCommit(named) {
			want.Commits = append(want.Commits, events.Commit(named))
		}
	}
	if change.repo, _, err = store.Ensure(ctx, src, want); err != nil {
		return "", err
	}
	if c.Head == "" || c.Head == "HEAD" {
		change.head = remote.Head
		change.ref = cmp.Or(remote.Branch, string(remote.Head[:localgit.ShortCommit]))
	} else {
		at, err := localgit.Identify(ctx, change.repo, c.Head)
		if err != nil {
			return "", err
		}
		change.ref, change.head = at.Ref, at.Head
	}
	change.commit, err = change.repo.Commit(ctx, change.head)
	return remote.Branch, err
}

// gitEnv is what the operator lets git have.
func gitEnv(env func(string) string) ([]string, error) {
	var list []string
	for name := range strings.SplitSeq(env(EnvGit), ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if strings.ContainsAny(name, "= \t") {
			return nil, wrongUsage(EnvGit+" holds what is no variable's name", "give names alone, separated by commas")
		}
		if value := env(name); value != "" {
			list = append(list, name+"="+value)
		}
	}
	return list, nil
}

// fetchProblem says what to do about a fetch that failed.
func fetchProblem(err error, from git.Address) error {
	switch {
	case errors.Is(err, git.ErrNotRepository), errors.Is(err, git.ErrUnknownRef), errors.Is(err, git.ErrMissingObject),
		errors.Is(err, git.ErrOwnership), errors.Is(err, git.ErrGitMissing):
		if errors.Is(err, git.ErrMissingObject) {
			err = errors.Join(git.ErrUnknownRef, err)
		}
		return usageOf(err, from.String())
	case errors.Is(err, git.ErrAccess):
		return &CLIError{
			Code: CodeUsage, What: "there is no access to the repository", Subject: from.String(), Err: err,
			Remedy: "let git have what it needs: " + EnvGit + "=SSH_AUTH_SOCK, or GIT_ASKPASS for a password",
		}
	case errors.Is(err, context.Canceled):
		return err
	}
	return &CLIError{
		Code: CodeUnavailable, What: "the repository cannot be fetched", Subject: from.String() + ": " + err.Error(), Err: err,
		Remedy: "see that the address can be reached from here, and call again",
	}
}

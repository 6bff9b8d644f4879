package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/localgit"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/events"
)

// localChange is a range of a repository on this disk.
type localChange struct {
	repo       *git.Repo
	repository *RepositoryConfig // nil = not in the configuration
	name       events.RepoName
	repoID     string
	number     int    // of the pull request; 0 before it is asked for
	ref        string // the branch, or the short commit
	head       events.Commit
	commit     *git.Commit   // of the head, without what is not committed
	given      events.Commit // --base, resolved; "" = the default
	givenName  string
	base       git.Base

	checkedOut  bool                            // the head is what is checked out here
	worktree    bool                            // uncommitted work shall be part of it
	uncommitted string                          // what the review says of that; "" = there is none
	place       atomic.Pointer[workspace.Place] // where the run finds it
	forge       *forgeChange                    // nil = it is no pull request of a forge
}

func (c *localChange) configuredBase() string {
	if c.repository == nil {
		return ""
	}
	return c.repository.Base
}

// findChange finds out which range is meant. It reads git and writes nothing.
func findChange(ctx context.Context, config *Config, cmd *ReviewCmd) (*localChange, error) {
	r, err := git.Open(ctx, cmd.Path)
	if err != nil {
		return nil, usageOf(err, cmd.Path)
	}
	c := &localChange{repo: r, worktree: cmd.Worktree, givenName: cmd.Base, checkedOut: cmd.Head == "" && !r.Bare}
	if c.worktree && r.Bare {
		return nil, usageOf(git.ErrBare, cmd.Path)
	}
	if err := c.identify(ctx, config); err != nil {
		return nil, err
	}
	at, err := localgit.Identify(ctx, r, cmd.Head)
	if cmd.Head == "" && errors.Is(err, git.ErrUnknownRef) {
		return nil, &CLIError{
			Code: CodeUsage, What: "the branch that is checked out has no commit yet", Subject: cmd.Path, Err: err,
			Remedy: "commit first, or name a branch with --head",
		}
	}
	if err != nil {
		return nil, usageOf(err, cmp.Or(cmd.Head, "HEAD"))
	}
	c.ref, c.head = at.Ref, at.Head
	if c.commit, err = r.Commit(ctx, c.head); err != nil {
		return nil, err
	}
	c.place.Store(&workspace.Place{Path: r.Top, Base: c.configuredBase()})
	if cmd.Base != "" {
		if c.given, err = r.ResolveCommit(ctx, cmd.Base); err != nil {
			return nil, usageOf(err, cmd.Base)
		}
	}
	if c.worktree { // the base is found when the head is known
		return c, nil
	}
	return c, c.findBase(ctx, r)
}

// findBase finds what the head is compared with, in the repository that has it.
func (c *localChange) findBase(ctx context.Context, r *git.Repo) (err error) {
	if c.given == "" {
		c.base, err = r.DefaultBase(ctx, c.head, c.configuredBase())
		return usageOf(err, string(c.head))
	}
	if c.base, err = r.Between(ctx, c.given, c.head); err != nil {
		return usageOf(err, c.givenName)
	}
	c.base.Ref = c.givenName
	return nil
}

// title is what the pull request is called.
func (c *localChange) title() string {
	if c.uncommitted == "" {
		return c.commit.Subject
	}
	return c.commit.Subject + " (" + c.uncommitted + ")"
}

// complete says in the report what only this process knows, and what the run had
// no time to record: one that ended before it began knows neither its pull request
// nor its base.
func (c *localChange) complete(r *ReviewReport) {
	r.Repo, r.Number = cmp.Or(r.Repo, c.name), cmp.Or(r.Number, c.number)
	r.Base, r.MergeBase = cmp.Or(r.Base, c.base.Commit), cmp.Or(r.MergeBase, c.base.MergeBase)
	r.BaseNote = cmp.Or(c.base.Note, r.BaseNote)
	r.Uncommitted = c.uncommitted
}

// identify names the repository: by the configuration, else by its origin, else
// by its folder and first commit. (ARCHITECTURE, streams)
func (c *localChange) identify(ctx context.Context, config *Config) error {
	for i := range config.Repositories {
		entry := &config.Repositories[i]
		if entry.Path == "" {
			continue
		}
		if other, err := git.Open(ctx, entry.Path); err == nil && other.CommonDir == c.repo.CommonDir {
			c.repository = entry
			c.name = entry.RepoName()
		}
	}
	if c.name == "" {
		name, err := c.repo.Name(ctx)
		if err != nil {
			return usageOf(err, c.repo.Top)
		}
		c.name = name
	}
	c.repoID = localID(c.name)
	return nil
}

// localID is what stands for a local repository in the names of streams.
func localID(name events.RepoName) string {
	return strings.TrimPrefix(string(name), localgit.Host+"/")
}

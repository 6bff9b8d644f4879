package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/localgit"
	"github.com/reviewctl/reviewctl/events"
)

// localChange is a range of a repository on this disk.
type localChange struct {
	repo       *git.Repo
	repository *RepositoryConfig // nil = not in the configuration
	name       events.RepoName
	repoID     string
	ref        string // the branch, or the short commit
	head       events.Commit
	commit     *git.Commit
	base       git.Base
}

func (c *localChange) configuredBase() string {
	if c.repository == nil {
		return ""
	}
	return c.repository.Base
}

// findChange finds out which range is meant. It reads git and writes nothing.
func findChange(ctx context.Context, config *Config, cmd *ReviewCmd) (*localChange, error) {
	if strings.Contains(cmd.Path, "://") {
		return nil, wrongUsage("a pull request's address wants a forge, and this version has none", "give the path of a repository on this disk")
	}
	r, err := git.Open(ctx, cmd.Path)
	if err != nil {
		return nil, usageOf(err, cmd.Path)
	}
	c := &localChange{repo: r}
	if err := c.identify(ctx, config); err != nil {
		return nil, err
	}
	at, err := localgit.Identify(ctx, r, cmd.Head)
	if err != nil {
		return nil, usageOf(err, cmp.Or(cmd.Head, "HEAD"))
	}
	c.ref, c.head = at.Ref, at.Head
	if c.commit, err = r.Commit(ctx, c.head); err != nil {
		return nil, err
	}
	if cmd.Base == "" {
		c.base, err = r.DefaultBase(ctx, c.head, c.configuredBase())
		return c, usageOf(err, string(c.head))
	}
	base, err := r.ResolveCommit(ctx, cmd.Base)
	if err != nil {
		return nil, usageOf(err, cmd.Base)
	}
	if c.base, err = r.Between(ctx, base, c.head); err != nil {
		return nil, usageOf(err, cmd.Base)
	}
	c.base.Ref = cmd.Base
	return c, nil
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

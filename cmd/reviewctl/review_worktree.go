package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/workspace"
)

// leftOutMax is how many files that are left out are named, one a line.
const leftOutMax = 5

// worktreeFolder is where a snapshot lies in the boot's folder, which goes with the
// boot.
const worktreeFolder = "worktree"

// addWorktree takes what is not committed into the change: the head becomes a
// commit of it, in a repository of ours. Where everything is committed the change
// stays as it is. (CLI.md "--worktree")
func (c *localChange) addWorktree(ctx context.Context, app *App, dir string) error {
	s, err := c.repo.Snapshot(ctx, filepath.Join(dir, worktreeFolder))
	var limit *git.LimitError
	switch {
	case errors.As(err, &limit):
		return &CLIError{
			Code: CodeUsage, What: "the checkout has too much that is not committed", Subject: limit.Error(),
			Remedy: "have .gitignore name what is not source, or commit it", Err: err,
		}
	case err != nil:
		return usageOf(err, c.repo.Top)
	}
	for i, left := range s.Left {
		if i == leftOutMax {
			app.Progress(fmt.Sprintf("not in the review: %d more", len(s.Left)-i))
			break
		}
		app.Progress(fmt.Sprintf("not in the review: %q: %s", left.Path, left.Reason))
	}
	if s.Parent != c.head { // committed meanwhile
		if c.commit, err = c.repo.Commit(ctx, s.Parent); err != nil {
			return err
		}
	}
	c.head = s.Head
	if s.Files == 0 {
		return c.findBase(ctx, c.repo)
	}
	c.place.Store(&workspace.Place{Path: s.Repo.GitDir, Base: c.configuredBase()})
	c.uncommitted = "with uncommitted work (" + quantity(s.Files, "file") + ")"
	return c.findBase(ctx, s.Repo)
}

// quantity is "1 file" or "3 files".
func quantity(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// tellUncommitted says that the review is not of what lies in the checkout, where
// somebody may think so.
func (c *localChange) tellUncommitted(ctx context.Context, app *App) {
	if dirty, err := c.repo.Dirty(ctx); err == nil && dirty { // without an answer there is nothing to tell
		app.Progress("uncommitted work is not in the review; --worktree takes it in")
	}
}

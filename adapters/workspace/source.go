package workspace

import (
	"context"
	"fmt"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/git"
)

// source is where the objects of a run are read from: the repository itself, or
// its mirror.
type source struct {
	repo *git.Repo
	base string // the configured base branch; "" where there is none
}

// source finds the repository and makes the run's commits readable there.
func (w *Workspace) source(ctx context.Context, job actors.WorkspaceJob) (source, error) {
	place, err := w.locate(job.Repo)
	if err != nil {
		return source{}, &finalError{fmt.Errorf("find repository %s: %w", job.Repo, err)}
	}
	repo, err := git.Open(ctx, place.Path)
	if err != nil {
		return source{}, err
	}
	return source{repo: repo, base: place.Base}, nil
}

// between is the base of a job that names a branch and the branch's tip.
func between(ctx context.Context, repo *git.Repo, job actors.WorkspaceJob) (git.Base, error) {
	asked := []string{string(job.Head), string(job.Base)}
	if job.Base == repo.EmptyTree {
		asked = asked[:1] // the empty tree is no commit
	}
	found, err := repo.ResolveCommits(ctx, asked...)
	if err != nil {
		return git.Base{}, err
	}
	for i, commit := range found {
		if commit == "" {
			return git.Base{}, &git.RefError{Ref: asked[i]}
		}
	}
	return repo.Between(ctx, job.Base, job.Head)
}

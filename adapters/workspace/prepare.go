package workspace

import (
	"context"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/git"
)

// prepare reads the change and writes the head to disk.
func (w *Workspace) prepare(ctx context.Context, job actors.WorkspaceJob, from source) (*actors.Change, error) {
	repo := from.repo
	base, err := findBase(ctx, repo, job, from.base)
	if err != nil {
		return nil, err
	}
	change := &actors.Change{
		Head: job.Head, Base: base.Commit, MergeBase: base.MergeBase, BaseNote: base.Note,
	}
	files, err := repo.Changes(ctx, base.MergeBase, job.Head)
	if err != nil {
		return nil, err
	}
	// The head comes before the patch: what a file's first lines say of it decides
	// whether its text is read.
	var skipped []git.SkippedFile
	if change.Dir, skipped, err = w.checkout(ctx, repo, job); err != nil {
		return nil, err
	}
	if err := w.read(ctx, from, change, skipped, files); err != nil {
		w.discard(job.Run, change.Dir)
		return nil, err
	}
	return change, nil
}

// findBase finds the old side of the change. A base that is given, but that the
// default rules would have chosen as well, gets their note: the review says why
// it is not a branch.
func findBase(ctx context.Context, repo *git.Repo, job actors.WorkspaceJob, configured string) (git.Base, error) {
	switch {
	case job.Base == "" && job.BaseRef == "":
		return repo.DefaultBase(ctx, job.Head, configured)
	case job.Base == "":
		return repo.BaseOn(ctx, job.Head, job.BaseRef)
	case job.BaseRef != "" && !git.IsCommit(job.BaseRef): // a branch and its tip: nothing to explain
		return between(ctx, repo, job)
	}
	given := job.Base
	if given == repo.EmptyTree {
		given = job.Head // the empty tree is no commit; any commit will do
	}
	found, err := repo.ResolveCommits(ctx, string(job.Head), string(given), string(job.Head)+"^1")
	switch {
	case err != nil:
		return git.Base{}, err
	case found[0] == "":
		return git.Base{}, &git.RefError{Ref: string(job.Head)}
	case found[1] == "":
		return git.Base{}, &git.RefError{Ref: string(job.Base)}
	}
	parent := found[2]
	if job.Base != parent && !(job.Base == repo.EmptyTree && parent == "") {
		return repo.Between(ctx, job.Base, job.Head)
	}
	usual, err := repo.DefaultBase(ctx, job.Head, configured)
	if err != nil {
		return git.Base{}, err
	}
	base := git.Base{Ref: string(job.Base), Commit: job.Base, MergeBase: job.Base}
	if usual.Commit == job.Base {
		base.Note = usual.Note
	}
	return base, nil
}

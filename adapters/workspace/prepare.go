package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// ReadyMaxBytes bounds the JSON of a WorkspaceReady. Its decision holds it twice,
// as the command's fields and as the payload, and both must fit into one event
// with room for the envelope.
const ReadyMaxBytes = events.EventMaxBytes/2 - 16<<10

// prepare reads the change and writes the head to disk.
func (w *Workspace) prepare(ctx context.Context, job actors.WorkspaceJob) (*actors.Change, error) {
	place, err := w.locate(job.Repo)
	if err != nil {
		return nil, &finalError{fmt.Errorf("find repository %s: %w", job.Repo, err)}
	}
	repo, err := git.Open(ctx, place.Path)
	if err != nil {
		return nil, err
	}
	base, err := findBase(ctx, repo, job, place.Base)
	if err != nil {
		return nil, err
	}
	change := &actors.Change{
		Head: job.Head, Base: base.Commit, MergeBase: base.MergeBase, BaseNote: base.Note,
	}
	if change.Files, err = repo.ChangedFiles(ctx, base.MergeBase, job.Head); err != nil {
		return nil, err
	}
	for _, f := range change.Files {
		change.Lines += f.Added + f.Deleted
	}
	if change.Patch, err = repo.Patch(ctx, base.MergeBase, job.Head, w.bounds.PatchBytes); err != nil {
		return nil, err
	}
	change.Print = git.DiffPrint(change.Patch)
	if err := fits(job.Try, change); err != nil {
		return nil, err
	}
	if change.Dir, err = w.checkout(ctx, repo, job); err != nil {
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

// fits refuses a change whose list of files is larger than an event may be.
func fits(try int, change *actors.Change) error {
	text, err := json.Marshal(ready(try, change))
	if err != nil {
		return fmt.Errorf("measure change: %w", err)
	}
	if len(text) > ReadyMaxBytes {
		return &finalError{fmt.Errorf("the change has %d files, and their list takes %d bytes of at most %d: review a smaller range",
			len(change.Files), len(text), ReadyMaxBytes)}
	}
	return nil
}

// checkout writes the head's files into a folder of its own. What was written is
// removed again where it cannot be finished.
func (w *Workspace) checkout(ctx context.Context, repo *git.Repo, job actors.WorkspaceJob) (string, error) {
	dir, err := w.makeDir(job.Run)
	if err != nil {
		return "", fmt.Errorf("make checkout: %w", err)
	}
	skipped, err := repo.Export(ctx, job.Head, dir, w.bounds.Export)
	if err != nil {
		if left := w.remove(filepath.Base(dir)); left != nil {
			w.log.Warn("checkout not removed", "run", job.Run, "error", left)
		}
		return "", err
	}
	for _, f := range skipped {
		w.log.Warn("file not written", "run", job.Run, "file", fmt.Sprintf("%q", f.Path), "reason", f.Reason)
	}
	return dir, nil
}

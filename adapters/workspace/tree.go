package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// checkout writes the head's files into a folder of its own: one from the pool,
// brought to the head by writing what differs, else a new one. What was written is
// removed again where it cannot be finished. It returns the files of the head that
// the folder does not have.
func (w *Workspace) checkout(ctx context.Context, repo *git.Repo, job actors.WorkspaceJob) (string, []git.SkippedFile, error) {
	dir, err := w.makeDir(job.Run)
	if err != nil {
		return "", nil, fmt.Errorf("make checkout: %w", err)
	}
	old, err := w.fromPool(job, dir)
	if err != nil {
		w.log.Warn("no pooled tree", "run", job.Run, "error", err)
	}
	made, skipped, err := repo.ExportOver(ctx, job.Head, dir, old, w.bounds.Export)
	if err != nil && old != nil && ctx.Err() == nil {
		w.log.Info("pooled tree not suited", "run", job.Run, "error", err)
		if dir, err = w.again(dir, job.Run); err == nil {
			made, skipped, err = repo.ExportOver(ctx, job.Head, dir, nil, w.bounds.Export)
		}
	}
	if err != nil {
		w.drain(job.Run, dir)
		return "", nil, err
	}
	for _, f := range skipped {
		w.log.Warn("file not written", "run", job.Run, "file", fmt.Sprintf("%q", f.Path), "reason", f.Reason)
	}
	w.mu.Lock()
	w.trees[dir] = made
	w.mu.Unlock()
	return dir, skipped, nil
}

// discard removes a checkout that nobody will use.
func (w *Workspace) discard(run events.RunID, dir string) {
	w.mu.Lock()
	delete(w.trees, dir)
	w.mu.Unlock()
	w.drain(run, dir)
}

// fromPool puts a pooled tree into the place of a new, empty folder.
func (w *Workspace) fromPool(job actors.WorkspaceJob, dir string) (*git.Manifest, error) {
	if w.pool == nil {
		return nil, nil
	}
	old, err := w.pool.take(job.Repo, job.Head, dir)
	if old == nil {
		if made := os.Mkdir(dir, 0o700); made != nil && !errors.Is(made, fs.ErrExist) {
			err = errors.Join(err, made)
		}
	}
	return old, err
}

// again exchanges a folder for a new one.
func (w *Workspace) again(dir string, run events.RunID) (string, error) {
	w.drain(run, dir)
	dir, err := w.makeDir(run)
	if err != nil {
		return "", fmt.Errorf("make checkout: %w", err)
	}
	return dir, nil
}

// drain removes a checkout that is of no use. What stays goes with a later Sweep.
func (w *Workspace) drain(run events.RunID, dir string) {
	if dir == "" {
		return
	}
	if err := w.remove(filepath.Base(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.log.Warn("checkout not removed", "run", run, "error", err)
	}
}

// retire gives the checkout of a finished run to the pool, or removes it. It never
// fails a finished review. (case W30)
func (w *Workspace) retire(p *preparation) {
	dir := p.change.Dir
	w.mu.Lock()
	made := w.trees[dir]
	delete(w.trees, dir)
	w.mu.Unlock()
	if w.pool != nil && made != nil && len(made.Files) <= PoolFilesMax {
		err := w.pool.give(p.job.Repo, dir, made)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return
		}
		w.log.Warn("tree not kept", "run", p.job.Run, "error", err)
	}
	if _, err := os.Lstat(dir); err == nil {
		w.drain(p.job.Run, dir)
	}
}

package workspace

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/git"
)

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

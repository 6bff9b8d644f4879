package workspace

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/reviewctl/reviewctl/adapters/git"
)

// judged says of a preparation's error what its reader can do about it, and does
// what can be done here.
func (w *Workspace) judged(err error, from source) error {
	switch {
	case full(err):
		w.makeRoom()
		return &spaceError{root: w.root, err: err}
	case w.mirrors != nil && errors.Is(err, git.ErrMissingObject) && from.repo != nil:
		// A mirror holds all or nothing of a commit: it is damaged, and the next try
		// finds a new one.
		w.mirrors.Suspect(from.pin)
		if !from.pin.IsZero() {
			return fmt.Errorf("the mirror has lost objects and is made anew: %s", err) //nolint:errorlint // another try may do
		}
	case errors.Is(err, git.ErrIncomplete):
		return fmt.Errorf("the repository is a partial clone that lacks files of this change: "+
			"git fetch --refetch --no-filter brings them (%w)", err)
	}
	return err
}

// full reports whether the disk, or the user's share of it, is full.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, git.ErrNoSpace)
}

// spaceError is a full disk. It may pass, and never says that the change cannot be
// reviewed.
type spaceError struct {
	root string
	err  error
}

func (e *spaceError) Error() string {
	return fmt.Sprintf("no space is left for the code in %s: make room there, or lower worktree_budget_gb (%v)", e.root, e.err)
}

func (e *spaceError) Unwrap() error { return e.err }

// makeRoom gives up all pooled trees: the next try then has what room there is.
func (w *Workspace) makeRoom() {
	if w.pool == nil {
		return
	}
	trees, _, err := w.pool.list()
	for _, t := range trees {
		err = errors.Join(err, w.pool.discard(t.name))
	}
	if err != nil {
		w.log.Warn("pooled trees stay on a full disk", "error", err)
	}
}

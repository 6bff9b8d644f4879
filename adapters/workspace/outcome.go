package workspace

import (
	"errors"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// finalError marks an error that another try cannot change.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

// outcome is the command that ends a preparation.
func outcome(try int, change *actors.Change, err error) events.Command {
	switch {
	case err == nil:
		return run.NoteWorkspace{Ready: ready(try, change)}
	case Final(err):
		return run.NoteWorkspaceFailure{Try: try, Kind: events.FailureFatal, Message: err.Error()}
	}
	return run.NoteWorkspaceTrouble{Try: try, Reason: err.Error()}
}

// ready is what the log says of a change.
func ready(try int, change *actors.Change) events.WorkspaceReady {
	files := change.Files
	if files == nil {
		files = []events.ChangedFile{}
	}
	return events.WorkspaceReady{
		Try: try, MergeBase: change.MergeBase, BaseNote: change.BaseNote, Files: files,
		Lines: change.Lines, DiffPrint: change.Print,
	}
}

// Final reports whether another try would end in the same way: the answer lies in
// the repository or in the configuration. Everything else (a full disk, a lock, a
// process that was killed, time that ran out) may pass.
func Final(err error) bool {
	for _, cause := range []error{
		git.ErrGitMissing, git.ErrNotRepository, git.ErrOwnership, git.ErrUnknownRef, git.ErrMissingObject,
	} {
		if errors.Is(err, cause) {
			return true
		}
	}
	var final *finalError
	var output *git.OutputError
	var limit *git.LimitError
	return errors.As(err, &final) || errors.As(err, &output) || errors.As(err, &limit)
}

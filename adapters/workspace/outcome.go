package workspace

import (
	"encoding/json"
	"errors"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// finalError marks an error that another try cannot change.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

// outcome is the commands that end a preparation.
func outcome(try int, change *actors.Change, err error) []events.Command {
	switch {
	case err == nil:
		return listed(try, change)
	case Final(err):
		message := err.Error()
		if errors.Is(err, git.ErrTooManyFiles) {
			message += ": review a smaller range"
		}
		return []events.Command{run.NoteWorkspaceFailure{Try: try, Kind: events.FailureFatal, Message: message}}
	}
	var passing *passingError
	gone := errors.As(err, &passing) && errors.Is(err, git.ErrMissingObject)
	return []events.Command{run.NoteWorkspaceTrouble{Try: try, Reason: err.Error(), Gone: gone}}
}

// listed is what the log says of a change: as many pages of its files as it takes,
// and the rest with the change itself.
func listed(try int, change *actors.Change) []events.Command {
	var cmds []events.Command
	page, used := []events.ChangedFile{}, 0
	for _, f := range change.Files {
		n := size(f) + 1
		if used+n > run.ListMaxBytes {
			cmds = append(cmds, run.NoteFiles{Try: try, Page: len(cmds) + 1, Files: page})
			page, used = []events.ChangedFile{}, 0
		}
		page, used = append(page, f), used+n
	}
	return append(cmds, run.NoteWorkspace{Ready: events.WorkspaceReady{
		Try: try, MergeBase: change.MergeBase, BaseNote: change.BaseNote, Files: page, Lines: change.Lines,
		DiffPrint: change.Print, Pages: len(cmds), Listed: len(change.Files) - len(page),
	}})
}

// size is the length of a file's JSON, which nothing in it can keep it from being.
func size(f events.ChangedFile) int {
	text, err := json.Marshal(f)
	if err != nil {
		panic("workspace: " + err.Error())
	}
	return len(text)
}

// Final reports whether another try would end in the same way: the answer lies in
// the repository or in the configuration. Everything else (a full disk, a lock, a
// process that was killed, time that ran out, a repository that was moved away)
// may pass.
func Final(err error) bool {
	var again *passingError
	if errors.As(err, &again) {
		return false
	}
	for _, cause := range []error{
		git.ErrGitMissing, git.ErrOwnership, git.ErrUnknownRef, git.ErrMissingObject,
		git.ErrTooManyFiles, git.ErrIncomplete,
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

package git

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// What a caller can act on.
var (
	// ErrGitMissing: there is no git program on the PATH.
	ErrGitMissing = errors.New("git is not installed")
	// ErrNotRepository: the path is not within a git repository.
	ErrNotRepository = errors.New("not a git repository")
	// ErrOwnership: the repository belongs to another user. (case W27)
	ErrOwnership = errors.New("repository is owned by another user")
	// ErrUnknownRef: the text names no commit, or more than one.
	ErrUnknownRef = errors.New("unknown ref")
	// ErrNoMergeBase: the two commits share no history that is here. (case W14)
	ErrNoMergeBase = errors.New("no merge base")
	// ErrTooManyFiles: a change has more than FilesMax files.
	ErrTooManyFiles = errors.New("the change has more than " + strconv.Itoa(FilesMax) + " files")
	// ErrNoFile: the commit has no such file.
	ErrNoFile = errors.New("no such file in the commit")
	// ErrMissingObject: the repository lacks an object that the commit needs, as in
	// a partial clone.
	ErrMissingObject = errors.New("object is not in the repository")
)

// RefError is ErrUnknownRef with the text.
type RefError struct{ Ref string }

func (e *RefError) Error() string { return fmt.Sprintf("%v %q", ErrUnknownRef, e.Ref) }

func (e *RefError) Unwrap() error { return ErrUnknownRef }

// OutputError says that git printed more than the caller allows.
type OutputError struct {
	Command string
	Limit   int64 // in bytes
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("git %s: more than %d bytes", e.Command, e.Limit)
}

// LimitError says that a tree is larger than the caller allows.
type LimitError struct {
	What  string // "files" or "bytes"
	Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the tree has more than %d %s", e.Limit, e.What)
}

// ExitError is git's own refusal: the subcommand, the code and what git said.
type ExitError struct {
	Command string
	Code    int // -1 where a signal ended it
	Said    string
	All     string // the beginning of all that git said
}

func (e *ExitError) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("git %s: exit %d", e.Command, e.Code)
	}
	return fmt.Sprintf("git %s: exit %d: %s", e.Command, e.Code, e.Said)
}

// exitCode returns the code of an ExitError, or -2.
func exitCode(err error) int {
	var exit *ExitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	return -2
}

// said returns the line of standard error that names the cause: the first one
// that git calls fatal or an error, else the first.
func said(stderr string) string {
	first := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"fatal: ", "error: "} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				return rest
			}
		}
		if first == "" {
			first = line
		}
	}
	return first
}

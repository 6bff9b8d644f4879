package git

import (
	"errors"
	"fmt"
	"strings"
)

// What a fetch can end with, besides ErrOwnership, ErrNotRepository,
// ErrMissingObject and the context's own end.
var (
	// ErrNoSpace: the disk is full. It may pass.
	ErrNoSpace = errors.New("no space left on the disk")
	// ErrAccess: the server wants credentials, or refuses those that there are.
	ErrAccess = errors.New("no access")
	// ErrLocked: another git, or a lock file that a killed one left, is in the way.
	ErrLocked = errors.New("the repository is locked")
	// ErrUnadvertised: the server gives a commit only to who asks for a ref.
	ErrUnadvertised = errors.New("the server does not give a commit by its id")
	// ErrBadObject: the source's objects are not sound.
	ErrBadObject = errors.New("the source holds objects that are not sound")
	// ErrIncomplete: the source lacks objects of its own history, as a partial clone
	// does.
	ErrIncomplete = errors.New("the source is a partial clone")
	// ErrSomeRefs: everything was fetched, but some refs could not be written, as
	// where a branch "a" stands in the way of a branch "a/b".
	ErrSomeRefs = errors.New("some branches could not be updated")
)

// fetchWords are git's own words for them, which LC_ALL=C keeps the same. Only a
// process that failed is looked at: the exit code comes first. (case W06)
var fetchWords = []struct {
	words string
	is    error
}{
	{"No space left on device", ErrNoSpace},
	{"Disk quota exceeded", ErrNoSpace},
	{"dubious ownership", ErrOwnership},
	{"request for unadvertised object", ErrUnadvertised},
	{"not our ref", ErrMissingObject},
	{"no such remote ref", ErrMissingObject},
	{"couldn't find remote ref", ErrMissingObject},
	{"from promisor remote", ErrIncomplete},
	{"lazy fetching disabled", ErrIncomplete},
	{".lock': File exists", ErrLocked},
	{"some local refs could not be updated", ErrSomeRefs},
	{"fsck error", ErrBadObject},
	{"corruption on the remote side", ErrBadObject},
	{"Authentication failed", ErrAccess},
	{"could not read Username", ErrAccess},
	{"could not read Password", ErrAccess},
	{"unable to read askpass response", ErrAccess},
	{"terminal prompts disabled", ErrAccess},
	{"Permission denied (", ErrAccess},
	{"Host key verification failed", ErrAccess},
	{"The requested URL returned error: 403", ErrAccess},
	{"The requested URL returned error: 401", ErrAccess},
	{"does not appear to be a git repository", ErrNotRepository},
	{"not a git repository", ErrNotRepository},
}

// Is finds ErrIncomplete in whatever git says it of: not only a fetch meets objects
// that a partial clone lacks.
func (e *ExitError) Is(target error) bool {
	if target != ErrIncomplete || e.Code < 1 {
		return false
	}
	for _, row := range fetchWords {
		if row.is == ErrIncomplete && (strings.Contains(e.Said, row.words) || strings.Contains(e.All, row.words)) {
			return true
		}
	}
	return false
}

// sortFetch says which of the known ends it was.
func sortFetch(err error) error {
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code < 1 {
		return err
	}
	for _, row := range fetchWords {
		if strings.Contains(exit.Said, row.words) || strings.Contains(exit.All, row.words) {
			return fmt.Errorf("%w: %w", row.is, err)
		}
	}
	return err
}

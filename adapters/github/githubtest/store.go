package githubtest

import (
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Gone as the content of a file takes the file away.
const Gone = "\x00gone"

// Files are contents by path.
type Files = map[string]string

// store keeps commits. There is one that is git and one in memory. Refs are
// repositories' own business; a store is told of them so that they can be fetched.
type store interface {
	commit(ref string, parents []events.Commit, files Files) (events.Commit, error)
	point(ref string, at events.Commit) error // "" takes the ref away
	mergeBase(a, b events.Commit) (events.Commit, error)
	commits(base, head events.Commit) ([]events.Commit, error) // of head, not of base; newest first
	diff(from, to events.Commit) ([]change, error)
	content(at events.Commit, path string) (text string, there bool, err error)
}

// change is one file of a diff.
type change struct {
	path      string
	previous  string // of a renamed or copied one
	status    string // as GitHub says it
	blob      string // of the new side, or of the old one of a removed file
	patch     string // hunks; "" where there are none to see
	additions int
	deletions int
	cut       bool // the patch is no longer whole
}

// splitLines are the lines of a content without their ends, and whether the last
// one has an end.
func splitLines(content string) (lines []string, ended bool) {
	if content == "" {
		return nil, true
	}
	body, ended := strings.CutSuffix(content, "\n")
	return strings.Split(body, "\n"), ended
}

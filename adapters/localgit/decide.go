package localgit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// view is the repository as one round found it.
type view struct {
	base     string // the base branch's name
	tip      events.Commit
	branches []git.Branch // that match the patterns, by name
}

// memory is what earlier rounds have told the actors: the heads by branch. It is
// empty after a start.
type memory map[string]events.Commit

// step is something to ask the actors for: a closing, or an observation.
type step struct {
	ref    string
	branch *git.Branch // nil: the branch is gone
}

// decide compares the repository with what was told before. Closings come first,
// so that a branch that was renamed does not hold two places; observations follow
// in the order of names, which is the order of numbers. numbered are the refs with
// a number on record: after a start they say which branches have gone meanwhile.
func decide(now view, told memory, numbered []string, matches func(string) bool) []step {
	here := map[string]bool{}
	var seen []step
	for i := range now.branches {
		b := &now.branches[i]
		if b.Name == now.base || !utf8.ValidString(b.Name) {
			continue
		}
		here[b.Name] = true
		if told[b.Name] != b.Head {
			seen = append(seen, step{ref: b.Name, branch: b})
		}
	}
	gone := map[string]bool{}
	for ref := range told {
		gone[ref] = !here[ref]
	}
	for _, ref := range numbered {
		if !here[ref] && ref != now.base && matches(ref) && !byHand(ref) {
			gone[ref] = true
		}
	}
	var steps []step
	for ref, is := range gone {
		if is {
			steps = append(steps, step{ref: ref})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.ref, b.ref) })
	return append(steps, seen...)
}

// byHand reports whether a numbered ref may be a commit that somebody reviewed by
// hand (Identify): it is no branch, so it cannot go.
func byHand(ref string) bool {
	return len(ref) >= ShortCommit && strings.Trim(ref, "0123456789abcdef") == ""
}

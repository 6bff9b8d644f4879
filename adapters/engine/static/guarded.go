package static

import (
	"slices"

	"github.com/reviewctl/reviewctl/events"
)

// A file that is excluded as vendored or generated is looked at all the same for
// what threatens whoever merges it: the change chooses its names and first lines
// itself, and must not hide a secret by them. (session.Input.Guarded)

// threats are the rules that hold for such files beside those of security.
var threats = []*Rule{&conflictRule, &lockAloneRule}

// threatens reports whether a finding is one that counts in an excluded file.
func threatens(f *events.Finding) bool {
	return f.Category == categorySecurity || slices.ContainsFunc(threats, func(r *Rule) bool { return r.ID == f.Rule })
}

// order puts false before true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

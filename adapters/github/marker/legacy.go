package marker

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Legacy is a marker of a system that reviewed before us. It stands on its own
// pull request, so it need not name the repository. (semantics 36.3)
type Legacy struct {
	Head    events.Commit
	Number  int // 0 = it does not say
	Phase   string
	Finding events.Fingerprint // of an inline comment
	Dedupe  string
}

// What the other systems write at the beginning of a body.
var (
	legacyReview  = regexp.MustCompile(`^<!-- thepastaclaw-review v1 -->\r?\n`)
	legacyPhase   = regexp.MustCompile(`^<!-- thepastaclaw-review-phase v1 phase=(preliminary|final) sha=([0-9a-f]{40})(?: policy=[0-9a-f]*)? -->`)
	legacyFinding = regexp.MustCompile(`^<!-- thepastaclaw-review v1 finding=([0-9a-f]{12})(?: dedupe=([0-9a-f]{16}))?(?: root=[\w.-]+)? -->`)
	legacyQueen   = regexp.MustCompile(`^<!-- t27-bees:review:[\w.-]+/[\w.-]+#([1-9][0-9]{0,8})@([0-9a-f]{40}) -->`)
)

// FindLegacy reads the marker of another system at the beginning of a body, where
// the one of a phase may follow that of the review, or, of the one whose place is
// not known, in its last line.
func FindLegacy(body string) (Legacy, bool) {
	rest := body[len(legacyReview.FindString(body)):]
	if m := legacyPhase.FindStringSubmatch(rest); m != nil {
		return Legacy{Phase: m[1], Head: events.Commit(m[2])}, true
	}
	if m := legacyFinding.FindStringSubmatch(body); m != nil {
		return Legacy{Finding: events.Fingerprint(m[1]), Dedupe: m[2]}, true
	}
	for _, line := range []string{body, body[strings.LastIndexByte(body, '\n')+1:]} {
		if m := legacyQueen.FindStringSubmatch(line); m != nil {
			number, _ := strconv.Atoi(m[1]) // nine digits at most
			return Legacy{Number: number, Head: events.Commit(m[2])}, true
		}
	}
	return Legacy{}, false
}

// MatchesLegacy reports whether a body is a review of this head by a system before
// us, preliminary ones too: nothing is said twice on a repository that was taken
// over.
func MatchesLegacy(body string, key Key) bool {
	l, ok := FindLegacy(strings.TrimSpace(body))
	return ok && key.Kind == KindReview && l.Head == key.Head && (l.Number == 0 || l.Number == key.Number)
}

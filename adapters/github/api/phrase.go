package api

import "strings"

// phrase is a piece of what GitHub says, in lower case, and what it means. The
// first that fits is taken.
type phrase struct {
	text string
	sub  Sub
}

// secondaryPhrases mean the secondary limit whatever the documentation's address
// is. (case G10)
var secondaryPhrases = []string{
	"secondary rate limit", "abuse detection", "temporarily blocked from content creation", "submitted too quickly",
}

// primaryPhrase stands in the message of the hourly limit.
const primaryPhrase = "api rate limit exceeded"

// permissionPhrases sort what is forbidden. (github.md §4 item 4; cases G33, G58)
var permissionPhrases = []phrase{
	{"archived", SubArchived},
	{"locked", SubLocked},
	{"saml", SubSSO},
	{"single sign-on", SubSSO},
	{"suspended", SubSuspended},
	{"interaction", SubInteraction},
	{"user is blocked", SubInteraction},
	{"restricted to", SubInteraction},
	{"resource not accessible", SubToken},
	{"must have admin", SubRole},
	{"must have push", SubRole},
	{"must have write", SubRole},
	{"write access to repository not granted", SubRole},
}

// validationPhrases sort what is not accepted. Those about lines come from the
// longest to the shortest. (github.md §1, "Reviews")
var validationPhrases = []phrase{
	{"line could not be resolved", SubLineUnresolved},
	{"path could not be resolved", SubPathUnresolved},
	{"path is invalid", SubPathUnresolved},
	{"same hunk", SubOtherHunk},
	{"must precede", SubLinesReversed},
	{"must be part of the diff", SubLineOutsideDiff},
	{"diff hunk can't be blank", SubNoHunk},
	{"diff hunk can’t be blank", SubNoHunk},
	{"position is invalid", SubLineOutsideDiff},
	{"review comments is invalid", SubLineUnresolved},
	{"review threads is invalid", SubLineUnresolved},
	{"one pending review", SubPendingExists},
	{"your own pull request", SubOwnPull},
	{"not part of the pull request", SubCommitGone},
	{"no commit found", SubCommitGone},
	{"non-pending", SubNotPending},
	{"not pending", SubNotPending},
	{"already submitted", SubNotPending},
	{"already been submitted", SubNotPending},
	{"too long", SubTooLong},
	{"too large", SubTooLong},
	{"already_exists", SubExists},
	{"already exists", SubExists},
	{"can't be blank", SubBlank},
	{"can’t be blank", SubBlank},
	{"cannot be blank", SubBlank},
	{"missing_field", SubBlank},
	{"is required", SubBlank},
}

// subOf finds the first phrase in a text of lower case.
func subOf(list []phrase, text string) (Sub, bool) {
	for _, p := range list {
		if strings.Contains(text, p.text) {
			return p.sub, true
		}
	}
	return "", false
}

func containsAny(text string, list []string) bool {
	for _, s := range list {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

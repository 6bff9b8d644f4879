package render

import (
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// Review is what is known of a run when its verdict is posted.
type Review struct {
	Run    events.RunID
	RepoID int64 // GitHub's number of the repository
	Repo   events.RepoName
	Number int

	Head      events.Commit
	Base      events.Commit
	BaseRef   string // the branch that Base is of; not shown, it must still be the one when this is posted
	MergeBase events.Commit
	BaseNote  string // why the base is not the usual one

	Verdict events.Verdict // the canonical one
	Outcome events.Outcome // reviewed-clean, reviewed-findings or partial
	Reason  string         // the verdict's, in a sentence
	Counts  events.Counts
	Again   bool // an earlier head of the pull request was reviewed
	Approve bool // the policy lets a review approve
	Own     bool // the account that posts is the author

	Findings []Finding // in the order of their numbers
	Fixed    []Fixed
	Withheld []Withheld
	Coverage []Coverage // each changed file once
	Lanes    []Lane     // in the order of the plan
	Rules    events.Digest

	Diff Diff
	// Refused are findings that GitHub takes no comment for, with the reason: they
	// stand in the body.
	Refused map[events.Fingerprint]string
	// BodyMax is the most bytes of the body, where GitHub refused a longer one; 0 = as
	// many as there may be.
	BodyMax int
	// Secrets are values that must never be posted, the token above all.
	Secrets []string
	// Web is the repository's address for people, without a slash at the end;
	// "" = no links.
	Web string
}

// Finding is one remark of the review.
type Finding struct {
	events.Finding
	Number  int
	Sources []string // the lanes that raised it
}

// Fixed is a finding of an earlier review that is gone.
type Fixed struct {
	Number int
	Title  string // "" = not known
}

// Withheld is a remark that is not part of the review.
type Withheld struct {
	Number     int // 0 = it never had one
	Title      string
	File       string
	FileBase64 string
	LineStart  int
	LineEnd    int
	Source     string
	Reason     string
}

// Coverage says what was done with a changed file. Status is "reviewed" or another
// word for it, as `review` prints them.
type Coverage struct {
	File       string
	FileBase64 string
	Status     string
	Reason     string
}

// coverageReviewed is the one status that needs no explanation.
const coverageReviewed = "reviewed"

// Lane is an engine session.
type Lane struct {
	ID     string
	Kind   string
	Role   string
	Phase  string
	Engine events.EngineName
	Model  string
	Status string
	Reason string
	Usage  events.Usage
}

// Diff is what GitHub shows of the change.
type Diff struct {
	Files   []api.File
	Partial bool   // there are more files than GitHub lists
	None    string // why GitHub shows none at all; nothing is inline then
}

// Output is a review ready to be posted.
type Output struct {
	Body     string
	Comments []api.Comment
	Inline   []events.Fingerprint // whose each comment is
	Moved    []Moved              // findings that stand in the body
	Event    api.Event
}

// Moved is a finding that is not inline.
type Moved struct {
	Fingerprint events.Fingerprint
	Number      int
	Why         string
}

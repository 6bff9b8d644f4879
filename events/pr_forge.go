package events

import "time"

// What a forge shows of a pull request beside its commits: its name and title,
// what holds a review back, and the label of its verdict.

// PRDescribed: the forge shows another name, title, author or branch than is on
// record. What is asked for from now on uses these. (case G35)
type PRDescribed struct {
	Repo   RepoName `json:"repo"`
	Ref    string   `json:"ref"`
	Title  string   `json:"title"`
	Author string   `json:"author"`
}

// Type is "pr.described".
func (PRDescribed) Type() Type { return "pr.described" }

// HoldCause says what keeps a head from being judged of its own accord.
type HoldCause string

// The causes. The first that holds is the one on record. (semantics 1.1, 20)
const (
	HoldAuthor   HoldCause = "ignored-author" // pull requests of this author are reviewed only when asked for
	HoldLabel    HoldCause = "skip-label"     // a label on the pull request says so
	HoldDraft    HoldCause = "draft"          // it is a draft
	HoldReviewed HoldCause = "reviewed"       // a review of this very head is published already
)

// HeadSkipped: this is the head, and nobody judges it unless a person asks. What
// was under way for it of its own accord is over.
type HeadSkipped struct {
	Head     Commit    `json:"head"`
	Base     Commit    `json:"base"`
	BaseRef  string    `json:"base_ref"`
	Cause    HoldCause `json:"cause"`
	Why      string    `json:"why"`
	Run      RunID     `json:"run,omitempty"`      // that was judging it, and is to stop
	Reviewed RunID     `json:"reviewed,omitempty"` // the earlier run whose review is published
	Priority Priority  `json:"priority"`
	Settings Settings  `json:"settings"` // for whoever asks for a review all the same
}

// Type is "head.skipped".
func (HeadSkipped) Type() Type { return "head.skipped" }

// LabelWanted: the pull request is to carry the label of this verdict, and no
// other verdict's. With an owner it is the intent of a try; without one the try
// before it, which is still under way, is awaited first.
type LabelWanted struct {
	Verdict Verdict   `json:"verdict,omitempty"` // absent = none of the labels
	Try     int       `json:"try"`               // counts on for as long as the pull request lives
	Owner   BootID    `json:"owner,omitempty"`
	Until   time.Time `json:"until,omitzero"` // of the try
}

// Type is "label.wanted".
func (LabelWanted) Type() Type { return "label.wanted" }

// LabelSynced: the pull request carries what the try was to make it carry.
type LabelSynced struct {
	Verdict Verdict `json:"verdict,omitempty"`
	Try     int     `json:"try"`
	Skipped string  `json:"skipped,omitempty"` // why nothing was done: the repository does not have the labels
}

// Type is "label.synced".
func (LabelSynced) Type() Type { return "label.synced" }

// LabelFailed: the try did not make it so. Without a next time it rests until
// another label is wanted.
type LabelFailed struct {
	Try     int         `json:"try"`
	Kind    FailureKind `json:"kind"`
	Message string      `json:"message"`
	NextAt  time.Time   `json:"next_at,omitzero"`
}

// Type is "label.failed".
func (LabelFailed) Type() Type { return "label.failed" }

// AbandonCause is what a publisher saw that makes a review unwanted.
type AbandonCause string

// The causes.
const (
	AbandonHead   AbandonCause = "head"   // the head moved; the next look queues the new one
	AbandonBase   AbandonCause = "base"   // the base moved; the same head is queued again
	AbandonClosed AbandonCause = "closed" // the pull request is closed, merged or gone
)

package pr

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Observe: this is the pull request as the forge shows it now.
type Observe struct {
	Host     string          `json:"host"`
	RepoID   string          `json:"repo_id"`
	Repo     events.RepoName `json:"repo"`
	Number   int             `json:"number"`
	Ref      string          `json:"ref"`
	BaseRef  string          `json:"base_ref"`
	Title    string          `json:"title"`
	Author   string          `json:"author"`
	Head     events.Commit   `json:"head"`
	Base     events.Commit   `json:"base"`
	Manual   bool            `json:"manual"` // somebody asked: review it now, and again if need be
	Priority events.Priority `json:"priority"`
	Owner    events.BootID   `json:"owner"`
	Settings events.Settings `json:"settings"`
	Facts    *Facts          `json:"facts,omitempty"` // of a forge; nil = a local repository's branch
}

// Facts are what a forge says of a pull request beside its commits.
type Facts struct {
	Draft     bool   `json:"draft,omitempty"`
	SkipLabel string `json:"skip_label,omitempty"` // that is set on it, as the forge spells it
	Ignored   bool   `json:"ignored,omitempty"`    // its author's pull requests are reviewed when asked for, and never else
	AuthorID  string `json:"author_id,omitempty"`
}

// Close: the pull request is closed, merged or gone.
type Close struct {
	Reason string `json:"reason"`
}

// Enqueue: an operator asks for a review of the live head.
type Enqueue struct {
	SHA  string `json:"sha,omitempty"` // must be the live head, or a prefix of it
	High bool   `json:"high"`
}

// Cancel: an operator does not want the queued or running head judged.
type Cancel struct {
	Run    events.RunID `json:"run,omitempty"` // only if this is the run
	Reason string       `json:"reason"`
	// Interrupted: whoever ran `review` in a terminal ended it. That is no word on
	// the head, which goes back to the daemon that minds it.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Retry: an operator opens a failed, cancelled or stuck head again.
type Retry struct{}

// Due: something that this pull request waits for may be overdue.
type Due struct{}

// BootGone: this process is dead, and so is whatever it was doing.
type BootGone struct {
	Boot events.BootID `json:"boot"`
}

// NumberFindings: a run asks for the numbers of its findings.
type NumberFindings struct {
	Run          events.RunID         `json:"run"`
	Head         events.Commit        `json:"head"`
	Fingerprints []events.Fingerprint `json:"fingerprints"`
	Seen         []events.Sighting    `json:"seen,omitempty"`   // of the first so many fingerprints
	Looked       []events.Look        `json:"looked,omitempty"` // where what was not found may be gone
}

// NoteAdmitted: the fleet lets a run begin.
type NoteAdmitted struct {
	Run events.RunID `json:"run"`
	At  time.Time    `json:"at"`
}

// Dismiss: an operator does not want to see a finding while the code beneath it
// stays.
type Dismiss struct {
	Number int       `json:"number"`
	Reason string    `json:"reason"`
	Said   time.Time `json:"said,omitzero"`
}

// Reopen: an operator takes a dismissal back.
type Reopen struct {
	Number int       `json:"number"`
	Said   time.Time `json:"said,omitzero"`
}

// AdoptVerdict: a run has reached a verdict.
type AdoptVerdict struct {
	Run     events.RunID   `json:"run"`
	Head    events.Commit  `json:"head"`
	Base    events.Commit  `json:"base"`
	Verdict events.Verdict `json:"verdict"`
	Outcome events.Outcome `json:"outcome"`
	Target  events.Target  `json:"target"`
}

// NoteRunEnd: a run has ended.
type NoteRunEnd struct {
	Run events.RunID    `json:"run"`
	End events.RunEnded `json:"end"`
}

// NotePublished: the review stands on the forge.
type NotePublished struct {
	Run      events.RunID `json:"run"`
	Try      int          `json:"try"`
	Receipt  string       `json:"receipt"`
	URL      string       `json:"url,omitempty"`
	Existing bool         `json:"existing"`
}

// NotePublishFailed: the review is certainly not on the forge.
type NotePublishFailed struct {
	Run     events.RunID       `json:"run"`
	Try     int                `json:"try"`
	Kind    events.FailureKind `json:"kind"`
	Message string             `json:"message"`
	// NotBefore is the forge's own clock: no try before it can succeed.
	NotBefore time.Time `json:"not_before,omitzero"`
}

// NotePublishUnknown: the review may or may not be on the forge.
type NotePublishUnknown struct {
	Run    events.RunID `json:"run"`
	Try    int          `json:"try"`
	Reason string       `json:"reason"`
}

// NotePublishAbandoned: the forge showed that the review is no longer wanted.
type NotePublishAbandoned struct {
	Run   events.RunID        `json:"run"`
	Try   int                 `json:"try"`
	Why   string              `json:"why"`
	Cause events.AbandonCause `json:"cause,omitempty"`
	// Where the base moved: what the forge shows now, as far as it was seen. The
	// same head is queued again on it.
	BaseRef string        `json:"base_ref,omitempty"`
	Base    events.Commit `json:"base,omitempty"`
}

// NoteLabelSynced: the pull request carries the label that was wanted, and no
// other of ours; or the repository does not have our labels, and Skipped says so.
type NoteLabelSynced struct {
	Try     int            `json:"try"`
	Verdict events.Verdict `json:"verdict,omitempty"` // "" = none of our labels
	Skipped string         `json:"skipped,omitempty"`
}

// NoteLabelFailed: the label could not be made so.
type NoteLabelFailed struct {
	Try       int                `json:"try"`
	Verdict   events.Verdict     `json:"verdict,omitempty"`
	Kind      events.FailureKind `json:"kind"`
	Message   string             `json:"message"`
	NotBefore time.Time          `json:"not_before,omitzero"` // the forge's own clock
}

// The stored names.
func (Observe) Name() string              { return "pr.observe" }
func (Close) Name() string                { return "pr.close" }
func (Enqueue) Name() string              { return "pr.enqueue" }
func (Cancel) Name() string               { return "pr.cancel" }
func (Retry) Name() string                { return "pr.retry" }
func (Due) Name() string                  { return "pr.due" }
func (BootGone) Name() string             { return "pr.boot_gone" }
func (NumberFindings) Name() string       { return "pr.number_findings" }
func (NoteAdmitted) Name() string         { return "pr.note_admitted" }
func (Dismiss) Name() string              { return "pr.dismiss" }
func (Reopen) Name() string               { return "pr.reopen" }
func (AdoptVerdict) Name() string         { return "pr.adopt_verdict" }
func (NoteRunEnd) Name() string           { return "pr.note_run_end" }
func (NotePublished) Name() string        { return "pr.note_published" }
func (NotePublishFailed) Name() string    { return "pr.note_publish_failed" }
func (NotePublishUnknown) Name() string   { return "pr.note_publish_unknown" }
func (NotePublishAbandoned) Name() string { return "pr.note_publish_abandoned" }
func (NoteLabelSynced) Name() string      { return "pr.note_label_synced" }
func (NoteLabelFailed) Name() string      { return "pr.note_label_failed" }

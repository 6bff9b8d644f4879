package events

import "time"

// A pull request's life, in order. The stream is pr-HOST/REPO_ID/N.

// Trigger says why a head is to be judged.
type Trigger string

// The triggers of this version. (semantics 1.2)
const (
	TriggerOpened Trigger = "opened" // the pull request was seen for the first time
	TriggerPush   Trigger = "push"   // its head moved
	TriggerBase   Trigger = "base"   // it goes to another base branch under the same head
	TriggerManual Trigger = "manual" // `review`, `enqueue`
	TriggerRetry  Trigger = "retry"  // an earlier try failed, or an operator asked again
	TriggerReady  Trigger = "ready"  // what held it back is gone: no draft any more, no skip label
)

// Priority orders heads; a smaller number is served earlier.
type Priority int

// The priorities.
const (
	PriorityHigh   Priority = 0
	PriorityNormal Priority = 1
)

// Outcome is how a head's or a run's business ended.
type Outcome string

// The outcomes. A run that reached no verdict is never "reviewed".
const (
	OutcomeClean      Outcome = "reviewed-clean"
	OutcomeFindings   Outcome = "reviewed-findings"
	OutcomePartial    Outcome = "partial"
	OutcomeNotRun     Outcome = "not-run"
	OutcomeFailed     Outcome = "failed"
	OutcomeCancelled  Outcome = "cancelled"
	OutcomeSuperseded Outcome = "superseded"
)

// AllOutcomes lists them, the good ones first.
func AllOutcomes() []Outcome {
	return []Outcome{
		OutcomeClean, OutcomeFindings, OutcomePartial, OutcomeNotRun, OutcomeFailed,
		OutcomeCancelled, OutcomeSuperseded,
	}
}

// Reviewed reports whether a verdict stands behind the outcome.
func (o Outcome) Reviewed() bool {
	return o == OutcomeClean || o == OutcomeFindings || o == OutcomePartial
}

// Target says where a verdict goes.
type Target string

// TargetNone is a local forge, `review` without --publish, and --shadow: the
// verdict is on record and nothing is posted.
const (
	TargetNone  Target = "none"
	TargetForge Target = "forge"
)

// Settings are the repository's flags that a head is judged under. They travel
// with the head, so that nobody downstream asks configuration.
type Settings struct {
	Engines  []EngineName `json:"engines,omitempty"` // empty = the policy's
	Target   Target       `json:"target"`
	Debounce int64        `json:"debounce_ms"`       // quiet time after a push
	Approve  bool         `json:"approve,omitempty"` // an APPROVE may stand here, whatever the policy says
}

// PROpened: the pull request is known from now on.
type PROpened struct {
	Host   string   `json:"host"`
	RepoID string   `json:"repo_id"`
	Repo   RepoName `json:"repo"`
	Number int      `json:"number"`
	Ref    string   `json:"ref"`
	Base   string   `json:"base_ref"`
	Title  string   `json:"title"`
	Author string   `json:"author"`
}

// Type is "pr.opened".
func (PROpened) Type() Type { return "pr.opened" }

// HeadQueued: this head is to be judged, not before NotBefore.
type HeadQueued struct {
	Head      Commit    `json:"head"`
	Base      Commit    `json:"base"`
	BaseRef   string    `json:"base_ref"`
	Trigger   Trigger   `json:"trigger"`
	Priority  Priority  `json:"priority"`
	QueuedAt  time.Time `json:"queued_at"`  // since when it waits: kept by a retry
	NotBefore time.Time `json:"not_before"` // debounce, back-off or a budget's reset
	FirstPush time.Time `json:"first_push"` // of the pushes that this one answers: bounds the debounce
	Owner     BootID    `json:"owner"`
	Attempt   int       `json:"attempt"` // tries used before this one
	Settings  Settings  `json:"settings"`
	Why       string    `json:"why,omitempty"`   // of a retry: what went wrong before
	After     RunID     `json:"after,omitempty"` // of a retry: the run that ended without a verdict
}

// Type is "head.queued".
func (HeadQueued) Type() Type { return "head.queued" }

// RunRequested: a run of its own shall judge the queued head.
type RunRequested struct {
	Run      RunID     `json:"run"`
	Repo     RepoName  `json:"repo"`
	Number   int       `json:"number"`
	Ref      string    `json:"ref"`
	BaseRef  string    `json:"base_ref"`
	Head     Commit    `json:"head"`
	Base     Commit    `json:"base"`
	Trigger  Trigger   `json:"trigger"`
	Priority Priority  `json:"priority"`
	QueuedAt time.Time `json:"queued_at"`
	Owner    BootID    `json:"owner"`
	Attempt  int       `json:"attempt"`
	Deadline time.Time `json:"deadline"` // of the run as a whole, waiting included
	Settings Settings  `json:"settings"`
	Prior    int       `json:"prior,omitempty"`   // findings of earlier reviews that may be fixed
	Answers  []Asked   `json:"answers,omitempty"` // the triggers that this run answers
}

// Type is "run.requested".
func (RunRequested) Type() Type { return "run.requested" }

// HeadSuperseded: another head (or base) took this one's place.
type HeadSuperseded struct {
	Head Commit `json:"head"`
	By   Commit `json:"by"`
	Run  RunID  `json:"run,omitempty"` // that was judging it
}

// Type is "head.superseded".
func (HeadSuperseded) Type() Type { return "head.superseded" }

// HeadCancelled: an operator does not want this head judged. A new push,
// `enqueue` or `retry` opens it again.
type HeadCancelled struct {
	Head   Commit `json:"head"`
	Run    RunID  `json:"run,omitempty"`
	Reason string `json:"reason"`
}

// Type is "head.cancelled".
func (HeadCancelled) Type() Type { return "head.cancelled" }

// HeadClosed: the pull request was closed, merged or deleted.
type HeadClosed struct {
	Head   Commit `json:"head"`
	Run    RunID  `json:"run,omitempty"`
	Reason string `json:"reason"`
}

// Type is "head.closed".
func (HeadClosed) Type() Type { return "head.closed" }

// VerdictAdopted: the verdict is about what is still the head. Where Target is
// the forge this is the intent of the first publication try.
type VerdictAdopted struct {
	Run          RunID     `json:"run"`
	Head         Commit    `json:"head"`
	Base         Commit    `json:"base"`
	Verdict      Verdict   `json:"verdict"`
	Outcome      Outcome   `json:"outcome"`
	Target       Target    `json:"target"`
	Try          int       `json:"try,omitempty"`
	Owner        BootID    `json:"owner,omitempty"`        // who publishes
	PublishUntil time.Time `json:"publish_until,omitzero"` // the publish lease's end
}

// Type is "verdict.adopted".
func (VerdictAdopted) Type() Type { return "verdict.adopted" }

// VerdictDiscarded: the verdict is about something that is no longer the head.
type VerdictDiscarded struct {
	Run    RunID  `json:"run"`
	Head   Commit `json:"head"`
	Reason string `json:"reason"`
}

// Type is "verdict.discarded".
func (VerdictDiscarded) Type() Type { return "verdict.discarded" }

// PublicationResumed grants the next try to the boot that found it due.
type PublicationResumed struct {
	Run   RunID     `json:"run"`
	Head  Commit    `json:"head"`
	Base  Commit    `json:"base"`
	Try   int       `json:"try"`
	Owner BootID    `json:"owner"`
	Until time.Time `json:"until"`
}

// Type is "publication.resumed".
func (PublicationResumed) Type() Type { return "publication.resumed" }

// VerdictPublished: the review stands on the forge.
type VerdictPublished struct {
	Run      RunID  `json:"run"`
	Head     Commit `json:"head"`
	Try      int    `json:"try"`
	Receipt  string `json:"receipt"` // the forge's id of the review
	URL      string `json:"url,omitempty"`
	Existing bool   `json:"existing"` // it was found there, not posted by this try
}

// Type is "verdict.published".
func (VerdictPublished) Type() Type { return "verdict.published" }

// PublicationFailed: certainly not stored on the forge.
type PublicationFailed struct {
	Run     RunID       `json:"run"`
	Try     int         `json:"try"`
	Kind    FailureKind `json:"kind"`
	Message string      `json:"message"`
	NextAt  time.Time   `json:"next_at"`
}

// Type is "publication.failed".
func (PublicationFailed) Type() Type { return "publication.failed" }

// PublicationUnknown: it may or may not stand on the forge; the next try looks.
type PublicationUnknown struct {
	Run    RunID     `json:"run"`
	Try    int       `json:"try"`
	Reason string    `json:"reason"`
	NextAt time.Time `json:"next_at"`
}

// Type is "publication.unknown".
func (PublicationUnknown) Type() Type { return "publication.unknown" }

// PublicationAbandoned: it is not to be posted any more.
type PublicationAbandoned struct {
	Run   RunID        `json:"run"`
	Why   string       `json:"why"`
	Cause AbandonCause `json:"cause,omitempty"` // what a publisher saw; absent = the pull request knew by itself
}

// Type is "publication.abandoned".
func (PublicationAbandoned) Type() Type { return "publication.abandoned" }

// PublicationStuck: the tries are used up; `retry PR` opens it again.
type PublicationStuck struct {
	Run   RunID  `json:"run"`
	Tries int    `json:"tries"`
	Why   string `json:"why"`
}

// Type is "publication.stuck".
func (PublicationStuck) Type() Type { return "publication.stuck" }

// HeadSettled: nothing more will happen to this head of its own accord.
type HeadSettled struct {
	Head    Commit  `json:"head"`
	Run     RunID   `json:"run,omitempty"`
	Outcome Outcome `json:"outcome"`
	Why     string  `json:"why"`
}

// Type is "head.settled".
func (HeadSettled) Type() Type { return "head.settled" }

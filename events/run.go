package events

import "time"

// A run's life, in order. The stream is run-ID. Lanes are in run_lane.go.

// FailureKind classifies what went wrong. (semantics 11.2, hard-parts §2)
type FailureKind string

// The kinds. Infra may pass and is tried three times; contract is an answer that
// breaks its contract and is tried twice; fatal is never tried again.
const (
	FailureInfra      FailureKind = "infra"
	FailureContract   FailureKind = "contract"
	FailureFatal      FailureKind = "fatal"
	FailureUsageLimit FailureKind = "usage_limit"  // the account's, with a reset
	FailureLost       FailureKind = "lost"         // its process is gone
	FailureBefore     FailureKind = "before_start" // the same process knows that nothing ran
	FailureTimeout    FailureKind = "timeout"
)

// AllFailureKinds lists them.
func AllFailureKinds() []FailureKind {
	return []FailureKind{
		FailureInfra, FailureContract, FailureFatal, FailureUsageLimit, FailureLost,
		FailureBefore, FailureTimeout,
	}
}

// Verdict is the judgement of one head.
type Verdict string

// The verdicts, spelled as GitHub's review events.
const (
	VerdictApprove        Verdict = "APPROVE"
	VerdictComment        Verdict = "COMMENT"
	VerdictRequestChanges Verdict = "REQUEST_CHANGES"
)

// Reason is a node of a verdict's tree: the rule, what it said, and the events
// that it rests on.
type Reason struct {
	Rule     string   `json:"rule"`
	Text     string   `json:"text"`
	Outcome  string   `json:"outcome"`
	Events   []Ref    `json:"events,omitempty"`
	Children []Reason `json:"children,omitempty"`
}

// PlannedLane is one engine session that a run intends.
type PlannedLane struct {
	Lane     LaneID      `json:"lane"`
	Role     string      `json:"role"` // "reviewer"
	Kind     string      `json:"kind"` // the engine's kind: "static", "exec"
	Engine   EngineName  `json:"engine"`
	Model    string      `json:"model,omitempty"`
	Pool     PoolName    `json:"pool"`
	Account  AccountName `json:"account"`
	Estimate int64       `json:"estimate_tokens"`          // reserved before it starts
	Timeout  int64       `json:"timeout_ms"`               // of one attempt, its corrections included
	RunLimit int64       `json:"max_run_tokens,omitempty"` // of the account, for the run as a whole; 0 = none
	Bounded  bool        `json:"bounded,omitempty"`        // by the run's MaxFiles and MaxLines: it spends
}

// PlannedStep is a stage of a run: its lanes run side by side.
type PlannedStep struct {
	Step  string        `json:"step"`
	Phase string        `json:"phase"` // "preliminary" or "final"
	Lanes []PlannedLane `json:"lanes"`
}

// RunStarted: the run was admitted, and this is what it will do and be judged by.
type RunStarted struct {
	PR               StreamName    `json:"pr"`
	Repo             RepoName      `json:"repo"`
	Number           int           `json:"number"`
	Ref              string        `json:"ref"`
	BaseRef          string        `json:"base_ref"`
	Head             Commit        `json:"head"`
	Base             Commit        `json:"base"`
	Trigger          Trigger       `json:"trigger"`
	Priority         Priority      `json:"priority"`
	QueuedAt         time.Time     `json:"queued_at"`
	Owner            BootID        `json:"owner"`
	Attempt          int           `json:"attempt"`
	Deadline         time.Time     `json:"deadline"`
	Target           Target        `json:"target"`
	Steps            []PlannedStep `json:"steps"`
	RequestChangesAt Severity      `json:"request_changes_at"`
	Approve          bool          `json:"approve"`
	MaxFiles         int           `json:"max_changed_files,omitempty"` // of bounded lanes; 0 = no bound
	MaxLines         int           `json:"max_changed_lines,omitempty"` // the same
	Prior            int           `json:"prior,omitempty"`             // findings of earlier reviews that may be fixed
}

// Type is "run.started".
func (RunStarted) Type() Type { return "run.started" }

// WorkspaceRequested is the intent to have the code on disk.
type WorkspaceRequested struct {
	Try     int       `json:"try"`
	Repo    RepoName  `json:"repo"`
	Head    Commit    `json:"head"`
	Base    Commit    `json:"base"`
	Ref     string    `json:"ref"`
	BaseRef string    `json:"base_ref"`
	Owner   BootID    `json:"owner"` // the boot that shall prepare it
	Until   time.Time `json:"until"`
}

// Type is "workspace.requested".
func (WorkspaceRequested) Type() Type { return "workspace.requested" }

// Exclusion says who leaves a changed file out of the review.
type Exclusion string

// The exclusions. What the configuration excludes nobody looks at. The others are
// given to the embedded engine all the same, for what threatens whoever merges
// them: a change chooses its names and first lines itself.
const (
	ExcludedConfigured Exclusion = "configured" // excluded_paths
	ExcludedBuiltIn    Exclusion = "built-in"   // a vendored or generated file, by its name
	ExcludedGenerated  Exclusion = "generated"  // by a mark in its first lines
)

// ChangedFile is a file of the change, as git counts it.
type ChangedFile struct {
	Path       string    `json:"path"` // bad UTF-8 as U+FFFD
	PathBase64 string    `json:"path_base64,omitempty"`
	Old        string    `json:"old,omitempty"` // the former name of a renamed or copied file
	Status     string    `json:"status"`        // git's letter: A C D M R T
	Added      int       `json:"added"`         // lines
	Deleted    int       `json:"deleted"`
	Binary     bool      `json:"binary,omitempty"`
	Excluded   Exclusion `json:"excluded,omitempty"`  // who leaves it out of the review
	Rule       string    `json:"rule,omitempty"`      // the pattern or the mark that excludes it
	TooLarge   string    `json:"too_large,omitempty"` // why its text is in no diff
	Unwritten  string    `json:"unwritten,omitempty"` // why the checkout lacks it
}

// WhyExcluded says who excludes the file and by what, or "".
func (f *ChangedFile) WhyExcluded() string {
	switch f.Excluded {
	case ExcludedConfigured:
		return "excluded_paths " + f.Rule
	case ExcludedBuiltIn:
		return "vendored or generated: " + f.Rule
	case ExcludedGenerated:
		return "generated: " + f.Rule
	}
	return ""
}

// WorkspaceListed is a page of the list of changed files. The pages of a try come
// before its WorkspaceReady, which has the rest; those of another try are void.
type WorkspaceListed struct {
	Try   int           `json:"try"`
	Page  int           `json:"page"` // from 1
	Files []ChangedFile `json:"files"`
}

// Type is "workspace.listed".
func (WorkspaceListed) Type() Type { return "workspace.listed" }

// WorkspaceReady: the code is on disk; this is the change.
type WorkspaceReady struct {
	Try       int           `json:"try"`
	MergeBase Commit        `json:"merge_base"` // the empty tree's id where there is none
	BaseNote  string        `json:"base_note,omitempty"`
	Files     []ChangedFile `json:"files"` // behind those of the pages
	Lines     int           `json:"lines"` // added and deleted, of all files
	DiffPrint Digest        `json:"diff_print"`
	Pages     int           `json:"pages,omitempty"`  // of the list, before this event
	Listed    int           `json:"listed,omitempty"` // files on them
}

// Count is how many files the change has.
func (p *WorkspaceReady) Count() int { return p.Listed + len(p.Files) }

// Type is "workspace.ready".
func (WorkspaceReady) Type() Type { return "workspace.ready" }

// WorkspaceWaiting: preparing did not work this time and is tried again.
type WorkspaceWaiting struct {
	Try    int       `json:"try"`
	Reason string    `json:"reason"`
	Next   time.Time `json:"next"`
}

// Type is "workspace.waiting".
func (WorkspaceWaiting) Type() Type { return "workspace.waiting" }

// WorkspaceFailed: preparing will not work.
type WorkspaceFailed struct {
	Try     int         `json:"try"`
	Kind    FailureKind `json:"kind"`
	Message string      `json:"message"`
}

// Type is "workspace.failed".
func (WorkspaceFailed) Type() Type { return "workspace.failed" }

// RunStopping: the run shall end as Outcome once its lanes have ended.
type RunStopping struct {
	Outcome Outcome     `json:"outcome"`
	Why     string      `json:"why"`
	Kind    FailureKind `json:"kind,omitempty"`
	Until   time.Time   `json:"until,omitzero"`
}

// Type is "run.stopping".
func (RunStopping) Type() Type { return "run.stopping" }

// NumbersRequested asks the pull request to number the findings that count.
type NumbersRequested struct {
	PR           StreamName    `json:"pr"`
	Head         Commit        `json:"head"`
	Fingerprints []Fingerprint `json:"fingerprints"`
	Seen         []Sighting    `json:"seen,omitempty"`   // of the first so many fingerprints, one each
	Looked       []Look        `json:"looked,omitempty"` // where findings of earlier reviews may be fixed
}

// Type is "numbers.requested".
func (NumbersRequested) Type() Type { return "numbers.requested" }

// Counts are the findings by severity.
type Counts struct {
	Blocking   int `json:"blocking"`
	Suggestion int `json:"suggestion"`
	Nitpick    int `json:"nitpick"`
}

// VerdictReached is the judgement, with the tree of its reasons.
type VerdictReached struct {
	PR      StreamName `json:"pr"`
	Head    Commit     `json:"head"`
	Base    Commit     `json:"base"`
	Verdict Verdict    `json:"verdict"`
	Outcome Outcome    `json:"outcome"`
	Counts  Counts     `json:"counts"`
	Numbers []Number   `json:"numbers"`
	Why     Reason     `json:"why"`
	Target  Target     `json:"target"`
	Fixed   []Number   `json:"fixed,omitempty"` // gone since the last review
}

// Type is "verdict.reached".
func (VerdictReached) Type() Type { return "verdict.reached" }

// RunEnded is the last event of every run, however it ended.
type RunEnded struct {
	PR      StreamName  `json:"pr"`
	Head    Commit      `json:"head"`
	Outcome Outcome     `json:"outcome"`
	Why     string      `json:"why"`
	Kind    FailureKind `json:"kind,omitempty"` // of a failure
	Until   time.Time   `json:"until,omitzero"` // of a not-run: when it could run
}

// Type is "run.ended".
func (RunEnded) Type() Type { return "run.ended" }

package events

import (
	"slices"
	"time"
)

// A lane's life within its run, in order.

// LaneKey names one attempt of one lane.
type LaneKey struct {
	Run     RunID  `json:"run"`
	Lane    LaneID `json:"lane"`
	Attempt int    `json:"attempt"` // serial of the lane's requests, from 1; not every one counts as a try
}

// Confidence says how sure a figure of usage is.
type Confidence string

// The confidences, the surest first.
const (
	ConfidenceExact    Confidence = "exact"    // the provider's own count
	ConfidenceEstimate Confidence = "estimate" // counted by us
	ConfidenceUnknown  Confidence = "unknown"  // nobody said: settled at the reservation
)

// Usage is what a lane used.
type Usage struct {
	InputTokens  int64      `json:"input_tokens"`
	OutputTokens int64      `json:"output_tokens"`
	CostUSD      float64    `json:"cost_usd"`
	Confidence   Confidence `json:"confidence"`
}

// Total returns input and output tokens together.
func (u Usage) Total() int64 { return u.InputTokens + u.OutputTokens }

// Plus sums two figures; the sum is as sure as the less sure of them.
func (u Usage) Plus(more Usage) Usage {
	sum := Usage{
		InputTokens: u.InputTokens + more.InputTokens, OutputTokens: u.OutputTokens + more.OutputTokens,
		CostUSD: u.CostUSD + more.CostUSD, Confidence: u.Confidence,
	}
	surest := []Confidence{"", ConfidenceExact, ConfidenceEstimate, ConfidenceUnknown}
	if slices.Index(surest, more.Confidence) > slices.Index(surest, u.Confidence) {
		sum.Confidence = more.Confidence
	}
	return sum
}

// LaneRequested: the run wants this engine session.
type LaneRequested struct {
	Lane         LaneID      `json:"lane"`
	Attempt      int         `json:"attempt"`
	Step         string      `json:"step"`
	Phase        string      `json:"phase"`
	Role         string      `json:"role"`
	Kind         string      `json:"kind"`
	Engine       EngineName  `json:"engine"`
	Model        string      `json:"model,omitempty"`
	Pool         PoolName    `json:"pool"`
	Account      AccountName `json:"account"`
	Estimate     int64       `json:"estimate_tokens"`
	Timeout      int64       `json:"timeout_ms"`
	Rank         string      `json:"rank"` // sort key in the lines of account and pool
	Owner        BootID      `json:"owner"`
	Deadline     time.Time   `json:"deadline"` // of the run
	MaxRunTokens int64       `json:"max_run_tokens,omitempty"`
}

// Type is "lane.requested".
func (LaneRequested) Type() Type { return "lane.requested" }

// SkipCause says why a lane is not asked for.
type SkipCause string

// The causes. Only the first leaves the review partial.
const (
	SkippedSize  SkipCause = "size"  // the change is over the run's limits
	SkippedEmpty SkipCause = "empty" // nothing is left that it would be given
)

// LaneSkipped: the lane was planned, and is not asked for. No account and no pool
// hears of it.
type LaneSkipped struct {
	Lane   LaneID     `json:"lane"`
	Step   string     `json:"step"`
	Phase  string     `json:"phase"`
	Role   string     `json:"role"`
	Kind   string     `json:"kind"`
	Engine EngineName `json:"engine"`
	Model  string     `json:"model,omitempty"`
	Cause  SkipCause  `json:"cause"`
	Reason string     `json:"reason"`
}

// Type is "lane.skipped".
func (LaneSkipped) Type() Type { return "lane.skipped" }

// LaneWaiting: the account has no money for it now.
type LaneWaiting struct {
	Lane    LaneID    `json:"lane"`
	Attempt int       `json:"attempt"`
	Reason  string    `json:"reason"`
	Until   time.Time `json:"until,omitzero"`
}

// Type is "lane.waiting".
func (LaneWaiting) Type() Type { return "lane.waiting" }

// LaneWithdrawn: it was waiting and is not wanted any more.
type LaneWithdrawn struct {
	Lane    LaneID      `json:"lane"`
	Attempt int         `json:"attempt"`
	Pool    PoolName    `json:"pool"`
	Account AccountName `json:"account"`
	Reason  string      `json:"reason"`
}

// Type is "lane.withdrawn".
func (LaneWithdrawn) Type() Type { return "lane.withdrawn" }

// LaneDeclined: a slot came, but the run does not want it any more.
type LaneDeclined struct {
	Lane       LaneID      `json:"lane"`
	Attempt    int         `json:"attempt"`
	Generation int64       `json:"generation"`
	Pool       PoolName    `json:"pool"`
	Account    AccountName `json:"account"`
	Reason     string      `json:"reason"`
}

// Type is "lane.declined".
func (LaneDeclined) Type() Type { return "lane.declined" }

// BreakerState is the account's breaker as it was when a lane began.
type BreakerState struct {
	Epoch int64     `json:"epoch"`
	Until time.Time `json:"until,omitzero"` // open until; zero = closed
}

// LaneBegan is the intent to start the engine: only the boot that it names
// starts it, and only once.
type LaneBegan struct {
	Lane       LaneID       `json:"lane"`
	Attempt    int          `json:"attempt"`
	Generation int64        `json:"generation"`
	Slot       int          `json:"slot"`
	Owner      BootID       `json:"owner"`
	Deadline   time.Time    `json:"deadline"`
	Breaker    BreakerState `json:"breaker"`
	Pool       PoolName     `json:"pool"`
	Account    AccountName  `json:"account"`
	Engine     EngineName   `json:"engine"`
	Kind       string       `json:"kind"`
	Model      string       `json:"model,omitempty"`
	Role       string       `json:"role"`
	Phase      string       `json:"phase"`
	PR         StreamName   `json:"pr"`
	Repo       RepoName     `json:"repo"`
	Number     int          `json:"number"`
	Ref        string       `json:"ref"`
	BaseRef    string       `json:"base_ref"`
	Head       Commit       `json:"head"`
	Base       Commit       `json:"base"`
	MergeBase  Commit       `json:"merge_base"`
	DiffPrint  Digest       `json:"diff_print"`
}

// Type is "lane.began".
func (LaneBegan) Type() Type { return "lane.began" }

// LaneStopRequested is the intent to kill the engine.
type LaneStopRequested struct {
	Lane       LaneID `json:"lane"`
	Attempt    int    `json:"attempt"`
	Generation int64  `json:"generation"`
	Owner      BootID `json:"owner"`
	Reason     string `json:"reason"`
}

// Type is "lane.stop_requested".
func (LaneStopRequested) Type() Type { return "lane.stop_requested" }

// FindingRaised is one remark of an attempt. It counts once the attempt has
// ended well.
type FindingRaised struct {
	Lane    LaneID  `json:"lane"`
	Attempt int     `json:"attempt"`
	Finding Finding `json:"finding"`
}

// Type is "finding.raised".
func (FindingRaised) Type() Type { return "finding.raised" }

// FindingWithheld is a remark that is not part of the review, with the reason.
type FindingWithheld struct {
	Lane     LaneID  `json:"lane"`
	Attempt  int     `json:"attempt"`
	Finding  Finding `json:"finding"`
	Reason   string  `json:"reason"`
	Unlisted int     `json:"unlisted,omitempty"` // remarks of the file that this one stands for, which are not on record one by one
}

// Type is "finding.withheld".
func (FindingWithheld) Type() Type { return "finding.withheld" }

// How much of a file was reviewed. A file that is binary, or that was excluded
// on purpose, does not make a review partial.
const (
	CoverageReviewed = "reviewed"
	CoveragePartial  = "partial"
	CoverageExcluded = "excluded"
	CoverageTooLarge = "too-large"
	CoverageBinary   = "binary"
)

// FileCoverage says what a lane did with a file that it did not fully review.
type FileCoverage struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"`
	Status     string `json:"status"`
	Reason     string `json:"reason"`
}

// LaneCovered names files that an attempt did not fully review, where there are
// too many for its LaneCompleted. It counts once the attempt has ended well.
type LaneCovered struct {
	Lane    LaneID         `json:"lane"`
	Attempt int            `json:"attempt"`
	Skipped []FileCoverage `json:"skipped"`
}

// Type is "lane.covered".
func (LaneCovered) Type() Type { return "lane.covered" }

// LaneCompleted: the engine answered, and the answer met its contract.
type LaneCompleted struct {
	Lane       LaneID         `json:"lane"`
	Attempt    int            `json:"attempt"`
	Generation int64          `json:"generation"`
	Pool       PoolName       `json:"pool"`
	Account    AccountName    `json:"account"`
	Began      time.Time      `json:"began"` // the spend is dated at this
	Usage      Usage          `json:"usage"`
	Findings   int            `json:"findings"`
	Withheld   int            `json:"withheld"`
	Summary    string         `json:"summary,omitempty"`
	Skipped    []FileCoverage `json:"skipped,omitempty"` // files that were not fully reviewed, behind those of LaneCovered
	Engine     string         `json:"engine_version"`    // for example "static/<rule-set hash>"
	Sandbox    string         `json:"sandbox,omitempty"` // what held the engine
	Artifact   Digest         `json:"artifact,omitempty"`
	Unlisted   int            `json:"unlisted,omitempty"` // remarks that are counted and not on record one by one
}

// Type is "lane.completed".
func (LaneCompleted) Type() Type { return "lane.completed" }

// LaneFailed: the attempt ended without an answer that counts.
type LaneFailed struct {
	Lane       LaneID      `json:"lane"`
	Attempt    int         `json:"attempt"`
	Generation int64       `json:"generation"`
	Pool       PoolName    `json:"pool"`
	Account    AccountName `json:"account"`
	Began      time.Time   `json:"began"` // the spend is dated at this
	Kind       FailureKind `json:"kind"`
	Message    string      `json:"message"`
	Usage      Usage       `json:"usage"`
	Reset      time.Time   `json:"reset,omitzero"` // of a usage limit; zero = unknown
	Sandbox    string      `json:"sandbox,omitempty"`
	Artifact   Digest      `json:"artifact,omitempty"`
}

// Type is "lane.failed".
func (LaneFailed) Type() Type { return "lane.failed" }

// LaneStopped: it was told to stop, and did.
type LaneStopped struct {
	Lane       LaneID      `json:"lane"`
	Attempt    int         `json:"attempt"`
	Generation int64       `json:"generation"`
	Pool       PoolName    `json:"pool"`
	Account    AccountName `json:"account"`
	Began      time.Time   `json:"began"` // the spend is dated at this
	Reason     string      `json:"reason"`
	Usage      Usage       `json:"usage"`
}

// Type is "lane.stopped".
func (LaneStopped) Type() Type { return "lane.stopped" }

// LaneDeferred: no capacity now. Not an attempt; it is requested again at NextAt.
type LaneDeferred struct {
	Lane       LaneID      `json:"lane"`
	Attempt    int         `json:"attempt"`
	Generation int64       `json:"generation"`
	Pool       PoolName    `json:"pool"`
	Account    AccountName `json:"account"`
	Began      time.Time   `json:"began"` // the spend is dated at this
	Reason     string      `json:"reason"`
	NextAt     time.Time   `json:"next_at"`
	Deferrals  int         `json:"deferrals"` // of this lane so far
}

// Type is "lane.deferred".
func (LaneDeferred) Type() Type { return "lane.deferred" }

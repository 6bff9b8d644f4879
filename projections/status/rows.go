package status

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// State is where a head, a run or a lane stands.
type State string

// The states of heads, in the order of life. Those behind StateReviewed are ends
// of another kind.
const (
	StateQueued     State = "queued"     // debounce, back-off or a reset is awaited
	StateWaiting    State = "waiting"    // its run is in the fleet's line
	StateRunning    State = "running"    // its run has started
	StatePublishing State = "publishing" // its verdict is on its way to the forge
	StateReviewed   State = "reviewed"
	StateNotRun     State = "not-run"
	StateFailed     State = "failed"
	StateCancelled  State = "cancelled"
	StateSuperseded State = "superseded"
	StateClosed     State = "closed"
	StateStuck      State = "stuck"   // its publication is
	StateSkipped    State = "skipped" // something holds it back; it is judged if a person asks
)

// The further state of a run.
const StateEnded State = "ended"

// The states of lanes, which are on record as their `status`.
const (
	LaneRequested State = "requested" // asks its account
	LaneNoBudget  State = "no-budget" // waits in its account's line
	LaneReserved  State = "reserved"  // asks its pool
	LaneQueued    State = "queued"    // waits in its pool's line
	LaneGranted   State = "granted"   // has a slot
	LaneRunning   State = "running"
	LaneStopping  State = "stopping"
	LaneDeferred  State = "deferred" // its engine has no capacity now
	LaneCompleted State = "completed"
	LaneFailed    State = "failed"
	LaneStopped   State = "stopped"
	LaneWithdrawn State = "withdrawn"
	LaneDeclined  State = "declined"
	LaneSkipped   State = "skipped" // the change is over the limits, or nothing is left of it
)

// PR is a pull request: an item of `get prs`.
type PR struct {
	Repo      events.RepoName   `json:"repo"`
	Number    int               `json:"number"`
	Stream    events.StreamName `json:"stream"`
	Title     string            `json:"title"`
	Author    string            `json:"author"`
	Ref       string            `json:"ref"`
	BaseRef   string            `json:"base_ref"`
	Head      events.Commit     `json:"head"`
	Base      events.Commit     `json:"base"`
	State     State             `json:"state"`
	Outcome   events.Outcome    `json:"outcome,omitempty"`
	Verdict   events.Verdict    `json:"verdict,omitempty"`
	Run       events.RunID      `json:"run,omitempty"` // the newest
	Why       string            `json:"why,omitempty"`
	Closed    bool              `json:"closed,omitempty"`
	NotBefore time.Time         `json:"not_before,omitzero"`
	Since     time.Time         `json:"since"` // in this state
	Updated   time.Time         `json:"updated"`
	Event     events.Ref        `json:"event"`
}

// Head is one commit to be judged: an item of `get heads`.
type Head struct {
	Head        events.Commit     `json:"head"`
	Base        events.Commit     `json:"base"`
	Repo        events.RepoName   `json:"repo"`
	Number      int               `json:"number"`
	Stream      events.StreamName `json:"stream"`
	State       State             `json:"state"`
	Outcome     events.Outcome    `json:"outcome,omitempty"`
	Verdict     events.Verdict    `json:"verdict,omitempty"`
	Why         string            `json:"why,omitempty"`
	Cause       events.HoldCause  `json:"cause,omitempty"`    // of a head that is held back
	Reviewed    events.RunID      `json:"reviewed,omitempty"` // the earlier run whose review of it is published
	Run         events.RunID      `json:"run,omitempty"`
	Trigger     events.Trigger    `json:"trigger"`
	Priority    events.Priority   `json:"priority"`
	Attempt     int               `json:"attempt"`
	Owner       events.BootID     `json:"owner"`
	QueuedAt    time.Time         `json:"queued_at"`
	NotBefore   time.Time         `json:"not_before,omitzero"`
	Publication *Publication      `json:"publication,omitempty"`
	Since       time.Time         `json:"since"` // in this state
	Updated     time.Time         `json:"updated"`
	Event       events.Ref        `json:"event"`
	Events      []events.Ref      `json:"events"`
}

// Publication is how far a verdict is on its way to the forge.
type Publication struct {
	State   string             `json:"state"` // "trying", "failed", "unknown", "published", "abandoned" or "stuck"
	Try     int                `json:"try"`
	Until   time.Time          `json:"until,omitzero"`   // of this try
	NextAt  time.Time          `json:"next_at,omitzero"` // the next one is due
	Kind    events.FailureKind `json:"kind,omitempty"`
	Why     string             `json:"why,omitempty"`
	Receipt string             `json:"receipt,omitempty"`
	URL     string             `json:"url,omitempty"`
	Event   events.Ref         `json:"event"`
}

// Run is one judgement of one head: an item of `get runs`.
type Run struct {
	Run       events.RunID      `json:"run"`
	Repo      events.RepoName   `json:"repo"`
	Number    int               `json:"number"`
	Stream    events.StreamName `json:"stream"` // of the pull request
	Head      events.Commit     `json:"head"`
	Base      events.Commit     `json:"base"`
	State     State             `json:"state"` // waiting, running or ended
	Outcome   events.Outcome    `json:"outcome,omitempty"`
	Verdict   events.Verdict    `json:"verdict,omitempty"`
	Why       string            `json:"why,omitempty"`
	Trigger   events.Trigger    `json:"trigger"`
	Priority  events.Priority   `json:"priority"`
	Attempt   int               `json:"attempt"`
	Owner     events.BootID     `json:"owner"`
	Admission string            `json:"admission,omitempty"` // by the fleet: "held", "admitted", "refused" or "freed"
	Workspace *Workspace        `json:"workspace,omitempty"`
	Files     int               `json:"files,omitempty"`
	Lines     int               `json:"lines,omitempty"`
	Counts    *events.Counts    `json:"counts,omitempty"`
	Lanes     []events.LaneID   `json:"lanes"`
	Until     time.Time         `json:"until,omitzero"` // of a not-run: when it could run
	Deadline  time.Time         `json:"deadline"`
	Requested time.Time         `json:"requested"`
	Started   time.Time         `json:"started,omitzero"`
	Ended     time.Time         `json:"ended,omitzero"`
	Since     time.Time         `json:"since"` // in this state
	Updated   time.Time         `json:"updated"`
	Event     events.Ref        `json:"event"`
	Events    []events.Ref      `json:"events"`
}

// Workspace is how far the code is on its way to the disk.
type Workspace struct {
	State  string     `json:"state"` // "preparing", "waiting", "ready" or "failed"
	Try    int        `json:"try"`
	Reason string     `json:"reason,omitempty"`
	Until  time.Time  `json:"until,omitzero"`
	Next   time.Time  `json:"next,omitzero"`
	Event  events.Ref `json:"event"`
}

// Lane is one engine session: an item of `get lanes`.
type Lane struct {
	Lane     events.LaneID      `json:"lane"`
	Run      events.RunID       `json:"run"`
	Repo     events.RepoName    `json:"repo"`
	Number   int                `json:"number"`
	Kind     string             `json:"kind"`
	Role     string             `json:"role"`
	Phase    string             `json:"phase"`
	Step     string             `json:"step"`
	Engine   events.EngineName  `json:"engine"`
	Model    string             `json:"model"`
	Pool     events.PoolName    `json:"pool"`
	Account  events.AccountName `json:"account"`
	Attempt  int                `json:"attempt"`
	Status   State              `json:"status"`
	Reason   string             `json:"reason,omitempty"`
	Failure  events.FailureKind `json:"failure,omitempty"`
	Rank     string             `json:"rank"`
	Slot     *int               `json:"slot,omitempty"`
	Estimate int64              `json:"estimate_tokens"`
	Usage    *events.Usage      `json:"usage"`
	Findings int                `json:"findings"`
	Withheld int                `json:"withheld"`
	Until    time.Time          `json:"until,omitzero"` // budget's or engine's next look; a running lane's deadline
	Began    time.Time          `json:"began,omitzero"`
	Since    time.Time          `json:"since"` // in this status
	Updated  time.Time          `json:"updated"`
	Event    events.Ref         `json:"event"`
	Events   []events.Ref       `json:"events"`
}

// Pool is the capacity of one model family: an item of `get pools`.
type Pool struct {
	Pool    events.PoolName `json:"pool"`
	Size    int             `json:"size"`
	Used    int             `json:"used"`
	Waiting int             `json:"waiting"`
	Reason  string          `json:"reason,omitempty"` // of the size
	Since   time.Time       `json:"since"`            // of the size
	Updated time.Time       `json:"updated"`
	Event   events.Ref      `json:"event"`
}

// Account is who pays: an item of `get accounts`. What is left of a window is the
// ledger's to say.
type Account struct {
	Account       events.AccountName `json:"account"`
	SessionTokens int64              `json:"session_tokens"` // 0 = no limit
	WeeklyTokens  int64              `json:"weekly_tokens"`
	Reserved      int64              `json:"reserved"`
	Open          int                `json:"open"` // reservations
	Waiting       int                `json:"waiting"`
	Spent         int64              `json:"spent"` // in all time
	Breaker       Breaker            `json:"breaker"`
	Updated       time.Time          `json:"updated"`
	Event         events.Ref         `json:"event"`
}

// Breaker is the switch that opens on a usage limit.
type Breaker struct {
	State string     `json:"state"` // "closed", "open" or "probing"
	Epoch int64      `json:"epoch"`
	Until time.Time  `json:"until,omitzero"`
	Cause string     `json:"cause,omitempty"`
	Event events.Ref `json:"event"`
}

// Repo is a repository's flags.
type Repo struct {
	Repo    events.RepoName     `json:"repo"`
	Stream  events.StreamName   `json:"stream"`
	Base    string              `json:"base"`
	Enabled bool                `json:"enabled"`
	Engines []events.EngineName `json:"engines,omitempty"`
	Trouble *Trouble            `json:"trouble,omitempty"` // nil = it can be read
	Was     events.RepoName     `json:"was,omitempty"`     // what the configuration calls it, where the forge calls it otherwise
	Updated time.Time           `json:"updated"`
	Event   events.Ref          `json:"event"`
}

// Trouble is why a repository cannot be read.
type Trouble struct {
	Reason string     `json:"reason"`
	Since  time.Time  `json:"since"`
	Event  events.Ref `json:"event"`
}

// Fleet is what holds for all.
type Fleet struct {
	MaxRuns int        `json:"max_runs"`
	Running int        `json:"running"`
	Waiting int        `json:"waiting"`
	Paused  []Pause    `json:"paused"`
	Config  *Config    `json:"config,omitempty"` // nil = no daemon has read one
	Event   events.Ref `json:"event"`
}

// Config is the configuration that the daemon works by.
type Config struct {
	Digest   string        `json:"digest"`
	Rules    events.Digest `json:"rules"`
	File     string        `json:"file"` // "" = the built-in defaults
	Since    time.Time     `json:"since"`
	Changed  []string      `json:"changed"` // keys, against what held before
	Kept     []string      `json:"kept"`    // keys that hold from the next start on
	Rejected *Rejection    `json:"rejected"`
	Event    events.Ref    `json:"event"`
}

// Rejection says why the newest file was not taken.
type Rejection struct {
	Reason string     `json:"reason"`
	Since  time.Time  `json:"since"`
	Event  events.Ref `json:"event"`
}

// Pause says that no new work starts in a scope.
type Pause struct {
	Scope string     `json:"scope"` // "" = everything
	Since time.Time  `json:"since"`
	Event events.Ref `json:"event"`
}

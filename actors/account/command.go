package account

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Configure: these limits hold from now on. Zero means no limit.
type Configure struct {
	SessionTokens int64 `json:"session_tokens"`
	WeeklyTokens  int64 `json:"weekly_tokens"`
}

// Reserve: a lane asks for its estimate.
type Reserve struct {
	Run          events.RunID    `json:"run"`
	Lane         events.LaneID   `json:"lane"`
	Attempt      int             `json:"attempt"`
	Tokens       int64           `json:"tokens"`
	Pool         events.PoolName `json:"pool"`
	Rank         string          `json:"rank"`
	Owner        events.BootID   `json:"owner"`
	Timeout      int64           `json:"timeout_ms"`
	Deadline     time.Time       `json:"deadline"` // of the run
	MaxRunTokens int64           `json:"max_run_tokens,omitempty"`
}

// Reasons of a Settle that say that nothing was spent. ReasonBefore is the kind
// of a lane.failed; the others name a lane's end.
const (
	ReasonWithdrawn = "withdrawn"
	ReasonDeclined  = "declined"
	ReasonDeferred  = "deferred"
	ReasonBefore    = string(events.FailureBefore)
)

// Settle: a lane has ended (or is not wanted any more) and used this.
type Settle struct {
	Run     events.RunID  `json:"run"`
	Lane    events.LaneID `json:"lane"`
	Attempt int           `json:"attempt"`
	Began   time.Time     `json:"began,omitzero"` // zero = it never did
	Usage   events.Usage  `json:"usage"`
	Limit   bool          `json:"limit"`          // it met the account's usage limit
	Ran     bool          `json:"ran"`            // it came back without meeting it
	Reset   time.Time     `json:"reset,omitzero"` // of the limit; zero = unknown
	Reason  string        `json:"reason"`
}

// Due: a reservation may have lapsed, a window moved on, or the breaker's time
// be over.
type Due struct{}

// The stored names.
func (Configure) Name() string { return "account.configure" }
func (Reserve) Name() string   { return "account.reserve" }
func (Settle) Name() string    { return "account.settle" }
func (Due) Name() string       { return "account.due" }

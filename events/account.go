package events

import "time"

// An account's life. The stream is account-NAME.

// AccountConfigured: these limits hold from now on. Zero means no limit.
type AccountConfigured struct {
	SessionTokens int64 `json:"session_tokens"` // in any 5 hours
	WeeklyTokens  int64 `json:"weekly_tokens"`  // in any 7 days
}

// Type is "account.configured".
func (AccountConfigured) Type() Type { return "account.configured" }

// BudgetReserved: the estimate is held for the lane until it settles.
type BudgetReserved struct {
	Run     RunID        `json:"run"`
	Lane    LaneID       `json:"lane"`
	Attempt int          `json:"attempt"`
	Tokens  int64        `json:"tokens"`
	Pool    PoolName     `json:"pool"`
	Rank    string       `json:"rank"`
	Owner   BootID       `json:"owner"`
	Timeout int64        `json:"timeout_ms"`
	Lapses  time.Time    `json:"lapses"` // settled at the reservation, should nobody do so before
	Breaker BreakerState `json:"breaker"`
}

// Type is "budget.reserved".
func (BudgetReserved) Type() Type { return "budget.reserved" }

// BudgetRefused: there is no room now; the lane keeps its place in the line.
type BudgetRefused struct {
	Run      RunID     `json:"run"`
	Lane     LaneID    `json:"lane"`
	Attempt  int       `json:"attempt"`
	Tokens   int64     `json:"tokens"`
	Pool     PoolName  `json:"pool"`
	Rank     string    `json:"rank"`
	Owner    BootID    `json:"owner"`
	Timeout  int64     `json:"timeout_ms"`
	Deadline time.Time `json:"deadline"`       // of the run
	Until    time.Time `json:"until,omitzero"` // zero = it can never fit
	Reason   string    `json:"reason"`
	// MaxRunTokens is the run's own limit, for when the account looks again.
	MaxRunTokens int64 `json:"max_run_tokens,omitempty"`
}

// Type is "budget.refused".
func (BudgetRefused) Type() Type { return "budget.refused" }

// BudgetSettled: what the lane held is replaced by what it used.
type BudgetSettled struct {
	Run        RunID      `json:"run"`
	Lane       LaneID     `json:"lane"`
	Attempt    int        `json:"attempt"`
	Reserved   int64      `json:"reserved"`
	Used       int64      `json:"used"`
	Confidence Confidence `json:"confidence"`
	Reason     string     `json:"reason"`
	SpentAt    time.Time  `json:"spent_at"` // the time that the spend is dated at
}

// Type is "budget.settled".
func (BudgetSettled) Type() Type { return "budget.settled" }

// BudgetReleased: a place in the account's line was given up before a reservation.
type BudgetReleased struct {
	Run     RunID  `json:"run"`
	Lane    LaneID `json:"lane"`
	Attempt int    `json:"attempt"`
	Reason  string `json:"reason"`
}

// Type is "budget.released".
func (BudgetReleased) Type() Type { return "budget.released" }

// BreakerOpened: the provider said that the account's limit is reached.
type BreakerOpened struct {
	Epoch int64     `json:"epoch"`
	Until time.Time `json:"until"`
	Cause string    `json:"cause"`
}

// Type is "breaker.opened".
func (BreakerOpened) Type() Type { return "breaker.opened" }

// BreakerProbing: one lane may try whether the limit is gone.
type BreakerProbing struct {
	Epoch   int64  `json:"epoch"`
	Run     RunID  `json:"run"`
	Lane    LaneID `json:"lane"`
	Attempt int    `json:"attempt"`
}

// Type is "breaker.probing".
func (BreakerProbing) Type() Type { return "breaker.probing" }

// BreakerClosed: the probe came back well.
type BreakerClosed struct {
	Epoch int64 `json:"epoch"`
}

// Type is "breaker.closed".
func (BreakerClosed) Type() Type { return "breaker.closed" }

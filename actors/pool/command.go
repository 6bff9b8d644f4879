package pool

import "github.com/reviewctl/reviewctl/events"

// Configure: the pool shall have this many slots.
type Configure struct {
	Size   int    `json:"size"`
	Reason string `json:"reason"`
}

// Request: a lane whose budget is reserved asks for a slot.
type Request struct {
	Run     events.RunID        `json:"run"`
	Lane    events.LaneID       `json:"lane"`
	Attempt int                 `json:"attempt"`
	Rank    string              `json:"rank"`
	Owner   events.BootID       `json:"owner"`
	Timeout int64               `json:"timeout_ms"`
	Breaker events.BreakerState `json:"breaker"`
	Account events.AccountName  `json:"account"`
}

// Release: the lane has ended, or is not wanted any more.
type Release struct {
	Run     events.RunID  `json:"run"`
	Lane    events.LaneID `json:"lane"`
	Attempt int           `json:"attempt"`
	Reason  string        `json:"reason"`
}

// Due: a lease may be over.
type Due struct{}

// The stored names.
func (Configure) Name() string { return "pool.configure" }
func (Request) Name() string   { return "pool.request" }
func (Release) Name() string   { return "pool.release" }
func (Due) Name() string       { return "pool.due" }

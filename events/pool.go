package events

import "time"

// A pool's life. The stream is pool-FAMILY.

// PoolSized: from now on the pool has this many slots.
type PoolSized struct {
	Size   int    `json:"size"`
	Reason string `json:"reason"`
}

// Type is "pool.sized".
func (PoolSized) Type() Type { return "pool.sized" }

// LaneQueued: the lane waits for a slot, at the place that its key sorts to.
type LaneQueued struct {
	Run     RunID        `json:"run"`
	Lane    LaneID       `json:"lane"`
	Attempt int          `json:"attempt"`
	Key     string       `json:"key"`
	Owner   BootID       `json:"owner"`
	Timeout int64        `json:"timeout_ms"`
	Breaker BreakerState `json:"breaker"`
	Account AccountName  `json:"account"`
}

// Type is "lane.queued".
func (LaneQueued) Type() Type { return "lane.queued" }

// LaneGranted: the slot is the lane's until it is released or the lease ends.
type LaneGranted struct {
	Run        RunID        `json:"run"`
	Lane       LaneID       `json:"lane"`
	Attempt    int          `json:"attempt"`
	Slot       int          `json:"slot"` // 0-based
	Generation int64        `json:"generation"`
	Lease      time.Time    `json:"lease"` // until when
	Owner      BootID       `json:"owner"`
	Breaker    BreakerState `json:"breaker"`
}

// Type is "lane.granted".
func (LaneGranted) Type() Type { return "lane.granted" }

// LaneReleased: the lane left the pool, from its slot or from the line.
type LaneReleased struct {
	Run        RunID  `json:"run"`
	Lane       LaneID `json:"lane"`
	Attempt    int    `json:"attempt"`
	Slot       int    `json:"slot"` // -1 = it was still in the line
	Generation int64  `json:"generation"`
	Reason     string `json:"reason"`
}

// Type is "lane.released".
func (LaneReleased) Type() Type { return "lane.released" }

// LaneExpired: the lease ended without an answer; the slot is free again.
type LaneExpired struct {
	Run        RunID  `json:"run"`
	Lane       LaneID `json:"lane"`
	Attempt    int    `json:"attempt"`
	Slot       int    `json:"slot"`
	Generation int64  `json:"generation"`
}

// Type is "lane.expired".
func (LaneExpired) Type() Type { return "lane.expired" }

package events

import "time"

// The fleet's life: the line of heads, and what holds for all. The stream is
// fleet-main.

// FleetConfigured: at most this many runs at once.
type FleetConfigured struct {
	MaxRuns int `json:"max_runs"`
}

// Type is "fleet.configured".
func (FleetConfigured) Type() Type { return "fleet.configured" }

// FleetPaused: no new work starts in this scope.
type FleetPaused struct {
	Scope string `json:"scope"` // "" = everything, a RepoName, or a pull request's stream
}

// Type is "fleet.paused".
func (FleetPaused) Type() Type { return "fleet.paused" }

// FleetResumed: the pause of this scope is over.
type FleetResumed struct {
	Scope string `json:"scope"`
}

// Type is "fleet.resumed".
func (FleetResumed) Type() Type { return "fleet.resumed" }

// Ticket is what the fleet knows of a run in its line. It holds all that the run
// needs to start.
type Ticket struct {
	Run      RunID      `json:"run"`
	PR       StreamName `json:"pr"`
	Repo     RepoName   `json:"repo"`
	Number   int        `json:"number"`
	Ref      string     `json:"ref"`
	BaseRef  string     `json:"base_ref"`
	Head     Commit     `json:"head"`
	Base     Commit     `json:"base"`
	Trigger  Trigger    `json:"trigger"`
	Priority Priority   `json:"priority"`
	QueuedAt time.Time  `json:"queued_at"`
	Owner    BootID     `json:"owner"`
	Attempt  int        `json:"attempt"`
	Deadline time.Time  `json:"deadline"`
	Settings Settings   `json:"settings"`
	Prior    int        `json:"prior,omitempty"` // findings of earlier reviews that may be fixed
}

// RunHeld: the run waits in the fleet's line at the place that its key sorts to.
type RunHeld struct {
	Ticket Ticket `json:"ticket"`
	Key    string `json:"key"`
	Reason string `json:"reason"`
}

// Type is "run.held".
func (RunHeld) Type() Type { return "run.held" }

// RunRefused: the run does not wait (a `review` in a terminal under a pause).
type RunRefused struct {
	Run    RunID      `json:"run"`
	PR     StreamName `json:"pr"`
	Head   Commit     `json:"head"`
	Reason string     `json:"reason"`
}

// Type is "run.refused".
func (RunRefused) Type() Type { return "run.refused" }

// RunAdmitted: the run may start.
type RunAdmitted struct {
	Ticket Ticket `json:"ticket"`
}

// Type is "run.admitted".
func (RunAdmitted) Type() Type { return "run.admitted" }

// RunFreed: the run has ended, or left the line.
type RunFreed struct {
	Run    RunID  `json:"run"`
	Reason string `json:"reason"`
}

// Type is "run.freed".
func (RunFreed) Type() Type { return "run.freed" }

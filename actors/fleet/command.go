package fleet

import "github.com/reviewctl/reviewctl/events"

// Configure: at most this many runs at once.
type Configure struct {
	MaxRuns int `json:"max_runs"`
}

// Admit: a run asks to start.
type Admit struct {
	Ticket events.Ticket `json:"ticket"`
}

// Lift: a run that waits shall be served as one of this priority.
type Lift struct {
	Run      events.RunID    `json:"run"`
	Priority events.Priority `json:"priority"`
}

// Free: a run has ended.
type Free struct {
	Run    events.RunID `json:"run"`
	Reason string       `json:"reason"`
}

// Pause: no new work shall start in this scope: "" = everything, a RepoName, or
// a pull request's stream.
type Pause struct {
	Scope string `json:"scope"`
}

// Resume: the pause of this scope is over.
type Resume struct {
	Scope string `json:"scope"`
}

// Due: a run may be long past its deadline without having ended.
type Due struct{}

// The stored names.
func (Configure) Name() string { return "fleet.configure" }
func (Admit) Name() string     { return "fleet.admit" }
func (Lift) Name() string      { return "fleet.lift" }
func (Free) Name() string      { return "fleet.free" }
func (Pause) Name() string     { return "fleet.pause" }
func (Resume) Name() string    { return "fleet.resume" }
func (Due) Name() string       { return "fleet.due" }

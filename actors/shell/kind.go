package shell

import "github.com/reviewctl/reviewctl/events"

// Kind is what one category of actors does with the shell. A Kind is a value;
// an actor package contributes no loop.
type Kind struct {
	Category string
	// New returns a pointer to an empty state.
	New func() any
	// Fold applies one recorded event to a state.
	Fold func(state any, e *events.Event, p events.Payload)
	// Decide answers a command. An error is a *events.Refusal.
	Decide func(rules any, state any, given events.Given, cmd events.Command) ([]events.Payload, error)
	// Check reports what does not hold after a decision, which is a bug: the shell
	// panics. nil = nothing to check.
	Check func(state any) error
	// Plain kinds (inbox, policy, seal) are written without a decision on record.
	Plain bool
	// SnapshotEvery is the number of events between snapshots; 0 = none.
	SnapshotEvery int
	// Code names the fold: a snapshot that another fold took is not used.
	Code string
	// CausesMax bounds the memory of causes acted upon.
	CausesMax int
}

// Rules is a Rules value with its digest. The value goes to Kind.Decide.
type Rules struct {
	Digest events.Digest
	Value  any
}

// Snapshot is a fold's state up to a version: a cache, never truth.
type Snapshot struct {
	Version events.Version
	Head    events.Hash // of the event at Version
	At      string      // that event's time, in its hashed form
	State   []byte      // JSON of the state and of the causes
}

package shell

import (
	"errors"

	"github.com/reviewctl/reviewctl/events"
)

// Ticket is how a driver knows its ask again when the answer comes.
type Ticket uint64

// Ask is a command for the stream's actor.
type Ask struct {
	Ticket  Ticket
	Command events.Command
	// Cause is the recorded event that the command came from. Where Routed is set,
	// the route table made the command of that event alone, so that its fields need
	// no record, and a cause that was acted upon makes it void.
	Cause  events.Cause
	Routed bool
	By     string
	Given  events.Given
	Rules  *Rules
	tries  int // conflicts and unknown outcomes so far
}

// Answer is what came of an ask.
type Answer struct {
	Accepted bool
	Reason   string       // of a refusal, or of "done before"
	Events   []events.Ref // that were written for it
	// Err is set where the ask could not be carried out. Nothing was written for
	// it, or, with events.ErrUnknownOutcome, nobody knows; it may be asked again.
	Err error
}

// Errors of an Answer, beside those of events.Store.
var (
	ErrStopping  = errors.New("the actor is stopping")
	ErrContended = errors.New("others kept writing to the stream")
)

// Input is what a driver feeds to a machine.
type Input interface{ input() }

// Loaded answers Load: the snapshot, where there is one, and all events behind
// it, in order.
type Loaded struct {
	Snapshot *Snapshot
	Events   []*events.Event
	Err      error
}

// Appended answers Write: it is durable.
type Appended struct{}

// Failed answers Write: a *events.ConflictError, or an error of events.Store.
type Failed struct{ Err error }

// Notice says that another process has written to the stream, up to a version. What
// comes of nothing is written down nowhere, so that no conflict would tell.
type Notice struct{ Version events.Version }

// Stop asks the machine to finish what is in flight and to say Stopped.
type Stop struct{}

func (Ask) input()      {}
func (Loaded) input()   {}
func (Appended) input() {}
func (Failed) input()   {}
func (Notice) input()   {}
func (Stop) input()     {}

// Output is what a machine asks its driver to do.
type Output interface{ output() }

// Load asks for the stream; Loaded must follow.
type Load struct{ Snapshot bool }

// Write asks for an append; Appended or Failed must follow.
type Write struct{ Append events.Append }

// Reply is the answer to an ask.
type Reply struct {
	Ticket Ticket
	Answer Answer
}

// Save offers a snapshot. The driver may drop it.
type Save struct{ Snapshot Snapshot }

// Stopped says that nothing is in flight any more.
type Stopped struct{}

func (Load) output()    {}
func (Write) output()   {}
func (Reply) output()   {}
func (Save) output()    {}
func (Stopped) output() {}

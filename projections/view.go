package projections

import (
	"errors"
	"fmt"

	"github.com/reviewctl/reviewctl/events"
)

// View is a read model: a pure fold of events into rows.
type View struct {
	Name ViewName
	// Version counts the shapes of the view. A view whose rows were written by an
	// older version is rebuilt by itself.
	Version int
	// Apply changes rows by one event. It depends on the event and the view's rows
	// and on nothing else. An error stops this view and no other.
	Apply func(tx *Tx, e *events.Event, p events.Payload) error
}

// ErrNoView says that there is no view of that name.
var ErrNoView = errors.New("no such view")

// ErrNewerView says that a newer version of this program wrote the rows.
var ErrNewerView = errors.New("the view was written by a newer version")

// StoppedError says that a view cannot go on, and at which event.
type StoppedError struct {
	View ViewName
	At   events.Ref // zero where no event is to blame
	Err  error
}

func (e *StoppedError) Error() string {
	if e.At.Stream == "" {
		return fmt.Sprintf("view %s is stopped: %v", e.View, e.Err)
	}
	return fmt.Sprintf("view %s is stopped before %s: %v", e.View, e.At, e.Err)
}

// Unwrap returns the cause.
func (e *StoppedError) Unwrap() error { return e.Err }

// ViewReport says how far a view is.
type ViewReport struct {
	View       ViewName
	Checkpoint Checkpoint
	Stopped    *StoppedError // nil = it goes on
}

// Report is the answer of a runner that has caught up.
type Report struct {
	// Position is where the log ended.
	Position events.Position
	Views    []ViewReport
}

// Err returns why one of the named views is stopped, or nil. Without names it
// asks for all.
func (r Report) Err(names ...ViewName) error {
	for _, v := range r.Views {
		if v.Stopped == nil {
			continue
		}
		for _, name := range names {
			if name == v.View {
				return v.Stopped
			}
		}
		if len(names) == 0 {
			return v.Stopped
		}
	}
	return nil
}

// Stopped returns why a view is stopped, or nil.
func (r Report) Stopped(name ViewName) *StoppedError {
	for _, v := range r.Views {
		if v.View == name {
			return v.Stopped
		}
	}
	return nil
}

func (r Report) allStopped() bool {
	for _, v := range r.Views {
		if v.Stopped == nil {
			return false
		}
	}
	return len(r.Views) > 0
}

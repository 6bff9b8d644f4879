package virtual

import (
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Faults are probabilities, each of one step of its kind.
type Faults struct {
	Crash           float64 // of a process, after any entry of the agenda
	Conflict        float64 // an append that is refused although nobody wrote
	Unknown         float64 // an append whose outcome is unknown: stored, lost, or stored later
	Unavailable     float64 // an append or a load
	LostNotice      float64
	DoubledNotice   float64
	DoubledDelivery float64
	Checkpoint      float64 // that the router's checkpoint is stored when it has read
	Freeze          float64 // a step of a publication that stands still for long
}

// fault is what befalls one append.
type fault uint8

const (
	faultNone fault = iota
	faultConflict
	faultUnknownStored
	faultUnknownLost
	faultUnknownLate
	faultUnavailable
)

func (w *World) draw() fault {
	f := &w.scenario.Faults
	switch {
	case w.lucky(f.Conflict):
		w.count("conflict.spurious")
		return faultConflict
	case w.lucky(f.Unknown):
		kind := []fault{faultUnknownStored, faultUnknownLost, faultUnknownLate}[w.luck.IntN(3)]
		w.count([]string{"unknown.stored", "unknown.lost", "unknown.late"}[kind-faultUnknownStored])
		return kind
	case w.lucky(f.Unavailable):
		w.count("append.unavailable")
		return faultUnavailable
	}
	return faultNone
}

// before says what an append meets on its way.
func (f fault) before(w *World, a events.Append) error {
	switch f {
	case faultConflict:
		return &events.ConflictError{Stream: a.Stream, Expected: a.Expected, Actual: events.NoneYet - 1}
	case faultUnknownLost:
		return fmt.Errorf("append to %s: %w", a.Stream, events.ErrUnknownOutcome)
	case faultUnknownLate:
		w.at(w.between(0, 30*time.Millisecond), func() { _ = w.append(a, faultNone) })
		return fmt.Errorf("append to %s: %w", a.Stream, events.ErrUnknownOutcome)
	case faultUnavailable:
		return fmt.Errorf("append to %s: %w", a.Stream, events.ErrUnavailable)
	case faultNone, faultUnknownStored:
	}
	return nil
}

// after says what its writer hears of an append that landed.
func (f fault) after(a events.Append) error {
	if f == faultUnknownStored {
		return fmt.Errorf("append to %s: %w", a.Stream, events.ErrUnknownOutcome)
	}
	return nil
}

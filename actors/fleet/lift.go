package fleet

import "github.com/reviewctl/reviewctl/events"

const reasonLifted = "a review of it was asked for with priority"

// lift gives a run that waits a better place. One that runs, or has ended, has no
// place. A run that is paused keeps being so.
func lift(s *State, c Lift) []events.Payload {
	e, ok := s.Ready.Get(c.Run)
	reason := reasonLifted
	if !ok {
		if e, ok = s.Parked.Get(c.Run); !ok { // guard: a run that does not wait is put into the line
			return nil
		}
		scope, _ := pausedBy(s.Paused, e.Value)
		reason = reasonPaused + scopeName(scope)
	}
	t := e.Value
	if t.Priority <= c.Priority { // guard: a run is lifted twice, or let down
		return nil
	}
	t.Priority = c.Priority
	return []events.Payload{held(t, reason)}
}

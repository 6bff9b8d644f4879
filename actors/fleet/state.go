package fleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/actors/line"
	"github.com/reviewctl/reviewctl/events"
)

// EndedMax bounds the memory of runs that have ended. A repeat comes within
// seconds, after a router's restart; this many runs take hours.
const EndedMax = 1024

// Member is a run that the fleet knows, ordered by its lapse.
type Member struct {
	Running bool `json:"running"`
}

// State is what the fleet's events say.
type State struct {
	MaxRuns int                                    `json:"max_runs"` // 0 = never configured
	Paused  []string                               `json:"paused"`   // scopes, sorted
	Running int                                    `json:"running"`
	Ready   line.Line[events.RunID, events.Ticket] `json:"ready"`
	Parked  line.Line[events.RunID, events.Ticket] `json:"parked"`
	Members line.Line[events.RunID, Member]        `json:"members"`
	Ended   line.Line[events.RunID, struct{}]      `json:"ended"`
	Config  Config                                 `json:"config"`
}

// Key is where a ticket stands in the line: the better priority first, then who
// was queued first, then by run. (ARCHITECTURE, path 4)
func Key(t events.Ticket) string {
	digit := byte('0' + min(9, max(0, int(t.Priority))))
	return string(digit) + "|" + events.FormatTime(t.QueuedAt) + "|" + string(t.Run)
}

// lapse is the sort key of the time at which a run's place is given back.
func lapse(t events.Ticket) string { return events.FormatTime(t.Deadline.Add(events.AdmissionGrace)) }

// pausedBy returns the widest of the scopes that holds the ticket.
func pausedBy(scopes []string, t events.Ticket) (scope string, paused bool) {
	for _, scope := range []string{"", string(t.Repo), string(t.PR)} {
		if _, ok := slices.BinarySearch(scopes, scope); ok {
			return scope, true
		}
	}
	return "", false
}

// Fold applies a recorded event.
func Fold(s *State, e *events.Event, p events.Payload) {
	switch p := p.(type) {
	case *events.FleetConfigured:
		s.MaxRuns = p.MaxRuns
	case *events.FleetPaused:
		s.Paused = with(s.Paused, p.Scope)
		s.sift(&s.Ready, &s.Parked)
	case *events.FleetResumed:
		s.Paused = without(s.Paused, p.Scope)
		s.sift(&s.Parked, &s.Ready)
	case *events.RunHeld:
		into := &s.Ready
		if _, paused := pausedBy(s.Paused, p.Ticket); paused {
			into = &s.Parked
		}
		into.Put(p.Ticket.Run, p.Key, int64(e.Version), p.Ticket)
		s.Members.Put(p.Ticket.Run, lapse(p.Ticket), int64(e.Version), Member{})
	case *events.RunAdmitted:
		s.forget(p.Ticket.Run)
		s.Members.Put(p.Ticket.Run, lapse(p.Ticket), int64(e.Version), Member{Running: true})
		s.Running++
	case *events.RunFreed:
		s.forget(p.Run)
		line.Remember(&s.Ended, p.Run, int64(e.Version), EndedMax)
	case *events.RunRefused:
		s.forget(p.Run)
		line.Remember(&s.Ended, p.Run, int64(e.Version), EndedMax)
	default:
		foldConfig(s, p)
	}
}

// forget takes a run out of wherever it is.
func (s *State) forget(run events.RunID) {
	if m, ok := s.Members.Get(run); ok && m.Value.Running {
		s.Running--
	}
	s.Members.Remove(run)
	s.Ready.Remove(run)
	s.Parked.Remove(run)
}

// sift moves those who stand in the wrong line since the pauses changed. It looks
// at every place, which only an operator's pause or resume costs.
func (s *State) sift(from, to *line.Line[events.RunID, events.Ticket]) {
	for _, e := range from.All() {
		if _, paused := pausedBy(s.Paused, e.Value); paused == (to == &s.Parked) {
			from.Remove(e.ID)
			to.Put(e.ID, e.Key, e.Seq, e.Value)
		}
	}
}

func with(scopes []string, scope string) []string {
	i, ok := slices.BinarySearch(scopes, scope)
	if ok {
		return scopes
	}
	return slices.Insert(slices.Clone(scopes), i, scope)
}

func without(scopes []string, scope string) []string {
	i, ok := slices.BinarySearch(scopes, scope)
	if !ok {
		return scopes
	}
	return slices.Delete(slices.Clone(scopes), i, i+1)
}

// Check reports a state that no sequence of decisions may reach.
func Check(s *State) error {
	if !slices.IsSortedFunc(s.Paused, strings.Compare) {
		return fmt.Errorf("fleet: scopes are out of order: %q", s.Paused)
	}
	if got, want := s.Members.Len(), s.Running+s.Ready.Len()+s.Parked.Len(); got != want {
		return fmt.Errorf("fleet: %d runs are known, %d wait or run", got, want)
	}
	return nil
}

package fleet

import (
	"fmt"
	"slices"

	"github.com/reviewctl/reviewctl/actors/line"
	"github.com/reviewctl/reviewctl/events"
)

// Defaults and bounds. A decision is one append of at most 1 MiB, hence the
// batch: who does not fit into it is admitted with the next that frees a place.
const (
	MaxRunsDefault = 30 // semantics 6.5
	MaxRunsMax     = 10_000
	PausesMax      = 1_000
	BatchDefault   = 128
)

// Rules are the fleet's parameters.
type Rules struct {
	Version        int `json:"version"` // of the code that decides
	DefaultMaxRuns int `json:"default_max_runs"`
	Batch          int `json:"batch"` // admissions, or lapses, of one decision
}

// DefaultRules returns the rules that hold where nobody says otherwise.
func DefaultRules() Rules {
	return Rules{Version: 1, DefaultMaxRuns: MaxRunsDefault, Batch: BatchDefault}
}

// The reasons on record.
const (
	ReasonLapsed = "lapsed"
	reasonPaused = "paused: "
)

// Decide answers a command with events, with nothing where it is already so, or
// with a refusal.
func (r Rules) Decide(s *State, given events.Given, cmd events.Command) ([]events.Payload, error) {
	switch c := cmd.(type) {
	case Configure:
		return r.configure(s, c)
	case Admit:
		return r.admit(s, c.Ticket)
	case Lift:
		return lift(s, c), nil
	case Free:
		return r.free(s, c)
	case Pause:
		return r.pause(s, c.Scope)
	case Resume:
		return r.resume(s, c.Scope)
	case Due:
		return r.due(s, given), nil
	case LoadConfig:
		return r.loadConfig(s, c)
	case RejectConfig:
		return r.rejectConfig(s, c)
	default:
		return nil, &events.Refusal{Reason: fmt.Sprintf("the fleet takes no %s", cmd.Name())}
	}
}

func (r Rules) configure(s *State, c Configure) ([]events.Payload, error) {
	if c.MaxRuns < 0 || c.MaxRuns > MaxRunsMax {
		return nil, &events.Refusal{Reason: fmt.Sprintf("max_runs is %d; it must be 0 to %d", c.MaxRuns, MaxRunsMax)}
	}
	if c.MaxRuns == s.MaxRuns {
		return nil, nil
	}
	room := r.limit(c.MaxRuns) - s.Running
	return r.fill([]events.Payload{&events.FleetConfigured{MaxRuns: c.MaxRuns}}, room, s.Ready.Cursor(), nil), nil
}

func (r Rules) admit(s *State, t events.Ticket) ([]events.Payload, error) {
	if s.Members.Has(t.Run) || s.Ended.Has(t.Run) { // guard: a run is admitted twice
		return nil, nil
	}
	if t.Run == "" || t.Deadline.IsZero() {
		return nil, &events.Refusal{Reason: "a ticket needs a run and a deadline"}
	}
	if scope, paused := pausedBy(s.Paused, t); paused { // guard: a paused run starts
		if t.Owner != events.OwnerAny { // guard: a review in a terminal waits for a pause
			return []events.Payload{refusal(t, scope)}, nil
		}
		return []events.Payload{held(t, reasonPaused+scopeName(scope))}, nil
	}
	limit := r.limit(s.MaxRuns)
	room := limit - s.Running
	if room > 0 && s.Ready.Len() == 0 {
		return []events.Payload{&events.RunAdmitted{Ticket: t}}, nil
	}
	// Where there is room, the line is empty, unless the rules have changed since:
	// then the newcomer passes nobody.
	decided := []events.Payload{held(t, fmt.Sprintf("%d of %d runs are running", s.Running, limit))}
	return r.fill(decided, room, s.Ready.Cursor(), []*place{{ID: t.Run, Key: Key(t), Value: t}}), nil
}

func (r Rules) free(s *State, c Free) ([]events.Payload, error) {
	member, ok := s.Members.Get(c.Run)
	if !ok {
		return nil, nil
	}
	decided := []events.Payload{&events.RunFreed{Run: c.Run, Reason: c.Reason}}
	room := r.limit(s.MaxRuns) - s.Running
	if member.Value.Running { // guard: a place that came free is not given
		room++
	}
	return r.fill(decided, room, s.Ready.Cursor(), nil, c.Run), nil
}

func (r Rules) pause(s *State, scope string) ([]events.Payload, error) {
	if _, already := slices.BinarySearch(s.Paused, scope); already {
		return nil, nil
	}
	if len(scope) > events.StreamNameMax {
		return nil, &events.Refusal{Reason: "the scope is no repository and no pull request"}
	}
	if len(s.Paused) >= PausesMax { // guard: pauses grow without bound
		return nil, &events.Refusal{Reason: fmt.Sprintf("%d scopes are paused already; pause everything instead", PausesMax)}
	}
	decided := []events.Payload{&events.FleetPaused{Scope: scope}}
	scopes := []string{scope}
	for cursor := s.Ready.Cursor(); len(decided) <= r.Batch; {
		e := cursor.Next()
		if e == nil {
			break
		}
		// A review in a terminal does not wait for a pause. (hard-parts §8)
		if _, now := pausedBy(scopes, e.Value); now && e.Value.Owner != events.OwnerAny {
			decided = append(decided, refusal(e.Value, scope))
		}
	}
	return decided, nil
}

func (r Rules) resume(s *State, scope string) ([]events.Payload, error) {
	if _, paused := slices.BinarySearch(s.Paused, scope); !paused {
		return nil, nil
	}
	still := without(s.Paused, scope)
	room := min(r.limit(s.MaxRuns)-s.Running, r.Batch)
	var back []*place
	for cursor := s.Parked.Cursor(); len(back) < room; {
		e := cursor.Next()
		if e == nil {
			break
		}
		if _, paused := pausedBy(still, e.Value); !paused {
			back = append(back, e)
		}
	}
	decided := []events.Payload{&events.FleetResumed{Scope: scope}}
	return r.fill(decided, room, s.Ready.Cursor(), back), nil
}

func (r Rules) due(s *State, given events.Given) []events.Payload {
	var decided []events.Payload
	var gone []events.RunID
	room, now := r.limit(s.MaxRuns)-s.Running, events.FormatTime(given.At)
	for cursor := s.Members.Cursor(); len(gone) < r.Batch; {
		e := cursor.Next()
		if e == nil || e.Key > now {
			break
		}
		if e.Value.Running {
			room++
		}
		gone = append(gone, e.ID)
		decided = append(decided, &events.RunFreed{Run: e.ID, Reason: ReasonLapsed})
	}
	return r.fill(decided, room, s.Ready.Cursor(), nil, gone...)
}

type place = line.Entry[events.RunID, events.Ticket]

// fill admits the best of the line, and of those who join it in this decision (in
// order), while there is room, but for those who leave it in this decision.
func (r Rules) fill(decided []events.Payload, room int, ready line.Cursor[events.RunID, events.Ticket],
	joining []*place, leaving ...events.RunID,
) []events.Payload {
	for room = min(room, r.Batch); room > 0; {
		best := ready.Peek()
		switch {
		case len(joining) > 0 && (best == nil || joining[0].Key < best.Key):
			best, joining = joining[0], joining[1:]
		case best == nil:
			return decided
		default:
			ready.Next()
		}
		if slices.Contains(leaving, best.ID) { // guard: a run that leaves is admitted
			continue
		}
		decided = append(decided, &events.RunAdmitted{Ticket: best.Value})
		room--
	}
	return decided
}

func (r Rules) limit(configured int) int {
	if configured == 0 {
		return r.DefaultMaxRuns
	}
	return configured
}

func held(t events.Ticket, reason string) *events.RunHeld {
	return &events.RunHeld{Ticket: t, Key: Key(t), Reason: reason}
}

func refusal(t events.Ticket, scope string) *events.RunRefused {
	return &events.RunRefused{Run: t.Run, PR: t.PR, Head: t.Head, Reason: reasonPaused + scopeName(scope)}
}

func scopeName(scope string) string {
	if scope == "" {
		return "everything"
	}
	return scope
}

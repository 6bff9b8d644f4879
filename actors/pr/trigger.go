package pr

import (
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// AskedMax bounds the memory of triggers that wait for one review; of more, the
// newest are remembered.
const AskedMax = 32

// Noted is a trigger that came while a run was under way.
type Noted struct {
	events.Asked
	Priority events.Priority `json:"priority"`
	At       time.Time       `json:"at"`
}

// note records that a review was asked for beside a run. Whether that run answers
// it is known once the fleet has let the run begin. (semantics 3.2, fold)
func note(s *State, t events.Trigger, p events.Priority) []events.Payload {
	if slices.ContainsFunc(s.Noted, func(n Noted) bool { return n.Priority <= p }) { // guard: one wish is noted over and over
		return nil
	}
	return []events.Payload{&events.TriggerNoted{Run: s.Run.Run, Head: s.Run.Head, Trigger: t, Priority: p}}
}

// noteAdmitted: what was asked for before the run began is answered by it, if it
// is the daemon's. What came after that survives, and so does everything beside a
// `review` in a terminal, which nobody posts. (semantics 3.2)
func noteAdmitted(s *State, c NoteAdmitted) []events.Payload {
	if s.Run == nil || s.Run.Run != c.Run || s.Run.Owner != events.OwnerAny { // guard: a run answers what it was not asked
		return nil
	}
	answered := events.TriggersAnswered{Run: c.Run}
	for _, n := range s.Noted {
		if !n.At.After(c.At) { // guard: a trigger that came during the review is lost
			answered.Answers = append(answered.Answers, n.Asked)
		}
	}
	if len(answered.Answers) == 0 {
		return nil
	}
	return []events.Payload{&answered}
}

// waiting are the triggers that a head queued now takes over from the one before
// it: those that nobody has begun to answer, or those of the run that is given up.
func (s *State) waiting() []events.Asked {
	if s.Run != nil {
		return s.Run.Answers
	}
	return s.Waiting
}

// hurried is the best priority among what was noted, or none.
func (s *State) hurried() (events.Priority, bool) {
	if len(s.Noted) == 0 {
		return 0, false
	}
	best := s.Noted[0].Priority
	for _, n := range s.Noted {
		best = min(best, n.Priority)
	}
	return best, true
}

// after adds to the triggers that wait those which a newly queued head answers:
// for the daemon whatever was noted beside a run, and its own, unless it is queued
// again after a failure.
func (s *State) after(waiting []events.Asked, q *events.HeadQueued, at events.Version) []events.Asked {
	all := slices.Clone(waiting)
	if q.Owner == events.OwnerAny {
		for _, n := range s.Noted {
			all = append(all, n.Asked)
		}
	}
	if q.After == "" || q.Trigger != events.TriggerRetry {
		all = append(all, events.Asked{Trigger: q.Trigger, Version: at})
	}
	return newest(all, AskedMax)
}

func newest(all []events.Asked, most int) []events.Asked {
	if len(all) > most { // guard: the memory of triggers grows without bound
		all = all[len(all)-most:]
	}
	return slices.Clip(all)
}

func (s *State) foldTrigger(e *events.Event, p events.Payload) {
	switch p := p.(type) {
	case *events.TriggerNoted:
		s.Noted = append(slices.Clip(s.Noted), Noted{
			Asked: events.Asked{Trigger: p.Trigger, Version: e.Version}, Priority: p.Priority, At: e.Time,
		})
	case *events.TriggersAnswered:
		s.Noted = slices.DeleteFunc(slices.Clone(s.Noted), func(n Noted) bool { return slices.Contains(p.Answers, n.Asked) })
		if s.Run != nil {
			run := *s.Run
			run.Answers = newest(append(slices.Clip(run.Answers), p.Answers...), AskedMax)
			s.Run = &run
		}
	}
}

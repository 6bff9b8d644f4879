package pr

import (
	"github.com/reviewctl/reviewctl/events"
)

// adopt asks whether the run's head is still the head. A run that was given up
// gets its verdict discarded, once.
func (r Rules) adopt(s *State, given events.Given, c AdoptVerdict) []events.Payload {
	if s.Run == nil || s.Run.Run != c.Run { // guard: the verdict of a run that does not count is adopted
		if !dying(s, c.Run) { // guard: a verdict is discarded twice
			return nil
		}
		return []events.Payload{&events.VerdictDiscarded{
			Run: c.Run, Head: c.Head, Reason: "the pull request went on while it was being judged",
		}}
	}
	if s.Adopted { // guard: a verdict is adopted twice
		return nil
	}
	if s.Head != c.Head {
		return []events.Payload{&events.VerdictDiscarded{Run: c.Run, Head: c.Head, Reason: "it is not about the head"}}
	}
	adopted := events.VerdictAdopted{
		Run: c.Run, Head: c.Head, Base: c.Base, Verdict: c.Verdict, Outcome: c.Outcome, Target: c.Target,
	}
	if c.Target != events.TargetNone {
		adopted.Try, adopted.Owner = 1, given.Boot
		adopted.PublishUntil = after(given.At, r.PublishLease)
	}
	return []events.Payload{&adopted}
}

// noteRunEnd settles the head, or queues it again: after a failure while tries
// are left, and for a run that could not run until the time that it named, which
// uses no try. Only the daemon tries a head again. (hard-parts §2, §5)
func (r Rules) noteRunEnd(s *State, given events.Given, c NoteRunEnd) []events.Payload {
	if s.Run == nil || s.Run.Run != c.Run { // guard: the end of a run that does not count settles the head
		return nil
	}
	end, again := c.End, *s.Last
	if s.Run.Owner == events.OwnerAny {
		switch {
		case end.Outcome == events.OutcomeNotRun && !end.Until.IsZero():
			again.NotBefore = end.Until
		case end.Outcome == events.OutcomeFailed && s.Run.Attempt < r.retries(end.Kind): // guard: a failed head is not tried again
			again.Attempt = s.Run.Attempt + 1
			again.NotBefore = after(given.At, r.RetryDelays[min(s.Run.Attempt, len(r.RetryDelays)-1)])
		default:
			return r.settle(s, given, end.Outcome, end.Why)
		}
		again.Trigger, again.Why, again.After = events.TriggerRetry, end.Why, c.Run
		if p, ok := s.hurried(); ok { // guard: what was asked for meanwhile waits out a back-off
			again.NotBefore, again.Priority = given.At, min(again.Priority, p)
		}
		return r.queue(s, given, nil, &again, s.waiting())
	}
	return r.settle(s, given, end.Outcome, end.Why)
}

func (r Rules) retries(kind events.FailureKind) int {
	switch kind {
	case events.FailureInfra, events.FailureLost, events.FailureTimeout, events.FailureBefore, events.FailureUsageLimit:
		return r.RetryInfra
	case events.FailureContract:
		return r.RetryContract
	case events.FailureFatal:
	}
	return 0
}

// settle closes the head's business. A head that a daemon minds, and that a
// `review` in a terminal took over and did not review, goes back to the daemon; so
// does one of which a review was asked for that this run does not answer.
func (r Rules) settle(s *State, given events.Given, o events.Outcome, why string) []events.Payload {
	settled := events.HeadSettled{Head: s.Head, Outcome: o, Why: why}
	owner := events.OwnerAny
	if s.Run != nil {
		settled.Run, owner = s.Run.Run, s.Run.Owner
	} else if s.Queued != nil {
		owner = s.Queued.Owner
	}
	out := []events.Payload{&settled}
	priority, asked := s.hurried()
	switch {
	case owner != events.OwnerAny && (s.Served != nil || s.Skipped != nil) && !r.counts(s, o) && !(asked && s.Skipped != nil): // guard: a head that a review took over is lost to the daemon
		back := r.giveBack(s, given, out, func(q *events.HeadQueued) {
			q.Trigger, q.Why = events.TriggerRetry, why
			if asked {
				q.Priority = min(q.Priority, priority)
			}
		})
		return back
	case asked: // guard: a trigger that came during the review is lost
		out = append(out, abandon(s, "another review was asked for")...)
		next := r.again(s, given, events.TriggerManual, priority)
		if owner != events.OwnerAny && s.Served != nil {
			next = served(s, given)
			next.Trigger, next.Priority = events.TriggerManual, priority
		}
		return r.queue(s, given, out, next, nil)
	}
	return out
}

// counts reports whether what a `review` in a terminal came to stands for the
// daemon's review: it reached a verdict, which goes where the daemon's would go.
func (r Rules) counts(s *State, o events.Outcome) bool {
	if r.ForgeRules && s.Run != nil && s.Served != nil && s.Run.Settings.Target != s.Served.Settings.Target { // guard: a review that nobody posts keeps the daemon from its own
		return false
	}
	return o.Reviewed()
}

// served is the newest head, as the daemon that minds it would queue it now.
func served(s *State, given events.Given) *events.HeadQueued {
	back := *s.Served
	if back.BaseRef == s.Base {
		back.Base = s.Last.Base // as the newest look saw it
	}
	back.Head, back.Attempt, back.Why, back.After = s.Head, 0, "", ""
	back.QueuedAt, back.FirstPush, back.NotBefore = given.At, given.At, given.At
	return &back
}

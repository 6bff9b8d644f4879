package pr

import (
	"github.com/reviewctl/reviewctl/events"
)

// notePublication records how a try ended. Only the try that holds the lease, or
// the one whose lease just ran out, may say so. (hard-parts §4)
func (r Rules) notePublication(s *State, given events.Given, cmd events.Command) []events.Payload {
	p := s.Publication
	current := func(run events.RunID, try int) bool { return p != nil && p.Run == run && p.Try == try }
	switch c := cmd.(type) {
	case NotePublished:
		if !current(c.Run, c.Try) {
			return nil
		}
		return []events.Payload{&events.VerdictPublished{
			Run: c.Run, Head: p.Head, Try: c.Try, Receipt: c.Receipt, URL: c.URL, Existing: c.Existing,
		}}
	case NotePublishFailed:
		if !current(c.Run, c.Try) || !p.Active() { // guard: a try that is over fails the next
			return nil
		}
		fatal := ""
		if c.Kind == events.FailureFatal {
			fatal = c.Message
		}
		return r.orStuck(p, []events.Payload{&events.PublicationFailed{
			Run: c.Run, Try: c.Try, Kind: c.Kind, Message: c.Message,
			NextAt: later(after(given.At, r.publishDelay(c.Try)), c.NotBefore),
		}}, fatal)
	case NotePublishUnknown:
		if !current(c.Run, c.Try) || !p.Active() { // guard: a try that is over fails the next
			return nil
		}
		return r.orStuck(p, []events.Payload{&events.PublicationUnknown{
			Run: c.Run, Try: c.Try, Reason: c.Reason, NextAt: after(given.At, r.publishDelay(c.Try)),
		}}, "")
	case NotePublishAbandoned:
		if !current(c.Run, c.Try) {
			return nil
		}
		return r.abandoned(s, given, c)
	}
	return nil
}

// abandoned: the publisher saw that the review is not wanted any more. That is no
// failure. Where the base moved the same head is queued again, so that it is not
// lost should nobody look. (decision 8 has it that a moved tip is no reason to)
func (r Rules) abandoned(s *State, given events.Given, c NotePublishAbandoned) []events.Payload {
	out := []events.Payload{&events.PublicationAbandoned{Run: c.Run, Why: c.Why, Cause: c.Cause}}
	if c.Cause != events.AbandonBase {
		return out
	}
	q := *s.Last
	q.Trigger, q.Attempt, q.Why, q.After = events.TriggerBase, 0, c.Why, ""
	q.QueuedAt, q.FirstPush, q.NotBefore = given.At, given.At, given.At
	if q.Owner == events.OwnerAny {
		q.NotBefore = after(given.At, q.Settings.Debounce)
	}
	if s.Skipped != nil { // guard: a review that was asked for is held back as a draft's
		q.Trigger, q.NotBefore = events.TriggerManual, given.At
	}
	if c.BaseRef != "" {
		q.BaseRef = c.BaseRef
	}
	if c.Base != "" {
		q.Base = c.Base
	}
	if s.Run != nil { // guard: its run, which has judged, is still waited for
		q.After = s.Run.Run
	}
	return r.queue(s, given, out, &q, s.waiting())
}

// orStuck adds to a try that ended without success that it was the last: the tries
// are used up, or none can mend what is wrong. (hard-parts §4)
func (r Rules) orStuck(p *Publication, out []events.Payload, fatal string) []events.Payload {
	why := "every try failed"
	switch {
	case !r.ForgeRules: // guard: old rules are stuck at once
		return out
	case fatal != "": // guard: what no try can mend is tried again
		why = fatal
	case p.Try < r.PublishTries: // guard: the first failure is the last
		return out
	}
	return append(out, &events.PublicationStuck{Run: p.Run, Tries: p.Try, Why: why + "; `retry` opens it again"})
}

func (r Rules) publishDelay(try int) int64 {
	return r.PublishDelays[max(0, min(try-1, len(r.PublishDelays)-1))]
}

// duePublication ends a try whose lease has run out and takes up one that is due.
func (r Rules) duePublication(s *State, given events.Given) []events.Payload {
	p := s.Publication
	switch {
	case p == nil || p.Stuck: // guard: a stuck publication goes on by itself
		return nil
	case p.Active():
		if p.Until.After(given.At) { // guard: a lease is broken before its time
			return nil
		}
		return r.orStuck(p, []events.Payload{&events.PublicationUnknown{
			Run: p.Run, Try: p.Try, Reason: "nobody answered before the lease ran out",
			NextAt: after(given.At, r.publishDelay(p.Try)),
		}}, "")
	case p.NextAt.After(given.At): // guard: a try does not wait its delay
		return nil
	case p.Try >= r.PublishTries: // guard: a publication is tried for ever
		return []events.Payload{&events.PublicationStuck{
			Run: p.Run, Tries: p.Try, Why: "every try failed; `retry` opens it again",
		}}
	}
	return []events.Payload{r.resume(s, given, p.Try+1)}
}

// resume grants the next try to the boot that decides this.
func (r Rules) resume(s *State, given events.Given, try int) *events.PublicationResumed {
	p := s.Publication
	return &events.PublicationResumed{
		Run: p.Run, Head: p.Head, Base: p.Base, Try: try, Owner: given.Boot,
		Until: after(given.At, r.PublishLease),
	}
}

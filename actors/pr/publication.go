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
		return []events.Payload{&events.PublicationFailed{
			Run: c.Run, Try: c.Try, Kind: c.Kind, Message: c.Message, NextAt: after(given.At, r.publishDelay(c.Try)),
		}}
	case NotePublishUnknown:
		if !current(c.Run, c.Try) || !p.Active() { // guard: a try that is over fails the next
			return nil
		}
		return []events.Payload{&events.PublicationUnknown{
			Run: c.Run, Try: c.Try, Reason: c.Reason, NextAt: after(given.At, r.publishDelay(c.Try)),
		}}
	case NotePublishAbandoned:
		if !current(c.Run, c.Try) {
			return nil
		}
		return []events.Payload{&events.PublicationAbandoned{Run: c.Run, Why: c.Why}}
	}
	return nil
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
		return []events.Payload{&events.PublicationUnknown{
			Run: p.Run, Try: p.Try, Reason: "nobody answered before the lease ran out",
			NextAt: after(given.At, r.publishDelay(p.Try)),
		}}
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

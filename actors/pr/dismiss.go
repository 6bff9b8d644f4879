package pr

import (
	"fmt"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// dismiss withholds a finding from later reviews while the code beneath it is what
// the newest review saw.
func dismiss(s *State, c Dismiss) ([]events.Payload, error) {
	f, known, err := numbered(s, c.Number)
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(c.Reason) == "": // guard: a finding is dismissed without a reason
		return nil, refuse("a dismissal needs a reason")
	case len(c.Reason) > events.DismissReasonMax: // guard: one reason fills the log
		return nil, refuse(fmt.Sprintf("the reason is over %d bytes", events.DismissReasonMax))
	case known == nil || len(known.Seen.Code) == 0: // guard: a dismissal holds for whatever code there is
		return nil, refuse(fmt.Sprintf("the code beneath #%d is not on record; it can be dismissed after the next review", c.Number))
	case old(c.Said, known): // guard: an old word is heeded again
		return nil, nil
	case known.Dismissal != nil && known.Seen.Within(known.Dismissal.Code): // guard: a finding is dismissed twice
		return nil, nil
	}
	return []events.Payload{&events.FindingDismissed{
		Fingerprint: f, Number: c.Number, Reason: c.Reason, Code: known.Seen.Code, Said: c.Said,
	}}, nil
}

// reopen takes a dismissal back.
func reopen(s *State, c Reopen) ([]events.Payload, error) {
	f, known, err := numbered(s, c.Number)
	if err != nil || known == nil || known.Dismissal == nil { // guard: what is not dismissed is reopened
		return nil, err
	}
	if old(c.Said, known) { // guard: an old word is heeded again
		return nil, nil
	}
	return []events.Payload{&events.FindingReopened{Fingerprint: f, Number: c.Number, Said: c.Said}}, nil
}

// old reports whether a word is older than what is known. A daemon that starts on
// the log of many reviews by hand, which heeded the words in it, delivers them all
// again, when their causes may be forgotten and the code is another.
func old(said time.Time, k *Known) bool { return !said.IsZero() && !said.After(k.Said) }

// numbered finds a finding by its number.
func numbered(s *State, number int) (events.Fingerprint, *Known, error) {
	for f, n := range s.Numbers {
		if n == number {
			return f, s.Known[f], nil
		}
	}
	return "", nil, refuse(fmt.Sprintf("it has no finding #%d", number))
}

func (s *State) foldDismissal(e *events.Event, p events.Payload) {
	switch p := p.(type) {
	case *events.FindingDismissed:
		k := s.know(p.Fingerprint)
		k.Dismissal, k.Said = &Dismissal{Reason: p.Reason, Code: p.Code, Event: e.Ref()}, p.Said
	case *events.FindingReopened:
		k := s.know(p.Fingerprint)
		k.Dismissal, k.Said = nil, p.Said
	}
}

package pr

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Label is the verdict label that the pull request is to carry, and how far it is
// on its way to the forge. One try is under way at a time; what is wanted
// meanwhile waits for its end. (semantics 17)
type Label struct {
	Verdict events.Verdict `json:"verdict,omitempty"` // that is wanted; "" = none of the labels
	Try     int            `json:"try"`               // the newest; it counts on from want to want
	Trying  events.Verdict `json:"trying,omitempty"`  // what the newest try is to make so
	Tries   int            `json:"tries,omitempty"`   // for what is wanted now
	Owner   events.BootID  `json:"owner,omitempty"`   // of the try that is under way
	Until   time.Time      `json:"until,omitzero"`
	NextAt  time.Time      `json:"next_at,omitzero"` // of the next try, where none is under way
	Synced  bool           `json:"synced,omitempty"` // the forge shows what is wanted
}

// active reports whether a try is under way.
func (l *Label) active() bool { return l.Owner != "" }

// rests reports whether nothing more is tried until another label is wanted.
func (l *Label) rests() bool {
	return l != nil && l.Try > 0 && !l.active() && !l.Synced && l.NextAt.IsZero()
}

// label adds to a decision what follows from it, or from the command, for the
// label: how the try under way ended, and what is wanted from now on.
func (r Rules) label(s *State, given events.Given, cmd events.Command, out []events.Payload) []events.Payload {
	if r.LabelLease == 0 { // guard: rules from before there were labels want one
		return out
	}
	var l Label
	if s.Label != nil {
		l = *s.Label
	}
	want := s.wanted(out)
	if end := r.labelEnd(&l, given, cmd); end != nil {
		out = append(out, end)
		l.fold(end)
	}
	wanted := events.LabelWanted{Verdict: want, Try: l.Try}
	switch {
	case want != l.Verdict && l.active(): // guard: two tries write labels side by side
		return append(out, &wanted)
	case want != l.Verdict, l.overtaken(cmd, want), l.due(given, cmd):
		wanted.Try, wanted.Owner, wanted.Until = l.Try+1, given.Boot, after(given.At, r.LabelLease)
		return append(out, &wanted)
	}
	return out
}

// wanted is the verdict whose label the pull request is to carry once this is
// recorded: that of the published review of what is the head, or none.
func (s *State) wanted(out []events.Payload) events.Verdict {
	head, baseRef, closed, published := s.Head, s.Base, s.Closed, s.Published
	for _, p := range out {
		switch p := p.(type) {
		case *events.HeadQueued:
			head, baseRef, closed = p.Head, p.BaseRef, false
		case *events.HeadSkipped:
			head, baseRef, closed = p.Head, p.BaseRef, false
		case *events.HeadClosed:
			closed = true
		case *events.VerdictPublished:
			published = remember(published, s.Publication)
		}
	}
	if p := findPublished(published, head, baseRef); p != nil && !closed { // guard: a closed pull request keeps its label
		return p.Verdict
	}
	return ""
}

// labelEnd says how the newest try ended, where the command tells.
func (r Rules) labelEnd(l *Label, given events.Given, cmd events.Command) events.Payload {
	failed := func(kind events.FailureKind, message string, notBefore time.Time) *events.LabelFailed {
		return &events.LabelFailed{Try: l.Try, Kind: kind, Message: message, NextAt: r.labelNext(l, given, kind, notBefore)}
	}
	switch c := cmd.(type) {
	case NoteLabelSynced:
		if c.Try == l.Try && !l.Synced { // guard: a try that is over answers for the next
			return &events.LabelSynced{Verdict: l.Trying, Try: l.Try, Skipped: c.Skipped}
		}
	case NoteLabelFailed:
		if c.Try == l.Try && l.active() { // guard: a try that is over fails the next
			return failed(c.Kind, c.Message, c.NotBefore)
		}
	case Due:
		if l.active() && !l.Until.After(given.At) { // guard: a try that nobody answers for holds the label for ever
			return failed(events.FailureTimeout, "nobody answered before the lease ran out", time.Time{})
		}
	case BootGone:
		if l.Owner == c.Boot && l.active() { // guard: the label of a dead boot waits out its lease
			return failed(events.FailureLost, "the process that was setting it is gone", time.Time{})
		}
	}
	return nil
}

// labelNext is when the next try is due. The zero time is never: what a try cannot
// mend, or the tries are used up.
func (r Rules) labelNext(l *Label, given events.Given, kind events.FailureKind, notBefore time.Time) time.Time {
	switch {
	case kind == events.FailureFatal || l.Tries >= r.LabelTries: // guard: a label is tried for ever
		return time.Time{}
	case kind == events.FailureLost:
		return given.At
	}
	return later(after(given.At, r.LabelDelays[max(0, min(l.Tries-1, len(r.LabelDelays)-1))]), notBefore)
}

// overtaken reports whether the label is to be made so again although nothing else
// is wanted: the try that ended was for what was wanted before, or one that was
// given up for lost woke and wrote another label.
func (l *Label) overtaken(cmd events.Command, want events.Verdict) bool {
	switch c := cmd.(type) {
	case NoteLabelSynced:
		if c.Try < l.Try { // guard: a frozen try leaves its label behind
			return c.Verdict != want && c.Skipped == ""
		}
	case NoteLabelFailed:
		if c.Try < l.Try { // guard: a frozen try leaves its label behind
			return c.Verdict != want
		}
	}
	return l.Try > 0 && !l.active() && !l.Synced && l.NextAt.IsZero() && l.Trying != want
}

// due reports whether the next try may begin.
func (l *Label) due(given events.Given, cmd events.Command) bool {
	switch cmd.(type) {
	case Due, BootGone:
		if l.NextAt.After(given.At) { // guard: a try does not wait its delay
			return false
		}
		return !l.active() && !l.NextAt.IsZero()
	case Retry:
		return l.rests()
	}
	return false
}

func (l *Label) fold(p events.Payload) {
	switch p := p.(type) {
	case *events.LabelWanted:
		if p.Verdict != l.Verdict {
			l.Verdict, l.Tries, l.Synced = p.Verdict, 0, false
		}
		if p.Owner != "" {
			l.Try, l.Trying, l.Owner, l.Until, l.NextAt = p.Try, p.Verdict, p.Owner, p.Until, time.Time{}
			l.Tries, l.Synced = l.Tries+1, false
		}
	case *events.LabelSynced:
		l.Owner, l.Until, l.NextAt = "", time.Time{}, time.Time{}
		l.Tries, l.Synced = 0, p.Verdict == l.Verdict
	case *events.LabelFailed:
		l.Owner, l.Until, l.NextAt = "", time.Time{}, p.NextAt
	}
}

func (s *State) foldLabel(p events.Payload) {
	if s.Label == nil {
		s.Label = &Label{}
	}
	s.Label.fold(p)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

package pr

import (
	"fmt"
	"slices"

	"github.com/reviewctl/reviewctl/events"
)

// A head may be held back: its author is ignored, a label says so, it is a draft,
// or a review of it is published already. It is on record then, once for each
// cause, and judged only when a person asks. (semantics 1.1, 20; case G29)

// heldBy says what of a forge's facts holds a head back, the first that does, or
// nil.
func heldBy(c Observe) *events.HeadSkipped {
	skip := events.HeadSkipped{Head: c.Head, Base: c.Base, BaseRef: c.BaseRef, Priority: c.Priority, Settings: c.Settings}
	switch f := c.Facts; {
	case f.Ignored:
		skip.Cause, skip.Why = events.HoldAuthor, fmt.Sprintf("pull requests of %s are reviewed only when somebody asks", c.Author)
	case f.SkipLabel != "":
		skip.Cause, skip.Why = events.HoldLabel, fmt.Sprintf("the label %q is set", f.SkipLabel)
	case f.Draft:
		skip.Cause, skip.Why = events.HoldDraft, "it is a draft"
	default:
		return nil
	}
	return &skip
}

// hold says what a look by itself, which asks for a review for the sake of trigger
// or finds nothing new, comes to: a trigger, a head that is held back, or neither.
func hold(s *State, c Observe, trigger events.Trigger) (events.Trigger, *events.HeadSkipped) {
	if c.Facts == nil || c.Manual { // guard: a review that a person asks for is held back
		return trigger, nil
	}
	skip := heldBy(c)
	switch {
	case trigger == events.TriggerBase && s.asked(): // guard: another base takes a review from whom asked for it
		return trigger, nil
	case trigger == "" && skip != nil:
		return "", holdSame(s, skip)
	case trigger == "":
		if trigger = ready(s, c); trigger == "" {
			return "", nil
		}
	}
	if p := s.published(c.Head, c.BaseRef); skip == nil && p != nil { // guard: a head is reviewed twice by itself
		skip = reviewedBy(c, p)
	}
	if skip != nil {
		if s.holds(skip) { // guard: each look at a head that is held back is recorded
			return "", nil
		}
		return "", skip
	}
	return trigger, nil
}

// holds reports whether this is on record already, and still stands.
func (s *State) holds(skip *events.HeadSkipped) bool {
	k := s.Skipped
	return k != nil && k.Cause == skip.Cause && k.Head == skip.Head && k.BaseRef == skip.BaseRef &&
		s.Head == skip.Head && s.Base == skip.BaseRef
}

// holdSame holds back the head that is on record. What a person asked for runs to
// its end, and what was judged is published. (incident platform#5285)
func holdSame(s *State, skip *events.HeadSkipped) *events.HeadSkipped {
	switch {
	case s.Run == nil && s.Queued == nil:
		if s.Skipped == nil || s.holds(skip) || s.Settled != nil && s.Settled.Outcome.Reviewed() { // guard: a head whose business is over is held back
			return nil
		}
	case s.asked() || s.Adopted: // guard: a draft's review is taken from whom asked for it
		return nil
	case s.Run != nil: // guard: the run of a head that is held back goes on
		skip.Run = s.Run.Run
	}
	return skip
}

// ready: what held the head back is gone, and nobody has judged it meanwhile.
func ready(s *State, c Observe) events.Trigger {
	if s.Skipped == nil || s.Run != nil || s.Queued != nil || s.reviewed(c) { // guard: a head that is judged already becomes ready
		return ""
	}
	return events.TriggerReady
}

// reviewed reports whether the newest head was reviewed as the look wants it: a
// review by hand that was not posted is none for a forge.
func (s *State) reviewed(c Observe) bool {
	if s.Settled == nil || !s.Settled.Outcome.Reviewed() {
		return false
	}
	return c.Facts == nil || c.Settings.Target != events.TargetForge || s.Last == nil || s.Last.Settings.Target == events.TargetForge
}

// asked reports whether a person asked for what is under way.
func (s *State) asked() bool {
	if s.Run == nil && s.Queued == nil {
		return false
	}
	return s.Asked || s.Last.Owner != events.OwnerAny || len(s.Noted) > 0 ||
		slices.ContainsFunc(s.waiting(), func(a events.Asked) bool { return a.Trigger == events.TriggerManual })
}

// foldAsked follows whether a person asked for the newest head: by hand, or by a
// retry that no failure gave the reason for. A retry after a failure is whose the
// first try was.
func (s *State) foldAsked(q *events.HeadQueued) {
	switch q.Trigger {
	case events.TriggerManual:
		s.Asked = true
	case events.TriggerRetry:
		s.Asked = q.Why == "" || q.After != "" && s.Asked
	default:
		s.Asked = false
	}
}

// giveBack returns a head that a `review` in a terminal took over to where it was:
// held back, reviewed before, or the daemon's. It returns nil where no daemon
// minded it.
func (r Rules) giveBack(s *State, given events.Given, out []events.Payload, change func(*events.HeadQueued)) []events.Payload {
	if k := s.Skipped; k != nil { // guard: a head that is held back is queued because a review by hand ended
		back := *k
		back.Head, back.Base, back.BaseRef, back.Run = s.Head, s.Last.Base, s.Base, ""
		return append(out, &back)
	}
	if p := s.published(s.Head, s.Base); r.ForgeRules && p != nil { // guard: a published head is queued because a review by hand ended
		return append(out, reviewedBy(Observe{Head: s.Head, Base: s.Last.Base, BaseRef: s.Base, Priority: s.Last.Priority, Settings: s.settings()}, p))
	}
	if s.Served == nil {
		return nil
	}
	back := served(s, given)
	change(back)
	return r.queue(s, given, out, back, nil)
}

// settings are those that the daemon judges under, as far as it ever did.
func (s *State) settings() events.Settings {
	if s.Served != nil {
		return s.Served.Settings
	}
	return s.Last.Settings
}

// described compares what a forge shows of the pull request with what is on
// record.
func described(s *State, c Observe) *events.PRDescribed {
	if c.Facts == nil || s.Opened == nil {
		return nil
	}
	o := s.Opened
	now := events.PRDescribed{Repo: c.Repo, Ref: c.Ref, Title: c.Title, Author: c.Author}
	if now.Author == "" { // guard: a deleted user leaves pull requests without an author
		now.Author = o.Author
	}
	if now == (events.PRDescribed{Repo: o.Repo, Ref: o.Ref, Title: o.Title, Author: o.Author}) { // guard: each look is recorded
		return nil
	}
	return &now
}

// describe is the pull request as it is called from now on.
func describe(o *events.PROpened, p *events.PRDescribed) *events.PROpened {
	now := *o
	now.Repo, now.Ref, now.Title, now.Author = p.Repo, p.Ref, p.Title, p.Author
	return &now
}

func (s *State) foldSkipped(p *events.HeadSkipped) {
	s.Waiting, s.Noted = nil, nil
	s.leave(p.Run, events.OutcomeCancelled, p.Head)
	s.Head, s.Base, s.Closed = p.Head, p.BaseRef, false
	s.Skipped, s.Settled, s.Unposted, s.Asked = p, nil, false, false
	if was := s.published(p.Head, p.BaseRef); was != nil && p.Cause == events.HoldReviewed {
		s.Settled = &Settled{Head: p.Head, Outcome: was.Outcome}
	}
}

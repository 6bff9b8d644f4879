package pr

import (
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// observe queues what is new. A manual look is a trigger of its own: it answers
// every waiting trigger, and a head that was reviewed is reviewed again.
func (r Rules) observe(s *State, given events.Given, c Observe) []events.Payload {
	var out []events.Payload
	opened := s.Opened
	if opened == nil {
		opened = &events.PROpened{
			Host: c.Host, RepoID: c.RepoID, Repo: c.Repo, Number: c.Number, Ref: c.Ref, Base: c.BaseRef,
			Title: c.Title, Author: c.Author,
		}
		out = append(out, opened)
	} else if d := described(s, c); d != nil {
		opened = describe(opened, d)
		out = append(out, d)
	}
	news := triggerOf(s, c)
	trigger, skip := hold(s, c, news)
	if skip != nil {
		if news != "" { // guard: what was under way for another head goes on beside one that is held back
			out = append(out, supersede(s, c.Head)...)
		}
		return append(out, skip)
	}
	if trigger == "" {
		return out
	}
	queued := events.HeadQueued{
		Head: c.Head, Base: c.Base, BaseRef: c.BaseRef, Trigger: trigger, Priority: c.Priority,
		QueuedAt: given.At, FirstPush: given.At, NotBefore: given.At, Owner: c.Owner,
		Settings: c.Settings,
	}
	if trigger != events.TriggerManual && c.Settings.Debounce > 0 {
		if s.Queued != nil {
			queued.FirstPush = s.Queued.FirstPush
		}
		queued.NotBefore = after(given.At, c.Settings.Debounce)
		if last := after(queued.FirstPush, r.DebounceMax); queued.NotBefore.After(last) { // guard: pushes put a review off for ever
			queued.NotBefore = last
		}
		if queued.NotBefore.Before(given.At) {
			queued.NotBefore = given.At
		}
	}
	out = append(out, supersede(s, c.Head)...)
	known := *s
	known.Opened = opened
	return r.queue(&known, given, out, &queued, s.waiting())
}

// triggerOf says why this look asks for a review, or "" where it does not.
func triggerOf(s *State, c Observe) events.Trigger {
	switch {
	case c.Manual:
		return events.TriggerManual
	case s.Opened == nil || s.Closed:
		return events.TriggerOpened
	case s.Head != c.Head:
		return events.TriggerPush
	case s.Base != c.BaseRef:
		return events.TriggerBase
	case s.Unposted && c.Facts != nil: // guard: a head that came back is not judged
		return events.TriggerPush
	case unminded(s, c), unposted(s, c):
		return events.TriggerOpened
	}
	return ""
}

// unminded: a `review` in a terminal took this head and did not review it, so a
// daemon that sees it for the first time takes it up.
func unminded(s *State, c Observe) bool {
	return c.Owner == events.OwnerAny && s.Served == nil && s.Skipped == nil && s.Queued == nil && s.Run == nil &&
		s.Settled != nil && !s.Settled.Outcome.Reviewed() && s.Settled.Outcome != events.OutcomeCancelled
}

// unposted: the head was reviewed by hand, the review was printed, and this look
// wants one that is posted.
func unposted(s *State, c Observe) bool {
	return c.Owner == events.OwnerAny && s.Skipped == nil && s.Queued == nil && s.Run == nil && s.Settled != nil &&
		s.Settled.Outcome.Reviewed() && !s.reviewed(c)
}

// supersede gives up what is waiting, running or being published, at every step
// and without exception. (hard-parts §2)
func supersede(s *State, by events.Commit) []events.Payload {
	var out []events.Payload
	switch {
	case s.Run != nil: // guard: a running head is not superseded
		out = append(out, &events.HeadSuperseded{Head: s.Run.Head, By: by, Run: s.Run.Run})
	case s.Queued != nil: // guard: a queued head is not superseded
		out = append(out, &events.HeadSuperseded{Head: s.Queued.Head, By: by})
	}
	return append(out, abandon(s, "the head moved")...)
}

func abandon(s *State, why string) []events.Payload {
	if s.Publication == nil { // guard: what is not being published is abandoned
		return nil
	}
	return []events.Payload{&events.PublicationAbandoned{Run: s.Publication.Run, Why: why}}
}

// queue records the head after what was decided before it and, where its time has
// come, asks for its run at once. The run answers the triggers that wait.
func (r Rules) queue(s *State, given events.Given, out []events.Payload, q *events.HeadQueued, waiting []events.Asked) []events.Payload {
	at := s.Size + events.Version(len(out))
	out = append(out, q)
	if !q.NotBefore.After(given.At) { // guard: a head whose time has come is not requested
		out = append(out, r.request(s, given, q, s.after(waiting, q, at)))
	}
	return out
}

func (r Rules) request(s *State, given events.Given, q *events.HeadQueued, answers []events.Asked) *events.RunRequested {
	return &events.RunRequested{
		Run: events.RunID(given.Draw[:16]), Repo: s.Opened.Repo, Number: s.Opened.Number, Ref: s.Opened.Ref,
		BaseRef: q.BaseRef, Head: q.Head, Base: q.Base, Trigger: q.Trigger, Priority: q.Priority,
		QueuedAt: q.QueuedAt, Owner: q.Owner, Attempt: q.Attempt,
		Deadline: after(given.At, r.RunDeadline), Settings: q.Settings,
		Prior: s.priors(q.Head), Answers: newest(answers, r.AnswersMax),
	}
}

func closePR(s *State, c Close) []events.Payload {
	if s.Closed { // guard: a pull request is closed twice
		return nil
	}
	closed := events.HeadClosed{Head: s.Head, Reason: c.Reason}
	if s.Run != nil {
		closed.Run = s.Run.Run
	}
	return append([]events.Payload{&closed}, abandon(s, "the pull request is closed")...)
}

// enqueue asks for a review of the live head by the daemon.
func (r Rules) enqueue(s *State, given events.Given, c Enqueue) ([]events.Payload, error) {
	switch {
	case s.Closed:
		return nil, refuse("the pull request is closed")
	case c.SHA != "" && (len(c.SHA) < 7 || !strings.HasPrefix(string(s.Head), strings.ToLower(c.SHA))): // guard: an old head is enqueued
		return nil, refuse("the live head is " + string(s.Head) + ", not " + c.SHA)
	}
	priority := events.PriorityNormal
	if c.High {
		priority = events.PriorityHigh
	}
	if s.Run != nil { // guard: a head is queued beside its run
		return note(s, events.TriggerManual, priority), nil
	}
	if s.Queued != nil {
		again := *s.Queued
		if again.Owner == events.OwnerAny && again.Priority <= priority && !again.NotBefore.After(given.At) {
			return nil, nil
		}
		again.Owner, again.NotBefore, again.Trigger = events.OwnerAny, given.At, events.TriggerManual
		again.Priority = min(again.Priority, priority)
		return r.queue(s, given, nil, &again, s.Waiting), nil
	}
	out := abandon(s, "another review was asked for")
	return r.queue(s, given, out, r.again(s, given, events.TriggerManual, priority), nil), nil
}

// again queues the newest head for the daemon, with all its tries before it.
func (r Rules) again(s *State, given events.Given, t events.Trigger, p events.Priority) *events.HeadQueued {
	q := events.HeadQueued{Head: s.Head, BaseRef: s.Base}
	switch k := s.Skipped; {
	case k != nil && k.Head == s.Head: // guard: a head that was held back is judged as the one before it
		q = events.HeadQueued{Head: k.Head, Base: k.Base, BaseRef: k.BaseRef, Settings: k.Settings}
	case s.Last != nil:
		q = *s.Last
		if r.ForgeRules { // guard: a review that the daemon is asked for goes where one by hand went
			q.Settings = s.settings()
		}
	}
	q.Trigger, q.Priority, q.Owner, q.Attempt, q.Why, q.After = t, p, events.OwnerAny, 0, "", ""
	q.QueuedAt, q.FirstPush, q.NotBefore = given.At, given.At, given.At
	return &q
}

func (r Rules) cancel(s *State, given events.Given, c Cancel) ([]events.Payload, error) {
	cancelled := events.HeadCancelled{Head: s.Head, Reason: c.Reason}
	var run events.RunID // that the pull request waits for
	switch {
	case s.Run != nil: // guard: a running head cannot be cancelled
		cancelled.Run = s.Run.Run
		run = s.Run.Run
	case s.Queued != nil: // guard: a queued head cannot be cancelled
	case s.Publication != nil:
		run = s.Publication.Run
	case s.Settled != nil && s.Settled.Outcome == events.OutcomeCancelled:
		return nil, nil
	default:
		return nil, refuse("nothing is queued or running")
	}
	if c.Run != "" && c.Run != run { // guard: a cancel hits another run
		return nil, refuse("run " + string(c.Run) + " is not what this pull request waits for")
	}
	out := append([]events.Payload{&cancelled}, abandon(s, "cancelled: "+c.Reason)...)
	if c.Interrupted && s.Run != nil && s.Run.Owner != events.OwnerAny { // guard: an interrupted review takes its head from the daemon
		if back := r.giveBack(s, given, out, func(q *events.HeadQueued) { q.Trigger, q.Why = events.TriggerRetry, c.Reason }); back != nil {
			return back, nil
		}
	}
	return out, nil
}

// retry opens a failed, cancelled or stuck head again.
func (r Rules) retry(s *State, given events.Given) ([]events.Payload, error) {
	switch {
	case s.Publication != nil && s.Publication.Stuck:
		return []events.Payload{r.resume(s, given, 1)}, nil
	case s.Queued != nil && s.Queued.NotBefore.After(given.At):
		q := *s.Queued
		q.NotBefore = given.At
		return r.queue(s, given, nil, &q, s.Waiting), nil
	case s.Queued != nil || s.Run != nil || s.Publication != nil: // guard: a retry doubles what is under way
		return nil, nil
	case s.Label.rests() && (s.Closed || s.Settled != nil && s.Settled.Outcome.Reviewed()):
		return nil, nil // Decide adds another try to set the label
	case s.Closed:
		return nil, refuse("the pull request is closed")
	case s.Settled != nil && s.Settled.Outcome.Reviewed(): // guard: a retry reviews again
		return nil, refuse("the head was reviewed; `enqueue` asks for another review")
	}
	return r.queue(s, given, nil, r.again(s, given, events.TriggerRetry, events.PriorityNormal), nil), nil
}

// due takes up what waits for its time.
func (r Rules) due(s *State, given events.Given) []events.Payload {
	if s.Queued != nil && !s.Queued.NotBefore.After(given.At) { // guard: a queued head waits for ever
		return []events.Payload{r.request(s, given, s.Queued, s.Waiting)}
	}
	if s.Run != nil && !s.Run.Deadline.Add(events.AdmissionGrace).After(given.At) { // guard: a run that never reports holds its head for ever
		return r.noteRunEnd(s, given, NoteRunEnd{Run: s.Run.Run, End: events.RunEnded{
			Outcome: events.OutcomeFailed, Kind: events.FailureLost, Why: "its run never reported",
		}})
	}
	return r.duePublication(s, given)
}

func (r Rules) bootGone(s *State, given events.Given, c BootGone) []events.Payload {
	var out []events.Payload
	if s.Queued != nil && s.Queued.Owner == c.Boot { // guard: the head of a dead review stays open
		out = append(out, r.settle(s, given, events.OutcomeFailed, "the process that asked for it is gone")...)
	}
	if p := s.Publication; p != nil && p.Owner == c.Boot { // guard: the publication of a dead boot waits out its lease
		out = r.orStuck(p, append(out, &events.PublicationUnknown{
			Run: p.Run, Try: p.Try, Reason: "the process that was posting it is gone", NextAt: given.At,
		}), "")
	}
	return out
}

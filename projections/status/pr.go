package status

import (
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// stateOf is the state of a head whose business ended.
func stateOf(o events.Outcome) State {
	if o.Reviewed() {
		return StateReviewed
	}
	return State(o)
}

func applyPR(tx *projections.Tx, e *events.Event, p events.Payload) error {
	switch p := p.(type) {
	case *events.PROpened:
		return withPR(tx, e, func(pr *PR) {
			pr.Repo, pr.Number, pr.Title, pr.Author = p.Repo, p.Number, p.Title, p.Author
			pr.Ref, pr.BaseRef = p.Ref, p.Base
		})
	case *events.PRDescribed:
		return withPR(tx, e, func(pr *PR) { pr.Repo, pr.Ref, pr.Title, pr.Author = p.Repo, p.Ref, p.Title, p.Author })
	case *events.HeadQueued:
		return applyQueued(tx, e, p)
	case *events.HeadSkipped:
		return applySkipped(tx, e, p)
	case *events.RunRequested:
		return applyRequested(tx, e, p)
	case *events.HeadSuperseded:
		return endHead(tx, e, p.Head, StateSuperseded, events.OutcomeSuperseded, "superseded by "+string(p.By))
	case *events.HeadCancelled:
		return endHead(tx, e, p.Head, StateCancelled, events.OutcomeCancelled, p.Reason)
	case *events.HeadClosed:
		return endHead(tx, e, p.Head, StateClosed, "", p.Reason)
	case *events.HeadSettled:
		return endHead(tx, e, p.Head, stateOf(p.Outcome), p.Outcome, p.Why)
	case *events.VerdictAdopted:
		return applyAdopted(tx, e, p)
	case *events.VerdictDiscarded:
		return withHead(tx, e, p.Head, func(h *Head) {
			if h.Run == p.Run {
				h.Why = "verdict discarded: " + p.Reason
			}
		})
	default:
		return applyPublication(tx, e, p)
	}
}

func applyQueued(tx *projections.Tx, e *events.Event, p *events.HeadQueued) error {
	err := withHead(tx, e, p.Head, func(h *Head) {
		events := h.Events
		*h = Head{Head: h.Head, Repo: h.Repo, Number: h.Number, Stream: h.Stream, State: h.State, Since: h.Since, Events: events}
		h.Base, h.Trigger, h.Priority, h.Attempt, h.Owner = p.Base, p.Trigger, p.Priority, p.Attempt, p.Owner
		h.QueuedAt, h.NotBefore, h.Why = p.QueuedAt, p.NotBefore, p.Why
		h.enter(StateQueued, e.Time)
	})
	if err != nil {
		return err
	}
	err = withPR(tx, e, func(pr *PR) {
		if p.BaseRef != "" {
			pr.BaseRef = p.BaseRef
		}
	})
	if err != nil {
		return err
	}
	pr, err := projections.ReadOrNew[PR](tx, kindPR, string(e.Stream))
	if err != nil {
		return err
	}
	why := "debounce"
	if p.Why != "" {
		why = p.Why
	}
	putPlace(tx, &Place{
		Line: LineDebounce, Kind: "head", ID: string(p.Head), Repo: pr.Repo, Number: pr.Number,
		Rank: events.FormatTime(p.NotBefore), Why: why, ETA: timeOrNil(p.NotBefore), Since: e.Time, Event: e.Ref(),
	}, string(e.Stream))
	return nil
}

// applySkipped: the head is what the pull request shows, and nobody judges it. One
// of which a review is published stays reviewed.
func applySkipped(tx *projections.Tx, e *events.Event, p *events.HeadSkipped) error {
	dropPlace(tx, LineDebounce, string(e.Stream))
	err := withPR(tx, e, func(pr *PR) { pr.Head, pr.BaseRef = p.Head, p.BaseRef })
	if err != nil {
		return err
	}
	return withHead(tx, e, p.Head, func(h *Head) {
		h.Base, h.NotBefore, h.Why, h.Cause, h.Reviewed = p.Base, time.Time{}, p.Why, p.Cause, p.Reviewed
		if p.Cause == events.HoldReviewed {
			h.Run = p.Reviewed
			h.enter(StateReviewed, e.Time)
			return
		}
		h.Run, h.Outcome, h.Verdict, h.Publication = p.Run, "", "", nil
		h.enter(StateSkipped, e.Time)
	})
}

func applyRequested(tx *projections.Tx, e *events.Event, p *events.RunRequested) error {
	dropPlace(tx, LineDebounce, string(e.Stream))
	projections.Put(tx, kindActive, string(p.Run), projections.Columns{Sort: events.FormatTime(e.Time)}, &p.Run)
	err := withRun(tx, e, p.Run, func(r *Run) {
		r.Repo, r.Number, r.Stream, r.Head, r.Base = p.Repo, p.Number, e.Stream, p.Head, p.Base
		r.Trigger, r.Priority, r.Attempt, r.Owner = p.Trigger, p.Priority, p.Attempt, p.Owner
		r.Deadline, r.Requested, r.State, r.Since = p.Deadline, e.Time, StateWaiting, e.Time
	})
	if err != nil {
		return err
	}
	return withHead(tx, e, p.Head, func(h *Head) {
		h.Run, h.NotBefore = p.Run, time.Time{}
		h.enter(StateWaiting, e.Time)
	})
}

func applyAdopted(tx *projections.Tx, e *events.Event, p *events.VerdictAdopted) error {
	return withHead(tx, e, p.Head, func(h *Head) {
		h.Verdict, h.Outcome, h.Run = p.Verdict, p.Outcome, p.Run
		if p.Target == events.TargetNone {
			h.enter(StateReviewed, e.Time)
			return
		}
		h.enter(StatePublishing, e.Time)
		h.Publication = &Publication{State: "trying", Try: p.Try, Until: p.PublishUntil, Event: e.Ref()}
	})
}

// applyPublication follows a verdict to the forge. These events name the run.
func applyPublication(tx *projections.Tx, e *events.Event, p events.Payload) error {
	var run events.RunID
	var now Publication
	state := StatePublishing
	switch p := p.(type) {
	case *events.PublicationResumed:
		run, now = p.Run, Publication{State: "trying", Try: p.Try, Until: p.Until}
	case *events.VerdictPublished:
		run, now = p.Run, Publication{State: "published", Try: p.Try, Receipt: p.Receipt, URL: p.URL}
		state = StateReviewed
	case *events.PublicationFailed:
		run, now = p.Run, Publication{State: "failed", Try: p.Try, Kind: p.Kind, Why: p.Message, NextAt: p.NextAt}
	case *events.PublicationUnknown:
		run, now = p.Run, Publication{State: "unknown", Try: p.Try, Why: p.Reason, NextAt: p.NextAt}
	case *events.PublicationAbandoned:
		run, now = p.Run, Publication{State: "abandoned", Why: p.Why}
		if state = StateSuperseded; p.Cause == events.AbandonClosed {
			state = StateClosed
		}
	case *events.PublicationStuck:
		run, now = p.Run, Publication{State: "stuck", Try: p.Tries, Why: p.Why}
		state = StateStuck
	default:
		return nil
	}
	r, err := projections.Read[Run](tx, kindRun, string(run))
	if err != nil || r == nil {
		return err
	}
	now.Event = e.Ref()
	return withHead(tx, e, r.Head, func(h *Head) {
		if h.Run != run {
			return // the head is being judged anew
		}
		if was := h.Publication; was != nil && now.State == "stuck" {
			now.Kind = was.Kind // of the last try
		}
		h.Publication = &now
		if h.State == StatePublishing || h.State == StateStuck {
			h.enter(state, e.Time) // else it was closed or cancelled, which says more
		}
	})
}

func endHead(tx *projections.Tx, e *events.Event, head events.Commit, state State, outcome events.Outcome, why string) error {
	dropPlace(tx, LineDebounce, string(e.Stream))
	return withHead(tx, e, head, func(h *Head) {
		h.Outcome, h.NotBefore = outcome, time.Time{}
		if why != "" {
			h.Why = why
		}
		if state == StateReviewed && (h.State == StatePublishing || h.State == StateStuck) {
			return // judged, but nobody can see it yet
		}
		h.enter(state, e.Time)
	})
}

func (h *Head) enter(s State, at time.Time) {
	if h.State != s {
		h.State, h.Since = s, at
	}
}

// prSort orders pull requests by repository and number.
func prSort(repo events.RepoName, number int) string { return fmt.Sprintf("%s#%09d", repo, number) }

// withPR changes a pull request's row.
func withPR(tx *projections.Tx, e *events.Event, change func(*PR)) error {
	key := string(e.Stream)
	pr, err := projections.ReadOrNew[PR](tx, kindPR, key)
	if err != nil {
		return err
	}
	if pr.Stream == "" {
		pr.Stream, pr.Since = e.Stream, e.Time
	}
	change(pr)
	pr.Updated, pr.Event = e.Time, e.Ref()
	projections.Put(tx, kindPR, key, projections.Columns{
		Repo: string(pr.Repo), State: string(pr.State), At: pr.Updated,
		Sort: prSort(pr.Repo, pr.Number),
	}, pr)
	return nil
}

// withHead changes a head's row, what is counted, and, where it is the newest
// head, the pull request's row.
func withHead(tx *projections.Tx, e *events.Event, commit events.Commit, change func(*Head)) error {
	return withHeadOf(tx, e, e.Stream, commit, change)
}

func withHeadOf(tx *projections.Tx, e *events.Event, stream events.StreamName, commit events.Commit, change func(*Head)) error {
	key := string(stream) + "/" + string(commit)
	h, err := projections.ReadOrNew[Head](tx, kindHead, key)
	if err != nil {
		return err
	}
	pr, err := projections.ReadOrNew[PR](tx, kindPR, string(stream))
	if err != nil {
		return err
	}
	if h.Stream == "" {
		h.Head, h.Stream, h.Repo, h.Number, h.QueuedAt = commit, stream, pr.Repo, pr.Number, e.Time
	}
	if pr.Repo != "" {
		h.Repo = pr.Repo // by its newest name
	}
	before := h.State
	change(h)
	h.Updated, h.Event, h.Events = e.Time, e.Ref(), projections.Cite(h.Events, e)
	projections.Put(tx, kindHead, key, projections.Columns{
		Repo: string(h.Repo), State: string(h.State), At: h.Updated, Sort: events.FormatTime(h.QueuedAt),
	}, h)
	if err := count(tx, before, h.State); err != nil {
		return err
	}
	if h.State != StateQueued && pr.Head != commit && pr.Head != "" {
		return nil // an older head's end changes nothing about the pull request
	}
	pr.Stream, pr.Head, pr.Base, pr.State, pr.Outcome, pr.Verdict = stream, commit, h.Base, h.State, h.Outcome, h.Verdict
	pr.Run, pr.Why, pr.NotBefore, pr.Since = h.Run, h.Why, h.NotBefore, h.Since
	pr.Closed, pr.Updated, pr.Event = h.State == StateClosed, e.Time, e.Ref()
	projections.Put(tx, kindPR, string(stream), projections.Columns{
		Repo: string(pr.Repo), State: string(pr.State), At: pr.Updated,
		Sort: prSort(pr.Repo, pr.Number),
	}, pr)
	return nil
}

// count keeps the number of heads by state.
func count(tx *projections.Tx, before, after State) error {
	if before == after {
		return nil
	}
	counts, err := projections.ReadOrNew[map[State]int](tx, kindCounts, countsKey)
	if err != nil {
		return err
	}
	if *counts == nil {
		*counts = map[State]int{}
	}
	if before != "" {
		(*counts)[before]--
		if (*counts)[before] == 0 {
			delete(*counts, before)
		}
	}
	if after != "" {
		(*counts)[after]++
	}
	projections.Put(tx, kindCounts, countsKey, projections.Columns{}, counts)
	return nil
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

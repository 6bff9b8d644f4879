package pr

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// DyingMax bounds the memory of runs that were given up but may still report.
const DyingMax = 16

// State is what is known of one pull request.
type State struct {
	Opened  *events.PROpened     `json:"opened,omitempty"`   // nil = never seen
	Head    events.Commit        `json:"head,omitempty"`     // the newest that was queued
	Base    string               `json:"base_ref,omitempty"` // what it was to be merged into
	Closed  bool                 `json:"closed,omitempty"`
	Served  *events.HeadQueued   `json:"served,omitempty"`  // the newest that a daemon minded
	Queued  *events.HeadQueued   `json:"queued,omitempty"`  // waits for its time
	Last    *events.HeadQueued   `json:"last,omitempty"`    // the newest of all
	Run     *events.RunRequested `json:"run,omitempty"`     // the one run that counts
	Named   bool                 `json:"named,omitempty"`   // Run's findings have numbers
	Adopted bool                 `json:"adopted,omitempty"` // Run's verdict stands
	Dying   []events.RunID       `json:"dying,omitempty"`   // given up, the newest last

	Settled     *Settled     `json:"settled,omitempty"`
	Publication *Publication `json:"publication,omitempty"`

	Skipped   *events.HeadSkipped `json:"skipped,omitempty"`   // what held the newest head back when it was last seen
	Published []Published         `json:"published,omitempty"` // the newest last
	Asked     bool                `json:"asked,omitempty"`     // a person asked for the newest head
	Unposted  bool                `json:"unposted,omitempty"`  // a publisher found the newest verdict unwanted: another head, or closed
	Label     *Label              `json:"label,omitempty"`     // nil = none was ever wanted

	Numbers map[events.Fingerprint]int    `json:"numbers,omitempty"`
	Next    int                           `json:"next,omitempty"`  // the highest number given
	Known   map[events.Fingerprint]*Known `json:"known,omitempty"` // of numbered findings
	Round   *events.FindingsNumbered      `json:"round,omitempty"` // of Run, until its verdict is adopted

	Size    events.Version `json:"size,omitempty"`    // of the stream
	Waiting []events.Asked `json:"waiting,omitempty"` // triggers that Queued answers
	Noted   []Noted        `json:"noted,omitempty"`   // triggers that came beside Run
}

// Settled is how the newest head's business ended.
type Settled struct {
	Head    events.Commit  `json:"head"`
	Outcome events.Outcome `json:"outcome"`
}

// Publication is the adopted verdict on its way to the forge.
type Publication struct {
	Run    events.RunID  `json:"run"`
	Head   events.Commit `json:"head"`
	Base   events.Commit `json:"base"`
	Try    int           `json:"try"`
	Owner  events.BootID `json:"owner,omitempty"`  // of the try that is under way
	Until  time.Time     `json:"until,omitzero"`   // of its lease
	NextAt time.Time     `json:"next_at,omitzero"` // of the next try, where none is under way
	Stuck  bool          `json:"stuck,omitempty"`

	BaseRef string         `json:"base_ref,omitempty"`
	Verdict events.Verdict `json:"verdict,omitempty"`
	Outcome events.Outcome `json:"outcome,omitempty"`
}

// Active reports whether a try holds the publish lease.
func (p *Publication) Active() bool { return p.Owner != "" }

// Fold applies one recorded event.
func Fold(s *State, e *events.Event, p events.Payload) {
	s.Size = e.Version + 1
	switch p := p.(type) {
	case *events.PROpened:
		s.Opened = p
	case *events.PRDescribed:
		s.Opened = describe(s.Opened, p)
	case *events.HeadSkipped:
		s.foldSkipped(p)
	case *events.HeadQueued:
		s.foldQueued(e, p)
	case *events.RunRequested:
		s.Run, s.Queued, s.Waiting = p, nil, nil
		s.Named, s.Adopted, s.Round = false, false, nil
	case *events.HeadSuperseded:
		s.Waiting = s.waiting()
		s.leave(p.Run, events.OutcomeSuperseded, p.Head)
	case *events.HeadCancelled:
		s.Waiting, s.Noted = nil, nil
		s.leave(p.Run, events.OutcomeCancelled, p.Head)
		s.Skipped, s.Unposted = nil, false
	case *events.HeadClosed:
		s.Waiting, s.Noted = nil, nil
		s.leave(p.Run, events.OutcomeCancelled, p.Head)
		s.Closed, s.Skipped, s.Unposted = true, nil, false
	case *events.FindingsNumbered:
		s.foldNumbers(p)
	case *events.VerdictAdopted:
		s.Adopted = true
		s.foldRound(e.Time, p)
		if p.Target != events.TargetNone {
			s.Publication = &Publication{
				Run: p.Run, Head: p.Head, Base: p.Base, Try: p.Try, Owner: p.Owner, Until: p.PublishUntil,
				BaseRef: s.Base, Verdict: p.Verdict, Outcome: p.Outcome,
			}
		}
	case *events.VerdictDiscarded:
		s.forget(p.Run)
	case *events.HeadSettled:
		s.Settled = &Settled{Head: p.Head, Outcome: p.Outcome}
		s.Queued, s.Run, s.Waiting = nil, nil, nil
	case *events.TriggerNoted, *events.TriggersAnswered:
		s.foldTrigger(e, p)
	case *events.FindingDismissed, *events.FindingReopened:
		s.foldDismissal(e, p)
	case *events.LabelWanted, *events.LabelSynced, *events.LabelFailed:
		s.foldLabel(p)
	default:
		s.foldPublication(p)
	}
}

func (s *State) foldQueued(e *events.Event, p *events.HeadQueued) {
	s.Waiting = s.after(s.waiting(), p, e.Version)
	if p.Owner == events.OwnerAny {
		s.Noted = nil
	}
	s.Queued, s.Last, s.Head, s.Base, s.Closed = p, p, p.Head, p.BaseRef, false
	if p.Owner == events.OwnerAny {
		s.Served = p
	}
	s.Run, s.Settled, s.Unposted = nil, nil, false
	s.foldAsked(p)
	asked := p.Trigger == events.TriggerManual || p.Trigger == events.TriggerRetry
	if k := s.Skipped; k != nil && (!asked || k.Cause == events.HoldReviewed && k.Head != p.Head) {
		s.Skipped = nil // else what holds the head back has not changed
	}
}

// leave closes the head's business before a verdict; a run that judged it may
// still report and is remembered for that.
func (s *State) leave(run events.RunID, outcome events.Outcome, head events.Commit) {
	if run != "" {
		s.Dying = append(s.Dying, run)
		if len(s.Dying) > DyingMax { // guard: the memory of given-up runs grows without bound
			s.Dying = append([]events.RunID(nil), s.Dying[len(s.Dying)-DyingMax:]...)
		}
	}
	s.Queued, s.Run = nil, nil
	s.Settled = &Settled{Head: head, Outcome: outcome}
}

func (s *State) forget(run events.RunID) {
	for i, id := range s.Dying {
		if id == run {
			s.Dying = append(append([]events.RunID(nil), s.Dying[:i]...), s.Dying[i+1:]...)
			return
		}
	}
}

func (s *State) foldPublication(p events.Payload) {
	switch p := p.(type) {
	case *events.PublicationResumed:
		was := s.Publication
		s.Publication = &Publication{
			Run: p.Run, Head: p.Head, Base: p.Base, Try: p.Try, Owner: p.Owner, Until: p.Until,
			BaseRef: was.BaseRef, Verdict: was.Verdict, Outcome: was.Outcome,
		}
	case *events.PublicationFailed:
		s.Publication.rest(p.NextAt)
	case *events.PublicationUnknown:
		s.Publication.rest(p.NextAt)
	case *events.PublicationStuck:
		s.Publication.rest(time.Time{})
		s.Publication.Stuck = true
	case *events.VerdictPublished:
		s.Published, s.Publication = remember(s.Published, s.Publication), nil
	case *events.PublicationAbandoned:
		s.Publication, s.Unposted = nil, p.Cause == events.AbandonHead || p.Cause == events.AbandonClosed
	}
}

func (p *Publication) rest(until time.Time) {
	p.Owner, p.Until, p.NextAt = "", time.Time{}, until
}

func dying(s *State, run events.RunID) bool {
	for _, id := range s.Dying {
		if id == run {
			return true
		}
	}
	return false
}

package pr

import (
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Rules are the parameters of these decisions. Times are milliseconds, so that
// the value has one text and one digest.
type Rules struct {
	DebounceMax   int64   `json:"debounce_max_ms"` // after the first unseen push (hard-parts §8)
	RunDeadline   int64   `json:"run_deadline_ms"` // of a run, its waiting included
	RetryDelays   []int64 `json:"retry_delays_ms"` // before a head's 1st, 2nd, … retry; the last repeats
	RetryInfra    int     `json:"retry_infra"`     // retries by kind of failure (hard-parts §2)
	RetryContract int     `json:"retry_contract"`
	PublishLease  int64   `json:"publish_lease_ms"` // of one try
	PublishDelays []int64 `json:"publish_delays_ms"`
	PublishTries  int     `json:"publish_tries"`
	AnswersMax    int     `json:"answers_max,omitempty"` // triggers on record with the run that answers them
	// ForgeRules are what holds since there is a forge to publish to: a publication
	// that no try can mend is stuck at once, and a review by hand that is not posted
	// does not stand for the daemon's.
	ForgeRules  bool    `json:"forge_rules,omitempty"`
	LabelLease  int64   `json:"label_lease_ms,omitempty"` // of one try; 0 = there are no labels
	LabelDelays []int64 `json:"label_delays_ms,omitempty"`
	LabelTries  int     `json:"label_tries,omitempty"`
}

// DefaultRules are the values of hard-parts §2, §4 and §8.
func DefaultRules() Rules {
	minutes := func(n int64) int64 { return n * time.Minute.Milliseconds() }
	return Rules{
		DebounceMax:   minutes(120),
		RunDeadline:   minutes(6 * 60),
		RetryDelays:   []int64{minutes(5), minutes(15), minutes(45)},
		RetryInfra:    3,
		RetryContract: 2,
		PublishLease:  minutes(5),
		PublishDelays: []int64{minutes(1), minutes(5), minutes(15)},
		PublishTries:  10,
		AnswersMax:    AskedMax,
		ForgeRules:    true,
		LabelLease:    minutes(5),
		LabelDelays:   []int64{minutes(1), minutes(5), minutes(15)},
		LabelTries:    10,
	}
}

// Decide answers a command with events, with nothing where it is already so, or
// with a *events.Refusal.
func (r Rules) Decide(s *State, given events.Given, cmd events.Command) ([]events.Payload, error) {
	out, err := r.decide(s, given, cmd)
	if err != nil {
		return nil, err
	}
	return r.label(s, given, cmd, out), nil
}

func (r Rules) decide(s *State, given events.Given, cmd events.Command) ([]events.Payload, error) {
	if c, ok := cmd.(Observe); ok {
		return r.observe(s, given, c), nil
	}
	if s.Opened == nil { // guard: a pull request that nobody saw decides
		return nil, refuse("this pull request is not known")
	}
	switch c := cmd.(type) {
	case Close:
		return closePR(s, c), nil
	case Enqueue:
		return r.enqueue(s, given, c)
	case Cancel:
		return r.cancel(s, given, c)
	case Retry:
		return r.retry(s, given)
	case Due:
		return r.due(s, given), nil
	case BootGone:
		return r.bootGone(s, given, c), nil
	case NoteAdmitted:
		return noteAdmitted(s, c), nil
	case Dismiss:
		return dismiss(s, c)
	case Reopen:
		return reopen(s, c)
	case NumberFindings:
		return number(s, c), nil
	case AdoptVerdict:
		return r.adopt(s, given, c), nil
	case NoteRunEnd:
		return r.noteRunEnd(s, given, c), nil
	case NotePublished, NotePublishFailed, NotePublishUnknown, NotePublishAbandoned:
		return r.notePublication(s, given, c), nil
	case NoteLabelSynced, NoteLabelFailed:
		return nil, nil // Decide adds what follows for the label
	}
	return nil, refuse(fmt.Sprintf("a pull request does not take %s", cmd.Name()))
}

func refuse(reason string) error { return &events.Refusal{Reason: reason} }

func after(at time.Time, ms int64) time.Time { return at.Add(time.Duration(ms) * time.Millisecond) }

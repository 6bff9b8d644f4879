package account

import (
	"fmt"
	"math"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Defaults and bounds. A decision is one append of at most 1 MiB, hence the
// batch: the next decision that looks goes on where it ended.
const (
	HoldersMax     = 16 // hard-parts §5
	LineMax        = 10_000
	BatchDefault   = 128
	LookAgain      = 10 * time.Minute
	ProbeLook      = 5 * time.Minute
	ProbeBackoff   = 10 * time.Minute
	BreakerUnknown = 6 * time.Hour
	BreakerMax     = 7 * 24 * time.Hour
)

// Rules are an account's parameters.
type Rules struct {
	Version          int   `json:"version"`            // of the code that decides
	Holders          int   `json:"holders"`            // open reservations of one pool
	LineMax          int   `json:"line_max"`           // places in the line
	Batch            int   `json:"batch"`              // of one decision: lapses, reservations, new untils
	LookMS           int64 `json:"look_ms"`            // to look again where only a settlement can help
	ProbeLookMS      int64 `json:"probe_look_ms"`      // to look again while a probe is out
	ProbeBackoffMS   int64 `json:"probe_backoff_ms"`   // open again after a probe that said nothing
	BreakerUnknownMS int64 `json:"breaker_unknown_ms"` // open where the provider names no reset
	BreakerMaxMS     int64 `json:"breaker_max_ms"`     // open at the longest
}

// DefaultRules returns the rules that hold where nobody says otherwise.
func DefaultRules() Rules {
	return Rules{
		Version: 1, Holders: HoldersMax, LineMax: LineMax, Batch: BatchDefault,
		LookMS: LookAgain.Milliseconds(), ProbeLookMS: ProbeLook.Milliseconds(),
		ProbeBackoffMS: ProbeBackoff.Milliseconds(), BreakerUnknownMS: BreakerUnknown.Milliseconds(),
		BreakerMaxMS: BreakerMax.Milliseconds(),
	}
}

// The reasons on record.
const reasonLapsed = "lapsed"

// Decide answers a command with events, with nothing where it is already so, or
// with a refusal.
func (r Rules) Decide(s *State, given events.Given, cmd events.Command) ([]events.Payload, error) {
	switch c := cmd.(type) {
	case Configure:
		return r.configure(s, given, c)
	case Reserve:
		return r.reserve(s, given, c)
	case Settle:
		return r.settle(s, given, c), nil
	case Due:
		return r.due(s, given), nil
	default:
		return nil, &events.Refusal{Reason: fmt.Sprintf("an account takes no %s", cmd.Name())}
	}
}

func (r Rules) configure(s *State, given events.Given, c Configure) ([]events.Payload, error) {
	if c.SessionTokens < 0 || c.WeeklyTokens < 0 { // guard: a limit is negative
		return nil, &events.Refusal{Reason: "a limit is 0 (none) or more"}
	}
	if c.SessionTokens == s.SessionTokens && c.WeeklyTokens == s.WeeklyTokens {
		return nil, nil
	}
	d := r.desk(s, given)
	d.decide(&events.AccountConfigured{SessionTokens: c.SessionTokens, WeeklyTokens: c.WeeklyTokens})
	d.limits = limitsOf(c.SessionTokens, c.WeeklyTokens)
	d.look(nil)
	return d.decided, nil
}

func (r Rules) reserve(s *State, given events.Given, c Reserve) ([]events.Payload, error) {
	key := laneKey(c.Run, c.Lane, c.Attempt)
	if s.Open.Has(key) || s.Looks.Has(key) || s.ended(key) { // guard: a dead lane reserves again
		return nil, nil
	}
	if c.Run == "" || c.Lane == "" || c.Tokens < 0 || c.Deadline.IsZero() {
		return nil, &events.Refusal{Reason: "a reservation needs a run, a lane, a deadline and no negative tokens"}
	}
	joining := &candidate{ID: key, Key: c.Rank, Seq: math.MaxInt64, Value: Place{
		Tokens: c.Tokens, Pool: c.Pool, Owner: c.Owner, Timeout: c.Timeout, Deadline: c.Deadline,
		MaxRunTokens: c.MaxRunTokens,
	}}
	d := r.desk(s, given)
	why := d.never(joining)
	if d.lapsed(joining) {
		why = "its run is long over"
	}
	if why != "" {
		d.refuse(joining, time.Time{}, why)
		return d.decided, nil
	}
	d.look(joining)
	switch until, why := d.wait(joining); {
	case d.gone[key]:
	case s.Looks.Len() >= r.LineMax: // guard: the line grows without bound
		d.refuse(joining, time.Time{}, fmt.Sprintf("%d lanes wait for this account already", r.LineMax))
	default:
		d.refuse(joining, until, why)
	}
	return d.decided, nil
}

func (r Rules) settle(s *State, given events.Given, c Settle) []events.Payload {
	key := laneKey(c.Run, c.Lane, c.Attempt)
	d := r.desk(s, given)
	open, held := s.Open.Get(key)
	switch {
	case held:
		used, confidence := cost(open.Value.Tokens, c)
		spentAt := c.Began
		if spentAt.IsZero() || spentAt.After(given.At) { // guard: a spend lies in the future
			spentAt = given.At
		}
		d.settle(open, &events.BudgetSettled{Used: used, Confidence: confidence, Reason: c.Reason, SpentAt: spentAt})
		d.report(key, c)
	case s.Looks.Has(key):
		d.release(key, c.Reason)
	default:
		return nil
	}
	d.look(nil)
	return d.decided
}

// cost is what a lane is charged. Who says nothing is charged what was held: the
// money may be gone. (hard-parts §2, §5; semantics 4.4)
func cost(reserved int64, c Settle) (used int64, confidence events.Confidence) {
	unknown := c.Usage.Confidence == "" || c.Usage.Confidence == events.ConfidenceUnknown
	switch {
	case c.Began.IsZero(), c.Reason == ReasonWithdrawn, c.Reason == ReasonDeclined, c.Reason == ReasonBefore,
		c.Reason == ReasonDeferred && unknown:
		return 0, events.ConfidenceExact
	case unknown:
		return reserved, events.ConfidenceUnknown
	default:
		return max(0, c.Usage.Total()), c.Usage.Confidence
	}
}

func (r Rules) due(s *State, given events.Given) []events.Payload {
	d := r.desk(s, given)
	now := events.FormatTime(given.At)
	for cursor := s.Open.Cursor(); len(d.decided) < r.Batch; {
		e := cursor.Next()
		if e == nil || e.Key > now {
			break
		}
		d.settle(e, &events.BudgetSettled{
			Used: e.Value.Tokens, Confidence: events.ConfidenceUnknown, Reason: reasonLapsed, SpentAt: e.Value.At,
		})
		d.report(e.ID, Settle{Began: e.Value.At, Reason: reasonLapsed})
	}
	d.look(nil)
	for cursor, n := s.Looks.Cursor(), 0; n < r.Batch; n++ {
		e := cursor.Next()
		if e == nil || e.Key > now {
			break
		}
		if d.gone[e.ID] {
			continue
		}
		place := d.place(e.ID)
		if why := d.never(place); why != "" {
			d.refuse(place, time.Time{}, why)
		} else if d.lapsed(place) {
			d.release(e.ID, reasonLapsed)
		} else {
			until, why := d.wait(place)
			d.refuse(place, until, why)
		}
	}
	return d.decided
}

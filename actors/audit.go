package actors

import (
	"encoding/json"
	"fmt"

	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// AuditFoldsMax bounds the streams whose state an audit keeps. One that is needed
// again is read again.
const AuditFoldsMax = 8192

// Mismatch is an event that the decision on record does not yield.
type Mismatch struct {
	Event      events.Ref  `json:"event"`
	Command    string      `json:"command,omitempty"`
	Why        string      `json:"why"`
	Recorded   events.JSON `json:"recorded,omitempty"`
	Recomputed events.JSON `json:"recomputed,omitempty"`
}

// AuditCounts is what an audit has seen.
type AuditCounts struct {
	Events     int `json:"events"`
	Plain      int `json:"plain"`       // inbox, policy, seal: nobody decides these
	Decisions  int `json:"decisions"`   // recomputed
	OtherRules int `json:"other_rules"` // of another version of the deciders: not recomputed
	Newer      int `json:"newer"`       // of a type or revision that is not known here
	Mismatches int `json:"mismatches"`
}

// ReadStream reads one stream in order, as events.Store does.
type ReadStream func(stream events.StreamName, from events.Version, yield func(*events.Event) bool) error

// Audit takes a log event by event, makes every decision again, and names the
// events that differ. It trusts no payload: the command is made of its cause, or
// read from the record of what came in from outside, the state is the fold of what
// was decided before, and the rules are those of the recorded digest. Whether the
// chain holds is another question. (hard-parts §3)
type Audit struct {
	Counts AuditCounts

	read  ReadStream
	folds map[events.StreamName]*auditFold
	rules map[events.Digest]*shell.Rules
	clock uint64
}

// auditFold is the state of one stream, and the decision that is under way in it.
type auditFold struct {
	kind    *shell.Kind
	state   any
	version events.Version
	last    *events.Event
	causes  shell.Causes
	under   *audited // nil between decisions
	touched uint64
	newer   bool // it holds an event that is not known here
}

// audited is one decision, made again.
type audited struct {
	first   events.Version
	command string
	decided events.Decided
	cause   events.Cause
	by      string
	count   int              // events on record
	anew    []events.Payload // events made again
	skip    bool             // it was not made again
}

// NewAudit returns an audit that has seen nothing.
func NewAudit(read ReadStream) *Audit {
	return &Audit{
		read: read, folds: map[events.StreamName]*auditFold{}, rules: map[events.Digest]*shell.Rules{},
	}
}

// Observe takes the next event of the log. An error means that a stream could not
// be read; what is wrong with the log is a mismatch.
func (a *Audit) Observe(e *events.Event) ([]Mismatch, error) {
	a.Counts.Events++
	kind, err := KindOf(e.Stream)
	switch {
	case err != nil:
		return a.report(Mismatch{Event: e.Ref(), Why: err.Error()}), nil //nolint:nilerr // what is wrong with the log is a mismatch
	case kind.Plain:
		a.Counts.Plain++
		return a.report(a.plain(e)...), nil
	}
	f, err := a.fold(kind, e)
	if err != nil {
		return nil, err
	}
	if e.Version != f.version+1 {
		return a.report(Mismatch{Event: e.Ref(), Why: fmt.Sprintf("it follows version %d", f.version)}), nil
	}
	if f.newer || e.Revision > events.Revision || events.New(e.Type) == nil {
		a.Counts.Newer++
		f.newer, f.version = true, e.Version
		return nil, nil
	}
	payload, found, err := a.check(f, e)
	if err != nil {
		return nil, err
	}
	if why := f.apply(e, payload); why != "" && len(found) == 0 {
		found = append(found, Mismatch{Event: e.Ref(), Why: why})
	}
	if f.under != nil && e.Version == f.under.first+events.Version(f.under.count)-1 {
		f.under = nil
		if e.Type == (events.RunEnded{}).Type() {
			delete(a.folds, e.Stream)
		}
	}
	return a.report(found...), nil
}

// End names the decisions that the log breaks off in.
func (a *Audit) End() []Mismatch {
	var found []Mismatch
	for stream, f := range a.folds {
		if f.under != nil {
			found = append(found, Mismatch{
				Event: events.Ref{Stream: stream, Version: f.version}, Command: f.under.command,
				Why: fmt.Sprintf("the decision has %d events, and the stream ends within it", f.under.count),
			})
		}
	}
	return a.report(found...)
}

func (a *Audit) report(found ...Mismatch) []Mismatch {
	a.Counts.Mismatches += len(found)
	return found
}

// plain looks at what nobody decides. A Rules value must be what its name says.
func (a *Audit) plain(e *events.Event) []Mismatch {
	if e.Decided != "" {
		return []Mismatch{{Event: e.Ref(), Why: "nobody decides this, and there is a decision on record", Recorded: e.Decided}}
	}
	if e.Stream.Category() != events.CategoryPolicy || e.Version != 0 {
		return nil
	}
	p, err := events.Decode(e)
	recorded, ok := p.(*events.PolicyRecorded)
	if err != nil || !ok {
		return []Mismatch{{Event: e.Ref(), Why: "it is no Rules value"}}
	}
	digest := events.DigestOf([]byte(recorded.Rules))
	if events.PolicyStream(digest) != e.Stream {
		return []Mismatch{{Event: e.Ref(), Why: "the digest of these rules is " + string(digest), Recorded: recorded.Rules}}
	}
	rules, err := ReadRules(recorded.Rules)
	if err != nil {
		return []Mismatch{{Event: e.Ref(), Why: err.Error(), Recorded: recorded.Rules}}
	}
	a.rules[digest] = rules
	return nil
}

// fold returns the state of the event's stream before it.
func (a *Audit) fold(kind *shell.Kind, e *events.Event) (*auditFold, error) {
	a.clock++
	f := a.folds[e.Stream]
	if f == nil {
		f = &auditFold{kind: kind, state: kind.New(), version: events.NoneYet, causes: shell.Causes{Max: kind.CausesMax}}
		if e.Version > 0 {
			err := a.read(e.Stream, 0, func(before *events.Event) bool {
				if before.Version >= e.Version {
					return false
				}
				p, err := events.Decode(before)
				if err == nil {
					f.apply(before, p)
				}
				return true
			})
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", e.Stream, err)
			}
		}
		a.folds[e.Stream] = f
		a.evict()
	}
	f.touched = a.clock
	return f, nil
}

// evict forgets half of the folds, those that were touched longest ago and are
// between decisions.
func (a *Audit) evict() {
	if len(a.folds) <= AuditFoldsMax {
		return
	}
	for stream, f := range a.folds {
		if f.under == nil && f.touched+AuditFoldsMax/2 < a.clock {
			delete(a.folds, stream)
		}
	}
}

// apply folds an event; what a fold cannot take is said, not raised.
func (f *auditFold) apply(e *events.Event, p events.Payload) (why string) {
	defer func() {
		f.causes.Act(e.Cause)
		f.version, f.last = e.Version, e
		if r := recover(); r != nil {
			why = fmt.Sprintf("it cannot be folded: %v", r)
		}
	}()
	if p != nil {
		f.kind.Fold(f.state, e, p)
	}
	return ""
}

// Recompute audits a whole history in log order.
func Recompute(history []*events.Event) ([]Mismatch, AuditCounts, error) {
	streams := map[events.StreamName][]*events.Event{}
	a := NewAudit(func(stream events.StreamName, from events.Version, yield func(*events.Event) bool) error {
		for _, e := range streams[stream] {
			if e.Version >= from && !yield(e) {
				break
			}
		}
		return nil
	})
	var found []Mismatch
	for _, e := range history {
		streams[e.Stream] = append(streams[e.Stream], e)
		m, err := a.Observe(e)
		if err != nil {
			return nil, a.Counts, err
		}
		found = append(found, m...)
	}
	return append(found, a.End()...), a.Counts, nil
}

func readDecided(e *events.Event) (events.Decided, error) {
	var d events.Decided
	if e.Decided == "" {
		return d, fmt.Errorf("no decision is on record")
	}
	if err := json.Unmarshal([]byte(e.Decided), &d); err != nil {
		return d, fmt.Errorf("read decision: %w", err)
	}
	return d, nil
}

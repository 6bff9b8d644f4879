package actors

import (
	"errors"
	"fmt"

	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// check holds an event against its decision, which is made again with its first
// event. It returns the payload to fold: the one that should be there, so that
// one forged event does not make all later ones differ.
func (a *Audit) check(f *auditFold, e *events.Event) (events.Payload, []Mismatch, error) {
	stored, err := events.Decode(e)
	if err != nil {
		stored = nil
	}
	d, err := readDecided(e)
	switch {
	case err != nil:
		return stored, []Mismatch{{Event: e.Ref(), Why: err.Error(), Recorded: e.Decided}}, nil //nolint:nilerr // a mismatch
	case d.With == nil && f.under != nil:
		f.under = nil
		return stored, []Mismatch{{Event: e.Ref(), Why: "it begins within the decision before it"}}, nil
	case d.With == nil:
		under, why, err := a.again(f, e, d)
		if err != nil {
			return nil, nil, err
		}
		f.under = under
		if why != "" {
			under.skip = true
			return stored, []Mismatch{{Event: e.Ref(), Command: d.Command, Why: why, Recorded: e.Payload}}, nil
		}
	case f.under == nil || *d.With != f.under.first || d.Command != "":
		return stored, []Mismatch{{Event: e.Ref(), Why: "it belongs to no decision", Recorded: e.Decided}}, nil
	}
	if f.under.skip {
		return stored, nil, nil
	}
	return f.under.compare(e, stored)
}

// compare holds one event against what the decision made again says.
func (u *audited) compare(e *events.Event, stored events.Payload) (events.Payload, []Mismatch, error) {
	differs := func(why string, anew events.JSON) []Mismatch {
		return []Mismatch{{Event: e.Ref(), Command: u.command, Why: why, Recorded: e.Payload, Recomputed: anew}}
	}
	i := int(e.Version - u.first)
	if i >= len(u.anew) {
		return stored, differs(fmt.Sprintf("the decision yields %d events", len(u.anew)), ""), nil
	}
	text, err := events.Encode(u.anew[i])
	if err != nil {
		return nil, nil, err
	}
	right := *e
	right.Type, right.Payload = u.anew[i].Type(), text
	p, err := events.Decode(&right)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case e.Type != right.Type:
		return p, differs("the decision yields "+string(right.Type), text), nil
	case e.Payload != text:
		return p, differs("the payload differs", text), nil
	case e.ID != shell.EventID(u.decided.Draws.Draw, e.Stream, e.Version):
		return p, differs("the id is not drawn from the decision", text), nil
	case e.Node != string(u.decided.Draws.Boot) || !e.Time.Equal(u.decided.At):
		return p, differs("node and time are not the decision's", text), nil
	case e.Cause != u.cause || e.By != u.by:
		return p, differs("cause and by are not the decision's", text), nil
	case e.Correlation != events.CorrelationOf(e.Stream, p):
		return p, differs("it is about another matter: "+e.Correlation, text), nil
	case i == 0 && u.count != len(u.anew):
		return p, differs(fmt.Sprintf("the decision yields %d events, and %d are on record", len(u.anew), u.count), text), nil
	}
	return p, nil, nil
}

// again makes a decision again.
func (a *Audit) again(f *auditFold, e *events.Event, d events.Decided) (*audited, string, error) {
	u := &audited{first: e.Version, command: d.Command, decided: d, cause: e.Cause, by: e.By, count: max(1, d.Count)}
	if d.Draws == nil || len(d.Draws.Draw) < drawMin || d.Count < 1 {
		return u, "the decision has no draws or no count", nil
	}
	rules := a.rules[d.Rules]
	if rules == nil {
		return u, "its rules are not on record before it: " + string(d.Rules), nil
	}
	if rules.Value.(*Rules).Version != RulesVersion {
		a.Counts.OtherRules++
		u.skip = true
		return u, "", nil
	}
	a.Counts.Decisions++
	cmd, why, err := a.command(e, d)
	if err != nil || why != "" {
		return u, why, err
	}
	if d.Fields == "" && f.causes.Done(e.Cause) {
		return u, "its cause was acted upon before", nil
	}
	given := events.Given{At: d.At, Boot: d.Draws.Boot, Draw: d.Draws.Draw}
	if f.last != nil && given.At.Before(f.last.Time) {
		return u, "its time is before the event before it", nil
	}
	u.anew, why = f.decide(rules.Value, given, cmd)
	return u, why, nil
}

// drawMin is how much of a draw deciders use.
const drawMin = 16

// decide asks the decider, which may refuse or, over a forged state, panic.
func (f *auditFold) decide(rules any, given events.Given, cmd events.Command) (anew []events.Payload, why string) {
	defer func() {
		if r := recover(); r != nil {
			anew, why = nil, fmt.Sprintf("it cannot be decided: %v", r)
		}
	}()
	anew, err := f.kind.Decide(rules, f.state, given, cmd)
	var refusal *events.Refusal
	switch {
	case errors.As(err, &refusal):
		return nil, "the decision is a refusal: " + refusal.Reason
	case err != nil:
		return nil, err.Error()
	case len(anew) == 0:
		return nil, "the decision yields no events"
	}
	return anew, ""
}

// command makes the command of its cause, or reads it where it came from outside
// of the log.
func (a *Audit) command(e *events.Event, d events.Decided) (events.Command, string, error) {
	if d.Fields != "" {
		if routeRow(e.Cause.Row) {
			return nil, "the route table makes this command, and fields are on record", nil
		}
		cmd, err := ReadCommand(d.Command, d.Fields)
		if err != nil {
			return nil, err.Error(), nil //nolint:nilerr // a mismatch
		}
		return cmd, "", nil
	}
	var cause *events.Event
	if e.Cause.Stream != "" {
		err := a.read(e.Cause.Stream, e.Cause.Version, func(found *events.Event) bool {
			cause = found
			return false
		})
		if err != nil {
			return nil, "", fmt.Errorf("read %s: %w", e.Cause.Stream, err)
		}
	}
	if cause == nil || cause.Version != e.Cause.Version {
		return nil, "its cause is not in the log: " + e.Cause.Text(), nil
	}
	p, err := events.Decode(cause)
	if err != nil {
		return nil, "its cause cannot be read: " + err.Error(), nil //nolint:nilerr // a mismatch
	}
	for _, row := range Routes {
		if row.Name != e.Cause.Row || row.On != cause.Type {
			continue
		}
		target, cmd := row.Make(cause, p)
		switch {
		case cmd == nil || target != e.Stream || cmd.Name() != d.Command:
			return nil, fmt.Sprintf("its cause makes no %s for this stream", d.Command), nil
		case e.By != byOf(cause):
			return nil, "it is by " + e.By + ", and its cause by " + byOf(cause), nil
		}
		return cmd, "", nil
	}
	return nil, "the route table does not make it of its cause: " + e.Cause.Text(), nil
}

func routeRow(name string) bool {
	for _, row := range Routes {
		if row.Name == name {
			return true
		}
	}
	return false
}

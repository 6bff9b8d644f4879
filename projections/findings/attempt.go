package findings

import (
	"slices"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

func raise(tx *projections.Tx, e *events.Event, p *events.FindingRaised) error {
	id := e.Stream.Subject()
	key := findingKey(id, p.Finding.Fingerprint)
	f, err := row(tx, e, key)
	if err != nil {
		return err
	}
	c := candidate{Lane: p.Lane, Attempt: p.Attempt, Finding: p.Finding, Event: e.Ref()}
	f.Candidates = append(f.Candidates, c)
	if f.State == StatePending && len(f.Candidates) == 1 {
		f.word(&c.Finding, c.Event)
	}
	f.Updated = e.Time
	put(tx, key, f)
	return withAttempt(tx, attemptKey(id, p.Lane, p.Attempt), func(a *attempt) {
		a.Findings = append(a.Findings, p.Finding.Fingerprint)
	})
}

func withhold(tx *projections.Tx, e *events.Event, p *events.FindingWithheld) error {
	id := e.Stream.Subject()
	serial := 0
	err := withAttempt(tx, attemptKey(id, p.Lane, p.Attempt), func(a *attempt) { serial, a.Withheld = a.Withheld, a.Withheld+1 })
	if err != nil {
		return err
	}
	key := withheldKey(id, p.Lane, p.Attempt, serial)
	f, err := row(tx, e, key)
	if err != nil {
		return err
	}
	f.word(&p.Finding, e.Ref())
	f.Sources, f.Reason, f.Updated = []events.LaneID{p.Lane}, p.Reason, e.Time
	f.Events = projections.Cite(f.Events, e)
	put(tx, key, f)
	return nil
}

func withAttempt(tx *projections.Tx, key string, change func(*attempt)) error {
	a, err := projections.ReadOrNew[attempt](tx, kindAttempt, key)
	if err != nil {
		return err
	}
	change(a)
	projections.Put(tx, kindAttempt, key, projections.Columns{}, a)
	return nil
}

// endAttempt makes what an attempt said count, or forgets it.
func endAttempt(tx *projections.Tx, e *events.Event, lane events.LaneID, n int, well bool) error {
	id := e.Stream.Subject()
	key := attemptKey(id, lane, n)
	a, err := projections.Read[attempt](tx, kindAttempt, key)
	if err != nil || a == nil {
		return err
	}
	projections.Delete(tx, kindAttempt, key)
	for _, fingerprint := range a.Findings {
		if err := settle(tx, e, findingKey(id, fingerprint), lane, n, well); err != nil {
			return err
		}
	}
	for serial := range a.Withheld {
		key := withheldKey(id, lane, n, serial)
		if !well {
			projections.Delete(tx, kindFinding, key)
			continue
		}
		f, err := row(tx, e, key)
		if err != nil {
			return err
		}
		f.State, f.Updated = StateWithheld, e.Time
		put(tx, key, f)
	}
	return nil
}

// settle ends the candidates that one attempt has in a finding's row.
func settle(tx *projections.Tx, e *events.Event, key string, lane events.LaneID, n int, well bool) error {
	f, err := row(tx, e, key)
	if err != nil {
		return err
	}
	var left []candidate
	for _, c := range f.Candidates {
		if c.Lane != lane || c.Attempt != n {
			left = append(left, c)
			continue
		}
		if well {
			f.accept(&c)
		}
	}
	f.Candidates, f.Updated = left, e.Time
	if f.State == StatePending {
		if len(left) == 0 {
			projections.Delete(tx, kindFinding, key)
			return nil
		}
		f.word(&left[0].Finding, left[0].Event)
	}
	put(tx, key, f)
	return nil
}

// accept makes a candidate count.
func (f *Finding) accept(c *candidate) {
	if f.State == StatePending || c.Finding.Severity.Weight() > f.Severity.Weight() {
		f.word(&c.Finding, c.Event)
	}
	f.State = StateRaised
	if !slices.Contains(f.Sources, c.Lane) {
		f.Sources = append(f.Sources, c.Lane)
		slices.Sort(f.Sources)
	}
	if len(f.Events) < projections.CitedMax {
		f.Events = append(f.Events, c.Event)
	}
}

// number notes the numbers that the pull request gave.
func number(tx *projections.Tx, e *events.Event, p *events.FindingsNumbered) error {
	for i := range p.Numbers {
		n := &p.Numbers[i]
		key := findingKey(string(p.Run), n.Fingerprint)
		f, err := projections.Read[Finding](tx, kindFinding, key)
		if err != nil {
			return err
		}
		if f == nil {
			continue // numbered for a run whose findings this log does not hold
		}
		f.Number, f.New, f.Updated = n.Number, n.New, e.Time
		f.withheldByWord(n)
		f.Events = projections.Cite(f.Events, e)
		put(tx, key, f)
	}
	return nil
}

package findings

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Dismissal is a person's word on a finding.
type Dismissal struct {
	Reason string     `json:"reason"`
	By     string     `json:"by"`
	At     time.Time  `json:"at"`
	Event  events.Ref `json:"event"`
}

// standingKey names what stands of a finding on its pull request.
func standingKey(stream events.StreamName, number int) string {
	return fmt.Sprintf("%s#%06d", stream, number)
}

func putStanding(tx *projections.Tx, f *Finding) {
	projections.Put(tx, kindStanding, standingKey(f.Stream, f.Number), projections.Columns{
		Repo: string(f.Repo), State: string(f.State), At: f.Updated, Sort: fmt.Sprintf("%s#%09d#%06d", f.Repo, f.PR, f.Number),
	}, f)
}

// adopt makes what a run said stand on the pull request.
func adopt(tx *projections.Tx, e *events.Event, p *events.VerdictAdopted) error {
	round, err := projections.Read[events.FindingsNumbered](tx, kindRound, string(p.Run))
	if err != nil || round == nil {
		return err
	}
	projections.Delete(tx, kindRound, string(p.Run))
	for i := range round.Numbers {
		if err := stand(tx, e, p.Run, &round.Numbers[i]); err != nil {
			return err
		}
	}
	for i := range round.Fixed {
		f, err := projections.Read[Finding](tx, kindStanding, standingKey(e.Stream, round.Fixed[i].Number))
		if err != nil {
			return err
		}
		if f != nil && f.State != StateFixed {
			f.State, f.Since, f.Updated = StateFixed, e.Time, e.Time
			f.Events = projections.Cite(f.Events, e)
			putStanding(tx, f)
		}
	}
	return nil
}

// stand copies a run's finding to the pull request.
func stand(tx *projections.Tx, e *events.Event, run events.RunID, n *events.Number) error {
	seen, err := projections.Read[Finding](tx, kindFinding, findingKey(string(run), n.Fingerprint))
	if err != nil || seen == nil {
		return err
	}
	key := standingKey(e.Stream, n.Number)
	before, err := projections.Read[Finding](tx, kindStanding, key)
	if err != nil {
		return err
	}
	dismissal, err := projections.Read[Dismissal](tx, kindDismissal, key)
	if err != nil {
		return err
	}
	if dismissal != nil && n.Dismissal != nil && n.Dismissal.Over && n.Dismissal.Event == dismissal.Event {
		projections.Delete(tx, kindDismissal, key)
		dismissal = nil
	}
	f := *seen
	f.Stream, f.Candidates, f.Reason = e.Stream, nil, ""
	f.Sources, f.Events = slices.Clone(seen.Sources), slices.Clone(seen.Events)
	f.since(before, e)
	f.dismiss(dismissal)
	putStanding(tx, &f)
	return nil
}

// since keeps the time from which on the finding has stood.
func (f *Finding) since(before *Finding, e *events.Event) {
	f.Since, f.Updated = e.Time, e.Time
	if before != nil && before.State != StateFixed {
		f.Since = before.Since
	}
}

// dismiss sets the state of a finding that stands.
func (f *Finding) dismiss(d *Dismissal) {
	f.State, f.Reason, f.Dismissal = StateOpen, "", d
	if d != nil {
		f.State, f.Reason = StateDismissed, d.Reason
	}
}

// setDismissal notes a person's word, or that it is taken back.
func setDismissal(tx *projections.Tx, e *events.Event, number int, d *Dismissal) error {
	key := standingKey(e.Stream, number)
	if d == nil {
		projections.Delete(tx, kindDismissal, key)
	} else {
		projections.Put(tx, kindDismissal, key, projections.Columns{At: e.Time}, d)
	}
	f, err := projections.Read[Finding](tx, kindStanding, key)
	if err != nil || f == nil {
		return err
	}
	if fixed := f.State == StateFixed; fixed {
		f.Dismissal = d
	} else {
		f.dismiss(d)
	}
	f.Updated = e.Time
	f.Events = projections.Cite(f.Events, e)
	putStanding(tx, f)
	return nil
}

// withheldByWord takes a dismissed finding out of a run's review.
func (f *Finding) withheldByWord(n *events.Number) {
	if n.Dismissed() {
		f.State, f.Reason = StateWithheld, "dismissed: "+n.Dismissal.Reason
	}
}

// OfPR lists what stands on a pull request, by number: open, fixed and dismissed.
func OfPR(ctx context.Context, rows projections.Rows, stream events.StreamName) ([]Finding, error) {
	page, err := projections.List[Finding](ctx, rows, projections.Filter{ID: string(stream) + "#"}.Query(Name, kindStanding))
	return page.Items, err
}

// Package label is the view of the verdict label that each pull request should
// carry, and of how far it is on its way to the forge. On a forge the pull request
// itself says what is wanted. Elsewhere, where there are no labels, one would be
// wanted while the newest adopted verdict is about what is still the head.
// (semantics 17)
package label

import (
	"context"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Name is the view's.
const Name projections.ViewName = "label"

const version = 2

const kindPR projections.Kind = "pr" // key: stream

// Label is the name of a verdict label.
type Label string

// The labels.
const (
	Approved         Label = "reviewctl:approved"
	ChangesRequested Label = "reviewctl:changes-requested"
	Commented        Label = "reviewctl:commented"
)

// Of returns the label of a verdict.
func Of(v events.Verdict) Label {
	switch v {
	case events.VerdictApprove:
		return Approved
	case events.VerdictRequestChanges:
		return ChangesRequested
	case events.VerdictComment:
		return Commented
	}
	return ""
}

// Row says which label a pull request should carry: an item of `get labels`.
type Row struct {
	Label   Label             `json:"label"` // "" = none
	Repo    events.RepoName   `json:"repo"`
	Number  int               `json:"number"`
	Stream  events.StreamName `json:"stream"`
	Head    events.Commit     `json:"head"`
	Base    events.Commit     `json:"base"`
	Verdict events.Verdict    `json:"verdict,omitempty"`
	Run     events.RunID      `json:"run,omitempty"`
	Since   time.Time         `json:"since"` // the label is wanted, or not
	Updated time.Time         `json:"updated"`
	Event   events.Ref        `json:"event"`
	Judged  events.Commit     `json:"judged,omitempty"` // what the verdict is about

	State  State              `json:"state,omitempty"`  // of the label on the forge; absent = none was ever wanted
	Synced *Label             `json:"synced,omitempty"` // that the forge was last made to carry; absent = nothing yet
	Try    int                `json:"try,omitempty"`    // the newest
	Until  time.Time          `json:"until,omitzero"`   // of the try that is under way
	NextAt time.Time          `json:"next_at,omitzero"` // the next try is due
	Kind   events.FailureKind `json:"kind,omitempty"`   // of the failure
	Why    string             `json:"why,omitempty"`    // it failed, or was not set
	Events []events.Ref       `json:"events,omitempty"`
}

// State says how far a label is on its way to the forge.
type State string

// The states.
const (
	Waiting State = "waiting" // for the end of the try before it
	Trying  State = "trying"
	Synced  State = "synced"  // the forge shows what is wanted
	Skipped State = "skipped" // the repository does not have the labels
	Failed  State = "failed"  // and is tried again
	Resting State = "resting" // until another label is wanted, or somebody retries
)

// View returns the view.
func View() projections.View {
	return projections.View{Name: Name, Version: version, Apply: apply}
}

func apply(tx *projections.Tx, e *events.Event, p events.Payload) error {
	switch p := p.(type) {
	case *events.PROpened:
		return with(tx, e, func(r *Row) { r.Repo, r.Number = p.Repo, p.Number })
	case *events.PRDescribed:
		return with(tx, e, func(r *Row) { r.Repo = p.Repo })
	case *events.HeadSkipped:
		return with(tx, e, func(r *Row) { r.Head, r.Base = p.Head, p.Base })
	case *events.LabelWanted, *events.LabelSynced, *events.LabelFailed:
		return with(tx, e, func(r *Row) { r.forge(e, p) })
	case *events.HeadQueued:
		return with(tx, e, func(r *Row) {
			if p.Head != r.Judged {
				r.want(e, "")
			} else if r.Label == "" {
				r.want(e, Of(r.Verdict)) // the head came back to what was judged
			}
			r.Head, r.Base = p.Head, p.Base
		})
	case *events.HeadClosed:
		return with(tx, e, func(r *Row) { r.want(e, "") })
	case *events.VerdictAdopted:
		return with(tx, e, func(r *Row) {
			r.Verdict, r.Run, r.Judged, r.Head, r.Base = p.Verdict, p.Run, p.Head, p.Head, p.Base
			if p.Target != events.TargetForge { // else once it is published
				r.want(e, Of(p.Verdict))
			}
		})
	}
	return nil
}

// want is what would be wanted, for as long as the pull request itself has not said.
func (r *Row) want(e *events.Event, l Label) {
	if r.State == "" {
		r.set(e, l)
	}
}

func (r *Row) set(e *events.Event, l Label) {
	if r.Label != l {
		r.Label, r.Since = l, e.Time
	}
}

// forge follows the label on its way to the forge.
func (r *Row) forge(e *events.Event, p events.Payload) {
	r.Events = projections.Cite(r.Events, e)
	switch p := p.(type) {
	case *events.LabelWanted:
		r.set(e, Of(p.Verdict))
		if p.Owner == "" {
			r.State = Waiting
			return
		}
		r.State, r.Try, r.Until, r.NextAt, r.Kind, r.Why = Trying, p.Try, p.Until, time.Time{}, "", ""
	case *events.LabelSynced:
		r.State, r.Until, r.NextAt, r.Kind, r.Why = Synced, time.Time{}, time.Time{}, "", p.Skipped
		if p.Skipped != "" {
			r.State = Skipped
			return
		}
		l := Of(p.Verdict)
		r.Synced = &l
	case *events.LabelFailed:
		r.State, r.Until, r.NextAt, r.Kind, r.Why = Failed, time.Time{}, p.NextAt, p.Kind, p.Message
		if p.NextAt.IsZero() {
			r.State = Resting
		}
	}
}

func with(tx *projections.Tx, e *events.Event, change func(*Row)) error {
	key := string(e.Stream)
	r, err := projections.ReadOrNew[Row](tx, kindPR, key)
	if err != nil {
		return err
	}
	if r.Stream == "" {
		r.Stream, r.Since = e.Stream, e.Time
	}
	change(r)
	r.Updated, r.Event = e.Time, e.Ref()
	projections.Put(tx, kindPR, key, projections.Columns{
		Repo: string(r.Repo), State: string(r.Label), At: r.Updated, Sort: fmt.Sprintf("%s#%09d", r.Repo, r.Number),
	}, r)
	return nil
}

// RowOf returns the label of a pull request, or nil where it has no row.
func RowOf(ctx context.Context, rows projections.Rows, stream events.StreamName) (*Row, error) {
	return projections.Lookup[Row](ctx, rows, Name, kindPR, string(stream))
}

// Get lists the labels by repository and number. A state is a label.
func Get(ctx context.Context, rows projections.Rows, f projections.Filter) (projections.Page[Row], error) {
	return projections.List[Row](ctx, rows, f.Query(Name, kindPR))
}

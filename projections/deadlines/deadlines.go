// Package deadlines is the view of what waits: every deadline that is set, with its
// owner. It is what a process reads when it starts, in the place of the log: rows
// for what is open, none for the past.
package deadlines

import (
	"context"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Name is the view's.
const Name projections.ViewName = "deadlines"

const version = 2

const kindDeadline projections.Kind = "deadline" // key: stream + keyEnd + the deadline's key

// keyEnd stands in no stream's name.
const keyEnd = " "

// Row is a deadline that is set.
type Row struct {
	Stream events.StreamName `json:"stream"`
	Key    string            `json:"key"`
	At     time.Time         `json:"at"`
	Owner  events.BootID     `json:"owner"` // "" = shared
	Event  events.Ref        `json:"event"` // that set it
}

// Deadline returns it in the form of the sweeper's.
func (r *Row) Deadline() events.Deadline {
	return events.Deadline{Stream: r.Stream, Key: r.Key, At: r.At, Owner: r.Owner, About: r.Event}
}

// View returns the view.
func View() projections.View {
	return projections.View{Name: Name, Version: version, Apply: apply}
}

func apply(tx *projections.Tx, e *events.Event, p events.Payload) error {
	for _, d := range events.Deadlines(e, p) {
		key := string(d.Stream) + keyEnd + d.Key
		if d.At.IsZero() {
			projections.Delete(tx, kindDeadline, key)
			continue
		}
		projections.Put(tx, kindDeadline, key, projections.Columns{
			State: string(d.Owner), At: d.At, Sort: events.FormatTime(d.At),
		}, &Row{Stream: d.Stream, Key: d.Key, At: d.At, Owner: d.Owner, Event: d.About})
	}
	return nil
}

// Load calls yield for all deadlines, the earliest first, until it returns
// false. It reads one row for each that is set and nothing else.
func Load(ctx context.Context, rows projections.Rows, yield func(events.Deadline) bool) error {
	page, err := projections.List[Row](ctx, rows, projections.Query{View: Name, Kind: kindDeadline})
	if err != nil {
		return err
	}
	for i := range page.Items {
		if !yield(page.Items[i].Deadline()) {
			break
		}
	}
	return nil
}

// First returns the earliest deadline, or nil.
func First(ctx context.Context, rows projections.Rows) (*Row, error) {
	page, err := projections.List[Row](ctx, rows, projections.Query{View: Name, Kind: kindDeadline, Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return nil, err
	}
	return &page.Items[0], nil
}

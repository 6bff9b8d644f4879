package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// AsOf builds views in memory from the log up to the last event whose time is at
// or before t. (hard-parts §3)
func AsOf(ctx context.Context, log events.Store, views []View, t time.Time) (*Memory, Report, error) {
	last := events.Position(0)
	err := log.ReadAll(ctx, 0, func(e *events.Event) bool {
		if !e.Time.After(t) {
			last = e.Position
		}
		return true
	})
	if err != nil {
		return nil, Report{}, fmt.Errorf("look for the log's end at %s: %w", events.FormatTime(t), err)
	}
	rows := NewMemory()
	r := NewRunner(log, rows, views)
	for _, f := range r.views {
		f.opened = true
		f.tx.fromNothing()
	}
	err = r.toTheEnd(ctx, r.views, func(e *events.Event) bool { return e.Position <= last })
	if err != nil {
		return nil, Report{}, err
	}
	return rows, r.report(), nil
}

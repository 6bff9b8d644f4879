package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of one batch: a short one when a view follows the log, a long one when
// it is far behind, and never more bytes than this.
const (
	batchEvents    = 512
	batchEventsMax = 32768
	batchBytesMax  = 32 << 20
)

// open loads the checkpoints, once, and rebuilds what cannot be gone on with.
func (r *Runner) open(ctx context.Context) error {
	var stale []*follower
	for _, f := range r.views {
		if f.opened || f.stopped != nil {
			continue
		}
		fits, err := r.load(ctx, f)
		if err != nil {
			return err
		}
		if !fits {
			stale = append(stale, f)
		}
	}
	if len(stale) == 0 {
		return nil
	}
	_, err := r.rebuild(ctx, stale, nil)
	return err
}

// load reads a checkpoint, and says whether this view of this log can go on from
// there.
func (r *Runner) load(ctx context.Context, f *follower) (fits bool, err error) {
	at, err := r.rows.Checkpoint(ctx, f.tx.view)
	if err != nil {
		return false, fmt.Errorf("read checkpoint of %s: %w", f.view.Name, err)
	}
	f.tx.forget()
	f.at, f.opened = at, true
	switch {
	case at.Last.Stream == "":
		f.at.Version = f.view.Version
		f.tx.fromNothing()
		return at.Version == 0 || at.Version == f.view.Version, nil
	case at.Version > f.view.Version:
		f.stopped = &StoppedError{View: f.view.Name, Err: ErrNewerView}
		return true, nil
	case at.Version < f.view.Version:
		return false, nil
	}
	return r.isOfThisLog(ctx, at)
}

// isOfThisLog reports whether the checkpoint's event stands in this log, at its
// position: a log that was put back or replaced has other ones.
func (r *Runner) isOfThisLog(ctx context.Context, at Checkpoint) (bool, error) {
	found := false
	err := r.log.ReadStream(ctx, at.Last.Stream, at.Last.Version, func(e *events.Event) bool {
		// Some stores give no position with an event of a stream. (hard-parts §1)
		found = e.Version == at.Last.Version && e.Hash == at.Hash && (e.Position == 0 || e.Position == at.Position)
		return false
	})
	if err != nil {
		return false, fmt.Errorf("look for %s: %w", at.Last, err)
	}
	return found, nil
}

// toTheEnd applies everything that the log holds behind the followers. Where
// until is given, events for which it says false are not applied.
func (r *Runner) toTheEnd(ctx context.Context, fs []*follower, until func(*events.Event) bool) error {
	size := batchEvents
	for {
		after, any := behind(fs)
		if !any {
			return nil
		}
		batch, ended, err := r.readBatch(ctx, after, size, until)
		if err != nil {
			return err
		}
		if err := apply(ctx, fs, batch); err != nil {
			return err
		}
		for _, f := range fs {
			r.end = max(r.end, f.at.Position)
		}
		// Who was overtaken on the way may not be there yet.
		if slowest, any := behind(fs); ended && (!any || len(batch) == 0 || slowest >= batch[len(batch)-1].Position) {
			for _, f := range fs {
				f.tx.written = nil // from here on there is little to save
			}
			return nil
		}
		size = batchEventsMax
	}
}

// behind returns the earliest position of the followers that go on.
func behind(fs []*follower) (after events.Position, any bool) {
	for _, f := range fs {
		if f.stopped == nil && (!any || f.at.Position < after) {
			after, any = f.at.Position, true
		}
	}
	return after, any
}

func (r *Runner) readBatch(ctx context.Context, after events.Position, size int, until func(*events.Event) bool) (batch []*events.Event, ended bool, err error) {
	bytes := 0
	ended = true
	err = r.log.ReadAll(ctx, after, func(e *events.Event) bool {
		if until != nil && !until(e) {
			return false
		}
		batch = append(batch, e)
		bytes += len(e.Payload)
		ended = len(batch) < size && bytes < batchBytesMax
		return ended
	})
	if err != nil {
		return nil, false, fmt.Errorf("read the log after position %d: %w", after, err)
	}
	return batch, ended, nil
}

// apply folds a batch into each follower and commits each.
func apply(ctx context.Context, fs []*follower, batch []*events.Event) (err error) {
	if len(batch) == 0 {
		return nil
	}
	defer func() {
		if err != nil {
			for _, f := range fs {
				f.abandon()
			}
		}
	}()
	to := make([]Checkpoint, len(fs))
	failed := make([]int, len(fs)) // index of the event that a follower could not apply, from 1
	for i, f := range fs {
		to[i] = f.at
		f.tx.ctx = ctx //nolint:fatcontext // one batch, one context
	}
	for n, e := range batch {
		p, decodeErr := events.Decode(e)
		for i, f := range fs {
			if f.stopped != nil || failed[i] > 0 || e.Position <= f.at.Position {
				continue
			}
			if err := f.step(&to[i], e, p, decodeErr); err != nil {
				if isRowsError(err) {
					return fmt.Errorf("view %s: %w", f.view.Name, err)
				}
				failed[i] = n + 1
				f.stopped = &StoppedError{View: f.view.Name, At: e.Ref(), Err: err}
			}
		}
	}
	for i, f := range fs {
		if failed[i] > 0 {
			if err := f.salvage(ctx, batch[:failed[i]-1]); err != nil {
				return err
			}
			continue
		}
		if f.stopped == nil {
			if err := f.commit(ctx, to[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func isRowsError(err error) bool {
	var rows *rowsError
	return errors.As(err, &rows)
}

package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/reviewctl/reviewctl/events"
)

// step applies one event and moves the checkpoint that is to be.
func (f *follower) step(to *Checkpoint, e *events.Event, p events.Payload, decodeErr error) error {
	if decodeErr != nil {
		return decodeErr
	}
	if _, unknown := p.(events.Unknown); unknown {
		to.Unknown++ // hard-parts §8: skipped and counted
	} else if err := f.view.Apply(f.tx, e, p); err != nil {
		return err
	}
	to.Version = f.view.Version
	to.Position, to.Last, to.Hash, to.Time = e.Position, e.Ref(), e.Hash, e.Time
	return nil
}

// commit writes what the batch has changed. Where another projector was faster,
// its rows are gone on from.
func (f *follower) commit(ctx context.Context, to Checkpoint) error {
	if to.Same(f.at) {
		return nil
	}
	b, err := f.tx.batch(f.stored(), to)
	if err != nil {
		return err
	}
	err = f.tx.rows.Commit(ctx, b)
	var overtaken *OvertakenError
	switch {
	case errors.As(err, &overtaken):
		return f.reload(ctx)
	case err != nil:
		return fmt.Errorf("commit view %s: %w", f.view.Name, err)
	}
	f.tx.committed()
	f.at = to
	return nil
}

// stored is the checkpoint as the rows have it: what was never committed has no
// version there.
func (f *follower) stored() Checkpoint {
	if f.at.Last.Stream == "" {
		return Checkpoint{}
	}
	return f.at
}

// abandon drops what is not committed: it is read and applied again.
func (f *follower) abandon() {
	f.tx.forget()
	f.opened = false
}

// reload goes on from what is stored now.
func (f *follower) reload(ctx context.Context) error {
	f.tx.forget()
	at, err := f.tx.rows.Checkpoint(ctx, f.tx.view)
	if err != nil {
		return fmt.Errorf("read checkpoint of %s: %w", f.view.Name, err)
	}
	if at.Version > f.view.Version {
		f.stopped = &StoppedError{View: f.view.Name, Err: ErrNewerView}
	}
	f.at = at
	f.at.Version = f.view.Version
	return nil
}

// salvage commits what came before the event that stopped the view: half of an
// event is never written.
func (f *follower) salvage(ctx context.Context, before []*events.Event) error {
	f.tx.forget()
	to := f.at
	for _, e := range before {
		if e.Position <= f.at.Position {
			continue
		}
		p, err := events.Decode(e)
		if err := f.step(&to, e, p, err); err != nil {
			f.tx.forget()
			return fmt.Errorf("apply %s again: %w", e.Ref(), err)
		}
	}
	return f.commit(ctx, to)
}

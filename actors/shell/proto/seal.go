package proto

import (
	"context"
	"fmt"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/events"
)

// Seal states the heads of all streams that changed since the last seal. Another
// process may seal at the same time: one of both seals is then void. Without
// marks the whole log is looked at.
func Seal(ctx context.Context, s *System, marks Marks) error {
	var after events.Position
	if marks != nil {
		at, err := marks.LoadMark(ctx, MarkSeal)
		if err != nil {
			return fmt.Errorf("load seal mark: %w", err)
		}
		after = at
	}
	last := events.NoneYet
	if err := s.Store.ReadBack(ctx, events.SealStream, func(e *events.Event) bool {
		last = e.Version
		return false
	}); err != nil {
		return err
	}
	sealer := actors.NewSealer(last)
	if err := s.Store.ReadAll(ctx, after, func(e *events.Event) bool {
		sealer.Observe(e)
		after = e.Position
		return true
	}); err != nil {
		return err
	}
	for cmd, news := sealer.Seal(); news; cmd, news = sealer.Seal() {
		a, err := s.Ask(ctx, events.SealStream, actors.ByNode, cmd)
		if err != nil {
			return err
		}
		if len(a.Events) == 0 {
			return nil // another process was faster; it has seen the same
		}
		sealer.Sealed(a.Events[0].Version)
	}
	if marks != nil {
		return marks.SaveMark(ctx, MarkSeal, after)
	}
	return nil
}

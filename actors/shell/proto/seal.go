package proto

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/events"
)

type sealed struct{}

// sealSoon seals the log every events.SealEvery events, beside the actor. Only a
// daemon does; what it has not sealed a clean stop of any process does.
func (p *Process) sealSoon() {
	if !p.Daemon || p.sealing || p.news < events.SealEvery {
		return
	}
	p.sealing, p.news = true, 0
	p.beside.Go(func() {
		p.seal(p.ctx)
		p.send(sealed{})
	})
}

// seal writes what changed since the last seal, wherever that left off.
func (p *Process) seal(ctx context.Context) {
	if err := Seal(ctx, p.system, p.Marks); err != nil && ctx.Err() == nil {
		p.system.Logger.Warn("log not sealed", slog.Any("error", err))
	}
}

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
	from := after
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
	if marks == nil || after == from {
		return nil
	}
	return marks.SaveMark(ctx, MarkSeal, after)
}

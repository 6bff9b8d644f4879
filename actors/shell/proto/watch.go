package proto

import (
	"context"
	"log/slog"
	"slices"

	"github.com/reviewctl/reviewctl/events"
)

// arm sets the one timer to what is due next, and keeps an eye on other boots
// while any of them owns something. An idle process has no timer.
func (p *Process) arm() {
	if wake, any := p.node.Sweeper.Wake(); any && (p.wake.IsZero() || wake.Before(p.wake)) {
		if p.disarm != nil {
			p.disarm()
		}
		p.wake = wake
		p.disarm = p.system.Clock.After(wake.Sub(p.system.Clock.Now()), func() {
			p.system.actors.Root.Send(p.pid, tick{})
		})
	}
	if p.Bury && !p.looking && len(p.node.Sweeper.Others(p.system.Boot)) > 0 {
		p.looking = true
		p.system.Clock.After(LivenessEvery, func() { p.system.actors.Root.Send(p.pid, liveness{}) })
	}
}

// lookAtBoots ends the business of boots that are dead. Where their events cannot
// be read now, the next look tries again.
func (p *Process) lookAtBoots() {
	p.looking = false
	if !p.Bury {
		return
	}
	for _, boot := range p.node.Sweeper.Others(p.system.Boot) {
		if !p.Boots.Dead(boot) {
			continue
		}
		deliveries, err := p.node.Bury(boot, func(stream events.StreamName) ([]*events.Event, error) {
			var all []*events.Event
			err := p.system.Store.ReadStream(p.system.ctx, stream, 0, func(e *events.Event) bool {
				all = append(all, e)
				return true
			})
			return all, err
		})
		if err != nil {
			p.system.Logger.Warn("business of a dead process not ended", slog.String("boot", string(boot)), slog.Any("error", err))
		}
		p.deliver(deliveries)
	}
}

// markSoon stores the router's checkpoint at most every MarkEvery.
func (p *Process) markSoon() {
	if p.Marks == nil || p.marking || p.node.Router.Checkpoint() == p.marked {
		return
	}
	p.marking = true
	p.system.Clock.After(MarkEvery, func() { p.system.actors.Root.Send(p.pid, mark{}) })
}

func (p *Process) saveMark() {
	p.marking = false
	at := p.node.Router.Checkpoint()
	if p.Marks == nil || at == p.marked {
		return
	}
	if err := p.Marks.SaveMark(p.system.ctx, MarkRouter, at); err != nil {
		p.system.Logger.Warn("checkpoint not stored", slog.Any("error", err))
		return
	}
	p.marked = at
}

// Drain returns once nothing is on its way and this process has looked at all
// that it wrote, or when ctx ends.
func (p *Process) Drain(ctx context.Context) error {
	for {
		quiet := make(chan events.Position, 1)
		p.system.actors.Root.Send(p.pid, drain{quiet})
		select {
		case seen := <-quiet:
			more := false
			if err := p.system.Store.ReadAll(ctx, seen, func(e *events.Event) bool {
				more = e.Node == string(p.system.Boot)
				return !more
			}); err != nil {
				return err
			}
			if !more {
				return nil
			}
		case <-p.gone:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Stop ends the tail and the node's actor, stores the checkpoint, and seals the
// log. The system is still there, and so is whatever an effect has under way. A
// second call does nothing.
func (p *Process) Stop(ctx context.Context) {
	p.once.Do(func() {
		p.cancel()
		p.tailed.Wait()
		p.system.actors.Root.Send(p.pid, mark{})
		p.system.actors.Root.Poison(p.pid)
		select {
		case <-p.gone:
		case <-ctx.Done():
		}
		p.seal(ctx)
	})
}

// seal writes what changed since the last seal, wherever that left off.
func (p *Process) seal(ctx context.Context) {
	if err := Seal(ctx, p.system, p.Marks); err != nil && !slices.Contains([]error{context.Canceled}, ctx.Err()) {
		p.system.Logger.Warn("log not sealed", slog.Any("error", err))
	}
}

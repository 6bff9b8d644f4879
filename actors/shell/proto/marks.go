package proto

import (
	"context"
	"log/slog"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// MarkEvery is how long the router's checkpoint may lag.
const MarkEvery = time.Second

// Marks keeps positions beside the views: they may be lost and then cost time.
type Marks interface {
	LoadMark(ctx context.Context, name string) (events.Position, error)
	SaveMark(ctx context.Context, name string, p events.Position) error
}

// The marks: what the router has gone past, and what the seals cover.
const (
	MarkRouter = "router"
	MarkSeal   = "seal"
)

type (
	mark  struct{}
	saved struct{ at events.Position }
)

// markSoon stores the router's checkpoint at most every MarkEvery.
func (p *Process) markSoon() {
	if p.Marks == nil || !p.Daemon || p.marking || p.node.Router.Checkpoint() == p.marked {
		return
	}
	p.marking = true
	p.later(MarkEvery, mark{})
}

func (p *Process) saveMark() {
	at, before := p.node.Router.Checkpoint(), p.marked
	p.beside.Go(func() {
		if !p.storeMark(p.ctx, at) {
			at = before
		}
		p.send(saved{at})
	})
}

// storeMark is called by one goroutine after another. It says what is wrong once:
// a disk may be full for days.
func (p *Process) storeMark(ctx context.Context, at events.Position) bool {
	err := p.Marks.SaveMark(ctx, MarkRouter, at)
	switch {
	case err == nil:
		p.unkept = ""
	case ctx.Err() == nil && err.Error() != p.unkept:
		p.unkept = err.Error()
		p.system.Logger.Warn("checkpoint not stored", slog.Any("error", err))
	}
	return err == nil
}

// Stop ends the tail, the node's actor and what goes on beside it, stores the
// checkpoint, and seals the log. The system is still there, and so is whatever an
// effect has under way. A second call waits for the same end.
func (p *Process) Stop(ctx context.Context) {
	p.once.Do(func() {
		p.cancel(nil)
		p.mu.Lock()
		p.closed = true
		p.system.actors.Root.Poison(p.pid)
		p.mu.Unlock()
		<-p.gone
		p.beside.Wait()
		if at := p.node.Router.Checkpoint(); p.Marks != nil && p.Daemon && at != p.marked {
			p.storeMark(ctx, at)
		}
		p.seal(ctx)
	})
}

package proto

import (
	"context"
	"errors"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of the tail.
const (
	// TailBatch is the number of events read at a time.
	TailBatch = 256
	// BacklogMax is the number of events with unanswered commands at which the tail
	// waits.
	BacklogMax = 1024
	// TailAgain is the wait before the log is read again after an error that may pass.
	TailAgain = 3 * time.Second
)

// tail reads the log in order and hands it to the actor, one batch at a time.
func (p *Process) tail(after events.Position) {
	for p.ctx.Err() == nil {
		var b batch
		err := p.system.Store.ReadAll(p.ctx, after, func(e *events.Event) bool {
			b.events = append(b.events, e)
			return len(b.events) < TailBatch
		})
		switch {
		case p.ctx.Err() != nil:
			return
		case errors.Is(err, events.ErrUnavailable):
			p.pause()
			continue
		case err != nil:
			p.fail(err)
			return
		case len(b.events) == 0:
			if err := p.system.Store.Follow(p.ctx, after); err != nil && p.ctx.Err() == nil {
				p.pause()
			}
			continue
		}
		after = b.events[len(b.events)-1].Position
		p.send(&b)
		select {
		case <-p.next:
		case <-p.ctx.Done():
		}
	}
}

func (p *Process) pause() {
	over := make(chan struct{})
	defer p.system.Clock.After(TailAgain, func() { close(over) })()
	select {
	case <-over:
	case <-p.ctx.Done():
	}
}

// goOn lets the tail read on, unless too much is under way.
func (p *Process) goOn() {
	if p.hungry && p.node.Router.Backlog() < BacklogMax {
		p.hungry = false
		p.next <- struct{}{} // never blocks: one for each batch
	}
}

// drain asks to be told once nothing is on its way and the log was seen up to a
// position.
type drain struct {
	upTo  events.Position
	quiet chan events.Position
}

func (p *Process) quiet() {
	if len(p.drains) == 0 || p.coming.Load() > 0 || !p.node.Router.Quiet() {
		return
	}
	seen := p.node.Router.Seen()
	var rest []drain
	for _, d := range p.drains {
		if d.upTo > seen {
			rest = append(rest, d)
			continue
		}
		d.quiet <- seen
	}
	p.drains = rest
}

// Drain returns once nothing is on its way and this process has looked at all
// that it wrote, or when ctx or the process ends. An effect that has answered is
// waited for; one that is still under way is not.
func (p *Process) Drain(ctx context.Context) error {
	var upTo events.Position
	for {
		d := drain{upTo, make(chan events.Position, 1)}
		p.send(d)
		select {
		case seen := <-d.quiet:
			more := false
			if err := p.system.Store.ReadAll(ctx, seen, func(e *events.Event) bool {
				more, upTo = e.Node == string(p.system.Boot), e.Position
				return !more
			}); err != nil {
				return err
			}
			if !more {
				return nil
			}
		case <-p.ctx.Done():
			if err := context.Cause(p.ctx); !errors.Is(err, context.Canceled) {
				return err
			}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

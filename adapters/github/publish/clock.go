package publish

import (
	"context"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/github/api"
)

// until bounds what is done by the clock.
func until(ctx context.Context, clock actors.Clock, at time.Time) (context.Context, func()) {
	return api.Bounded(ctx, clock, at, context.DeadlineExceeded)
}

// call bounds one request by CallMax and by what is left of a lease.
func (p *Publisher) call(ctx context.Context, lease time.Time) (context.Context, func()) {
	at := p.Clock.Now().Add(CallMax)
	if last := lease.Add(-AnswerMargin); last.Before(at) {
		at = last
	}
	return until(ctx, p.Clock, at)
}

// pause lets time pass and reports whether all of it did.
func pause(ctx context.Context, clock actors.Clock, d time.Duration) bool {
	over := make(chan struct{})
	cancel := clock.After(d, func() { close(over) })
	defer cancel()
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
	}
}

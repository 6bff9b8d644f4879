package publish

import (
	"context"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/github/api"
)

// until makes a context that ends at that time of the clock, which need not be the
// machine's.
func until(ctx context.Context, clock actors.Clock, at time.Time) (context.Context, func()) {
	inner, cancel := context.WithCancelCause(api.WithUntil(ctx, at))
	stop := clock.After(at.Sub(clock.Now()), func() { cancel(context.DeadlineExceeded) })
	return inner, func() {
		stop()
		cancel(nil)
	}
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

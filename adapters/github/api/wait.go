package api

import (
	"context"
	"time"

	"github.com/reviewctl/reviewctl/actors"
)

type untilKey struct{}

// withUntil bounds the waits of calls by the Clock's time, as a deadline of the
// context bounds them by the system's. A call whose wait would outlast it is refused at once,
// and nothing is sent after it. A request that was sent in time is not cut short.
func withUntil(ctx context.Context, until time.Time) context.Context {
	return context.WithValue(ctx, untilKey{}, until)
}

// Bounded makes a context that ends, for that cause, at a time of the clock, which
// need not be the machine's.
func Bounded(ctx context.Context, clock actors.Clock, at time.Time, cause error) (context.Context, func()) {
	inner, cancel := context.WithCancelCause(withUntil(ctx, at))
	disarm := clock.After(at.Sub(clock.Now()), func() { cancel(cause) })
	return inner, func() {
		disarm()
		cancel(nil)
	}
}

// over is why the caller does not wait any more, or nil.
func over(ctx context.Context, now time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if until, ok := ctx.Value(untilKey{}).(time.Time); ok && now.After(until) {
		return context.DeadlineExceeded
	}
	return nil
}

// outlasts reports whether a time is later than what the caller has.
func outlasts(ctx context.Context, at time.Time) bool {
	if deadline, ok := ctx.Deadline(); ok && at.After(deadline) {
		return true
	}
	until, ok := ctx.Value(untilKey{}).(time.Time)
	return ok && at.After(until)
}

// sleep waits on the clock until a time, or for the end of the context.
func sleep(ctx context.Context, clock actors.Clock, until time.Time) error {
	wait := until.Sub(clock.Now())
	if wait <= 0 {
		return ctx.Err()
	}
	due := make(chan struct{})
	cancel := clock.After(wait, func() { close(due) })
	select {
	case <-due:
		return ctx.Err()
	case <-ctx.Done():
		cancel()
		return ctx.Err()
	}
}

// stopped is the fault of a call whose context ended before anything was sent.
func stopped(err error) *Fault {
	return &Fault{Kind: KindTransient, Message: "stopped: " + err.Error(), cause: err}
}

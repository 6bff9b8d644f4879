package api

import "context"

// admit waits until a request may be sent, or refuses where the wait would outlast
// the context. release is called when its answer is there.
func (c *Client) admit(ctx context.Context, t traffic) (release func(), fault *Fault) {
	for {
		if fault := c.waitFor(ctx, c.closed(t)); fault != nil {
			return nil, fault
		}
		enter := c.pace.read
		if t.writes() {
			enter = c.pace.write
		}
		release, err := enter(ctx, t)
		if err != nil {
			return nil, stopped(err)
		}
		var gap *Fault
		if t.writes() { // the turn is kept: the gap is short, and reviews come first in the line
			gap = &Fault{Kind: KindPaced, Message: "not asked: writes are spaced", RetryAt: c.pace.gap()}
		}
		if fault := c.waitFor(ctx, gap); fault != nil {
			release()
			return nil, fault
		}
		if c.closed(t) == nil {
			return release, nil
		}
		release()
	}
}

// closed returns what keeps a request from being sent now, or nil.
func (c *Client) closed(t traffic) *Fault {
	if f := c.limits.before(t); f != nil {
		return f
	}
	if !t.writes() {
		return nil
	}
	if at := c.pace.room(t); at.After(c.clock.Now()) {
		return &Fault{Kind: KindPaced, Message: "not asked: enough was written", RetryAt: at}
	}
	return nil
}

// waitFor waits until a fault is over, or returns it where that takes too long.
func (c *Client) waitFor(ctx context.Context, f *Fault) *Fault {
	if err := over(ctx, c.clock.Now()); err != nil { // guard: a write is sent after its time
		return stopped(err)
	}
	if f == nil || !f.RetryAt.After(c.clock.Now()) {
		return nil
	}
	if outlasts(ctx, f.RetryAt) {
		return f
	}
	if err := sleep(ctx, c.clock, f.RetryAt); err != nil {
		return stopped(err)
	}
	return nil
}

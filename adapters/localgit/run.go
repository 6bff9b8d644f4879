package localgit

import (
	"context"
	"time"
)

// Start begins to poll, with a first round at once. A Poller that is running is
// left as it is.
func (p *Poller) Start() { p.loop.Start(p.run) }

// Stop ends polling and returns when nothing of it is at work. It may be called
// more than once, and before Start.
func (p *Poller) Stop() { p.loop.Stop() }

// Wake asks for a round soon. It never blocks.
func (p *Poller) Wake() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// run takes one round after another: after a notice, else after the interval.
// The watch is only a hint: without it, rounds come later and miss nothing.
func (p *Poller) run(ctx context.Context) {
	var w *watch
	defer func() { w.close() }()
	blind, trouble := once{log: p.Log.Warn, what: "repository is not watched"}, once{log: p.Log.Error, what: "poll ended with trouble"}
	for {
		if w == nil {
			var err error
			w, err = p.watch(ctx)
			blind.tell(ctx, p, err)
		}
		w.refresh()
		trouble.tell(ctx, p, p.Round(ctx))
		if !p.wait(ctx) {
			return
		}
	}
}

// once logs a trouble once, not every round.
type once struct {
	log  func(string, ...any)
	what string
	last string
}

func (t *once) tell(ctx context.Context, p *Poller, err error) {
	switch {
	case err == nil:
		t.last = ""
	case ctx.Err() == nil && err.Error() != t.last:
		t.last = err.Error()
		t.log(t.what, "repo", p.Repo, "error", err)
	}
}

// wait returns true when a round is due, and false when polling ends.
func (p *Poller) wait(ctx context.Context) bool {
	due := p.timer(p.Interval)
	defer due.cancel()
	select {
	case <-ctx.Done():
		return false
	case <-due.c:
		return true
	case <-p.wake:
	}
	settled := p.timer(SettleTime)
	defer settled.cancel()
	select {
	case <-ctx.Done():
		return false
	case <-settled.c:
	}
	select { // what came meanwhile is part of this round
	case <-p.wake:
	default:
	}
	return true
}

// timer is a channel that is closed when the time has passed.
type timer struct {
	c      chan struct{}
	cancel func()
}

func (p *Poller) timer(d time.Duration) timer {
	c := make(chan struct{})
	return timer{c: c, cancel: p.Clock.After(d, func() { close(c) })}
}

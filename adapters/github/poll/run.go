package poll

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/api"
)

const (
	// IntervalDefault is how often a repository is looked at.
	IntervalDefault = 180 * time.Second
	// AbreastMax is how many looks go on side by side, SlowMax how many of them may be
	// repositories that did not answer in time before.
	AbreastMax = 4
	SlowMax    = 1
	// LookMax bounds what one look reads.
	LookMax = 2 * time.Minute
	// Spacing keeps the beginnings of looks apart, so that many that are due at once
	// are no flood: GitHub takes 900 reads a minute. (github.md §3)
	Spacing = 100 * time.Millisecond
)

// Start begins to look. A Poller that is running is left as it is.
func (p *Poller) Start() { p.loop.Start(p.run) }

// Stop ends looking and returns when nothing of it is at work. It may be called
// more than once, and before Start.
func (p *Poller) Stop() { p.loop.Stop() }

// run begins looks as they are due until the context ends.
func (p *Poller) run(ctx context.Context) {
	p.mu.Lock()
	p.started = p.Clock.Now()
	p.mu.Unlock()
	var looks sync.WaitGroup
	defer looks.Wait()
	for ctx.Err() == nil {
		wait, some := p.begin(ctx, &looks)
		due, stop := p.timer(wait, some)
		select {
		case <-ctx.Done():
		case <-p.wake:
		case <-due:
		}
		stop()
	}
}

// timer is a channel that is closed when the time has passed; never, where there is
// nothing to wait for.
func (p *Poller) timer(d time.Duration, some bool) (due chan struct{}, stop func()) {
	if !some {
		return nil, func() {}
	}
	due = make(chan struct{})
	return due, p.Clock.After(d, func() { close(due) })
}

// begin begins at most one look and says how long to wait for the next. Where all
// places are taken, the end of a look is what to wait for.
func (p *Poller) begin(ctx context.Context, looks *sync.WaitGroup) (wait time.Duration, some bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Clock.Now()
	next, free := p.first()
	if next == nil || !free {
		return 0, false
	}
	at := next.due
	for _, bound := range []time.Time{p.last.Add(Spacing), p.paused} {
		if bound.After(at) {
			at = bound
		}
	}
	if at.After(now) {
		return at.Sub(now), true
	}
	lookCtx, cancel := context.WithCancel(ctx)
	next.look, p.last = &looking{cancel: cancel, done: make(chan struct{})}, now
	looks.Go(func() { p.attend(lookCtx, next) })
	return 0, true
}

// first is the repository that has been due for longest, and whether there is a
// place for it.
func (p *Poller) first() (next *watched, free bool) {
	busy, slow := 0, 0
	for _, w := range p.watched {
		if w.look != nil {
			busy++
			if w.slow {
				slow++
			}
		}
	}
	for _, w := range p.watched {
		if w.look != nil || w.slow && slow >= SlowMax { // else slow repositories take all places
			continue
		}
		if next == nil || w.due.Before(next.due) {
			next = w
		}
	}
	return next, busy < AbreastMax
}

// attend looks at one repository, says what went wrong, and makes it due again.
func (p *Poller) attend(ctx context.Context, w *watched) {
	err := p.lookAt(ctx, w)
	if err == nil {
		err = p.tidy(ctx, w)
	}
	p.complain(ctx, w, err)
	p.mu.Lock()
	w.tried, w.slow = true, errors.Is(err, errSlow)
	w.due = p.after(w)
	w.look.cancel()
	close(w.look.done)
	w.look = nil
	p.mu.Unlock()
	p.rouse()
}

// complain logs a trouble once, not in every round.
func (p *Poller) complain(ctx context.Context, w *watched, err error) {
	switch {
	case err == nil:
		w.logged = ""
	case ctx.Err() == nil && err.Error() != w.logged:
		w.logged = err.Error()
		p.Log.Error("poll ended with trouble", "repo", w.conf.Name, "error", err)
	}
}

// after is when a repository is due again: at its place in the interval, so that
// many are spread over it, and not soon after a look that took long.
func (p *Poller) after(w *watched) time.Time {
	at := p.started
	for i, other := range p.watched {
		if other == w {
			at = at.Add(p.Interval / time.Duration(len(p.watched)) * time.Duration(i))
		}
	}
	earliest := p.Clock.Now().Add(p.Interval / 2)
	if behind := earliest.Sub(at); behind > 0 {
		behind += p.Interval - 1 // up to the next place
		at = at.Add(behind - behind%p.Interval)
	}
	return at
}

var errSlow = fmt.Errorf("GitHub did not answer within %s", LookMax)

// reading bounds what one look may take to read.
func (p *Poller) reading(ctx context.Context) (_ context.Context, stop func()) {
	return api.Bounded(ctx, p.Clock, p.Clock.Now().Add(LookMax), errSlow)
}

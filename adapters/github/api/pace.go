package api

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/actors"
)

// Our own pace, below what GitHub allows: about 80 writes a minute and 500 an hour,
// at least a second apart, and 100 requests at once. Labels leave a part to reviews.
// (github.md §3; case G12)
const (
	writeGapMin     = time.Second
	writesPerMinute = 50
	labelsPerMinute = 30
	writesPerHour   = 450
	labelsPerHour   = 400
	readsAtOnceMax  = 6
	pollsAtOnceMax  = 4
)

// pace lets one write go at a time, reviews before labels, and a handful of reads.
type pace struct {
	clock actors.Clock
	reads chan struct{}
	polls chan struct{}

	mu     sync.Mutex
	busy   bool
	turns  [2][]chan struct{} // reviews, labels
	last   time.Time          // the end of the last write
	recent []time.Time        // the writes of the last hour, the oldest first
}

func newPace(clock actors.Clock) *pace {
	return &pace{clock: clock, reads: make(chan struct{}, readsAtOnceMax), polls: make(chan struct{}, pollsAtOnceMax)}
}

// read waits for a place among the reads. A poll never takes the last of them.
func (p *pace) read(ctx context.Context, t traffic) (release func(), err error) {
	if t == trafficPoll {
		if err := enter(ctx, p.polls); err != nil {
			return nil, err
		}
	}
	if err := enter(ctx, p.reads); err != nil {
		if t == trafficPoll {
			<-p.polls
		}
		return nil, err
	}
	return func() {
		<-p.reads
		if t == trafficPoll {
			<-p.polls
		}
	}, nil
}

func enter(ctx context.Context, places chan struct{}) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write waits for the turn to write. Whoever has it lets go of it.
func (p *pace) write(ctx context.Context, t traffic) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	line := 0
	if t == trafficLabel {
		line = 1
	}
	p.mu.Lock()
	if !p.busy {
		p.busy = true
		p.mu.Unlock()
		return p.pass, nil
	}
	turn := make(chan struct{})
	p.turns[line] = append(p.turns[line], turn)
	p.mu.Unlock()
	select {
	case <-turn:
		return p.pass, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	at := slices.Index(p.turns[line], turn)
	if at >= 0 {
		p.turns[line] = slices.Delete(p.turns[line], at, at+1)
	}
	p.mu.Unlock()
	if at < 0 { // it was given meanwhile
		p.pass()
	}
	return nil, ctx.Err()
}

// pass gives the turn to the next.
func (p *pace) pass() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range p.turns {
		if len(p.turns[line]) > 0 {
			close(p.turns[line][0])
			p.turns[line] = slices.Delete(p.turns[line], 0, 1)
			return
		}
	}
	p.busy = false
}

// gap is when the next write may follow the last.
func (p *pace) gap() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last.IsZero() {
		return time.Time{}
	}
	return p.last.Add(writeGapMin)
}

// room is when a minute and an hour have room for a write of this kind.
func (p *pace) room(t traffic) time.Time {
	now := p.clock.Now()
	perMinute, perHour := writesPerMinute, writesPerHour
	if t == trafficLabel {
		perMinute, perHour = labelsPerMinute, labelsPerHour
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.recent) > 0 && !p.recent[0].Add(time.Hour).After(now) {
		p.recent = p.recent[1:]
	}
	var at time.Time
	after := func(most int, window time.Duration) {
		if n := len(p.recent); n >= most {
			if free := p.recent[n-most].Add(window); free.After(at) {
				at = free
			}
		}
	}
	after(perMinute, time.Minute)
	after(perHour, time.Hour)
	return at
}

// began and ended mark a write.
func (p *pace) began() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	p.last, p.recent = now, append(p.recent, now)
}

func (p *pace) ended() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = p.clock.Now()
}

package virtual

import (
	"context"
	"sort"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// BuryAgain is how long a process waits before it looks once more whether the
// business of a dead boot has ended.
const BuryAgain = 5 * time.Minute

// arm puts the next look at what is overdue on the agenda.
func (p *process) arm() {
	if p.node == nil {
		return
	}
	wake, waits := p.node.Sweeper.Wake()
	if !waits {
		return
	}
	at := wake.Add(-p.world.skew)
	if at.Before(p.world.now) {
		at = p.world.now
	}
	if !p.armed.IsZero() && !at.Before(p.armed) {
		return
	}
	p.armed = at
	p.later(at.Sub(p.world.now), func() {
		if p.armed.Equal(at) {
			p.tick()
		}
	})
}

func (p *process) tick() {
	p.armed = time.Time{}
	p.bury() // which kills orphans: no lane is tried again beside one
	p.world.sessions.killOrphans()
	p.send(p.node.Due(p.world.wall())...)
	p.arm()
}

// bury ends the business of dead boots, after their engines were killed.
func (p *process) bury() {
	w := p.world
	if d := w.daemon(); p.node == nil || !p.daemon && d != nil {
		return
	}
	p.node.Shared = true
	for _, boot := range p.node.Sweeper.Others(p.boot) {
		last, before := p.buried[boot]
		if !w.dead(boot) || before && w.now.Before(last.Add(BuryAgain)) {
			continue
		}
		p.buried[boot] = w.now
		w.sessions.killOrphans()
		w.count("buried")
		deliveries, err := p.node.Bury(boot, w.stream)
		if err != nil {
			w.check.fail(events.Ref{}, "bury %s: %v", boot, err)
		}
		p.send(deliveries...)
		p.later(BuryAgain, p.bury)
	}
	p.arm()
}

func (w *World) stream(name events.StreamName) ([]*events.Event, error) {
	var all []*events.Event
	err := w.log.ReadStream(context.Background(), name, 0, func(e *events.Event) bool {
		all = append(all, e)
		return true
	})
	return all, err
}

// waiting is the deadlines view: what events.Deadlines of the whole log leaves.
type waiting struct {
	open map[waitKey]events.Deadline
}

type waitKey struct {
	stream events.StreamName
	key    string
}

func newWaiting() *waiting { return &waiting{open: map[waitKey]events.Deadline{}} }

func (w *waiting) observe(deadlines []events.Deadline) {
	for _, d := range deadlines {
		if d.At.IsZero() {
			delete(w.open, waitKey{d.Stream, d.Key})
		} else {
			w.open[waitKey{d.Stream, d.Key}] = d
		}
	}
}

func (w *waiting) list() []events.Deadline {
	list := make([]events.Deadline, 0, len(w.open))
	for _, d := range w.open {
		list = append(list, d)
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].Stream < list[j].Stream || list[i].Stream == list[j].Stream && list[i].Key < list[j].Key
	})
	return list
}

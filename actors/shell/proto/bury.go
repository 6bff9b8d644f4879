package proto

import (
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// LivenessEvery is how often boots that own something are looked at, while any
// but this one do.
const LivenessEvery = 10 * time.Second

type (
	look   struct{}
	looked struct{ dead []buriedBoot }
)

// buriedBoot is a dead boot with the events of its runs.
type buriedBoot struct {
	boot events.BootID
	runs map[events.RunID][]*events.Event
}

// errNotRead: a run of a dead boot became known while its others were read.
var errNotRead = errors.New("the run was not read yet")

// lookSoon keeps an eye on other boots while any of them owns something.
func (p *Process) lookSoon() {
	if p.Bury && !p.looking && len(p.node.Sweeper.Others(p.system.Boot)) > 0 {
		p.looking = true
		p.later(LivenessEvery, look{})
	}
}

// look finds out which of them are dead and reads their runs, beside the actor.
func (p *Process) look() {
	others := p.node.Sweeper.Others(p.system.Boot)
	for boot := range p.buried {
		if !slices.Contains(others, boot) {
			delete(p.buried, boot) // nothing of it is left
		}
	}
	if !p.Bury || len(others) == 0 {
		p.looking = false
		return
	}
	p.looking = true
	unread := map[events.BootID][]events.RunID{}
	for _, boot := range others {
		runs, _ := p.node.Sweeper.Gone(boot)
		for _, id := range runs {
			if !p.buried[boot][id] {
				unread[boot] = append(unread[boot], id)
			}
		}
	}
	p.beside.Go(func() {
		var found looked
		for _, boot := range others {
			if p.ctx.Err() == nil && p.Boots.Dead(boot) {
				found.dead = append(found.dead, buriedBoot{boot, p.read(unread[boot])})
			}
		}
		p.send(&found)
	})
}

// read reads runs. What cannot be read now, the next look tries again.
func (p *Process) read(runs []events.RunID) map[events.RunID][]*events.Event {
	out := map[events.RunID][]*events.Event{}
	for _, id := range runs {
		all := []*events.Event{}
		if err := p.system.Store.ReadStream(p.ctx, events.RunStream(id), 0, func(e *events.Event) bool {
			all = append(all, e)
			return true
		}); err != nil {
			p.system.Logger.Warn("run of a dead process not read", slog.String("run", string(id)), slog.Any("error", err))
			continue
		}
		out[id] = all
	}
	return out
}

// bury ends the business of dead boots. A run's events are delivered again once;
// the actors are told until nothing of the boot is left.
func (p *Process) bury(found *looked) {
	p.looking = false // lookSoon goes on while there is anybody to look at
	for _, dead := range found.dead {
		done := p.buried[dead.boot]
		if done == nil {
			done = map[events.RunID]bool{}
			p.buried[dead.boot] = done
		}
		deliveries, err := p.node.Bury(dead.boot, func(stream events.StreamName) ([]*events.Event, error) {
			id := events.RunID(stream.Subject())
			if done[id] {
				return nil, nil
			}
			all, there := dead.runs[id]
			if !there {
				return nil, errNotRead
			}
			done[id] = true
			return all, nil
		})
		if err != nil {
			p.system.Logger.Warn("business of a dead process not ended", slog.String("boot", string(dead.boot)), slog.Any("error", err))
		}
		p.deliver(deliveries)
	}
}

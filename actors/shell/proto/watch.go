package proto

import (
	"slices"
	"time"
)

// agenda is what the node's actor has to handle later, the soonest first.
type agenda []entry

type entry struct {
	at  time.Time
	msg any
}

// later handles a message when d has passed.
func (p *Process) later(d time.Duration, msg any) {
	at := p.system.Clock.Now().Add(d)
	i, _ := slices.BinarySearchFunc(p.agenda, at, func(e entry, at time.Time) int {
		if e.at.After(at) {
			return 1
		}
		return -1 // behind those of the same time
	})
	p.agenda = slices.Insert(p.agenda, i, entry{at, msg})
}

// arm sets the one timer to whatever is due next. An idle process has none, and
// nothing that waits no more wakes it.
func (p *Process) arm() {
	wake, any := p.node.Sweeper.Wake()
	if p.leaving {
		wake, any = time.Time{}, false
	}
	if len(p.agenda) > 0 && (!any || p.agenda[0].at.Before(wake)) {
		wake, any = p.agenda[0].at, true
	}
	if wake.Equal(p.wake) {
		return
	}
	if p.disarm != nil {
		p.disarm()
	}
	p.wake, p.disarm = wake, nil
	if any {
		p.disarm = p.system.Clock.After(wake.Sub(p.system.Clock.Now()), func() { p.send(tick{}) })
	}
}

// Leave says that this process goes down: it sweeps no more, so that what is due
// from now on, such as a lane that it stopped, is the next start's.
func (p *Process) Leave() { p.send(leave{}) }

// ring handles what is due.
func (p *Process) ring() {
	if p.disarm != nil {
		p.disarm()
	}
	p.wake, p.disarm = time.Time{}, nil
	now := p.system.Clock.Now()
	for len(p.agenda) > 0 && !p.agenda[0].at.After(now) {
		msg := p.agenda[0].msg
		p.agenda[0] = entry{}
		p.agenda = p.agenda[1:]
		p.handle(msg)
	}
	if len(p.agenda) == 0 {
		p.agenda = nil
	}
	if !p.leaving {
		p.deliver(p.node.Due(now))
	}
}

package account

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Phase is where a breaker stands.
type Phase string

// The phases; the zero Phase is closed.
const (
	PhaseClosed  Phase = ""
	PhaseOpen    Phase = "open"
	PhaseProbing Phase = "probing"
)

// Breaker is the account's switch. The epoch grows each time that it opens, and
// not when an open period is extended.
type Breaker struct {
	Epoch    int64          `json:"epoch"`
	Phase    Phase          `json:"phase"`
	Until    time.Time      `json:"until,omitzero"`     // open until
	OpenedAt time.Time      `json:"opened_at,omitzero"` // the last time
	Probe    events.LaneKey `json:"probe,omitzero"`
}

func (b *Breaker) opened(at time.Time, p *events.BreakerOpened) {
	if p.Epoch > b.Epoch {
		b.OpenedAt = at
	}
	b.Epoch, b.Phase, b.Until, b.Probe = p.Epoch, PhaseOpen, p.Until, events.LaneKey{}
}

// state is what a reservation given now carries. A probe's names the time that is
// over, so that the guard at the edge lets one through. (hard-parts §6)
func (b *Breaker) state() events.BreakerState {
	return events.BreakerState{Epoch: b.Epoch, Until: b.Until}
}

// blocks says until when nothing is reserved; zero = something may be.
func (d *desk) blocks() (until time.Time, why string) {
	switch {
	case d.breaker.Phase == PhaseProbing:
		return d.at.Add(ms(d.rules.ProbeLookMS)), "usage limit: one lane tries whether it is over"
	case d.breaker.Phase == PhaseOpen && d.at.Before(d.breaker.Until):
		return d.breaker.Until, "usage limit"
	default:
		return time.Time{}, ""
	}
}

// report moves the breaker by what a lane met. One trip an open period: a limit
// that comes while it is open only extends it, under the same epoch; one that
// comes while a probe is out says nothing that the probe will not say.
func (d *desk) report(key events.LaneKey, c Settle) {
	if d.state.Unmetered { // guard: the account of nobody has a breaker
		return
	}
	switch d.breaker.Phase {
	case PhaseProbing:
		switch {
		case key != d.breaker.Probe: // guard: another lane answers for the probe
		case c.Limit:
			d.trip(d.breaker.Epoch+1, d.limitUntil(c.Reset), "usage limit, met by the probe")
		case c.Ran:
			d.decide(&events.BreakerClosed{Epoch: d.breaker.Epoch})
			d.breaker.Phase, d.breaker.Until = PhaseClosed, time.Time{}
		default:
			d.trip(d.breaker.Epoch+1, d.at.Add(ms(d.rules.ProbeBackoffMS)), "the probe said nothing: "+c.Reason)
		}
	case PhaseOpen:
		if until := d.limitUntil(c.Reset); c.Limit && !c.Reset.IsZero() && until.After(d.breaker.Until) {
			d.trip(d.breaker.Epoch, until, "usage limit, met by another lane")
		}
	case PhaseClosed:
		// A lane from before the last open period, without a reset that is still to
		// come, met the limit that is over.
		late := !c.Began.IsZero() && c.Began.Before(d.breaker.OpenedAt) && !c.Reset.After(d.at)
		if c.Limit && !late {
			d.trip(d.breaker.Epoch+1, d.limitUntil(c.Reset), "usage limit")
		}
	}
}

func (d *desk) trip(epoch int64, until time.Time, cause string) {
	p := &events.BreakerOpened{Epoch: epoch, Until: until, Cause: cause}
	d.decide(p)
	d.breaker.opened(d.at, p)
}

// limitUntil bounds what a provider says about its limit.
func (d *desk) limitUntil(reset time.Time) time.Time {
	soonest, latest := d.at.Add(ms(d.rules.ProbeBackoffMS)), d.at.Add(ms(d.rules.BreakerMaxMS))
	switch {
	case reset.IsZero():
		return d.at.Add(ms(d.rules.BreakerUnknownMS))
	case !reset.After(d.at): // over already, it says
		return soonest
	case reset.After(latest): // guard: a provider closes an account for ever
		return latest
	default:
		return reset
	}
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

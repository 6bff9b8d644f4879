package actors

import (
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// DeliverMessage is the way of one operator's message without a router: the
// delivery that its row makes of it, and what settles it once that is answered. A
// process that waits on the message's target takes it where no daemon does. The
// cause is the router's, so that who comes second finds it done.
func DeliverMessage(e *events.Event, p *events.CommandReceived) (d Delivery, settle func(shell.Answer) Delivery, err error) {
	cmd, err := readMessage(p)
	if err != nil {
		return Delivery{}, nil, err
	}
	cause := events.Cause{Stream: e.Stream, Version: e.Version, Row: rowMessage}
	d = Delivery{Target: p.Target, Command: cmd, By: byOf(e), Routed: true, Cause: cause}
	return d, func(a shell.Answer) Delivery { return settlement(cause, a) }, nil
}

// settlement tells the inbox what came of its message.
func settlement(cause events.Cause, a shell.Answer) Delivery {
	if a.Events == nil {
		a.Events = []events.Ref{}
	}
	return Delivery{
		Target: cause.Stream, By: ByNode, Cause: cause,
		Command: Settle{events.CommandSettled{Accepted: a.Accepted, Reason: a.Reason, Events: a.Events}},
	}
}

package main

import (
	"context"
	"os/user"

	"github.com/reviewctl/reviewctl/events"
)

// eachPayload decodes the events of a stream in order.
func eachPayload(ctx context.Context, log events.Store, stream events.StreamName, yield func(*events.Event, events.Payload)) error {
	var broken error
	err := log.ReadStream(ctx, stream, 0, func(e *events.Event) bool {
		p, err := events.Decode(e)
		if err != nil {
			broken = err
			return false
		}
		yield(e, p)
		return true
	})
	if broken != nil {
		return broken
	}
	return err
}

// eventAt reads one event.
func eventAt(ctx context.Context, log events.Store, ref events.Ref) (*events.Event, error) {
	var found *events.Event
	err := log.ReadStream(ctx, ref.Stream, ref.Version, func(e *events.Event) bool {
		found = e
		return false
	})
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, NotFound("event", ref.String())
	}
	return found, nil
}

// operator is in whose name a person's command is recorded. (hard-parts §8)
func operator() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return "operator:" + u.Username
	}
	return "operator:unknown"
}

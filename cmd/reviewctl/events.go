package main

import (
	"context"
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Run prints the log, or one stream of it.
func (c *EventsCmd) Run(app *App) error {
	if c.Type != "" && !slices.Contains(events.AllTypes(), events.Type(c.Type)) {
		return wrongUsage("no event is stored as "+c.Type, "see the names in schemas/events")
	}
	files, _, err := app.openToRead()
	if err != nil {
		return err
	}
	defer files.Close()
	p := eventPrinter{cmd: c, app: app, since: c.Since.Time(clock{}.Now()), left: c.Limit, after: events.Position(c.From)}
	if c.Stream != "" && !c.Follow {
		return p.stream(app.Context, files.Log)
	}
	if !c.Follow {
		return p.all(app.Context, files.Log)
	}
	return untilReaderGoes(app, func(ctx context.Context) error { return p.all(ctx, files.Log) })
}

// eventPrinter prints what the flags select.
type eventPrinter struct {
	cmd   *EventsCmd
	app   *App
	since time.Time
	left  int // 0 = no limit
	after events.Position
	found bool // an event of the stream
	done  bool // the limit is reached
	err   error
}

func (p *eventPrinter) stream(ctx context.Context, log events.Store) error {
	err := log.ReadStream(ctx, events.StreamName(p.cmd.Stream), 0, func(e *events.Event) bool {
		p.found = true
		return e.Position <= p.after || p.print(e)
	})
	switch {
	case p.err != nil:
		return p.err
	case err == nil && !p.found:
		return NotFound("stream", p.cmd.Stream)
	}
	return err
}

// all prints the log in its order, and with --follow goes on.
func (p *eventPrinter) all(ctx context.Context, log events.Store) error {
	for {
		err := log.ReadAll(ctx, p.after, func(e *events.Event) bool {
			p.after = e.Position
			if p.cmd.Stream != "" && string(e.Stream) != p.cmd.Stream {
				return true
			}
			return p.print(e)
		})
		switch {
		case p.err != nil:
			return p.err
		case err != nil:
			return err
		case p.done || !p.cmd.Follow:
			return nil
		}
		if err := log.Follow(ctx, p.after); err != nil {
			return err
		}
	}
}

// print prints an event if it is selected, and reports whether to go on.
func (p *eventPrinter) print(e *events.Event) bool {
	if (p.cmd.Type != "" && string(e.Type) != p.cmd.Type) || e.Time.Before(p.since) {
		return true
	}
	if p.err = p.app.Print.Event(e); p.err != nil {
		return false
	}
	if p.left > 0 {
		p.left--
		p.done = p.left == 0
	}
	return !p.done
}

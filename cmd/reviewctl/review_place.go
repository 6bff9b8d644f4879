package main

import (
	"context"
	"log/slog"
	"strings"
	"sync"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/status"
)

// places tells at which place of its pool's line each waiting lane of a run
// stands, whenever that has changed. (CLI.md: "It waits for a slot and shows its
// place")
type places struct {
	tell func(run events.RunID, lane events.LaneID, place int, line string)
	rows *projections.Runner
	log  *slog.Logger
	news chan struct{}

	mu      sync.Mutex
	run     events.RunID
	waiting map[events.LaneID]bool
}

func newPlaces(tell func(events.RunID, events.LaneID, int, string), rows *projections.Runner, log *slog.Logger) *places {
	return &places{tell: tell, rows: rows, log: log, news: make(chan struct{}, 1), waiting: map[events.LaneID]bool{}}
}

// observe is told of every event of the pools, in order; it does not block. It may
// be told of the run's before anybody has said which one that is.
func (p *places) observe(payload events.Payload) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := payload.(type) {
	case *events.LaneQueued:
		if p.run == "" || e.Run == p.run {
			p.waiting[e.Lane] = true
		}
	case *events.LaneGranted:
		p.leave(e.Run, e.Lane)
	case *events.LaneReleased:
		p.leave(e.Run, e.Lane)
	default:
		return
	}
	if len(p.waiting) > 0 {
		select {
		case p.news <- struct{}{}:
		default: // it is going to look
		}
	}
}

func (p *places) leave(run events.RunID, lane events.LaneID) {
	if p.run == "" || run == p.run {
		delete(p.waiting, lane)
	}
}

// begin tells of a run until end is called.
func (p *places) begin(ctx context.Context, run events.RunID) (end func()) {
	p.mu.Lock()
	p.run = run
	p.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.follow(ctx, run)
	}()
	return func() {
		cancel()
		<-done
	}
}

// follow tells of the places of the run's lanes until the context ends.
func (p *places) follow(ctx context.Context, run events.RunID) {
	said := map[string]int{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.news:
		}
		p.mu.Lock()
		waits := len(p.waiting) > 0
		p.mu.Unlock()
		if !waits {
			continue
		}
		now, err := p.look(ctx, run)
		if err != nil {
			if ctx.Err() == nil {
				p.log.Warn("place not known", slog.Any("error", err))
			}
			continue
		}
		for _, s := range now {
			if said[s.ID] != s.Place.Place {
				p.tell(run, events.LaneID(strings.TrimPrefix(s.ID, string(run)+"/")), s.Place.Place, string(s.Pool))
			}
		}
		clear(said)
		for _, s := range now {
			said[s.ID] = s.Place.Place
		}
	}
}

func (p *places) look(ctx context.Context, run events.RunID) (found []status.Standing, err error) {
	err = p.rows.Look(ctx, func(rows projections.Rows) error {
		found, err = status.Standings(ctx, rows, func(at *status.Place) bool {
			return at.Line == status.LinePool && at.Run == run
		})
		return err
	}, status.Name)
	return found, err
}

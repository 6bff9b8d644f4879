package proto

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of a process.
const (
	// TailBatch is the number of events read at a time.
	TailBatch = 256
	// BacklogMax is the number of events under way at which the tail waits.
	BacklogMax = 1024
	// RedeliverMin and RedeliverMax bound the wait before a delivery that could not
	// be carried out is sent again; it doubles.
	RedeliverMin = 100 * time.Millisecond
	RedeliverMax = 30 * time.Second
	// LivenessEvery is how often boots that own something are looked at, while any
	// but this one do.
	LivenessEvery = 10 * time.Second
	// MarkEvery is how long the router's checkpoint may lag.
	MarkEvery = time.Second
)

// Marks keeps positions beside the views: they may be lost and then cost time.
type Marks interface {
	LoadMark(ctx context.Context, name string) (events.Position, error)
	SaveMark(ctx context.Context, name string, p events.Position) error
}

// The marks: what the router has gone past, and what the seals cover.
const (
	MarkRouter = "router"
	MarkSeal   = "seal"
)

// ProcessConfig is what a process's business needs.
type ProcessConfig struct {
	Daemon    bool
	Shared    bool // sweep pools, accounts and the fleet although no daemon
	Bury      bool // end the business of dead boots
	After     events.Position
	Deadlines []events.Deadline
	Ports     actors.Ports
	Boots     actors.Boots
	Marks     Marks // nil for a process whose router need not remember
	// Watch is told of every event of the log, in order; it must not block.
	Watch func(e *events.Event, p events.Payload)
}

// Process is one process's business on a System: it tails the log, routes,
// sweeps and starts effects.
type Process struct {
	ProcessConfig
	system *System
	node   *actors.Node
	pid    *actor.PID

	cancel context.CancelFunc
	tailed sync.WaitGroup
	failed chan error
	gone   chan struct{}
	once   sync.Once

	// Of the actor alone:
	tries   map[uint64]int
	wake    time.Time
	disarm  func()
	marking bool
	marked  events.Position
	looking bool
	pending chan struct{} // tells the tail to go on
	news    int           // events since the last seal
	drains  []chan events.Position
}

type (
	batch    struct{ events []*events.Event }
	answered struct {
		delivery actors.Delivery
		answer   shell.Answer
	}
	outcome struct {
		target events.StreamName
		cause  events.Cause
		cmds   []events.Command
	}
	tick     struct{}
	mark     struct{}
	liveness struct{}
	drain    struct{ quiet chan events.Position }
	again    struct{ delivery actors.Delivery }
)

// StartProcess begins at c.After. Failed reports an error that ends the tail.
func StartProcess(s *System, c ProcessConfig) *Process {
	ctx, cancel := context.WithCancel(s.ctx)
	p := &Process{
		ProcessConfig: c, system: s, cancel: cancel, failed: make(chan error, 1), gone: make(chan struct{}),
		tries: map[uint64]int{}, pending: make(chan struct{}, 1), marked: c.After,
	}
	p.node = actors.NewNode(actors.NodeConfig{
		Boot: s.Boot, Daemon: c.Daemon, Shared: c.Shared, After: c.After, Ports: c.Ports,
		Answer: func(target events.StreamName, cause events.Cause, cmds ...events.Command) {
			s.actors.Root.Send(p.pid, &outcome{target, cause, cmds})
		},
	})
	p.node.Restore(c.Deadlines)
	p.pid = s.actors.Root.Spawn(actor.PropsFromFunc(p.receive))
	s.actors.Root.Send(p.pid, liveness{})
	s.actors.Root.Send(p.pid, tick{})
	p.tailed.Add(1)
	go p.tail(ctx, c.After)
	return p
}

// Failed yields the error that ended the tail, if one does.
func (p *Process) Failed() <-chan error { return p.failed }

// tail reads the log in order and hands it to the actor, one batch at a time.
func (p *Process) tail(ctx context.Context, after events.Position) {
	defer p.tailed.Done()
	for ctx.Err() == nil {
		var b batch
		err := p.system.Store.ReadAll(ctx, after, func(e *events.Event) bool {
			b.events = append(b.events, e)
			return len(b.events) < TailBatch
		})
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, events.ErrUnavailable):
			p.pause(ctx, RedeliverMax/10)
			continue
		case err != nil:
			p.fail(err)
			return
		case len(b.events) == 0:
			if err := p.system.Store.Follow(ctx, after); err != nil && ctx.Err() == nil {
				p.pause(ctx, RedeliverMax/10)
			}
			continue
		}
		after = b.events[len(b.events)-1].Position
		p.system.actors.Root.Send(p.pid, &b)
		select {
		case <-p.pending:
		case <-ctx.Done():
		}
	}
}

func (p *Process) pause(ctx context.Context, d time.Duration) {
	over := make(chan struct{})
	defer p.system.Clock.After(d, func() { close(over) })()
	select {
	case <-over:
	case <-ctx.Done():
	}
}

// receive is the node's actor.
func (p *Process) receive(c actor.Context) {
	switch msg := c.Message().(type) {
	case *actor.Started:
		return // p.pid may not be set yet
	case *batch:
		p.observe(msg.events)
	case *answered:
		p.answered(msg)
	case *outcome:
		p.deliver(p.node.Router.Post(msg.target, msg.cause, msg.cmds...))
	case again:
		p.deliver([]actors.Delivery{msg.delivery})
	case tick:
		p.wake = time.Time{}
		p.deliver(p.node.Due(p.system.Clock.Now()))
	case liveness:
		p.lookAtBoots()
	case mark:
		p.saveMark()
	case drain:
		p.drains = append(p.drains, msg.quiet)
	case *actor.Stopped:
		if p.disarm != nil {
			p.disarm()
		}
		close(p.gone)
		return
	}
	p.arm()
	if p.node.Router.Quiet() {
		for _, quiet := range p.drains {
			quiet <- p.node.Router.Seen()
		}
		p.drains = nil
	}
}

func (p *Process) observe(batch []*events.Event) {
	for _, e := range batch {
		payload, err := events.Decode(e)
		if err != nil {
			p.fail(err)
			return
		}
		p.deliver(p.node.Observe(e, payload))
		if p.Watch != nil {
			p.Watch(e, payload)
		}
	}
	p.news += len(batch)
	p.goOn()
	if p.news >= events.SealEvery && p.Daemon {
		p.news = 0
		go p.seal(p.system.ctx)
	}
}

// fail reports the first error that the process cannot go on after.
func (p *Process) fail(err error) {
	select {
	case p.failed <- err:
	default:
	}
	p.cancel()
}

// goOn lets the tail read on, unless too much is under way.
func (p *Process) goOn() {
	if p.node.Router.Backlog() < BacklogMax {
		select {
		case p.pending <- struct{}{}:
		default:
		}
	}
}

func (p *Process) deliver(deliveries []actors.Delivery) {
	for _, d := range deliveries {
		p.system.Deliver(d, func(a shell.Answer) {
			p.system.actors.Root.Send(p.pid, &answered{d, a})
		})
	}
}

func (p *Process) answered(msg *answered) {
	if msg.answer.Err == nil {
		delete(p.tries, msg.delivery.ID)
		p.deliver(p.node.Answered(msg.delivery.ID, msg.answer))
		p.goOn()
		p.markSoon()
		return
	}
	if errors.Is(msg.answer.Err, shell.ErrStopping) {
		return
	}
	delay := min(RedeliverMin<<min(p.tries[msg.delivery.ID], 16), RedeliverMax)
	p.tries[msg.delivery.ID]++
	p.system.Logger.Warn("delivery not carried out", slog.String("target", string(msg.delivery.Target)),
		slog.String("command", msg.delivery.Command.Name()), slog.Any("error", msg.answer.Err))
	p.system.Clock.After(delay, func() { p.system.actors.Root.Send(p.pid, again{msg.delivery}) })
}

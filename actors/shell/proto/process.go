package proto

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of a process.
const (
	// CarriedMax is the number of deliveries that are asked at the same time; the
	// others wait without an actor in memory. After a start everything may be
	// overdue at once.
	CarriedMax = 1024
	// RedeliverMin and RedeliverMax bound the wait before a delivery that could not
	// be carried out is sent again; it doubles.
	RedeliverMin = 100 * time.Millisecond
	RedeliverMax = 30 * time.Second
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
	// Marks may be nil. Only a daemon's router keeps its place there; what the
	// seals cover is the same for every process.
	Marks Marks
	// Watch is told of every event of the log, in order; it must not block.
	Watch func(e *events.Event, p events.Payload)
	// Undelivered is told why a command was not carried out this time; it must not
	// block. It may be nil.
	Undelivered func(error)
}

// Process is one process's business on a System: it tails the log, routes,
// sweeps and starts effects. Its actor never waits for the store or the disk:
// whatever does, goes on beside it and comes back as a message.
type Process struct {
	ProcessConfig
	system *System
	node   *actors.Node
	pid    *actor.PID

	ctx    context.Context // of the tail and of whatever goes on beside the actor
	cancel context.CancelCauseFunc
	beside sync.WaitGroup
	failed chan error
	gone   chan struct{} // closed when the actor has stopped
	once   sync.Once
	mu     sync.RWMutex
	closed bool         // nothing is sent to the actor any more
	coming atomic.Int64 // outcomes of effects that are in the actor's mailbox

	// Of the actor alone:
	agenda  agenda
	wake    time.Time // of the one timer; zero = none
	disarm  func()
	waiting []*carried // deliveries that are not asked yet
	asked   int
	hungry  bool          // the tail waits for next
	next    chan struct{} // tells the tail to read on
	marking bool
	marked  events.Position
	unkept  string // why the last checkpoint was not stored; "" = it was
	looking bool
	buried  map[events.BootID]map[events.RunID]bool
	sealing bool
	news    int // events since the last seal
	drains  []drain
	leaving bool // what is due is the next start's
}

// carried is a delivery with the number of times it could not be carried out.
type carried struct {
	actors.Delivery
	tries int
}

// The messages of the node's actor.
type (
	batch    struct{ events []*events.Event }
	answered struct {
		delivery *carried
		answer   shell.Answer
	}
	outcome struct {
		target events.StreamName
		cause  events.Cause
		cmds   []events.Command
	}
	tick  struct{}
	leave struct{}
	again struct{ delivery *carried }
)

// StartProcess begins at c.After. Failed reports an error that ends the tail.
func StartProcess(s *System, c ProcessConfig) *Process {
	p := &Process{
		ProcessConfig: c, system: s, failed: make(chan error, 1), gone: make(chan struct{}),
		next: make(chan struct{}, 1), marked: c.After, buried: map[events.BootID]map[events.RunID]bool{},
	}
	p.ctx, p.cancel = context.WithCancelCause(s.ctx)
	p.node = actors.NewNode(actors.NodeConfig{
		Boot: s.Boot, Daemon: c.Daemon, Shared: c.Shared, After: c.After, Ports: c.Ports,
		Answer: func(target events.StreamName, cause events.Cause, cmds ...events.Command) {
			p.coming.Add(1)
			p.send(&outcome{target, cause, cmds})
		},
	})
	p.node.Restore(c.Deadlines)
	p.Deadlines = nil
	p.pid = s.actors.Root.Spawn(actor.PropsFromFunc(p.receive))
	p.send(look{})
	p.beside.Go(func() { p.tail(c.After) })
	return p
}

// send puts a message into the actor's mailbox, unless the process is stopping.
func (p *Process) send(msg any) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if !p.closed {
		p.system.actors.Root.Send(p.pid, msg)
	}
}

// Failed yields the error that ended the tail, if one does.
func (p *Process) Failed() <-chan error { return p.failed }

// fail reports the first error that the process cannot go on after.
func (p *Process) fail(err error) {
	select {
	case p.failed <- err:
	default:
	}
	p.cancel(err)
}

// receive is the node's actor.
func (p *Process) receive(c actor.Context) {
	switch msg := c.Message().(type) {
	case *actor.Started, *actor.Stopping:
	case *actor.Stopped:
		if p.disarm != nil {
			p.disarm()
		}
		close(p.gone)
	default:
		p.handle(msg)
		p.goOn()
		p.markSoon()
		p.sealSoon()
		p.lookSoon()
		p.arm()
		p.quiet()
	}
}

func (p *Process) handle(msg any) {
	switch msg := msg.(type) {
	case *batch:
		p.hungry = true
		p.observe(msg.events)
	case *answered:
		p.answered(msg)
	case *outcome:
		p.coming.Add(-1)
		p.deliver(p.node.Router.Post(msg.target, msg.cause, msg.cmds...))
	case again:
		p.waiting = append(p.waiting, msg.delivery)
		p.carry()
	case leave:
		p.leaving = true
	case tick:
		p.ring()
	case look:
		p.look()
	case *looked:
		p.bury(msg)
	case mark:
		p.saveMark()
	case saved:
		p.marking, p.marked = false, msg.at
	case sealed:
		p.sealing = false
	case drain:
		p.drains = append(p.drains, msg)
	}
}

func (p *Process) observe(batch []*events.Event) {
	for _, e := range batch {
		payload, err := events.Decode(e)
		if err != nil {
			p.fail(err)
			return
		}
		if e.Node != string(p.node.Boot) {
			p.system.Notice(e.Stream, e.Version) // before any command that follows from it
		}
		p.deliver(p.node.Observe(e, payload))
		if p.Watch != nil {
			p.Watch(e, payload)
		}
	}
	p.news += len(batch)
}

func (p *Process) deliver(deliveries []actors.Delivery) {
	for _, d := range deliveries {
		p.waiting = append(p.waiting, &carried{Delivery: d})
	}
	p.carry()
}

// carry asks as many actors as may be asked at the same time. The router lets go
// of one delivery for each target, so that no order is lost here.
func (p *Process) carry() {
	for len(p.waiting) > 0 && p.asked < CarriedMax {
		d := p.waiting[0]
		p.waiting[0] = nil
		p.waiting = p.waiting[1:]
		p.asked++
		p.system.Deliver(d.Delivery, func(a shell.Answer) { p.send(&answered{d, a}) })
	}
	if len(p.waiting) == 0 {
		p.waiting = nil
	}
}

// answered hands an answer to the router. A delivery that could not be carried
// out comes again.
func (p *Process) answered(msg *answered) {
	p.asked--
	defer p.carry()
	d := msg.delivery
	switch err := msg.answer.Err; {
	case err == nil:
		p.deliver(p.node.Answered(d.ID, msg.answer))
	case errors.Is(err, shell.ErrStopping):
	default:
		p.later(min(RedeliverMin<<min(d.tries, 16), RedeliverMax), again{d})
		d.tries++
		if p.Undelivered != nil {
			p.Undelivered(err)
		}
		p.system.Logger.Warn("delivery not carried out", slog.String("target", string(d.Target)),
			slog.String("command", d.Command.Name()), slog.Any("error", err))
	}
}

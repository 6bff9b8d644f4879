package virtual

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// process is one boot. When it dies, everything that it had in memory is gone;
// its engine sessions run on until somebody kills them.
type process struct {
	world  *World
	boot   events.BootID
	daemon bool
	by     string
	alive  bool
	died   time.Time
	node   *actors.Node // nil = it only asks

	machines map[events.StreamName]*machine
	order    []*machine // by age
	tickets  shell.Ticket
	asked    map[shell.Ticket]func(shell.Answer)

	read   events.Position
	armed  time.Time // of the next look at what is overdue, in true time
	buried map[events.BootID]time.Time
	sent   map[events.StreamName]events.Position // the newest cause of a command for a target
}

// machine is a stream's actor in one process.
type machine struct {
	*shell.Machine
	stream events.StreamName
}

func (w *World) start(daemon bool, by string) *process {
	p := &process{
		world: w, boot: w.boot(), daemon: daemon, by: by, alive: true,
		machines: map[events.StreamName]*machine{}, asked: map[shell.Ticket]func(shell.Answer){},
		buried: map[events.BootID]time.Time{}, sent: map[events.StreamName]events.Position{},
	}
	w.processes = append(w.processes, p)
	return p
}

// begin opens the process's business, once its rules are on record.
func (p *process) begin(then func()) {
	p.ask(events.PolicyStream(p.world.rules.Digest), shell.Ask{
		Command: actors.RecordPolicy{PolicyRecorded: events.PolicyRecorded{Rules: p.world.policy}},
	}, func(a shell.Answer) {
		if a.Err != nil {
			p.later(time.Second, func() { p.begin(then) })
			return
		}
		p.open()
		then()
	})
}

func (p *process) open() {
	w := p.world
	after := w.log.Len()
	if p.daemon {
		after = w.done
	}
	p.node = actors.NewNode(actors.NodeConfig{
		Boot: p.boot, Daemon: p.daemon, Shared: w.daemon() == nil, After: after,
		Ports: actors.Ports{Engine: &engine{p}, Workspace: &workspace{p}, Forge: w.publisher(p)},
		Answer: func(target events.StreamName, cause events.Cause, cmds ...events.Command) {
			p.later(w.between(0, 20*time.Millisecond), func() { p.send(p.node.Router.Post(target, cause, cmds...)...) })
		},
	})
	p.read = after
	p.node.Restore(w.waiting.list())
	w.sessions.killOrphans()
	p.catchUp()
	p.arm()
	p.later(w.between(0, time.Second), p.bury)
}

// later puts something on the agenda that dies with the process.
func (p *process) later(after time.Duration, f func()) {
	p.world.at(after, func() {
		if p.alive {
			f()
		}
	})
}

func (p *process) die() {
	p.alive, p.died = false, p.world.now
	p.world.check.states(p)
	p.machines, p.order, p.asked = nil, nil, nil
	for _, q := range p.world.processes {
		if q.alive && q.node != nil {
			q.later(p.world.between(time.Second, time.Minute), q.bury)
		}
	}
}

// notice tells the process that the log has grown. A notice may come twice, and
// one that is lost costs time: there is a slow poll.
func (p *process) notice() {
	w := p.world
	delay := w.between(0, 5*time.Millisecond)
	switch {
	case w.lucky(w.scenario.Faults.LostNotice):
		delay = w.between(5*time.Second, 30*time.Second)
		w.count("notice.lost")
	case w.lucky(w.scenario.Faults.DoubledNotice):
		w.count("notice.doubled")
		p.later(w.between(0, time.Second), func() { p.again() })
	}
	p.later(delay, p.catchUp)
}

// catchUp reads on in the log.
func (p *process) catchUp() {
	w := p.world
	if p.read >= w.log.Len() {
		return
	}
	_ = w.log.ReadAll(context.Background(), p.read, func(e *events.Event) bool {
		p.read = e.Position
		if m := p.machines[e.Stream]; m != nil && e.Node != string(p.boot) {
			p.step(m, shell.Notice{Version: e.Version})
		}
		p.send(p.node.Observe(e, w.decoded[e.Position-1])...)
		return true
	})
	if p.daemon && w.luck.Float64() < w.scenario.Faults.Checkpoint {
		w.done = max(w.done, p.node.Router.Checkpoint())
	}
	p.arm()
}

// again shows the node an event that it has seen.
func (p *process) again() {
	if p.read == 0 {
		return
	}
	at := events.Position(p.world.luck.Int64N(int64(p.read)))
	_ = p.world.log.ReadAll(context.Background(), at, func(e *events.Event) bool {
		p.send(p.node.Observe(e, p.world.decoded[e.Position-1])...)
		return false
	})
}

func (p *process) send(deliveries ...actors.Delivery) {
	for _, d := range deliveries {
		p.world.check.ordered(p, d)
		p.later(p.world.between(0, 10*time.Millisecond), func() { p.deliver(d) })
		if p.world.lucky(p.world.scenario.Faults.DoubledDelivery) {
			p.world.count("delivery.doubled")
			p.later(p.world.between(0, time.Second), func() { p.deliver(d) })
		}
	}
}

func (p *process) deliver(d actors.Delivery) {
	p.ask(d.Target, shell.Ask{Command: d.Command, Cause: d.Cause, Routed: d.Routed, By: d.By}, func(a shell.Answer) {
		if a.Err != nil {
			p.later(p.world.between(100*time.Millisecond, 2*time.Second), func() { p.deliver(d) })
			return
		}
		p.send(p.node.Answered(d.ID, a)...)
	})
}

// ask gives a command to the stream's actor in this process.
func (p *process) ask(stream events.StreamName, a shell.Ask, answer func(shell.Answer)) {
	w := p.world
	m := p.machines[stream]
	if m == nil {
		kind, err := w.kindOf(stream)
		if err != nil {
			answer(shell.Answer{Reason: err.Error()})
			return
		}
		m = &machine{shell.NewMachine(kind, stream), stream}
		p.machines[stream] = m
		p.order = append(p.order, m)
	}
	p.tickets++
	a.Ticket, a.Rules = p.tickets, w.rules
	a.Given = events.Given{At: w.wall(), Boot: p.boot, Draw: events.Draw(w.hex(32))}
	if a.By == "" {
		a.By = p.by
	}
	p.asked[a.Ticket] = answer
	p.step(m, a)
}

// step feeds one input to a machine and does what it asks for.
func (p *process) step(m *machine, in shell.Input) {
	w := p.world
	for _, out := range m.Step(in) {
		switch out := out.(type) {
		case shell.Load:
			p.later(w.between(0, 10*time.Millisecond), func() { p.step(m, w.load(m.stream, out.Snapshot)) })
		case shell.Write:
			p.write(m, out.Append)
		case shell.Reply:
			answer := p.asked[out.Ticket]
			delete(p.asked, out.Ticket)
			p.later(w.between(0, 5*time.Millisecond), func() { answer(out.Answer) })
			p.later(w.between(0, time.Minute), func() { p.passivate(m) })
		case shell.Save:
			w.count("snapshot.saved")
			w.saved[m.stream] = out.Snapshot
		case shell.Stopped:
			p.drop(m)
		}
	}
}

// load reads a stream for a machine.
func (w *World) load(stream events.StreamName, snapshot bool) shell.Loaded {
	if w.lucky(w.scenario.Faults.Unavailable) {
		w.count("load.unavailable")
		return shell.Loaded{Err: fmt.Errorf("load %s: %w", stream, events.ErrUnavailable)}
	}
	var in shell.Loaded
	from := events.Version(0)
	if s, ok := w.saved[stream]; ok && snapshot && w.scenario.Snapshots {
		w.count("snapshot.used")
		in.Snapshot, from = &s, s.Version+1
	}
	in.Err = w.log.ReadStream(context.Background(), stream, from, func(e *events.Event) bool {
		in.Events = append(in.Events, e)
		return true
	})
	return in
}

// write is an append on its way: it lands, and later its answer comes, or the
// process dies in between.
func (p *process) write(m *machine, a events.Append) {
	w := p.world
	fault := w.draw()
	w.at(w.between(0, 10*time.Millisecond), func() {
		if !p.alive && w.luck.IntN(2) == 0 {
			return // it never left
		}
		err := w.append(a, fault)
		p.later(w.between(0, 10*time.Millisecond), func() {
			if err != nil {
				p.step(m, shell.Failed{Err: err})
				return
			}
			p.step(m, shell.Appended{})
		})
	})
}

func (w *World) append(a events.Append, f fault) error {
	if err := f.before(w, a); err != nil {
		return err
	}
	out, err := w.log.Append(context.Background(), a)
	if err != nil {
		var conflict *events.ConflictError
		if errors.As(err, &conflict) {
			w.count("conflict.real")
		} else {
			w.check.fail(events.Ref{Stream: a.Stream, Version: a.Expected}, "append: %v", err)
		}
		return err
	}
	w.stored(out.Position - events.Position(len(a.Events)) + 1)
	return f.after(a)
}

// passivate drops a machine that has nothing to do.
func (p *process) passivate(m *machine) {
	if p.machines[m.stream] != m || !m.Idle() || p.world.luck.IntN(3) > 0 {
		return
	}
	p.world.check.state(m)
	p.world.count("passivated")
	if p.world.luck.IntN(2) == 0 {
		p.step(m, shell.Stop{})
		return
	}
	p.drop(m)
}

func (p *process) drop(m *machine) {
	if p.machines[m.stream] != m {
		return
	}
	delete(p.machines, m.stream)
	for i := range p.order {
		if p.order[i] == m {
			p.order = append(p.order[:i], p.order[i+1:]...)
			return
		}
	}
}

package proto

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// streamActor is a machine behind a mailbox. Its first ask says who it is.
type streamActor struct {
	system   *System
	resident *resident
	machine  *shell.Machine
	waiting  []waiter
	stopping bool
}

type waiter struct {
	ticket shell.Ticket
	reply  func(shell.Answer)
}

// asked is an ask with whoever waits for its answer.
type asked struct {
	resident *resident
	ask      shell.Ask
	reply    func(shell.Answer)
}

// came is what the store said to a machine.
type came struct {
	to    *shell.Machine
	input shell.Input
}

// ErrPanicked answers the asks of an actor whose code panicked: a bug. What was
// in flight is dropped, and the next ask loads what the log says.
var ErrPanicked = errors.New("the actor hit a bug")

// Receive feeds the machine.
func (a *streamActor) Receive(c actor.Context) {
	defer a.rescue(c)
	switch msg := c.Message().(type) {
	case *asked:
		if a.resident == nil {
			a.resident, a.machine = msg.resident, shell.NewMachine(msg.resident.kind, msg.resident.stream)
		}
		a.waiting = append(a.waiting, waiter{msg.ask.Ticket, msg.reply})
		a.do(c, a.machine.Step(msg.ask))
	case *came:
		if msg.to == a.machine { // else it was dropped with what it waited for
			a.do(c, a.machine.Step(msg.input))
		}
	case shell.Notice:
		if a.machine != nil {
			a.do(c, a.machine.Step(msg))
		}
	case shell.Stop:
		a.stopping = true
		a.do(c, a.machine.Step(msg))
	case *actor.Stopped:
		a.system.gone.Done()
	}
}

// rescue keeps a bug in one actor from taking the process down.
func (a *streamActor) rescue(c actor.Context) {
	cause := recover()
	if cause == nil {
		return
	}
	a.system.Logger.Error("actor panicked", slog.String("stream", string(a.resident.stream)),
		slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
	waiting := a.waiting
	a.waiting, a.machine = nil, shell.NewMachine(a.resident.kind, a.resident.stream)
	for _, w := range waiting {
		a.answer(w, shell.Answer{Err: fmt.Errorf("%w: %v", ErrPanicked, cause)})
	}
	if a.stopping {
		c.Stop(c.Self())
	}
}

func (a *streamActor) do(c actor.Context, outputs []shell.Output) {
	s, kind, stream := a.system, a.resident.kind, a.resident.stream
	for _, out := range outputs {
		switch out := out.(type) {
		case shell.Reply:
			a.reply(out)
		case shell.Load:
			a.call(c, func() shell.Input { return s.load(kind, stream, out.Snapshot) })
		case shell.Write:
			a.call(c, func() shell.Input { return s.write(out.Append) })
		case shell.Save:
			s.gone.Go(func() { s.save(kind, stream, out.Snapshot) })
		case shell.Stopped:
			c.Stop(c.Self())
		}
	}
}

// call asks the store on a goroutine of its own and tells the machine.
func (a *streamActor) call(c actor.Context, f func() shell.Input) {
	self, root, to := c.Self(), c.ActorSystem().Root, a.machine
	a.system.gone.Go(func() { root.Send(self, &came{to, f()}) })
}

func (a *streamActor) reply(r shell.Reply) {
	for i, w := range a.waiting {
		if w.ticket == r.Ticket {
			a.waiting = append(a.waiting[:i], a.waiting[i+1:]...)
			if len(a.waiting) == 0 {
				a.waiting = nil
			}
			a.answer(w, r.Answer)
			return
		}
	}
}

// answer counts the ask as over only after whoever waits for it knows.
func (a *streamActor) answer(w waiter, answer shell.Answer) {
	defer a.system.answered(a.resident)
	w.reply(answer)
}

// load reads a stream, from its snapshot on where there is a good one.
func (s *System) load(kind *shell.Kind, stream events.StreamName, snapshot bool) shell.Input {
	s.loads <- struct{}{}
	defer func() { <-s.loads }()
	var in shell.Loaded
	from := events.Version(0)
	if snapshot && s.Snapshots != nil {
		found, err := s.Snapshots.LoadSnapshot(s.ctx, stream, kind.Code)
		if err != nil {
			s.Logger.Warn("snapshot passed over", slog.String("stream", string(stream)), slog.Any("error", err))
		} else if found != nil {
			in.Snapshot, from = found, found.Version+1
		}
	}
	in.Err = s.Store.ReadStream(s.ctx, stream, from, func(e *events.Event) bool {
		in.Events = append(in.Events, e)
		return true
	})
	return in
}

func (s *System) write(a events.Append) shell.Input {
	if _, err := s.Store.Append(s.ctx, a); err != nil {
		return shell.Failed{Err: err}
	}
	return shell.Appended{}
}

func (s *System) save(kind *shell.Kind, stream events.StreamName, snap shell.Snapshot) {
	if s.Snapshots == nil {
		return
	}
	if err := s.Snapshots.SaveSnapshot(s.ctx, stream, kind.Code, snap); err != nil {
		s.Logger.Warn("snapshot not saved", slog.String("stream", string(stream)), slog.Any("error", err))
	}
}

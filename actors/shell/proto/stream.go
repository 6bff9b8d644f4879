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

// streamActor is a machine behind a mailbox.
type streamActor struct {
	system  *System
	kind    *shell.Kind
	stream  events.StreamName
	machine *shell.Machine
	waiting []waiter
}

type waiter struct {
	ticket shell.Ticket
	reply  func(shell.Answer)
}

// asked is an ask with whoever waits for its answer.
type asked struct {
	ask   shell.Ask
	reply func(shell.Answer)
}

// ErrPanicked answers the asks of an actor whose code panicked: a bug. What was
// in flight is dropped, and the next ask loads what the log says.
var ErrPanicked = errors.New("the actor hit a bug")

// Receive feeds the machine.
func (a *streamActor) Receive(c actor.Context) {
	defer a.rescue()
	switch msg := c.Message().(type) {
	case *asked:
		a.waiting = append(a.waiting, waiter{msg.ask.Ticket, msg.reply})
		a.do(c, a.machine.Step(msg.ask))
	case shell.Input:
		a.do(c, a.machine.Step(msg))
	case *actor.Stopped:
		a.system.gone.Done()
	}
}

// rescue keeps a bug in one actor from taking the process down.
func (a *streamActor) rescue() {
	cause := recover()
	if cause == nil {
		return
	}
	a.system.Logger.Error("actor panicked", slog.String("stream", string(a.stream)),
		slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
	waiting := a.waiting
	a.waiting, a.machine = nil, shell.NewMachine(a.kind, a.stream)
	for _, w := range waiting {
		w.reply(shell.Answer{Err: fmt.Errorf("%w: %v", ErrPanicked, cause)})
	}
}

func (a *streamActor) do(c actor.Context, outputs []shell.Output) {
	self, root := c.Self(), c.ActorSystem().Root
	for _, out := range outputs {
		switch out := out.(type) {
		case shell.Reply:
			a.reply(out)
		case shell.Load:
			go func() { root.Send(self, a.system.load(a.kind, a.stream, out.Snapshot)) }()
		case shell.Write:
			go func() { root.Send(self, a.system.write(out.Append)) }()
		case shell.Save:
			go a.system.save(a.kind, a.stream, out.Snapshot)
		case shell.Stopped:
			c.Stop(self)
		}
	}
}

func (a *streamActor) reply(r shell.Reply) {
	for i, w := range a.waiting {
		if w.ticket == r.Ticket {
			a.waiting = append(a.waiting[:i], a.waiting[i+1:]...)
			w.reply(r.Answer)
			return
		}
	}
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

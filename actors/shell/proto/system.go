package proto

import (
	"container/list"
	"context"
	"io"
	"log/slog"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of a system.
const (
	// LiveDefault is the number of actors kept in memory while none of them is
	// busy; the longest idle one is passivated first.
	LiveDefault = 4096
	// LoadsMax is the number of streams read at the same time.
	LoadsMax = 8
)

// Snapshots keeps folds of long streams: a cache, never truth.
type Snapshots interface {
	LoadSnapshot(ctx context.Context, stream events.StreamName, code string) (*shell.Snapshot, error)
	SaveSnapshot(ctx context.Context, stream events.StreamName, code string, s shell.Snapshot) error
}

// Config is what a system needs. Snapshots may be nil; Live 0 is LiveDefault.
type Config struct {
	Store     events.Store
	Snapshots Snapshots
	Rules     func() *shell.Rules // those in force now
	Boot      events.BootID
	Clock     actors.Clock
	Draw      func() events.Draw
	Logger    *slog.Logger
	Live      int
}

// System holds the actors of one process. Its methods may be called from any
// goroutine.
type System struct {
	Config
	actors *actor.ActorSystem
	ctx    context.Context // of store calls; ends when Stop has waited long enough
	cancel context.CancelFunc
	loads  chan struct{}

	mu      sync.Mutex
	live    map[events.StreamName]*resident
	idle    *list.List // of *resident, the longest idle first
	tickets shell.Ticket
	closed  bool
	gone    sync.WaitGroup // one for each actor in memory
}

// resident is an actor in memory.
type resident struct {
	stream events.StreamName
	pid    *actor.PID
	asks   int           // not answered yet
	place  *list.Element // in idle, while asks is 0
}

// NewSystem starts an empty system.
func NewSystem(c Config) *System {
	if c.Live == 0 {
		c.Live = LiveDefault
	}
	silent := slog.New(slog.NewTextHandler(io.Discard, nil))
	ctx, cancel := context.WithCancel(context.Background())
	return &System{
		Config: c, ctx: ctx, cancel: cancel, loads: make(chan struct{}, LoadsMax),
		actors: actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return silent })),
		live:   map[events.StreamName]*resident{}, idle: list.New(),
	}
}

// Deliver asks a stream's actor; reply is called once, from any goroutine, and
// must not block.
func (s *System) Deliver(d actors.Delivery, reply func(shell.Answer)) {
	kind, err := actors.KindOf(d.Target)
	if err != nil {
		reply(shell.Answer{Reason: err.Error()})
		return
	}
	ask := shell.Ask{
		Command: d.Command, Cause: d.Cause, Routed: d.Routed, By: d.By, Rules: s.Rules(),
		Given: events.Given{At: s.Clock.Now(), Boot: s.Boot, Draw: s.Draw()},
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		reply(shell.Answer{Err: shell.ErrStopping})
		return
	}
	s.tickets++
	ask.Ticket = s.tickets
	r := s.resident(kind, d.Target)
	r.asks++
	s.mu.Unlock()
	s.actors.Root.Send(r.pid, &asked{ask, func(a shell.Answer) {
		s.answered(r)
		reply(a)
	}})
}

// Ask delivers a command that nothing on record caused, and waits for the answer.
func (s *System) Ask(ctx context.Context, target events.StreamName, by string, cmd events.Command) (shell.Answer, error) {
	answers := make(chan shell.Answer, 1)
	s.Deliver(actors.Delivery{Target: target, Command: cmd, By: by}, func(a shell.Answer) { answers <- a })
	select {
	case a := <-answers:
		return a, a.Err
	case <-ctx.Done():
		return shell.Answer{}, ctx.Err()
	}
}

// resident finds or spawns an actor. The lock is held.
func (s *System) resident(kind *shell.Kind, stream events.StreamName) *resident {
	if r := s.live[stream]; r != nil {
		if r.place != nil {
			s.idle.Remove(r.place)
			r.place = nil
		}
		return r
	}
	r := &resident{stream: stream}
	s.gone.Add(1)
	r.pid = s.actors.Root.Spawn(actor.PropsFromProducer(func() actor.Actor {
		return &streamActor{system: s, kind: kind, stream: stream, machine: shell.NewMachine(kind, stream)}
	}))
	s.live[stream] = r
	return r
}

// answered notes that an ask is over and passivates whoever is too many. An actor
// with an ask is never stopped, so no message is ever sent to one that is gone.
func (s *System) answered(r *resident) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.asks--; r.asks > 0 {
		return
	}
	r.place = s.idle.PushBack(r)
	for len(s.live) > s.Live && s.idle.Len() > 0 && !s.closed {
		longest := s.idle.Remove(s.idle.Front()).(*resident)
		delete(s.live, longest.stream)
		s.actors.Root.Send(longest.pid, shell.Stop{})
	}
}

// Resident is the number of actors in memory.
func (s *System) Resident() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.live)
}

// Stop refuses new asks, lets what is in flight finish, and returns when no actor
// is left. When ctx ends first the store calls in flight are given up. A second
// call does nothing.
func (s *System) Stop(ctx context.Context) error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	if first {
		for _, r := range s.live {
			s.actors.Root.Send(r.pid, shell.Stop{})
		}
	}
	s.mu.Unlock()
	if !first {
		return nil
	}
	defer s.actors.Shutdown()
	defer s.cancel()
	done := make(chan struct{})
	go func() {
		s.gone.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.cancel()
		<-done
		return ctx.Err()
	}
}

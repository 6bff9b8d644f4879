package proto

import (
	"container/list"
	"context"
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
	// busy; the longest idle one is passivated first. A run that waits for its
	// engine needs no actor meanwhile: what its stream says is soon folded again.
	LiveDefault = 1024
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
	props  *actor.Props // of all stream actors
	ctx    context.Context
	cancel context.CancelFunc // of store calls: when Stop has waited long enough
	loads  chan struct{}

	mu      sync.Mutex
	live    map[events.StreamName]*resident
	idle    *list.List // of *resident, the longest idle first
	tickets shell.Ticket
	closed  bool
	gone    sync.WaitGroup // actors in memory, and what they have under way
	stopped chan struct{}
}

// resident is an actor in memory.
type resident struct {
	kind   *shell.Kind
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
	silent := slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(context.Background())
	s := &System{
		Config: c, ctx: ctx, cancel: cancel, loads: make(chan struct{}, LoadsMax),
		actors: actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return silent })),
		live:   map[events.StreamName]*resident{}, idle: list.New(), stopped: make(chan struct{}),
	}
	s.props = actor.PropsFromProducer(func() actor.Actor { return &streamActor{system: s} })
	return s
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
	if !s.send(kind, d.Target, ask, reply) {
		reply(shell.Answer{Err: shell.ErrStopping})
	}
}

// send puts an ask into its actor's mailbox, unless the system is stopping. It
// does so under the lock: an actor is told to stop under the lock as well, and
// only while it has no ask, so that no ask ever comes behind the end.
func (s *System) send(kind *shell.Kind, stream events.StreamName, ask shell.Ask, reply func(shell.Answer)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.tickets++
	ask.Ticket = s.tickets
	r := s.resident(kind, stream)
	r.asks++
	s.actors.Root.Send(r.pid, &asked{resident: r, ask: ask, reply: reply})
	return true
}

// Notice tells a stream's actor, if it is in memory, what another process wrote.
func (s *System) Notice(stream events.StreamName, version events.Version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.live[stream]; r != nil && !s.closed {
		s.actors.Root.Send(r.pid, shell.Notice{Version: version})
	}
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
	s.gone.Add(1)
	r := &resident{kind: kind, stream: stream, pid: s.actors.Root.Spawn(s.props)}
	s.live[stream] = r
	return r
}

// answered notes that an ask is over and passivates whoever is too many.
func (s *System) answered(r *resident) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.asks--; r.asks > 0 || s.closed {
		return
	}
	r.place = s.idle.PushBack(r)
	for len(s.live) > s.Live && s.idle.Len() > 0 {
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
// call waits for the same end.
func (s *System) Stop(ctx context.Context) error {
	if s.close() {
		go func() {
			s.gone.Wait()
			s.cancel()
			s.actors.Shutdown()
			close(s.stopped)
		}()
	}
	select {
	case <-s.stopped:
		return nil
	case <-ctx.Done():
		s.cancel()
		<-s.stopped
		return ctx.Err()
	}
}

// close tells every actor to stop; it reports whether this is the first time.
func (s *System) close() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.closed = true
	for _, r := range s.live {
		s.actors.Root.Send(r.pid, shell.Stop{})
	}
	return true
}

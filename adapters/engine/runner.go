package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/engine/artifact"
	"github.com/reviewctl/reviewctl/adapters/engine/exec"
	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// EndedMax bounds the ended sessions that are remembered, so that a repeated
// Start of one of them is seen. The shell delivers a recorded lane.began once;
// this is the second guard.
const EndedMax = 1 << 16

// The ways in which a session is ended from outside: causes of its context.
var (
	errStopped  = errors.New("the lane was stopped")
	errDeadline = errors.New("the lane's deadline has passed")
	errClosed   = errors.New("reviewctl is shutting down")
)

// Opener puts a change on disk, as actors.Workspace does.
type Opener interface {
	Open(ctx context.Context, job actors.WorkspaceJob) (*actors.Change, error)
}

// PriorFindings lists what the job's engine said of the pull request in earlier
// reviews and what is still open, by number. (cases E28 and E29)
type PriorFindings func(ctx context.Context, job actors.LaneJob) ([]session.Prior, error)

// Params is what a Runner needs. All of it is required but Prior, GoCache, Sandbox
// and Grace.
type Params struct {
	Engines   map[events.EngineName]Config // "static" needs no entry
	Workspace Opener
	Prior     PriorFindings // nil = engines are told of none
	Temp      string        // folder for the sessions' TMPDIRs
	Artifacts string        // folder for the engines' raw answers
	GoCache   string        // folder for what Go's tools build; "" = static.go is off
	Boot      events.BootID
	Clock     actors.Clock
	Log       *slog.Logger
	Sandbox   *sandbox.Sandbox // nil = the best that this machine has
	Grace     exec.Grace       // zero = the defaults
}

// Runner implements actors.Engine.
type Runner struct {
	workspace Opener
	prior     PriorFindings
	boot      events.BootID
	clock     actors.Clock
	log       *slog.Logger
	build     func(map[events.EngineName]Config) (map[engineKey]configured, error)

	running sync.WaitGroup

	mu      sync.Mutex
	engines map[engineKey]configured
	closed  bool
	started map[events.LaneKey]context.CancelCauseFunc // nil once it has ended
	ended   []events.LaneKey                           // the oldest first
}

var _ actors.Engine = (*Runner)(nil)

// New checks the configuration and makes the folders.
func New(p Params) (*Runner, error) {
	if err := os.MkdirAll(p.Temp, 0o700); err != nil {
		return nil, fmt.Errorf("start engines: %w", err)
	}
	folder, err := artifact.Open(p.Artifacts)
	if err != nil {
		return nil, fmt.Errorf("start engines: %w", err)
	}
	if p.Sandbox == nil {
		if p.Sandbox, err = sandbox.New(p.Temp); err != nil {
			return nil, fmt.Errorf("start engines: %w", err)
		}
	}
	r := &Runner{
		workspace: p.Workspace, prior: p.Prior, boot: p.Boot, clock: p.Clock, log: p.Log,
		build: func(engines map[events.EngineName]Config) (map[engineKey]configured, error) {
			p := p
			p.Engines = engines
			return build(p, folder)
		},
		engines: map[engineKey]configured{}, started: map[events.LaneKey]context.CancelCauseFunc{},
	}
	if err := r.Configure(p.Engines); err != nil {
		return nil, err
	}
	return r, nil
}

// Configure makes these engines the ones that lanes start with from now on. What
// runs goes on with what it began with, and an engine that is not named any more
// stays for the lanes that were planned with it.
func (r *Runner) Configure(engines map[events.EngineName]Config) error {
	built, err := r.build(engines)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(r.engines, built)
	return nil
}

// engine is what a job asks for.
func (r *Runner) engine(job actors.LaneJob) (configured, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.engines[engineKey{job.Engine, job.Kind}]
	return e, ok
}

// Start runs the session on a goroutine of its own. A key that was started
// before is not started again, and its first answer stands. A job of another
// boot is that boot's: nothing happens and nothing is answered.
func (r *Runner) Start(job actors.LaneJob, answer actors.Answer) {
	log := r.log.With("run", job.Key.Run, "lane", job.Key.Lane, "attempt", job.Key.Attempt)
	if job.Boot != r.boot {
		log.Error("lane of another boot not started", "owner", job.Boot)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.started[job.Key]; known {
		log.Warn("lane not started twice")
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	r.started[job.Key] = cancel // before the start (hard-parts §2)
	if r.closed {
		cancel(errClosed)
		go answer(end(ctx, job, nil)...)
		return
	}
	until := r.deadline(job)
	stopTimer := r.clock.After(until.Sub(r.clock.Now()), func() { cancel(errDeadline) })
	r.running.Go(func() {
		defer cancel(nil)
		defer stopTimer()
		commands := r.session(ctx, job, until)
		r.forget(job.Key)
		log.Info("lane ended", "end", commands[len(commands)-1].Name())
		answer(commands...)
	})
}

// deadline is the earlier of the recorded deadline and the engine's own timeout.
// The lock is held.
func (r *Runner) deadline(job actors.LaneJob) time.Time {
	timeout := TimeoutDefault
	if e, ok := r.engines[engineKey{job.Engine, job.Kind}]; ok {
		timeout = e.timeout
	}
	until := r.clock.Now().Add(timeout)
	if !job.Deadline.IsZero() && job.Deadline.Before(until) {
		until = job.Deadline
	}
	return until
}

// Stop ends a session that runs here.
func (r *Runner) Stop(key events.LaneKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.started[key]; cancel != nil {
		cancel(errStopped)
	}
}

// Close ends all sessions and returns when the last has answered. They, and what
// is started after it, count as stopped: a process that goes down uses up no try.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	for _, cancel := range r.started {
		if cancel != nil {
			cancel(errClosed)
		}
	}
	r.mu.Unlock()
	r.running.Wait()
}

// forget keeps the key of an ended session, up to the bound.
func (r *Runner) forget(key events.LaneKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started[key] = nil
	r.ended = append(r.ended, key)
	if len(r.ended) > EndedMax {
		delete(r.started, r.ended[0])
		r.ended = r.ended[1:]
	}
}

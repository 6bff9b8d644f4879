package workspace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/workspace/mirror"
	"github.com/reviewctl/reviewctl/events"
)

// Place is where a repository lies.
type Place struct {
	Path string // on this disk; "" = elsewhere
	Base string // the configured base branch; "" where there is none
	// Exclude are the configured patterns of files that nobody reviews.
	Exclude []string
	// Mirror: runs read a copy, so that nothing that happens to the repository
	// changes the code under them.
	Mirror bool
	// From is where a repository elsewhere is fetched from, and Env what the operator
	// lets git have for it.
	From git.Address
	Env  []string
	// Credential is for the server of From alone; nil = none.
	Credential *git.Credential
}

// Bounds limit one preparation. Zero values stand for the defaults.
type Bounds struct {
	PatchBytes int64            // default git.PatchMaxDefault
	Export     git.ExportLimits // default git.ExportFilesMax, git.ExportBytesMax
	Parallel   int              // preparations at work at one time; default ParallelDefault
}

// ParallelDefault is how many preparations work at one time: they share a disk.
const ParallelDefault = 4

// Params are what a Workspace needs.
type Params struct {
	// Root is the folder for checkouts. It is made where it is not there.
	Root string
	// Pool is the folder for trees that finished runs leave; "" = they are removed.
	// It is on the disk of Root.
	Pool string
	// Mirrors is the folder for mirrors; "" = every repository is read itself.
	Mirrors string
	// Boot is the owner of the checkouts that are made here.
	Boot events.BootID
	// Locate finds a repository by its name. Its error is final.
	Locate func(events.RepoName) (Place, error)
	Clock  actors.Clock
	Log    *slog.Logger
	Bounds Bounds
}

// Workspace serves actors.Workspace. It may be used by many at once.
type Workspace struct {
	root    string // without symlinks
	boot    events.BootID
	locate  func(events.RepoName) (Place, error)
	clock   actors.Clock
	log     *slog.Logger
	bounds  Bounds
	pool    *pool         // nil = none
	mirrors *mirror.Store // nil = none

	alive context.Context // ends with Stop
	stop  context.CancelCauseFunc
	turns chan struct{} // one for each preparation at work
	tasks sync.WaitGroup

	mu      sync.Mutex
	stopped bool
	runs    map[events.RunID]*preparation
	trees   map[string]*git.Manifest // of the checkouts that are whole, by folder
}

var _ actors.Workspace = (*Workspace)(nil)

// Why a preparation was ended from outside.
var (
	errReleased = errors.New("the run needs the code no more")
	errStopping = errors.New("this process is stopping")
	errLate     = errors.New("the code was not ready in time")
)

// preparation is the work for one run, in progress or done.
type preparation struct {
	job    actors.WorkspaceJob
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when change and err are set
	pin    mirror.Pin
	change *actors.Change
	err    error
}

// same reports whether the preparation is for the same code.
func (p *preparation) same(job actors.WorkspaceJob) bool {
	return p.job.Repo == job.Repo && p.job.Head == job.Head &&
		p.job.Base == job.Base && p.job.BaseRef == job.BaseRef
}

// New makes the folder for checkouts. It removes nothing: see Sweep.
func New(p Params) (*Workspace, error) {
	if !nameable(string(p.Boot)) {
		return nil, fmt.Errorf("make workspace: boot %q cannot stand in a folder's name", p.Boot)
	}
	if err := os.MkdirAll(p.Root, 0o700); err != nil {
		return nil, fmt.Errorf("make workspace: %w", err)
	}
	root, err := filepath.Abs(p.Root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, fmt.Errorf("make workspace: %w", err)
	}
	if p.Bounds.PatchBytes <= 0 {
		p.Bounds.PatchBytes = git.PatchMaxDefault
	}
	if p.Bounds.Parallel <= 0 {
		p.Bounds.Parallel = ParallelDefault
	}
	w := &Workspace{
		root: root, boot: p.Boot, locate: p.Locate, clock: p.Clock, log: p.Log, bounds: p.Bounds,
		turns: make(chan struct{}, p.Bounds.Parallel),
		runs:  map[events.RunID]*preparation{}, trees: map[string]*git.Manifest{},
	}
	if w.pool, err = newPool(p.Pool); err != nil {
		return nil, fmt.Errorf("make workspace: %w", err)
	}
	if p.Mirrors != "" {
		w.mirrors, err = mirror.New(mirror.Params{Root: p.Mirrors, Boot: p.Boot, Clock: p.Clock, Log: p.Log})
		if err != nil {
			return nil, fmt.Errorf("make workspace: %w", err)
		}
	}
	w.alive, w.stop = context.WithCancelCause(context.Background())
	return w, nil
}

// Prepare starts the preparation, or joins the one for the same run, and answers
// once when it has ended.
func (w *Workspace) Prepare(job actors.WorkspaceJob, answer actors.Answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.join(job)
	reply := func() {
		<-p.done
		answer(outcome(job.Try, p.change, p.err)...)
	}
	if w.stopped { // nobody waits for tasks any more
		go reply()
		return
	}
	w.tasks.Go(reply)
}

// Open returns the code of a run and prepares it where it is not there. It ends
// early, without ending the preparation, when the context does.
func (w *Workspace) Open(ctx context.Context, job actors.WorkspaceJob) (*actors.Change, error) {
	w.mu.Lock()
	p := w.join(job)
	w.mu.Unlock()
	select {
	case <-p.done:
		return p.change, p.err
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the code of run %s: %w", job.Run, context.Cause(ctx))
	}
}

// join returns the preparation for the job and starts one where there is none
// that serves. The lock is held.
func (w *Workspace) join(job actors.WorkspaceJob) *preparation {
	if p := w.runs[job.Run]; p != nil {
		if p.same(job) && p.serves() {
			return p
		}
		w.drop(p)
	}
	ctx, cancel := context.WithCancelCause(w.alive)
	p := &preparation{job: job, cancel: cancel, done: make(chan struct{})}
	if w.stopped {
		cancel(errStopping)
		p.err = errStopping
		close(p.done)
		return p
	}
	w.runs[job.Run] = p
	w.tasks.Go(func() { w.carryOut(ctx, p) })
	return p
}

// serves reports whether the preparation is under way, or done and still on disk.
func (p *preparation) serves() bool {
	select {
	case <-p.done:
	default:
		return true
	}
	if p.err != nil {
		return false
	}
	st, err := os.Lstat(p.change.Dir)
	return err == nil && st.IsDir()
}

// carryOut does the work of a preparation within its time.
func (w *Workspace) carryOut(ctx context.Context, p *preparation) {
	defer close(p.done)
	defer p.cancel(nil)
	if !p.job.Until.IsZero() {
		defer w.clock.After(p.job.Until.Sub(w.clock.Now()), func() { p.cancel(errLate) })()
	}
	// The source comes before the turn: those who wait for one fetch share it.
	from, err := w.source(ctx, p.job)
	p.pin = from.pin
	if err == nil {
		select {
		case w.turns <- struct{}{}:
			defer func() { <-w.turns }()
			p.change, err = w.prepare(ctx, p.job, from)
		case <-ctx.Done():
		}
	}
	if p.err = w.judged(err, from); p.change == nil && ctx.Err() != nil {
		p.err = context.Cause(ctx)
	}
}

// Release ends the run's preparation, and gives its checkout to the pool or removes
// it, which takes a while and is done when Stop returns at the latest.
func (w *Workspace) Release(run events.RunID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.runs[run]; p != nil {
		w.drop(p)
	}
}

// drop forgets a preparation and removes what it made. The lock is held.
func (w *Workspace) drop(p *preparation) {
	delete(w.runs, p.job.Run)
	p.cancel(errReleased)
	w.tasks.Go(func() {
		<-p.done
		if w.mirrors != nil {
			w.mirrors.Release(p.pin)
		}
		if p.change != nil {
			w.retire(p)
		}
	})
}

// Stop ends all preparations, removes all checkouts of this workspace, and
// returns when nothing of it is at work. It may be called more than once.
func (w *Workspace) Stop() {
	w.mu.Lock()
	w.stopped = true
	w.stop(errStopping)
	for _, p := range w.runs {
		w.drop(p)
	}
	w.mu.Unlock()
	w.tasks.Wait()
	if w.mirrors != nil {
		w.mirrors.Close()
	}
}

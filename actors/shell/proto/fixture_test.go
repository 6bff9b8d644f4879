package proto_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/actors/shell/proto"
	"github.com/reviewctl/reviewctl/actors/virtual"
	"github.com/reviewctl/reviewctl/events"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// log is a log in memory that counts, and does wrong where it is told to.
type log struct {
	*virtual.Log
	loads, scans, appends atomic.Int64 // of streams, of the whole log, of writes

	mu     sync.Mutex
	append func(ctx context.Context, a events.Append) error // before it is stored
	stored func(a events.Append) error                      // after
	load   func(ctx context.Context, stream events.StreamName) error
	read   func(e *events.Event) *events.Event // by the tail
}

func newLog() *log { return &log{Log: virtual.NewLog()} }

// set changes how the log behaves from now on.
func (l *log) set(f func(*log)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l)
}

func (l *log) Append(ctx context.Context, a events.Append) (events.Appended, error) {
	l.mu.Lock()
	before, after := l.append, l.stored
	l.mu.Unlock()
	l.appends.Add(1)
	if before != nil {
		if err := before(ctx, a); err != nil {
			return events.Appended{}, err
		}
	}
	out, err := l.Log.Append(ctx, a)
	if err == nil && after != nil {
		err = after(a)
	}
	return out, err
}

func (l *log) ReadStream(ctx context.Context, name events.StreamName, from events.Version, yield func(*events.Event) bool) error {
	l.mu.Lock()
	load := l.load
	l.mu.Unlock()
	l.loads.Add(1)
	if load != nil {
		if err := load(ctx, name); err != nil {
			return err
		}
	}
	return l.Log.ReadStream(ctx, name, from, yield)
}

func (l *log) ReadAll(ctx context.Context, after events.Position, yield func(*events.Event) bool) error {
	l.mu.Lock()
	read := l.read
	l.mu.Unlock()
	l.scans.Add(1)
	if read == nil {
		return l.Log.ReadAll(ctx, after, yield)
	}
	return l.Log.ReadAll(ctx, after, func(e *events.Event) bool { return yield(read(e)) })
}

// all returns the whole log.
func (l *log) all(t testing.TB) []*events.Event {
	t.Helper()
	var all []*events.Event
	if err := l.Log.ReadAll(context.Background(), 0, func(e *events.Event) bool {
		all = append(all, e)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func (l *log) count(t testing.TB, of events.Type) int {
	t.Helper()
	n := 0
	for _, e := range l.all(t) {
		if e.Type == of {
			n++
		}
	}
	return n
}

// waits is what the deadlines view holds at the end of the log.
func (l *log) waits(t testing.TB) []events.Deadline {
	t.Helper()
	s := actors.NewSweeper()
	for _, e := range l.all(t) {
		p, err := events.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		s.Observe(events.Deadlines(e, p))
	}
	return s.Entries()
}

// clock is the machine's, or a bubble's. It counts the timers that are armed, and
// those that rang.
type clock struct{ armed, rang atomic.Int64 }

func (c *clock) Now() time.Time { return time.Now().UTC() }

func (c *clock) After(d time.Duration, f func()) func() {
	c.armed.Add(1)
	timer := time.AfterFunc(max(d, 0), func() {
		c.armed.Add(-1)
		c.rang.Add(1)
		f()
	})
	return func() {
		if timer.Stop() {
			c.armed.Add(-1)
		}
	}
}

// outside is a workspace and an engine that answer at once, but for what engine
// says. A nil engine never answers.
type outside struct {
	engine  func(job actors.LaneJob, answer actors.Answer)
	started atomic.Int64
}

func (o *outside) Start(job actors.LaneJob, answer actors.Answer) {
	o.started.Add(1)
	if o.engine != nil {
		o.engine(job, answer)
	}
}

func (o *outside) Stop(events.LaneKey) {}

func (o *outside) Prepare(job actors.WorkspaceJob, answer actors.Answer) {
	answer(run.NoteWorkspace{Ready: events.WorkspaceReady{
		Try: job.Try, MergeBase: job.Base, Files: []events.ChangedFile{{Path: "a", Status: "M"}}, Lines: 1,
	}})
}

func (o *outside) Open(context.Context, actors.WorkspaceJob) (*actors.Change, error) {
	return nil, events.ErrUnavailable
}

func (o *outside) Release(events.RunID) {}

// completes is an engine that finds nothing.
func completes(job actors.LaneJob, answer actors.Answer) {
	answer(run.CompleteLane{Lane: job.Key.Lane, Attempt: job.Key.Attempt, Generation: job.Generation})
}

// rules have one engine.
func rules(t testing.TB) *shell.Rules {
	t.Helper()
	r := actors.DefaultRules()
	r.Run.Engines = []run.EngineRules{{
		Engine: "one", Kind: "exec", Model: "gpt-6", Pool: "gpt", Account: "main", Estimate: 100,
		Timeout: (30 * time.Minute).Milliseconds(),
	}}
	r.Run.Phase1 = []events.EngineName{"one"}
	sealed, err := r.Seal()
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func draw() events.Draw {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return events.Draw(hex.EncodeToString(b[:]))
}

// office is one process on a log.
type office struct {
	t       testing.TB
	log     *log
	clock   *clock
	system  *proto.System
	process *proto.Process
	letters atomic.Int64 // that reached nobody
	outside
}

// newSystem starts the actors of a process alone.
func newSystem(t testing.TB, l *log, boot events.BootID, change func(*proto.Config)) *office {
	t.Helper()
	o := &office{t: t, log: l, clock: &clock{}, outside: outside{engine: completes}}
	sealed := rules(t)
	c := proto.Config{
		Store: l, Rules: func() *shell.Rules { return sealed }, Boot: boot, Clock: o.clock, Draw: draw,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	if change != nil {
		change(&c)
	}
	o.system = proto.NewSystem(c)
	o.system.OnDeadLetter(func(msg any) {
		o.letters.Add(1)
		t.Errorf("a message reached nobody: %T", msg)
	})
	return o
}

// begin starts its business: a daemon's, from the end of the log.
func (o *office) begin(change func(*proto.ProcessConfig)) *office {
	o.t.Helper()
	c := proto.ProcessConfig{
		Daemon: true, After: o.log.Len(), Deadlines: o.log.waits(o.t), Ports: actors.Ports{Engine: o, Workspace: o},
	}
	if change != nil {
		change(&c)
	}
	o.process = proto.StartProcess(o.system, c)
	return o
}

func open(t testing.TB, l *log) *office { return newSystem(t, l, "d1", nil).begin(nil) }

// stop ends everything in order.
func (o *office) stop() {
	o.t.Helper()
	if o.process != nil {
		o.process.Stop(context.Background())
	}
	if err := o.system.Stop(context.Background()); err != nil {
		o.t.Error(err)
	}
}

// drain waits until nothing is on its way.
func (o *office) drain() {
	o.t.Helper()
	if err := o.process.Drain(context.Background()); err != nil {
		o.t.Fatal(err)
	}
}

func prStream(n int) events.StreamName { return events.StreamName(fmt.Sprintf("pr-local/x/%d", n)) }

// look is a pull request as a daemon sees it first.
func look(n int, head string) pr.Observe {
	return pr.Observe{
		Host: "local", RepoID: "x", Repo: "local/x", Number: n, Ref: "topic", BaseRef: "main", Title: "a title",
		Author: "ada", Head: events.Commit(head), Base: "b", Owner: events.OwnerAny,
		Settings: events.Settings{Target: events.TargetNone},
	}
}

// waiting is the same, with an hour until it is judged.
func waiting(n int, head string) pr.Observe {
	c := look(n, head)
	c.Settings.Debounce = time.Hour.Milliseconds()
	return c
}

func (o *office) ask(stream events.StreamName, cmd events.Command) (shell.Answer, error) {
	return o.system.Ask(context.Background(), stream, actors.ByNode, cmd)
}

// tell asks and fails unless events came of it.
func (o *office) tell(stream events.StreamName, cmd events.Command) {
	o.t.Helper()
	if a, err := o.ask(stream, cmd); err != nil || !a.Accepted || len(a.Events) == 0 {
		o.t.Fatalf("%s to %s: %+v, %v", cmd.Name(), stream, a, err)
	}
}

// expect fails unless the log holds that many events of a type.
func (o *office) expect(of events.Type, n int) {
	o.t.Helper()
	if got := o.log.count(o.t, of); got != n {
		o.t.Fatalf("%d %s are in the log, want %d", got, of, n)
	}
}

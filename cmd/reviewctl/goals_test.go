package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	runs "github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/actors/shell/proto"
	"github.com/reviewctl/reviewctl/adapters/sqlite"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/catalogue"
	"github.com/reviewctl/reviewctl/projections/deadlines"
)

// counted counts the rows that are read of a log.
type counted struct {
	events.Store
	rows atomic.Int64
}

func (c *counted) count(yield func(*events.Event) bool) func(*events.Event) bool {
	return func(e *events.Event) bool {
		c.rows.Add(1)
		return yield(e)
	}
}

func (c *counted) ReadStream(ctx context.Context, name events.StreamName, from events.Version, yield func(*events.Event) bool) error {
	return c.Store.ReadStream(ctx, name, from, c.count(yield))
}

func (c *counted) ReadBack(ctx context.Context, name events.StreamName, yield func(*events.Event) bool) error {
	return c.Store.ReadBack(ctx, name, c.count(yield))
}

func (c *counted) ReadAll(ctx context.Context, after events.Position, yield func(*events.Event) bool) error {
	return c.Store.ReadAll(ctx, after, c.count(yield))
}

// quick prepares and reviews at once.
type quick struct{}

func (quick) Prepare(job actors.WorkspaceJob, answer actors.Answer) {
	answer(runs.NoteWorkspace{Ready: events.WorkspaceReady{
		Try: job.Try, MergeBase: job.Base, Files: []events.ChangedFile{{Path: "a", Status: "M"}}, Lines: 1,
	}})
}

func (quick) Open(context.Context, actors.WorkspaceJob) (*actors.Change, error) {
	return nil, events.ErrUnavailable
}
func (quick) Release(events.RunID) {}
func (quick) Stop(events.LaneKey)  {}

func (quick) Start(job actors.LaneJob, answer actors.Answer) {
	answer(runs.CompleteLane{Lane: job.Key.Lane, Attempt: job.Key.Attempt, Generation: job.Generation})
}

// goalOffice is a daemon's actors and business on a real log and its views.
type goalOffice struct {
	log     *sqlite.Log
	views   *sqlite.Views
	store   *counted
	files   *Files
	system  *proto.System
	process *proto.Process
}

func startGoal(tb testing.TB, path string, boot events.BootID, watch func(*events.Event, events.Payload)) *goalOffice {
	tb.Helper()
	ctx := tb.Context()
	log, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	views, err := sqlite.OpenViews(sqlite.ViewsPath(path))
	if err != nil {
		tb.Fatal(err)
	}
	o := &goalOffice{log: log, views: views, store: &counted{Store: log}}
	files := &Files{Log: log, Views: views, Stored: views, Rows: projections.NewRunner(o.store, views, catalogue.All())}
	o.files = files
	sealed, err := goalRules().Seal()
	if err != nil {
		tb.Fatal(err)
	}
	o.system = proto.NewSystem(proto.Config{
		Store: o.store, Snapshots: files, Rules: func() *shell.Rules { return sealed }, Boot: boot, Clock: clock{},
		Draw: draw, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	caught, err := files.Rows.CatchUp(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	p := proto.ProcessConfig{
		Daemon: true, After: caught.Position, Ports: actors.Ports{Engine: quick{}, Workspace: quick{}}, Marks: files, Watch: watch,
	}
	if err := deadlines.Load(ctx, views, func(d events.Deadline) bool {
		p.Deadlines = append(p.Deadlines, d)
		return true
	}); err != nil {
		tb.Fatal(err)
	}
	if p.After, err = files.LoadMark(ctx, proto.MarkRouter); err != nil {
		tb.Fatal(err)
	}
	o.store.rows.Add(int64(len(p.Deadlines))) // rows of the view
	o.process = proto.StartProcess(o.system, p)
	return o
}

func goalRules() actors.Rules {
	r := actors.DefaultRules()
	r.Run.Engines = []runs.EngineRules{{
		Engine: "one", Kind: "exec", Model: "gpt-6", Pool: "gpt", Account: "main", Estimate: 100,
		Timeout: (30 * time.Minute).Milliseconds(),
	}}
	r.Run.Phase1 = []events.EngineName{"one"}
	return r
}

func headOf(n int) events.Commit { return events.Commit(fmt.Sprintf("%040d", n)) }

func (o *goalOffice) ask(tb testing.TB, stream events.StreamName, cmd events.Command) {
	tb.Helper()
	if a, err := o.system.Ask(context.Background(), stream, actors.ByNode, cmd); err != nil || !a.Accepted {
		tb.Errorf("%s to %s: %+v, %v", cmd.Name(), stream, a, err)
	}
}

func (o *goalOffice) tell(tb testing.TB, n int, debounce time.Duration) {
	tb.Helper()
	stream := events.StreamName(fmt.Sprintf("pr-local/x/%d", n))
	o.ask(tb, stream, pr.Observe{
		Host: "local", RepoID: "x", Repo: "local/x", Number: n, Ref: "topic", BaseRef: "main", Title: "a title",
		Head: headOf(n), Base: "b", Owner: events.OwnerAny,
		Settings: events.Settings{Target: events.TargetNone, Debounce: debounce.Milliseconds()},
	})
}

func (o *goalOffice) stop(tb testing.TB) {
	tb.Helper()
	ctx := context.Background()
	if err := o.process.Drain(ctx); err != nil {
		tb.Error(err)
	}
	o.process.Stop(ctx)
	if err := o.system.Stop(ctx); err != nil {
		tb.Error(err)
	}
	if _, err := o.files.Rows.CatchUp(ctx); err != nil { // as the daemon's views do all the time
		tb.Error(err)
	}
	for _, err := range []error{o.views.Close(), o.log.Close()} {
		if err != nil {
			tb.Error(err)
		}
	}
}

// Goal 9: the first grant after a start reads at most two rows for each open pull
// request, and those behind the checkpoints and the snapshots: never the whole
// log. (performance §5)
func TestRowsUntilTheFirstGrant(t *testing.T) {
	t.Parallel()
	const settled, open = 200, 40
	path := filepath.Join(t.TempDir(), "events.db")
	o := startGoal(t, path, "d1", nil)
	for n := range settled {
		o.tell(t, n, 0)
	}
	for n := range open {
		o.tell(t, settled+n, 24*time.Hour)
	}
	o.stop(t)

	rows := make(chan int64, 1)
	ready := make(chan struct{})
	var again *goalOffice
	again = startGoal(t, path, "d2", func(e *events.Event, _ events.Payload) {
		<-ready
		if e.Type == (events.LaneGranted{}).Type() && e.Node == "d2" {
			rows <- again.store.rows.Load()
		}
	})
	tail, before := again.tail(t), again.end(t)
	close(ready)
	again.tell(t, settled+open, 0)
	read := <-rows
	fresh := int64(again.end(t) - before) // read once, as they are written
	again.stop(t)
	t.Logf("%d rows were read until the first grant: %d open pull requests, %d rows behind checkpoints and snapshots, "+
		"%d new ones, of a log of %d events", read, open, tail, fresh, before)
	if limit := 2*open + tail + fresh; read > limit {
		t.Errorf("%d rows were read until the first grant, want at most %d", read, limit)
	}
}

// end is the position of the newest event.
func (o *goalOffice) end(tb testing.TB) (last events.Position) {
	tb.Helper()
	if err := o.log.ReadAll(tb.Context(), 0, func(e *events.Event) bool { last = e.Position; return true }); err != nil {
		tb.Fatal(err)
	}
	return last
}

// tail counts the events behind the router's checkpoint, and behind the snapshots
// of the shared actors.
func (o *goalOffice) tail(tb testing.TB) (rows int64) {
	tb.Helper()
	mark, err := o.files.LoadMark(tb.Context(), proto.MarkRouter)
	if err != nil {
		tb.Fatal(err)
	}
	rows = int64(o.end(tb) - mark)
	for _, stream := range []events.StreamName{events.FleetStream, events.PoolStream("gpt"), events.AccountStream("main")} {
		kind, err := actors.KindOf(stream)
		if err != nil {
			tb.Fatal(err)
		}
		snapshot, err := o.files.LoadSnapshot(tb.Context(), stream, kind.Code)
		if err != nil {
			tb.Fatal(err)
		}
		from := events.Version(0)
		if snapshot != nil {
			from = snapshot.Version + 1
		}
		if err := o.log.ReadStream(tb.Context(), stream, from, func(*events.Event) bool { rows++; return true }); err != nil {
			tb.Fatal(err)
		}
	}
	return rows
}

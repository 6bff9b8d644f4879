package projections_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/catalogue"
	"github.com/reviewctl/reviewctl/projections/rowstest"
)

// allKinds are the kinds of rows that any view here writes.
var allKinds = []projections.Kind{
	"pr", "head", "counts", "run", "active", "lane", "pool", "account", "repo", "fleet", "line",
	"deadline", "finding", "attempt", "entry", "count",
}

// dump writes all rows and checkpoints of the views as text.
func dump(t *testing.T, rows projections.Rows, views []projections.View) string {
	t.Helper()
	var b strings.Builder
	for _, v := range views {
		c, err := rows.Checkpoint(t.Context(), v.Name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %+v\n", v.Name, c)
		for _, kind := range allKinds {
			err := rows.Scan(t.Context(), projections.Query{View: v.Name, Kind: kind}, func(r *projections.Row) bool {
				fmt.Fprintf(&b, "%s %s %q %q %q %q %s %s\n", v.Name, kind, r.Key, r.Repo, r.State, r.Sort, r.At, r.Value)
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.String()
}

func caughtUp(t *testing.T, r *projections.Runner) projections.Report {
	t.Helper()
	report, err := r.CatchUp(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s: line %d\n got %s\nwant %s", what, i, g[i], w[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", what, len(g), len(w))
}

// TestRebuiltEqualsIncremental follows random histories in random steps, now and
// then with a new runner, and compares each byte with a rebuild and with one go.
func TestRebuiltEqualsIncremental(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			whole := rowstest.NewLog()
			rowstest.Write(whole, seed, 1200)
			views := catalogue.All()
			r := rand.New(rand.NewPCG(seed, 1))
			log, rows := rowstest.NewLog(), projections.NewMemory()
			runner := projections.NewRunner(log, rows, views)
			for i, e := range whole.All() {
				if _, err := log.Append(t.Context(), events.Append{
					Stream: e.Stream, Expected: e.Version - 1, Previous: e.Previous, Events: []events.Event{*e},
				}); err != nil {
					t.Fatal(err)
				}
				if r.IntN(20) == 0 {
					report := caughtUp(t, runner)
					if err := report.Err(); err != nil || report.Position != events.Position(i+1) {
						t.Fatalf("at %d of %d: %v", report.Position, i+1, err)
					}
				}
				if r.IntN(90) == 0 {
					runner = projections.NewRunner(log, rows, views)
				}
			}
			caughtUp(t, runner)
			incremental := dump(t, rows, views)
			fresh := projections.NewMemory()
			caughtUp(t, projections.NewRunner(log, fresh, views))
			same(t, "in one go", dump(t, fresh, views), incremental)
			if _, err := runner.Rebuild(t.Context()); err != nil {
				t.Fatal(err)
			}
			same(t, "rebuilt", dump(t, rows, views), incremental)
			if names := rows.Names(); len(names) != len(views) {
				t.Fatalf("a rebuild left %v", names)
			}
		})
	}
}

// counting is a view of one row that counts events and remembers them.
func counting(version int, fail func(*events.Event) error) projections.View {
	return projections.View{Name: "counting", Version: version, Apply: func(tx *projections.Tx, e *events.Event, _ events.Payload) error {
		n, err := projections.ReadOrNew[int](tx, "count", "all")
		if err != nil {
			return err
		}
		*n++
		projections.Put(tx, "count", "all", projections.Columns{}, n)
		if fail != nil {
			return fail(e)
		}
		return nil
	}}
}

func counted(t *testing.T, rows projections.Rows) int {
	t.Helper()
	n, err := projections.Lookup[int](t.Context(), rows, "counting", "count", "all")
	if err != nil {
		t.Fatal(err)
	}
	if n == nil {
		return 0
	}
	return *n
}

// TestTwoProjectors lets several runners race over one set of rows while the log
// grows: each event is counted once.
func TestTwoProjectors(t *testing.T) {
	t.Parallel()
	log, rows := rowstest.NewLog(), projections.NewMemory()
	views := append(catalogue.All(), counting(1, nil))
	var wg sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	for range 3 {
		runner := projections.NewRunner(log, rows, views)
		wg.Go(func() {
			if err := runner.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	rowstest.Write(log, 7, 1000)
	caughtUp(t, projections.NewRunner(log, rows, views))
	stop()
	wg.Wait()
	alone := projections.NewMemory()
	caughtUp(t, projections.NewRunner(log, alone, views))
	same(t, "raced", dump(t, rows, views), dump(t, alone, views))
}

func TestUnknownEventsAreCounted(t *testing.T) {
	t.Parallel()
	log, rows := rowstest.NewLog(), projections.NewMemory()
	log.Add("fleet-main", events.FleetConfigured{MaxRuns: 1}, events.Unknown{Name: "fleet.danced", Raw: `{}`}, events.FleetConfigured{MaxRuns: 2})
	report := caughtUp(t, projections.NewRunner(log, rows, []projections.View{counting(1, nil)}))
	if got := counted(t, rows); got != 2 || report.Views[0].Checkpoint.Unknown != 1 {
		t.Fatalf("counted %d, unknown %d", got, report.Views[0].Checkpoint.Unknown)
	}
}

// TestAStoppedViewStopsAlone: what came before the event is kept, half of the
// event is not, and the other views go on.
func TestAStoppedViewStopsAlone(t *testing.T) {
	t.Parallel()
	log, rows := rowstest.NewLog(), projections.NewMemory()
	for range 5 {
		log.Add("fleet-main", events.FleetConfigured{MaxRuns: 1})
	}
	broken := errors.New("no such thing")
	failing := true
	views := append(catalogue.All(), counting(1, func(e *events.Event) error {
		if failing && e.Version == 3 {
			return broken
		}
		return nil
	}))
	runner := projections.NewRunner(log, rows, views)
	report := caughtUp(t, runner)
	var stopped *projections.StoppedError
	if err := report.Err("counting"); !errors.As(err, &stopped) || stopped.At.Version != 3 || !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if report.Err("status") != nil || report.Position != 5 {
		t.Fatalf("the others are at %d: %v", report.Position, report.Err("status"))
	}
	if got := counted(t, rows); got != 3 {
		t.Fatalf("counted %d before the event that stopped it", got)
	}
	log.Add("fleet-main", events.FleetConfigured{MaxRuns: 1})
	if report = caughtUp(t, runner); report.Position != 6 || report.Err("counting") == nil {
		t.Fatalf("then: %+v", report)
	}
	failing = false
	if report, err := runner.Rebuild(t.Context(), "counting"); err != nil || report.Err() != nil || counted(t, rows) != 6 {
		t.Fatalf("rebuilt: %v %v, counted %d", err, report.Err(), counted(t, rows))
	}
}

func TestRunEndsWhenNoViewGoesOn(t *testing.T) {
	t.Parallel()
	log := rowstest.NewLog()
	log.Add("fleet-main", events.FleetConfigured{MaxRuns: 1})
	broken := errors.New("no")
	views := []projections.View{counting(1, func(*events.Event) error { return broken })}
	if err := projections.NewRunner(log, projections.NewMemory(), views).Run(t.Context()); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	log, rows := rowstest.NewLog(), projections.NewMemory()
	log.Add("fleet-main", events.FleetConfigured{MaxRuns: 1}, events.FleetConfigured{MaxRuns: 2})
	of := func(version int) *projections.Runner {
		return projections.NewRunner(log, rows, []projections.View{counting(version, nil)})
	}
	old := of(1)
	caughtUp(t, old)
	log.Add("fleet-main", events.FleetConfigured{MaxRuns: 3})
	report := caughtUp(t, of(2))
	if got := counted(t, rows); got != 3 || report.Views[0].Checkpoint.Version != 2 {
		t.Fatalf("a new version counted %d under version %d", got, report.Views[0].Checkpoint.Version)
	}
	log.Add("fleet-main", events.FleetConfigured{MaxRuns: 4})
	for name, runner := range map[string]*projections.Runner{"that was there before": old, "that starts": of(1)} {
		report := caughtUp(t, runner)
		if err := report.Err(); !errors.Is(err, projections.ErrNewerView) {
			t.Fatalf("an old version %s: %v", name, err)
		}
	}
	if got := counted(t, rows); got != 3 {
		t.Fatalf("old versions made it %d", got)
	}
}

// TestAnotherLog: rows of a log that was put back, or replaced, are not gone on
// from.
func TestAnotherLog(t *testing.T) {
	t.Parallel()
	log, rows := rowstest.NewLog(), projections.NewMemory()
	rowstest.Write(log, 3, 200)
	views := []projections.View{counting(1, nil)}
	caughtUp(t, projections.NewRunner(log, rows, views))
	shorter := log.Cut(100)
	caughtUp(t, projections.NewRunner(shorter, rows, views))
	other := rowstest.NewLog()
	rowstest.Write(other, 4, 300)
	caughtUp(t, projections.NewRunner(other, rows, views))
	alone := projections.NewMemory()
	caughtUp(t, projections.NewRunner(other, alone, views))
	same(t, "after another log", dump(t, rows, views), dump(t, alone, views))
}

func TestRebuildOfNothing(t *testing.T) {
	t.Parallel()
	runner := projections.NewRunner(rowstest.NewLog(), projections.NewMemory(), catalogue.All())
	if _, err := runner.Rebuild(t.Context(), "stauts"); !errors.Is(err, projections.ErrNoView) {
		t.Fatalf("got %v", err)
	}
	if report, err := runner.Rebuild(t.Context()); err != nil || report.Position != 0 {
		t.Fatalf("an empty log: %v %v", report, err)
	}
}

// TestAsOf: the views as of a time are those of the log cut there.
func TestAsOf(t *testing.T) {
	t.Parallel()
	log := rowstest.NewLog()
	rowstest.Write(log, 9, 600)
	all, views := log.All(), catalogue.All()
	for _, n := range []int{1, 250, 599} {
		at := all[n-1].Time
		for n < len(all) && all[n].Time.Equal(at) {
			n++
		}
		rows, _, err := projections.AsOf(t.Context(), log, views, at)
		if err != nil {
			t.Fatal(err)
		}
		cut := projections.NewMemory()
		caughtUp(t, projections.NewRunner(log.Cut(n), cut, views))
		same(t, "as of", dump(t, rows, views), dump(t, cut, views))
	}
}

// TestRunFollows: Run applies what is appended while it waits, and ends with its
// context.
func TestRunFollows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, rows := rowstest.NewLog(), projections.NewMemory()
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- projections.NewRunner(log, rows, []projections.View{counting(1, nil)}).Run(ctx) }()
		for n := range 3 {
			log.Add("fleet-main", events.FleetConfigured{MaxRuns: n})
			synctest.Wait()
			if got := counted(t, rows); got != n+1 {
				t.Fatalf("counted %d of %d", got, n+1)
			}
		}
		before := log.Reads()
		time.Sleep(time.Hour)
		if log.Reads() != before {
			t.Fatal("an idle hour read the log")
		}
		stop()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
}

// fragile are rows that fail when told to.
type fragile struct {
	*projections.Memory
	fail error
}

func (f *fragile) Commit(ctx context.Context, b projections.Batch) error {
	if f.fail != nil {
		return f.fail
	}
	return f.Memory.Commit(ctx, b)
}

// TestNothingIsAppliedTwice: after a failed commit the same events are applied
// again from the rows, for every view.
func TestNothingIsAppliedTwice(t *testing.T) {
	t.Parallel()
	log, rows := rowstest.NewLog(), &fragile{Memory: projections.NewMemory()}
	views := append([]projections.View{counting(1, nil)}, catalogue.All()...)
	runner := projections.NewRunner(log, rows, views)
	log.Add("fleet-main", events.FleetConfigured{MaxRuns: 1})
	caughtUp(t, runner)
	log.Add("fleet-main", events.FleetConfigured{MaxRuns: 2})
	rows.fail = errors.New("the disk is full")
	if _, err := runner.CatchUp(t.Context()); !errors.Is(err, rows.fail) {
		t.Fatalf("got %v", err)
	}
	rows.fail = nil
	caughtUp(t, runner)
	if got := counted(t, rows); got != 2 {
		t.Fatalf("counted %d of 2", got)
	}
}

// TestLook builds lost rows again and looks once more.
func TestLook(t *testing.T) {
	t.Parallel()
	log, rows := rowstest.NewLog(), projections.NewMemory()
	log.Add("fleet-main", events.FleetConfigured{MaxRuns: 1})
	runner := projections.NewRunner(log, rows, []projections.View{counting(1, nil)})
	looks := 0
	err := runner.Look(t.Context(), func(projections.Rows) error {
		if looks++; looks == 1 {
			if err := rows.Reset(t.Context(), "counting"); err != nil {
				t.Fatal(err)
			}
			return projections.ErrLost
		}
		return nil
	}, "counting")
	if err != nil || looks != 2 {
		t.Fatalf("%d looks: %v", looks, err)
	}
	if got := counted(t, rows); got != 1 {
		t.Fatalf("after a look the rows count %d", got)
	}
}

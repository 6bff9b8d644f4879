package sqlite

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/catalogue"
	"github.com/reviewctl/reviewctl/projections/rowstest"
)

// viewsCPU returns the processor time that f takes, in this process.
func viewsCPU(b *testing.B, f func()) time.Duration {
	b.Helper()
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		b.Fatal(err)
	}
	f()
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		b.Fatal(err)
	}
	of := func(u *syscall.Rusage) int64 { return u.Utime.Nano() + u.Stime.Nano() }
	return time.Duration(of(&after) - of(&before))
}

// BenchmarkRebuildPaired is goal 7: rebuilding all views together against the
// bare replay (read, decode) of the same log, by turns in one process. The goal
// is a median ratio of at most 1.5.
func BenchmarkRebuildPaired(b *testing.B) {
	made := rowstest.NewLog()
	rowstest.Write(made, 1, benchEvents(b))
	path := filepath.Join(b.TempDir(), "events.db")
	log, err := Open(b.Context(), path, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	for _, e := range made.All() {
		a := events.Append{Stream: e.Stream, Expected: e.Version - 1, Previous: e.Previous, Events: []events.Event{*e}}
		if _, err := log.Append(b.Context(), a); err != nil {
			b.Fatal(err)
		}
	}
	n := made.Len()
	views, err := OpenViews(ViewsPath(path))
	if err != nil {
		b.Fatal(err)
	}
	defer views.Close()
	runner := projections.NewRunner(log, views, catalogue.All())
	replay := func() {
		err := log.ReadAll(b.Context(), 0, func(e *events.Event) bool {
			if _, err := events.Decode(e); err != nil {
				b.Fatal(err)
			}
			return true
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	rebuild := func() {
		if _, err := runner.Rebuild(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	replay()
	var ratios []float64
	var bare, whole time.Duration
	for b.Loop() {
		r, w := viewsCPU(b, replay), viewsCPU(b, rebuild)
		bare, whole = bare+r, whole+w
		ratios = append(ratios, float64(w)/float64(r))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(float64(n*len(ratios))/bare.Seconds(), "replay-events/cpu-s")
	b.ReportMetric(float64(n*len(ratios))/whole.Seconds(), "rebuild-events/cpu-s")
}

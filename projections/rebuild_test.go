package projections_test

import (
	"errors"
	"testing"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/rowstest"
)

// TestARebuildThatStopsKeepsTheRows: rows that are farther than what could be
// built again stay, go on, and are reported. Where there are none, what could be
// built is what there is.
func TestARebuildThatStopsKeepsTheRows(t *testing.T) {
	t.Parallel()
	for name, anew := range map[string]bool{"by the runner that wrote them": false, "by a new one": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, rows := rowstest.NewLog(), projections.NewMemory()
			for range 5 {
				log.Add("fleet-main", events.FleetConfigured{MaxRuns: 1})
			}
			broken, failing := errors.New("no such thing"), false
			views := []projections.View{counting(1, func(e *events.Event) error {
				if failing && e.Version == 3 {
					return broken
				}
				return nil
			})}
			runner := projections.NewRunner(log, rows, views)
			caughtUp(t, runner)
			failing = true
			if anew {
				runner = projections.NewRunner(log, rows, views)
			}
			rebuilt := func(counts int) projections.Report {
				t.Helper()
				report, err := runner.Rebuild(t.Context())
				if err != nil || counted(t, rows) != counts {
					t.Fatalf("the rows count %d, want %d: %v", counted(t, rows), counts, err)
				}
				return report
			}
			if report := rebuilt(5); !errors.Is(report.Err("counting"), broken) || report.Stopped("counting") == nil {
				t.Fatalf("got %v", report.Err())
			}
			log.Add("fleet-main", events.FleetConfigured{MaxRuns: 1})
			if report := caughtUp(t, runner); report.Err() != nil || counted(t, rows) != 6 {
				t.Fatalf("then %v, and the rows count %d", report.Err(), counted(t, rows))
			}
			if err := rows.Reset(t.Context(), "counting"); err != nil {
				t.Fatal(err)
			}
			if report := rebuilt(3); report.Err() == nil {
				t.Fatal("half a view is whole")
			}
			failing = false
			if report := rebuilt(6); report.Err() != nil {
				t.Fatal(report.Err())
			}
			if names := rows.Names(); len(names) != 1 {
				t.Fatalf("views are left: %v", names)
			}
		})
	}
}

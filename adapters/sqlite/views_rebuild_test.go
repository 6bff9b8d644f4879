package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/catalogue"
	"github.com/reviewctl/reviewctl/projections/rowstest"
)

// allViewRows writes the whole file but for the numbers of the views.
func allViewRows(t *testing.T, v *Views) string {
	t.Helper()
	conn, err := openConn(v.path, connSettings{Access: forReading, Busy: viewsBusy})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	stmt, err := conn.Prepare(`SELECT name, kind, key, sort, repo, state, at, value, position, unknown, views.version
FROM view_rows JOIN views ON view = id ORDER BY name, kind, key`)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for {
		row, err := stmt.Step()
		if err != nil {
			t.Fatal(err)
		}
		if !row {
			return b.String()
		}
		for i := range stmt.ColumnCount() {
			fmt.Fprintf(&b, "%q ", stmt.ColumnText(i))
		}
		b.WriteString("\n")
	}
}

// TestViewsRebuiltEqualIncremental compares every byte of the file, and with the
// rows in memory.
func TestViewsRebuiltEqualIncremental(t *testing.T) {
	t.Parallel()
	whole, log := rowstest.NewLog(), rowstest.NewLog()
	rowstest.Write(whole, 21, 2500)
	v := openViews(t, viewsFile(t))
	runner := projections.NewRunner(log, v, catalogue.All())
	for i, e := range whole.All() {
		if _, err := log.Append(t.Context(), events.Append{
			Stream: e.Stream, Expected: e.Version - 1, Previous: e.Previous, Events: []events.Event{*e},
		}); err != nil {
			t.Fatal(err)
		}
		if i%97 == 0 || i == whole.Len()-1 {
			if report, err := runner.CatchUp(t.Context()); err != nil || report.Err() != nil {
				t.Fatal(err, report.Err())
			}
		}
	}
	incremental := allViewRows(t, v)
	if strings.Count(incremental, "\n") < 100 {
		t.Fatalf("too few rows to compare:\n%s", incremental)
	}
	if _, err := runner.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := allViewRows(t, v); got != incremental {
		t.Fatal("rebuilt rows differ from incremental ones")
	}
	memory := projections.NewMemory()
	if _, err := projections.NewRunner(log, memory, catalogue.All()).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []projections.Kind{"pr", "head", "run", "lane", "line"} {
		var want, got []string
		q := projections.Query{View: "status", Kind: kind}
		collect := func(into *[]string) func(*projections.Row) bool {
			return func(r *projections.Row) bool {
				*into = append(*into, fmt.Sprintf("%+v %s", r, r.Value))
				return true
			}
		}
		if err := memory.Scan(t.Context(), q, collect(&want)); err != nil {
			t.Fatal(err)
		}
		if err := v.Scan(t.Context(), q, collect(&got)); err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("%s rows in the file differ from those in memory", kind)
		}
	}
}

// TestViewsAreBuiltAgain: whoever deletes the file while it is in use loses
// nothing.
func TestViewsAreBuiltAgain(t *testing.T) {
	t.Parallel()
	log := rowstest.NewLog()
	rowstest.Write(log, 5, 400)
	path := viewsFile(t)
	v, err := OpenViews(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := projections.NewRunner(log, v, catalogue.All()).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := allViewRows(t, v)
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if err := os.Truncate(file, 100); err != nil {
			t.Fatal(err)
		}
	}
	v = openViews(t, path)
	runner := projections.NewRunner(log, v, catalogue.All())
	if report, err := runner.CatchUp(t.Context()); err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	if got := allViewRows(t, v); got != want {
		t.Fatal("rows of a damaged file were built again, and differ")
	}
}

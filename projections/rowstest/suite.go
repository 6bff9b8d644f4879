// Package rowstest is the suite that every projections.Rows passes, a small log
// in memory, and made-up histories to project.
package rowstest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

const (
	view projections.ViewName = "suite"
	kind projections.Kind     = "thing"
)

// at returns a checkpoint that differs from every other position's.
func at(position int) projections.Checkpoint {
	return projections.Checkpoint{
		Version: 1, Position: events.Position(position),
		Last: events.Ref{Stream: "run-1", Version: events.Version(position)},
		Hash: events.Hash{byte(position), byte(position >> 8)}, Time: time.Unix(int64(position), 5).UTC(), Unknown: 2,
	}
}

func row(key, repo, state, sort string, second int64) projections.Row {
	r := projections.Row{Kind: kind, Key: key, Value: []byte(`{"key":"` + key + `"}`)}
	r.Repo, r.State, r.Sort = repo, state, sort
	if second != 0 {
		r.At = time.Unix(second, 1).UTC()
	}
	return r
}

// Run runs the suite. open returns fresh rows.
func Run(t *testing.T, open func(t *testing.T) projections.Rows) {
	for name, test := range map[string]func(*testing.T, projections.Rows){
		"commit":           testCommit,
		"compare and set":  testCompareAndSet,
		"race":             testRace,
		"scan":             testScan,
		"pages":            testPages,
		"a bad cursor":     testBadCursor,
		"reset":            testReset,
		"replace":          testReplace,
		"a cancelled call": testCancelled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func commit(t *testing.T, rows projections.Rows, v projections.ViewName, from, to int, puts []projections.Row, deletes ...string) {
	t.Helper()
	b := projections.Batch{View: v, To: at(to), Puts: puts}
	if from > 0 {
		b.From = at(from)
	}
	for _, key := range deletes {
		b.Deletes = append(b.Deletes, projections.RowKey{Kind: kind, Key: key})
	}
	must(t, rows.Commit(t.Context(), b))
}

func keys(t *testing.T, rows projections.Rows, q projections.Query) []string {
	t.Helper()
	found := []string{}
	must(t, rows.Scan(t.Context(), q, func(r *projections.Row) bool {
		found = append(found, r.Key)
		return true
	}))
	return found
}

func testCommit(t *testing.T, rows projections.Rows) {
	c, err := rows.Checkpoint(t.Context(), view)
	must(t, err)
	if c != (projections.Checkpoint{}) {
		t.Fatalf("a view that does not exist is at %+v", c)
	}
	never := row("never", "", "", "", 0)
	commit(t, rows, view, 0, 1, []projections.Row{row("a", "o/r", "open", "1", 9), row("b", "", "", "", 3), never})
	commit(t, rows, view, 1, 2, []projections.Row{row("a", "o/s", "closed", "2", 8)}, "b", "not there")
	c, err = rows.Checkpoint(t.Context(), view)
	must(t, err)
	if c != at(2) {
		t.Fatalf("got checkpoint %+v, want %+v", c, at(2))
	}
	got, ok, err := rows.Get(t.Context(), view, projections.RowKey{Kind: kind, Key: "a"})
	must(t, err)
	want := row("a", "o/s", "closed", "2", 8)
	if !ok || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %v %v, want %v", ok, got, want)
	}
	if got, _, _ := rows.Get(t.Context(), view, projections.RowKey{Kind: kind, Key: "never"}); !got.At.IsZero() {
		t.Fatalf("the zero time came back as %s", got.At)
	}
	for _, absent := range []projections.RowKey{{Kind: kind, Key: "b"}, {Kind: "other", Key: "a"}} {
		if _, ok, err := rows.Get(t.Context(), view, absent); ok || err != nil {
			t.Fatalf("row %v: %v %v", absent, ok, err)
		}
	}
}

func testCompareAndSet(t *testing.T, rows projections.Rows) {
	commit(t, rows, view, 0, 1, nil)
	changed := at(1)
	changed.Hash[5] = 1
	for name, from := range map[string]projections.Checkpoint{
		"none": {}, "another position": at(2), "another hash": changed,
	} {
		err := rows.Commit(t.Context(), projections.Batch{View: view, From: from, To: at(3), Puts: []projections.Row{row("x", "", "", "", 0)}})
		var overtaken *projections.OvertakenError
		if !errors.As(err, &overtaken) || overtaken.Actual != 1 {
			t.Fatalf("from %s: got %v, want to be overtaken at 1", name, err)
		}
	}
	if got := keys(t, rows, projections.Query{View: view, Kind: kind}); len(got) != 0 {
		t.Fatalf("rows of a refused batch: %v", got)
	}
}

// testRace lets many projectors count in one row: each count is there once.
func testRace(t *testing.T, rows projections.Rows) {
	const projectors, each = 4, 20
	var wg sync.WaitGroup
	var mu sync.Mutex
	overtaken := 0
	for range projectors {
		wg.Go(func() {
			for done := 0; done < each; {
				from, err := rows.Checkpoint(context.Background(), view)
				if err != nil {
					t.Error(err)
					return
				}
				n := int(from.Position) + 1
				err = rows.Commit(context.Background(), projections.Batch{
					View: view, From: from, To: at(n), Puts: []projections.Row{row(fmt.Sprintf("%03d", n), "", "", "", 0)},
				})
				var faster *projections.OvertakenError
				switch {
				case err == nil:
					done++
				case errors.As(err, &faster):
					mu.Lock()
					overtaken++
					mu.Unlock()
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	c, err := rows.Checkpoint(context.Background(), view)
	must(t, err)
	if got := keys(t, rows, projections.Query{View: view, Kind: kind}); len(got) != projectors*each || int(c.Position) != projectors*each {
		t.Fatalf("%d rows at position %d after %d commits (%d overtaken)", len(got), c.Position, projectors*each, overtaken)
	}
}

func scanned(t *testing.T, rows projections.Rows) {
	commit(t, rows, view, 0, 1, []projections.Row{
		row("a/1", "o/r", "open", "3", 10), row("a/2", "o/s", "open", "1", 20), row("a_/3", "o/r", "closed", "2", 30),
		row("b/4", "o/r", "open", "2", 40), row("é/5", "o/r", "open", "9", 0),
		{Kind: "other", Key: "a/9", Value: []byte(`{}`)},
	})
	commit(t, rows, "another", 0, 1, []projections.Row{row("a/8", "o/r", "open", "0", 1)})
}

func testScan(t *testing.T, rows projections.Rows) {
	scanned(t, rows)
	for name, c := range map[string]struct {
		q    projections.Query
		want []string
	}{
		"all":                {projections.Query{}, []string{"a/2", "a_/3", "b/4", "a/1", "é/5"}},
		"newest":             {projections.Query{Newest: true}, []string{"é/5", "a/1", "b/4", "a_/3", "a/2"}},
		"prefix":             {projections.Query{Prefix: "a/"}, []string{"a/2", "a/1"}},
		"prefix is no mask":  {projections.Query{Prefix: "a_"}, []string{"a_/3"}},
		"prefix of letters":  {projections.Query{Prefix: "é/"}, []string{"é/5"}},
		"repository":         {projections.Query{Repo: "o/s"}, []string{"a/2"}},
		"state":              {projections.Query{State: "closed"}, []string{"a_/3"}},
		"since, itself too":  {projections.Query{Since: time.Unix(30, 1)}, []string{"a_/3", "b/4"}},
		"limit":              {projections.Query{Limit: 2}, []string{"a/2", "a_/3"}},
		"together":           {projections.Query{Repo: "o/r", State: "open", Prefix: "b", Since: time.Unix(1, 0)}, []string{"b/4"}},
		"a kind of no rows":  {projections.Query{Kind: "none"}, []string{}},
		"a view of no rows":  {projections.Query{View: "none"}, []string{}},
		"repo with a quote'": {projections.Query{Repo: "o'; --"}, []string{}},
	} {
		if c.q.View == "" {
			c.q.View = view
		}
		if c.q.Kind == "" {
			c.q.Kind = kind
		}
		if got := keys(t, rows, c.q); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	n := 0
	must(t, rows.Scan(t.Context(), projections.Query{View: view, Kind: kind}, func(*projections.Row) bool { n++; return n < 2 }))
	if n != 2 {
		t.Errorf("a scan that was stopped at 2 went on to %d", n)
	}
}

func testPages(t *testing.T, rows projections.Rows) {
	scanned(t, rows)
	for _, newest := range []bool{false, true} {
		q := projections.Query{View: view, Kind: kind, Newest: newest}
		all := keys(t, rows, q)
		q.Limit = 2
		var paged []string
		for pages := 0; ; pages++ {
			page, err := projections.List[struct{ Key string }](t.Context(), rows, q)
			must(t, err)
			for _, item := range page.Items {
				paged = append(paged, item.Key)
			}
			if page.Next == nil || pages > 10 {
				break
			}
			q.After = *page.Next
		}
		if !slices.Equal(paged, all) {
			t.Errorf("newest %v: pages give %q, a scan gives %q", newest, paged, all)
		}
	}
}

func testBadCursor(t *testing.T, rows projections.Rows) {
	for _, cursor := range []string{"!", "YWJj"} {
		err := rows.Scan(t.Context(), projections.Query{View: view, Kind: kind, After: cursor}, func(*projections.Row) bool { return true })
		if !errors.Is(err, projections.ErrCursor) {
			t.Errorf("cursor %q: got %v", cursor, err)
		}
	}
}

func testReset(t *testing.T, rows projections.Rows) {
	scanned(t, rows)
	must(t, rows.Reset(t.Context(), view))
	must(t, rows.Reset(t.Context(), "never was"))
	c, err := rows.Checkpoint(t.Context(), view)
	must(t, err)
	if got := keys(t, rows, projections.Query{View: view, Kind: kind}); len(got) != 0 || c != (projections.Checkpoint{}) {
		t.Fatalf("after a reset: %v at %+v", got, c)
	}
	if got := keys(t, rows, projections.Query{View: "another", Kind: kind}); len(got) != 1 {
		t.Fatalf("a reset of one view took the rows of another")
	}
	commit(t, rows, view, 0, 1, []projections.Row{row("again", "", "", "", 0)})
}

func testReplace(t *testing.T, rows projections.Rows) {
	scanned(t, rows)
	commit(t, rows, "built", 0, 7, []projections.Row{row("new", "", "", "", 0)})
	must(t, rows.Replace(t.Context(), "built", view))
	c, err := rows.Checkpoint(t.Context(), view)
	must(t, err)
	if got := keys(t, rows, projections.Query{View: view, Kind: kind}); !slices.Equal(got, []string{"new"}) || c != at(7) {
		t.Fatalf("after a replacement: %v at %+v", got, c)
	}
	if c, err := rows.Checkpoint(t.Context(), "built"); err != nil || c != (projections.Checkpoint{}) {
		t.Fatalf("the built name is still at %+v: %v", c, err)
	}
	must(t, rows.Replace(t.Context(), "built", view))
	if got := keys(t, rows, projections.Query{View: view, Kind: kind}); len(got) != 0 {
		t.Fatalf("replaced by a view of nothing: %v", got)
	}
}

func testCancelled(t *testing.T, rows projections.Rows) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := rows.Commit(ctx, projections.Batch{View: view, To: at(1), Puts: []projections.Row{row("a", "", "", "", 0)}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	commit(t, rows, view, 0, 1, nil)
}

package deadlines_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/deadlines"
	"github.com/reviewctl/reviewctl/projections/rowstest"
)

var views = []projections.View{deadlines.View()}

// TestLoadEqualsTheLog: the view holds what folding events.Deadlines over the
// whole log leaves set, the earliest first.
func TestLoadEqualsTheLog(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		log, rows := rowstest.NewLog(), projections.NewMemory()
		rowstest.Write(log, seed, 1000)
		if _, err := projections.NewRunner(log, rows, views).CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		set := map[string]events.Deadline{}
		for _, e := range log.All() {
			p, err := events.Decode(e)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range events.Deadlines(e, p) {
				key := string(d.Stream) + " " + d.Key
				delete(set, key)
				if !d.At.IsZero() {
					set[key] = d
				}
			}
		}
		last := time.Time{}
		err := deadlines.Load(t.Context(), rows, func(d events.Deadline) bool {
			key := string(d.Stream) + " " + d.Key
			if fmt.Sprint(set[key]) != fmt.Sprint(d) || d.At.Before(last) {
				t.Errorf("got %v, want %v", d, set[key])
			}
			delete(set, key)
			last = d.At
			return true
		})
		if err != nil || len(set) > 0 {
			t.Fatalf("not in the view: %v, %v", set, err)
		}
	}
}

// counting counts the rows that are handed out.
type counting struct {
	projections.Rows
	read int
}

func (c *counting) Scan(ctx context.Context, q projections.Query, yield func(*projections.Row) bool) error {
	return c.Rows.Scan(ctx, q, func(r *projections.Row) bool {
		c.read++
		return yield(r)
	})
}

// TestColdStartReads is the part of goal 9 that is the view's: a start reads one
// row for what is open and none for what is over, and no event of the log.
func TestColdStartReads(t *testing.T) {
	t.Parallel()
	const past, open = 300, 20
	log, memory := rowstest.NewLog(), projections.NewMemory()
	at := log.Now().Add(time.Hour)
	for n := range past + open {
		pr := rowstest.Stream(n + 1)
		head := events.Commit(fmt.Sprintf("%040x", n))
		log.Add(pr, events.HeadQueued{Head: head, NotBefore: at, Owner: events.OwnerAny})
		if n < past {
			log.Add(pr, events.HeadSettled{Head: head, Outcome: events.OutcomeClean})
		}
	}
	if _, err := projections.NewRunner(log, memory, views).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := log.Reads()
	rows := &counting{Rows: memory}
	found := 0
	if err := deadlines.Load(t.Context(), rows, func(events.Deadline) bool { found++; return true }); err != nil {
		t.Fatal(err)
	}
	if found != open || rows.read != open || log.Reads() != before {
		t.Fatalf("%d deadlines from %d rows and %d events", found, rows.read, log.Reads()-before)
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	early, late := time.Unix(1000, 0).UTC(), time.Unix(2000, 0).UTC()
	rows, _ := rowstest.Build(t, views,
		rowstest.At{Stream: "pr-h/1/1", Payload: events.HeadQueued{NotBefore: late, Owner: "b1"}},
		rowstest.At{Stream: "pr-h/1/11", Payload: events.HeadQueued{NotBefore: early, Owner: events.OwnerAny}},
	)
	if first, err := deadlines.First(t.Context(), rows); err != nil || first == nil || !first.At.Equal(early) || first.Event.String() != "pr-h/1/11@0" {
		t.Fatalf("first: %+v, %v", first, err)
	}
	rows, _ = rowstest.Build(t, views)
	if first, err := deadlines.First(t.Context(), rows); err != nil || first != nil {
		t.Fatalf("of nothing: %+v, %v", first, err)
	}
}

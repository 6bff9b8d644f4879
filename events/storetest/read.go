package storetest

import (
	"context"
	"slices"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

var readCases = []testCase{
	{"read/backwards", backwards},
	{"read/empty store", emptyStore},
	{"read/everything from a position", fromPosition},
	{"read/long stream from any version", longStream},
	{"read/order of the log", orderOfLog},
	{"read/reading inside of reading", nested},
	{"read/stops when told", stops},
	{"read/stream that does not exist", noStream},
}

func emptyStore(t *testing.T, s events.Store, _ Features) {
	if all := readAll(t, s, 0); len(all) != 0 {
		t.Fatalf("%d events", len(all))
	}
	if all := readStream(t, s, "run-1", 0); len(all) != 0 {
		t.Fatalf("%d events", len(all))
	}
}

func noStream(t *testing.T, s events.Store, _ Features) {
	NewLine("run-1").add(t, s, numbered(2)...)
	if all := readStream(t, s, "run-2", 0); len(all) != 0 {
		t.Fatalf("%d events", len(all))
	}
	if all := readStream(t, s, "run-1", 2); len(all) != 0 {
		t.Fatalf("%d events behind the last", len(all))
	}
	if all := readBack(t, s, "run-2"); len(all) != 0 {
		t.Fatalf("%d events backwards", len(all))
	}
}

func orderOfLog(t *testing.T, s events.Store, _ Features) {
	a, b := NewLine("run-a"), NewLine("run-b")
	var want []string
	for range 40 {
		for _, line := range []*Line{a, b} {
			line.add(t, s, numbered(2)...)
			want = append(want, string(line.Stream), string(line.Stream))
		}
	}
	var got []string
	for _, e := range readAll(t, s, 0) {
		got = append(got, string(e.Stream))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("got %v\nwant %v", got, want)
	}
}

func fromPosition(t *testing.T, s events.Store, _ Features) {
	line := NewLine("run-1")
	for range 150 {
		line.add(t, s, numbered(2)...)
	}
	all := readAll(t, s, 0)
	for _, n := range []int{0, 1, 16, 17, 150, 298, 299} {
		mustBeSame(t, readAll(t, s, all[n].Position), all[n+1:])
	}
}

// longStream has others between its events, and more than any index skips.
func longStream(t *testing.T, s events.Store, _ Features) {
	long, other := NewLine("pool-long"), NewLine("run-other")
	for range 25 {
		long.add(t, s, numbered(13)...)
		other.add(t, s, numbered(1)...)
	}
	all := readStream(t, s, "pool-long", 0)
	if len(all) != 325 {
		t.Fatalf("%d events", len(all))
	}
	for _, from := range []int{1, 62, 63, 64, 65, 127, 128, 191, 192, 200, 300, 324} {
		mustBeSame(t, readStream(t, s, "pool-long", events.Version(from)), all[from:])
	}
	back := readBack(t, s, "pool-long")
	slices.Reverse(back)
	mustBeSame(t, back, all)
}

func backwards(t *testing.T, s events.Store, _ Features) {
	line := NewLine("run-1")
	a := line.Next(numbered(3)...)
	if _, err := s.Append(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	got := readBack(t, s, "run-1")
	slices.Reverse(got)
	mustBeSame(t, got, a.Events)
}

func stops(t *testing.T, s events.Store, _ Features) {
	ctx := context.Background()
	NewLine("run-1").add(t, s, numbered(9)...)
	for name, read := range map[string]func(func(*events.Event) bool) error{
		"ReadStream": func(yield func(*events.Event) bool) error { return s.ReadStream(ctx, "run-1", 0, yield) },
		"ReadBack":   func(yield func(*events.Event) bool) error { return s.ReadBack(ctx, "run-1", yield) },
		"ReadAll":    func(yield func(*events.Event) bool) error { return s.ReadAll(ctx, 0, yield) },
	} {
		n := 0
		if err := read(func(*events.Event) bool { n++; return n < 3 }); err != nil || n != 3 {
			t.Fatalf("%s: %d events, error %v", name, n, err)
		}
	}
}

// nested reads and appends from inside of a read, many deep at one time.
func nested(t *testing.T, s events.Store, _ Features) {
	NewLine("run-1").add(t, s, numbered(3)...)
	appends := NewLine("run-2")
	var deep func(level int)
	deep = func(level int) {
		err := s.ReadAll(context.Background(), 0, func(*events.Event) bool {
			if level == 0 {
				appends.add(t, s, numbered(1)...)
			} else {
				deep(level - 1)
			}
			return false
		})
		if err != nil {
			t.Error(err)
		}
	}
	deep(12)
	if n := len(readStream(t, s, "run-2", 0)); n != 1 {
		t.Fatalf("%d events", n)
	}
}

func readBack(t *testing.T, s events.Store, stream events.StreamName) (all []events.Event) {
	t.Helper()
	err := s.ReadBack(context.Background(), stream, func(e *events.Event) bool {
		all = append(all, *e)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

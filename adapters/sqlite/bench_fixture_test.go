package sqlite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/events/storetest"
)

// The size of the file that the benchmarks read: streams of perStream events,
// interleaved as they would arrive. performance §0 measures 1,000,000 events; that
// takes minutes to write, so REVIEWCTL_BENCH_EVENTS chooses it.
const (
	perStream     = 50
	defaultEvents = 100_000
)

func benchEvents(tb testing.TB) int {
	text := os.Getenv("REVIEWCTL_BENCH_EVENTS")
	if text == "" {
		return defaultEvents
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < perStream {
		tb.Fatalf("REVIEWCTL_BENCH_EVENTS=%q: want a number of events", text)
	}
	return n
}

var benchStart = time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.UTC)

// benchPayload returns one of the events that a run is made of, 380 bytes in the
// mean: the size that performance §0 measures with.
func benchPayload(n int) events.Payload {
	run := events.RunID(fmt.Sprintf("%016x", n))
	at := benchStart.Add(time.Duration(n) * time.Millisecond)
	const commit = "356a192b7913b04c54574d18c28d46e6395428ab"
	switch n % 4 {
	case 0:
		return events.LaneGranted{Run: run, Lane: "reviewer-1", Attempt: 1, Slot: 3, Generation: int64(n), Lease: at, Owner: "0198c0de-b007"}
	case 1:
		return events.LaneBegan{
			Lane: "reviewer-1", Attempt: 1, Generation: int64(n), Slot: 3, Owner: "0198c0de-b007", Deadline: at,
			Pool: "claude", Account: "team", Engine: "claude", Kind: "claude", Model: "claude-1", Role: "reviewer",
			Phase: "1", PR: "pr-github.com/12345/678", Repo: "reviewctl/reviewctl", Number: 678, Ref: "topic",
			BaseRef: "main", Head: commit, Base: commit, MergeBase: commit,
			DiffPrint: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		}
	case 2:
		return events.LaneCompleted{
			Lane: "reviewer-1", Attempt: 1, Generation: int64(n), Pool: "claude", Account: "team", Began: at,
			Summary: "Two remarks on the retry loop; the rest reads well.", Findings: 2,
			Engine: "static/5f2c9d1be0a7", Artifact: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		}
	default:
		return events.BudgetReserved{Run: run, Lane: "reviewer-1", Attempt: 1, Tokens: 120_000, Pool: "claude", Rank: "050/2026-01-02T03:04:05Z/0042", Owner: "0198c0de-b007", Timeout: 900_000, Lapses: at}
	}
}

// benchAppend makes the next append of a line, of count events.
func benchAppend(line *storetest.Line, count int) events.Append {
	texts := make([]string, count)
	types := make([]events.Type, count)
	for i := range texts {
		p := benchPayload(int(line.Version) + 1 + i)
		text, err := events.Encode(p)
		if err != nil {
			panic(err)
		}
		texts[i], types[i] = string(text), p.Type()
	}
	a := line.Next(texts...)
	for i := range a.Events {
		a.Events[i].Type = types[i]
		a.Events[i].Decided = `{"command":"run.begin_lane","fields":{"attempt":1},"at":"2026-01-02T03:04:05.678901234Z","rules":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","count":1}`
	}
	storetest.Relink(&a)
	return a
}

func benchLines(prefix string, n int) []*storetest.Line {
	lines := make([]*storetest.Line, n)
	for i := range lines {
		lines[i] = storetest.NewLine(events.StreamName(fmt.Sprintf("run-%s%016x", prefix, i*7919)))
	}
	return lines
}

// fill appends one event to each line in turn until there are count events, in
// large transactions, and returns how many are there.
func fill(tb testing.TB, path string, lines []*storetest.Line, count int) {
	tb.Helper()
	w := rawWriter(tb, path)
	defer w.drop()
	if err := run(w.conn, "PRAGMA synchronous=OFF"); err != nil {
		tb.Fatal(err)
	}
	for done := 0; done < count; {
		n := min(5000, count-done)
		batch := make([]events.Append, n)
		for i := range batch {
			line := lines[(done+i)%len(lines)]
			batch[i] = benchAppend(line, 1)
			line.Stored(batch[i])
		}
		w.mustStore(tb, batch)
		done += n
	}
}

// rawWriter is the writer's connection and statements without queue and loop: the
// same driver, schema and version check.
func rawWriter(tb testing.TB, path string) *writer {
	tb.Helper()
	w, err := (&Log{path: path, busy: BusyDefault}).openWriter()
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// mustStore stores appends in one transaction.
func (w *writer) mustStore(tb testing.TB, batch []events.Append) {
	tb.Helper()
	err := step(w.store.begin)
	last, lastErr := w.store.back.lastPosition()
	for i := range batch {
		if err != nil || lastErr != nil {
			tb.Fatal(err, lastErr)
		}
		var out events.Appended
		out, _, err = w.store.write(&batch[i], last)
		last = out.Position
	}
	if err != nil {
		tb.Fatal(err)
	}
	if err := step(w.store.commit); err != nil {
		tb.Fatal(err)
	}
}

// cpu returns the processor time that the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ratios collects a paired benchmark's figures and reports median and quartiles.
type ratios []float64

func (r ratios) report(b *testing.B, name string) {
	slices.Sort(r)
	at := func(q float64) float64 { return r[int(q*float64(len(r)-1))] }
	b.ReportMetric(at(0.5), name)
	b.ReportMetric(at(0.25), name+"-q1")
	b.ReportMetric(at(0.75), name+"-q3")
}

// either runs two functions in the order of a coin.
func either(one, two func()) {
	if rand.IntN(2) == 0 {
		one, two = two, one
	}
	one()
	two()
}

func benchPath(tb testing.TB) string { return filepath.Join(tb.TempDir(), "log.db") }

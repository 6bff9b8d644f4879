package linter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// flood writes a report of that many remarks into a file: one in a hundred is
// about the added line.
func flood(t testing.TB, head, entry, between, tail string, n int) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "report"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	var b bytes.Buffer
	b.WriteString(head)
	for i := range n {
		if i > 0 {
			b.WriteString(between)
		}
		line := 4 + i%30
		if i%100 == 0 {
			line = 3
		}
		fmt.Fprintf(&b, entry, i, line)
		if b.Len() > 1<<20 {
			if _, err := b.WriteTo(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.WriteString(tail)
	if _, err := b.WriteTo(f); err != nil {
		t.Fatal(err)
	}
	return f
}

// floods are the reports with a syntax, a kind each.
var floods = map[string]struct {
	format                     format
	head, entry, between, tail string
}{
	"sarif": {sarif{}, `{"version":"2.1.0","runs":[{"results":[`,
		`{"message":{"text":"remark %d"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.go"},"region":{"startLine":%d}}}]}`, ",\n", `],"tool":{"driver":{"name":"x"}}}]}`},
	"rdjsonl":    {rdjsonl{}, "", `{"message":"remark %d","location":{"path":"a.go","range":{"start":{"line":%d}}}}`, "\n", "\n"},
	"checkstyle": {checkstyle{}, `<checkstyle><file name="a.go">`, `<error message="remark %d" line="%d"/>`, "\n", `</file></checkstyle>`},
}

// heapMax bounds what the reading of a million remarks may add to the heap.
const heapMax = 64 << 20

func TestAMillionRemarksStayWithinBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 70 MB")
	}
	const most = 1_000_000
	efm, err := newErrorformat([]string{"%m at %f:%l"})
	if err != nil {
		t.Fatal(err)
	}
	in := change(t)
	cases := map[string]*os.File{}
	formats := map[string]format{"errorformat": efm}
	for name, c := range floods {
		cases[name], formats[name] = flood(t, c.head, c.entry, c.between, c.tail, most/5), c.format
	}
	cases["errorformat"] = flood(t, "", "remark %d at a.go:%d", "\n", "\n", most)
	for name, file := range cases {
		size, err := file.Seek(0, io.SeekEnd)
		if err != nil {
			t.Fatal(err)
		}
		src, err := newSource(file, size)
		if err != nil {
			t.Fatal(err)
		}
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		c := newCollector(in)
		var high uint64
		if _, err := formats[name].read(src, func(r remark) {
			if c.take(r); c.seen%100_000 == 0 {
				runtime.ReadMemStats(&now)
				high = max(high, now.HeapAlloc)
			}
		}); err != nil {
			t.Fatal(err)
		}
		answer := c.answer()
		c.gate.close()
		if len(answer.Findings) != InsideMax || len(answer.Withheld) != OutsideMax || len(answer.Findings)+len(answer.Withheld)+answer.More != c.seen || c.seen < most/5 {
			t.Errorf("%s: %d findings, %d withheld, %d more", name, len(answer.Findings), len(answer.Withheld), answer.More)
		}
		t.Logf("%s: %d MB read, heap at most %d MB more", name, size>>20, (high-min(high, before.HeapAlloc))>>20)
		if high > before.HeapAlloc+heapMax {
			t.Errorf("%s: the heap grew from %d to %d bytes", name, before.HeapAlloc, high)
		}
	}
}

// The order in which a linter says it changes nothing.
func TestTheAnswerDoesNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	in := change(t)
	var all []remark
	for i := range 6 * OutsideMax {
		all = append(all, remark{
			files: []string{"a.go"}, start: 3 + i%5, end: 3 + i%5, message: fmt.Sprint("remark ", i%2000),
			severity: events.AllSeverities()[i%3],
		})
	}
	collect := func() *session.Answer {
		c := newCollector(in)
		defer c.gate.close()
		for _, r := range all {
			c.take(r)
		}
		return c.answer()
	}
	want := collect()
	random := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if got := collect(); !reflect.DeepEqual(got, want) {
			t.Fatal("another order, another answer")
		}
	}
}

// What cannot be written is an error, and what is over the bound is a flood.
func TestALinterThatPrintsWithoutEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 512 MB")
	}
	t.Parallel()
	_, err := review(t, change(t), KindSARIF, "exec yes 0123456789012345678901234567890123456789012345678901234567890123456789")
	var failed *session.Failure
	if !errors.As(err, &failed) || failed.Kind != events.FailureContract || !strings.Contains(failed.Message, "the report is longer than 536870912 bytes") {
		t.Errorf("error %v", err)
	}
}

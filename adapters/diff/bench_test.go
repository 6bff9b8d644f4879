package diff_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/reviewctl/reviewctl/adapters/diff"
)

// Of the patch that is measured. (performance §4)
const (
	benchFiles = 1167
	benchBytes = 13_200_000
	slice      = 400 * time.Millisecond
)

// entryOf writes one file's entry of about size bytes: hunks of source code.
func entryOf(b *bytes.Buffer, luck *rand.Rand, name string, size int) {
	fmt.Fprintf(b, "diff --git a/%[1]s b/%[1]s\nindex 1111111..2222222 100644\n--- a/%[1]s\n+++ b/%[1]s\n", name)
	line := 1
	for begin := b.Len(); b.Len()-begin < size; {
		var rows strings.Builder
		was, is := 0, 0
		for n := 10 + luck.IntN(40); n > 0; n-- {
			op := "   +-"[luck.IntN(5)]
			if n == 1 {
				op = '+' // no hunk is without a change
			}
			fmt.Fprintf(&rows, "%c\t%s = append(%s, %d)\n", op, strings.Repeat("x", luck.IntN(40)), name, luck.IntN(1000))
			if op != '+' {
				was++
			}
			if op != '-' {
				is++
			}
		}
		fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@ func heading() {\n%s", line, was, line, is, rows.String())
		line += was + is
	}
}

func benchPatch() []byte {
	var b bytes.Buffer
	luck := rand.New(rand.NewPCG(1, 2))
	for i := range benchFiles {
		entryOf(&b, luck, fmt.Sprintf("pkg%d/file%d.go", i%40, i), benchBytes/benchFiles)
	}
	return b.Bytes()
}

// anchor counts rows and their line numbers, so that nothing is left undone.
func anchor(files []diff.File) (rows, lines int) {
	for i := range files {
		for j := range files[i].Hunks {
			for row := range files[i].Hunks[j].Rows() {
				rows++
				lines += row.OldLine + row.NewLine + len(row.Text)
			}
		}
	}
	return rows, lines
}

// theirs is the same with go-gitdiff, which leaves the numbers to its caller.
func theirs(b *testing.B, patch []byte) (rows, lines int) {
	files, _, err := gitdiff.Parse(bytes.NewReader(patch))
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range files {
		for _, h := range f.TextFragments {
			was, is := int(h.OldPosition), int(h.NewPosition)
			for _, line := range h.Lines {
				rows++
				lines += len(strings.TrimSuffix(line.Line, "\n"))
				if line.Old() {
					lines += was
					was++
				}
				if line.New() {
					lines += is
					is++
				}
			}
		}
	}
	return rows, lines
}

func ours(b *testing.B, patch []byte) (rows, lines int) {
	change, err := diff.Parse(patch)
	if err != nil {
		b.Fatal(err)
	}
	return anchor(change.Files)
}

// BenchmarkParsePaired is goal 18: from a patch to its rows with their lines, by
// processor time against bluekeyes/go-gitdiff on the same bytes. Bar: 0.7, and four
// times the patch allocated.
func BenchmarkParsePaired(b *testing.B) {
	patch := benchPatch()
	rows, lines := ours(b, patch)
	if theirRows, theirLines := theirs(b, patch); rows != theirRows || lines != theirLines {
		b.Fatalf("%d rows and a sum of %d, theirs %d and %d", rows, lines, theirRows, theirLines)
	}
	var ratio, rate []float64
	for b.Loop() {
		var mine, other float64
		one := func() { mine = rateOf(patch, func() { ours(b, patch) }) }
		two := func() { other = rateOf(patch, func() { theirs(b, patch) }) }
		if rand.IntN(2) == 0 {
			one, two = two, one
		}
		one()
		two()
		ratio, rate = append(ratio, mine/other), append(rate, mine)
	}
	slices.Sort(ratio)
	slices.Sort(rate)
	at := func(q float64) float64 { return ratio[int(q*float64(len(ratio)-1))] }
	b.ReportMetric(at(0.5), "of-gitdiff")
	b.ReportMetric(at(0.25), "of-gitdiff-q1")
	b.ReportMetric(at(0.75), "of-gitdiff-q3")
	b.ReportMetric(rate[len(rate)/2], "MB/cpu-s")
	b.ReportMetric(allocated(func() { ours(b, patch) })/float64(len(patch)), "allocated/size")
	b.ReportMetric(allocated(func() { theirs(b, patch) })/float64(len(patch)), "gitdiff-allocated/size")
}

// rateOf is how many megabytes a second of processor time take.
func rateOf(patch []byte, work func()) float64 {
	runtime.GC()
	n, begin, used := 0, time.Now(), cpu()
	for time.Since(begin) < slice {
		work()
		n++
	}
	return float64(n*len(patch)) / 1e6 / (cpu() - used).Seconds()
}

// cpu returns the processor time that the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func allocated(work func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

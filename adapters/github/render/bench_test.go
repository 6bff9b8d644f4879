package render

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// Of the pull request that is measured: the most that GitHub shows. (github.md §3)
const (
	benchFiles = 300
	benchLines = 20_000 // added and removed
	slice      = 200 * time.Millisecond
)

// hunksOf are the hunks of one file with about n changed lines.
func hunksOf(luck *rand.Rand, n int) string {
	var b strings.Builder
	for line := 1; n > 0; line += 60 {
		var rows strings.Builder
		was, is := 0, 0
		for left := 10 + luck.IntN(30); left > 0; left-- {
			op := "   +-"[luck.IntN(5)]
			if left == 1 {
				op = '+'
			}
			fmt.Fprintf(&rows, "%c\t%s = append(list, %d)\n", op, strings.Repeat("x", luck.IntN(40)), luck.IntN(1000))
			if op != '+' {
				was++
			}
			if op != '-' {
				is++
			}
			if op != ' ' {
				n--
			}
		}
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@ func heading() {\n%s", line, was, line, is, rows.String())
	}
	return b.String()
}

// large is a change as git prints it, and its review: as GitHub lists it, with a
// finding in each file.
func large() (patch []byte, r *Review) {
	luck := rand.New(rand.NewPCG(1, 2))
	var all strings.Builder
	var findings []Finding
	var files []api.File
	for i := range benchFiles {
		name := fmt.Sprintf("internal/part%d/file%d.go", i%20, i)
		hunks := hunksOf(luck, benchLines/benchFiles)
		fmt.Fprintf(&all, "diff --git a/%[1]s b/%[1]s\nindex 1111111..2222222 100644\n--- a/%[1]s\n+++ b/%[1]s\n%s", name, hunks)
		files = append(files, api.File{Name: name, Status: "modified", HasPatch: true, Patch: strings.TrimSuffix(hunks, "\n")})
		f := finding(i+1, events.AllSeverities()[i%3], fmt.Sprintf("The error of call %d is not looked at", i), name, 61, 63)
		f.Body = "`append` returns an error that nobody sees, so that a full disk loses what was written.\n\n- Look at it.\n- Return it to the caller, wrapped."
		findings = append(findings, f)
	}
	r = with(findings...)
	r.Diff.Files, r.Coverage = files, nil
	for i := range files {
		r.Coverage = append(r.Coverage, Coverage{File: files[i].Name, Status: "reviewed"})
	}
	r.Secrets = []string{strings.Join([]string{"ghs", "0123456789abcdefABCDEF0123456789abcd"}, "_")}
	return []byte(all.String()), r
}

// BenchmarkRender300Files: placing and writing the review of a pull request of 300
// files and 20,000 lines, by processor time against parsing its diff once in the
// same run. Bar: 5.
func BenchmarkRender300Files(b *testing.B) {
	patch, r := large()
	parse := func() {
		if change, err := diff.Parse(patch); err != nil || len(change.Files) != benchFiles {
			b.Fatalf("parsed to %v", err)
		}
	}
	write := func() {
		if out, err := Render(r); err != nil || len(out.Comments) != inlineMax {
			b.Fatalf("rendered to %v", err)
		}
	}
	var ratio, render []float64
	for b.Loop() {
		var one, other time.Duration
		if rand.IntN(2) == 0 {
			one, other = took(parse), took(write)
		} else {
			other, one = took(write), took(parse)
		}
		ratio, render = append(ratio, float64(other)/float64(one)), append(render, other.Seconds()*1e3)
	}
	slices.Sort(ratio)
	slices.Sort(render)
	b.ReportMetric(ratio[len(ratio)/2], "of-parsing")
	b.ReportMetric(ratio[len(ratio)-1], "of-parsing-max")
	b.ReportMetric(render[len(render)/2], "cpu-ms")
}

// took is the processor time of one call.
func took(work func()) time.Duration {
	runtime.GC()
	n, begin, used := 0, time.Now(), cpu()
	for time.Since(begin) < slice {
		work()
		n++
	}
	return (cpu() - used) / time.Duration(n)
}

// cpu is the processor time that the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

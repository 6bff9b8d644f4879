package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/git/gittest"
)

// BenchmarkReview says where the time of a review goes, by the lines of the change:
// git's share, the engines' and our own, in per cent of the run. (issue 3: at least
// 80 % in git and the engines for 1,000 lines)
func BenchmarkReview(b *testing.B) {
	for _, lines := range []int{10, 1_000, 10_000, 50_000} {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			s := gittest.New(b)
			s.Write("go.mod", "module example.org/m\n")
			s.Commit("base")
			s.Git("checkout", "-q", "-b", "feature")
			const perFile = 200
			for n := 0; n < lines; n += perFile {
				var text strings.Builder
				text.WriteString("package p\n")
				for i := range min(perFile, lines-n) - 1 {
					fmt.Fprintf(&text, "func F%d(a int) int { return a + %d }\n", n+i, i)
				}
				s.Write(fmt.Sprintf("p%d/x.go", n), text.String())
			}
			s.Commit("change")
			home := b.TempDir()
			env := func(name string) string { return map[string]string{"HOME": home}[name] }
			store := "sqlite:" + filepath.Join(home, "events.db")
			var sum ReportTiming
			for b.Loop() {
				var out bytes.Buffer
				code := run(context.Background(), []string{"review", s.Dir, "--store", store, "--json", "-q"}, strings.NewReader(""), &out, io.Discard, env)
				var report ReviewReport
				if err := json.Unmarshal(out.Bytes(), &report); err != nil || code != ExitGood {
					b.Fatalf("exit %d: %v: %s", code, err, out.String())
				}
				sum.TotalMS += report.Timing.TotalMS
				sum.GitMS += report.Timing.GitMS
				sum.EnginesMS += report.Timing.EnginesMS
				sum.OwnMS += report.Timing.OwnMS
			}
			share := func(ms int64) float64 { return 100 * float64(ms) / float64(max(1, sum.TotalMS)) }
			b.ReportMetric(share(sum.GitMS), "%git")
			b.ReportMetric(share(sum.EnginesMS), "%engines")
			b.ReportMetric(share(sum.OwnMS), "%own")
		})
	}
}

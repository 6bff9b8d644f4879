package workspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/events"
)

// BenchmarkPooledTree compares the second run of a repository in a pooled tree with
// the same run in a fresh export: 2,000 files, of which 10 differ. It reports the
// median ratio of pairs, pooled to fresh. (performance goal 17, hint 7)
func BenchmarkPooledTree(b *testing.B) {
	s := gittest.New(b)
	var entries []gittest.Entry
	for i := range 2000 {
		entries = append(entries, s.File(fmt.Sprintf("d%d/f%d", i%100, i), strings.Repeat(fmt.Sprintln("line", i), 200)))
	}
	commits := []string{s.CommitTree(s.DeepTree(entries...))}
	for i := range 10 {
		entries[i*7] = s.File(entries[i*7].Path, "changed\n")
	}
	commits = append(commits, s.CommitTree(s.DeepTree(entries...), commits[0]))
	for i, c := range commits {
		s.Git("branch", fmt.Sprint("b", i), c)
	}
	c := newClock()
	pooled, fresh := kept(b, s, b.TempDir(), "b1", c), kept(b, s, b.TempDir(), "b2", c)
	n := 0
	one := func(w *workspace.Workspace, keep bool) time.Duration {
		run := fmt.Sprint("r", n)
		start := time.Now()
		opened(b, w, run, commits[n%2])
		took := time.Since(start)
		w.Release(events.RunID(run))
		w.Settle()
		if !keep {
			w.EmptyPool(b)
		}
		return took
	}
	one(pooled, true)
	one(fresh, false)
	var ratios []float64
	for b.Loop() {
		n++
		ratios = append(ratios, float64(one(pooled, true))/float64(one(fresh, false)))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(ratios[len(ratios)/4], "ratio-q1")
	b.ReportMetric(ratios[len(ratios)*3/4], "ratio-q3")
}

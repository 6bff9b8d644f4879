package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// Whatever an engine did not fully review fits into the log, in order and whole.
func TestSkippedInPages(t *testing.T) {
	t.Parallel()
	job := actors.LaneJob{Key: events.LaneKey{Run: "r", Lane: "static", Attempt: 2}, Generation: 7}
	for _, n := range []int{0, 3, 5000} {
		all := []events.FileCoverage{{Path: strings.Repeat("n", fileMax+1), Status: events.CoveragePartial}}
		for i := range n {
			all = append(all, events.FileCoverage{Path: fmt.Sprintf("f%d", i), Status: events.CoveragePartial, Reason: strings.Repeat("r", 100)})
		}
		early, rest := skipped(job, all)
		var got []events.FileCoverage
		for _, cmd := range early {
			page, ok := cmd.(run.RaiseFindings)
			if !ok || page.Attempt != 2 || page.Generation != 7 || size(page) > run.RaiseMaxBytes {
				t.Errorf("%d files: %T of %d bytes", n, cmd, size(cmd))
			}
			got = append(got, page.Skipped...)
		}
		got = append(got, rest...)
		if len(got) != n || n > 3 && (len(rest) > 0 || len(early) < 2) || n <= 3 && len(early) > 0 {
			t.Errorf("%d files: %d in %d pages, %d at the end", n, len(got), len(early), len(rest))
		}
		for i, s := range got {
			if s.Path != fmt.Sprintf("f%d", i) {
				t.Fatalf("%d files: %q at %d", n, s.Path, i)
			}
		}
	}
}

// An engine is given what is left; the embedded one also what no configuration
// excludes.
func TestOffer(t *testing.T) {
	t.Parallel()
	section := func(name string) string {
		return "diff --git a/" + name + " b/" + name + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + name + "\n@@ -0,0 +1 @@\n+x\n"
	}
	change := &actors.Change{
		Patch: []byte(section("a")), Aside: []byte(section("go.sum")),
		Files: []events.ChangedFile{
			{Path: "a"}, {Path: "go.sum", Excluded: events.ExcludedBuiltIn, Rule: "go.sum"},
			{Path: "gen", Excluded: events.ExcludedConfigured, Rule: "gen"}, {Path: "big", TooLarge: "it is long"},
		},
	}
	for _, c := range []struct {
		kind              string
		files             int
		guarded, excluded int
	}{{KindStatic, 2, 1, 1}, {KindExec, 1, 0, 2}, {KindSARIF, 1, 0, 2}} {
		in, err := offer(actors.LaneJob{Kind: c.kind}, change, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if len(in.Diff.Files) != c.files || len(in.Guarded) != c.guarded || len(in.Excluded) != c.excluded || in.TooLarge["big"] == "" {
			t.Errorf("%s: %d files, guarded %v, excluded %v", c.kind, len(in.Diff.Files), in.Guarded, in.Excluded)
		}
		if why := excluded(in, &events.Finding{File: "gen"}); why != "the file is excluded: excluded_paths gen" {
			t.Errorf("%s: gen: %q", c.kind, why)
		}
	}
}

package githubtest

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

// edits is a text and what becomes of it when lines are taken, changed and added.
func edits(r *rand.Rand) (old, new string) {
	var a, b []string
	for i := range r.IntN(40) {
		line := strconv.Itoa(r.IntN(12)) + "x" + strconv.Itoa(i%3)
		a = append(a, line)
		switch r.IntN(8) {
		case 0:
		case 1:
			b = append(b, "- changed "+line)
		case 2:
			b = append(b, line, "@@ -1 +1 @@ added")
		default:
			b = append(b, line)
		}
	}
	end := func(lines []string) string {
		if len(lines) == 0 {
			return ""
		}
		return strings.Join(lines, "\n") + []string{"\n", ""}[r.IntN(2)]
	}
	return end(a), end(b)
}

// Both stores' patches lead from one text to the other, and a line that is followed
// through them is the same line. Git is the judge of what we read from it.
func TestPatchesAndFollowedLinesAreTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	s := New(t, Params{})
	stores := map[string]store{"git": newGitStore(s), "memory": newMemoryStore("x")}
	was, is := Files{}, Files{}
	for i := range 150 {
		was[strconv.Itoa(i)], is[strconv.Itoa(i)] = edits(r)
	}
	for name, st := range stores {
		from, err := st.commit("refs/heads/a", nil, was)
		if err != nil {
			t.Fatal(err)
		}
		to, err := st.commit("refs/heads/a", []events.Commit{from}, is)
		if err != nil {
			t.Fatal(err)
		}
		changes, err := st.diff(from, to)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			checkPatch(t, name, c, was[c.path], is[c.path])
		}
	}
}

func checkPatch(t *testing.T, name string, c change, old, new string) {
	t.Helper()
	rows := parsePatch(c.patch)
	a, _ := splitLines(old)
	b, _ := splitLines(new)
	for _, row := range rows {
		if row.kind == '@' || row.kind == '\\' {
			continue
		}
		if row.old > 0 && a[row.old-1] != row.text[1:] || row.new > 0 && b[row.new-1] != row.text[1:] {
			t.Fatalf("%s: row %+v of\n%s\nis not the line", name, row, c.patch)
		}
	}
	if len(a)+c.additions-c.deletions != len(b) {
		t.Errorf("%s: %d lines, +%d -%d, are not %d", name, len(a), c.additions, c.deletions, len(b))
	}
	for line := 1; line <= len(a); line++ {
		if to := shift(rows, line); to > 0 && (to > len(b) || a[line-1] != b[to-1]) {
			t.Errorf("%s: line %d is followed to line %d of\n%s", name, line, to, c.patch)
		}
	}
}

func TestGitsListIsRead(t *testing.T) {
	t.Parallel()
	s := New(t, Params{})
	g := newGitStore(s)
	long := strings.Repeat("line\n", 30)
	odd := "ü \"x\"\ty.txt"
	from, err := g.commit("refs/heads/a", nil, Files{"old name": long + "a\n", "gone": "x\n", "bin": "\x00", odd: "1\n", "empty": "", "same": "s"})
	if err != nil {
		t.Fatal(err)
	}
	to, err := g.commit("refs/heads/a", []events.Commit{from}, Files{
		"old name": Gone, "new name": long + "b\n", "gone": Gone, "bin": "\x00\x01", odd: "diff --git a/x b/x\n@@ -1 +1 @@\n", "added": "-- x\n", "empty": Gone,
	})
	if err != nil {
		t.Fatal(err)
	}
	changes, err := g.diff(from, to)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]change{
		"added":    {status: "added", additions: 1},
		"bin":      {status: "modified"},
		"empty":    {status: "removed"},
		"gone":     {status: "removed", deletions: 1},
		"new name": {status: "renamed", previous: "old name", additions: 1, deletions: 1},
		odd:        {status: "modified", additions: 2, deletions: 1},
	}
	if len(changes) != len(want) {
		t.Fatalf("%+v", changes)
	}
	for _, c := range changes {
		w := want[c.path]
		if c.status != w.status || c.previous != w.previous || c.additions != w.additions || c.deletions != w.deletions || len(c.blob) != 40 {
			t.Errorf("%q: %+v", c.path, c)
		}
	}
	if base, err := g.mergeBase(from, to); err != nil || base != from {
		t.Errorf("%s %v", base, err)
	}
	alone, err := g.commit("refs/heads/b", nil, Files{"a": "b"})
	if err != nil {
		t.Fatal(err)
	}
	if base, err := g.mergeBase(alone, to); err != nil || base != "" {
		t.Errorf("unrelated histories: %q %v", base, err)
	}
}

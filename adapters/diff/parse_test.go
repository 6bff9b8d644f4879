package diff_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/diff"
)

// entry is a patch of one modified file q.sql with the given hunks.
func entry(hunks ...string) string {
	return "diff --git a/q.sql b/q.sql\nindex 1111111..2222222 100644\n--- a/q.sql\n+++ b/q.sql\n" +
		strings.Join(hunks, "")
}

func parse(t *testing.T, patch string) *diff.Change {
	t.Helper()
	change, err := diff.Parse([]byte(patch))
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, patch)
	}
	return change
}

// only returns the single file of the patch.
func only(t *testing.T, patch string) *diff.File {
	t.Helper()
	change := parse(t, patch)
	if len(change.Files) != 1 {
		t.Fatalf("%d files, want 1", len(change.Files))
	}
	return &change.Files[0]
}

// shown renders the rows of a file, one a line.
func shown(f *diff.File) string {
	var b strings.Builder
	for i := range f.Hunks {
		for r := range f.Hunks[i].Rows() {
			fmt.Fprintf(&b, "%c%d,%d %q", r.Op, r.OldLine, r.NewLine, r.Text)
			if r.NoNewline {
				b.WriteString(" end")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestContainsIsOneHunk(t *testing.T) {
	t.Parallel()
	change := parse(t, entry("@@ -1,2 +1,3 @@\n a\n+b\n c\n", "@@ -10,2 +11,2 @@\n x\n-y\n+z\n"))
	cases := []struct {
		path       string
		start, end int
		want       bool
	}{
		{"q.sql", 0, 1, false}, {"q.sql", -1, 2, false},
		{"q.sql", 1, 3, true}, {"q.sql", 2, 2, true}, {"q.sql", 3, 1, false},
		{"q.sql", 3, 4, false}, {"q.sql", 3, 11, false}, {"q.sql", 4, 4, false},
		{"q.sql", 11, 12, true}, {"q.sql", 12, 13, false},
		{"q.sql", 1, 1 << 62, false},
		{"b/q.sql", 1, 1, false}, {"Q.sql", 1, 1, false}, {"", 1, 1, false},
	}
	for _, c := range cases {
		if got := change.Contains(c.path, c.start, c.end); got != c.want {
			t.Errorf("Contains(%q, %d, %d) = %v, want %v", c.path, c.start, c.end, got, c.want)
		}
	}
}

// The marker of a missing newline stands on no side. (case D01)
func TestMarkerMovesNoLine(t *testing.T) {
	t.Parallel()
	f := only(t, entry("@@ -1,2 +1,2 @@\n keep\n-old\n\\ No newline at end of file\n+new\n\\ No newline at end of file\n"))
	want := " 1,1 \"keep\"\n-2,0 \"old\" end\n+0,2 \"new\" end\n"
	if got := shown(f); got != want {
		t.Errorf("rows:\n%swant:\n%s", got, want)
	}
	if f.Hunks[0].New != (diff.Range{Start: 1, Count: 2}) || f.Hunks[0].New.Contains(3, 3) {
		t.Errorf("new side = %+v, want lines 1 and 2", f.Hunks[0].New)
	}
}

// Within a hunk the counts alone decide. (case D02)
func TestRowsThatLookLikeHeaders(t *testing.T) {
	t.Parallel()
	f := only(t, entry(
		"@@ -1 +1 @@\n--- a/users cleanup\n+++ b/users cleanup\n",
		"@@ -9 +9,2 @@ end\n-diff --git a/x b/x\n+@@ -1 +1 @@\n+\\ no\n"))
	want := "-1,0 \"-- a/users cleanup\"\n+0,1 \"++ b/users cleanup\"\n" +
		"-9,0 \"diff --git a/x b/x\"\n+0,9 \"@@ -1 +1 @@\"\n+0,10 \"\\\\ no\"\n"
	if got := shown(f); got != want {
		t.Errorf("rows:\n%swant:\n%s", got, want)
	}
}

func TestHunkHeaders(t *testing.T) {
	t.Parallel()
	cases := []struct {
		header, heading string
		from, to        diff.Range
		body            string
	}{
		{"@@ -16 +16,2 @@ int f() { // @@ -1 +1 @@ fake", "int f() { // @@ -1 +1 @@ fake", diff.Range{Start: 16, Count: 1}, diff.Range{Start: 16, Count: 2}, " a\n+b\n"},
		{"@@ -1 +1 @@", "", diff.Range{Start: 1, Count: 1}, diff.Range{Start: 1, Count: 1}, "-a\n+b\n"},
		{"@@ -0,0 +1,3 @@", "", diff.Range{Start: 0, Count: 0}, diff.Range{Start: 1, Count: 3}, "+a\n+b\n+c\n"},
		{"@@ -1,3 +0,0 @@", "", diff.Range{Start: 1, Count: 3}, diff.Range{Start: 0, Count: 0}, "-a\n-b\n-c\n"},
		{"@@ -5,2 +4,0 @@", "", diff.Range{Start: 5, Count: 2}, diff.Range{Start: 4, Count: 0}, "-a\n-b\n"},
	}
	for _, c := range cases {
		f := only(t, entry(c.header+"\n"+c.body))
		h := f.Hunks[0]
		if h.Heading != c.heading || h.Old != c.from || h.New != c.to || f.Truncated {
			t.Errorf("%q: heading %q, %+v, %+v, truncated %v", c.header, h.Heading, h.Old, h.New, f.Truncated)
		}
		if c.to.Count == 0 && (h.New.Contains(c.to.Start, c.to.Start) || h.New.Contains(0, 0)) {
			t.Errorf("%q: a side without lines contains one", c.header)
		}
	}
}

// A file whose hunks end early keeps the rows that are there. (case D27)
func TestTruncatedHunk(t *testing.T) {
	t.Parallel()
	f := only(t, entry("@@ -1,4 +1,500 @@\n a\n+b\n"))
	if !f.Truncated || f.Hunks[0].New != (diff.Range{Start: 1, Count: 2}) || f.Hunks[0].Old.Count != 1 {
		t.Errorf("truncated %v, %+v %+v", f.Truncated, f.Hunks[0].Old, f.Hunks[0].New)
	}
}

// A reader of lines with a fixed buffer would stop here. (case D17)
func TestLineOver64KiB(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70_000)
	f := only(t, entry("@@ -0,0 +1,2 @@\n+"+long+"\n+tail\n"))
	want := []diff.Line{{Number: 1, Text: long}, {Number: 2, Text: "tail"}}
	if got := slices.Collect(f.AddedLines()); !slices.Equal(got, want) {
		t.Errorf("%d lines, want the long one and the tail", len(got))
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"a submodule's log":        "Submodule vendor/lib d46939d...e13ace8 (commits not present)\n",
		"an unmerged path":         "* Unmerged path f\n",
		"count too large":          entry("@@ -1 +1,99999999999999999999 @@\n+a\n"),
		"hunk header without side": entry("@@ -1 @@\n-a\n"),
		"hunk of nothing":          entry("@@ -1,0 +1,0 @@\n"),
		"line 0":                   entry("@@ -0 +1 @@\n-a\n+b\n"),
		"more rows than counted":   entry("@@ -1 +1 @@\n-a\n+b\n+c\n"),
		"name without prefix":      "diff --git q q\n--- q\n+++ q\n@@ -1 +1 @@\n-a\n+b\n",
		"names differ":             "diff --git a/x b/y\nold mode 100644\nnew mode 100755\n",
		"rename without target":    "diff --git a/x b/y\nrename from x\n",
		"text":                     "not a patch\n",
		"unknown header":           "diff --git a/x b/x\nhello\n",
	}
	for name, patch := range cases {
		var syntax *diff.SyntaxError
		if _, err := diff.Parse([]byte(patch)); !errors.As(err, &syntax) {
			t.Errorf("%s: error %v, want a SyntaxError", name, err)
		}
	}
}

// A merge's combined diff is refused, in either form. (case D15)
func TestCombinedDiff(t *testing.T) {
	t.Parallel()
	for _, patch := range []string{
		"diff --cc f\nindex 673b496,33011fd..56c1bce\n--- a/f\n+++ b/f\n@@@ -2,7 -2,7 +2,8 @@@\n  4\n +FIVE\n",
		"diff --combined f\n",
		entry("@@@ -1 -1 +1 @@@\n++a\n"),
		entry("@@ -1 +1 @@\n-a\n+b\n") + "diff --cc g\n",
	} {
		if _, err := diff.Parse([]byte(patch)); !errors.Is(err, diff.ErrCombined) {
			t.Errorf("error %v, want ErrCombined\n%s", err, patch)
		}
	}
}

func TestEmptyPatch(t *testing.T) {
	t.Parallel()
	if change := parse(t, ""); len(change.Files) != 0 || change.Contains("", 0, 0) {
		t.Errorf("an empty patch has %d files", len(change.Files))
	}
}

func TestShowPath(t *testing.T) {
	t.Parallel()
	cases := []struct{ path, text, exact string }{
		{"a b.txt", "a b.txt", ""},
		{"\xff\xfe.txt", "\uFFFD\uFFFD.txt", "//4udHh0"},
		{"gr\u00fc\u00df\uFFFD", "gr\u00fc\u00df\uFFFD", ""},
	}
	for _, c := range cases {
		text, exact := diff.ShowPath(c.path)
		if text != c.text || exact != c.exact {
			t.Errorf("ShowPath(%q) = %q, %q", c.path, text, exact)
		}
		if back := diff.ExactPath(text, exact); back != c.path {
			t.Errorf("ExactPath = %q, want %q", back, c.path)
		}
	}
}

package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/events"
)

// numbered are n lines "NAME 1" and so on, and what replaces some of them.
func numbered(name string, n int, instead map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		line, ok := instead[i]
		if !ok {
			line = fmt.Sprintf("%s %d\n", name, i)
		}
		b.WriteString(line)
	}
	return b.String()
}

// one places one finding, which must not be withheld.
func one(t *testing.T, change *actors.Change, f events.Finding) events.Finding {
	t.Helper()
	kept, withheld, _ := said(t, change, f)
	if len(kept) != 1 {
		t.Fatalf("kept %+v, withheld %+v", kept, withheld)
	}
	return kept[0]
}

// at says where a finding ended up: "inline 3-4: reason".
func at(f events.Finding) string {
	return strings.TrimSuffix(fmt.Sprintf("%s %d-%d: %s", f.Placement, f.LineStart, f.LineEnd, f.PlacementReason), ": ")
}

// Two hunks, at lines 10 and 60 of the head. (semantics 14.2)
func twoHunks(t *testing.T) *actors.Change {
	t.Helper()
	return changetest.New(t,
		changetest.Files{"f.go": numbered("f", 80, nil)},
		changetest.Files{"f.go": numbered("f", 80, map[int]string{10: "ten\n", 60: "sixty\n"})})
}

func TestLinesAndHunks(t *testing.T) {
	t.Parallel()
	change := twoHunks(t)
	for lines, want := range map[[2]int]string{
		{10, 10}:           "inline 10-10",
		{7, 13}:            "inline 7-13",
		{13, 13}:           "inline 13-13",
		{14, 14}:           "body 14-14: line 14 is outside the diff",
		{6, 6}:             "body 6-6: line 6 is outside the diff",
		{3, 11}:            "inline 7-11: it names lines 3 to 11, and its hunk begins at line 7",
		{10, 60}:           "inline 57-60: it names lines 10 to 60, and its hunk begins at line 57",
		{10, 20}:           "body 10-20: lines 10 to 20 are outside the diff",
		{10, 0}:            "body 0-0: about the file as a whole",
		{0, 10}:            "inline 10-10",
		{-5, -2}:           "body 0-0: about the file as a whole",
		{12, 9}:            "inline 9-9",
		{80, 81}:           "body 80-80: it names lines 80 to 81, and the file ends at line 80; line 80 is outside the diff",
		{81, 81}:           "body 0-0: it names line 81, and the file ends at line 80",
		{1 << 30, 1 << 30}: "body 0-0: it names line 1073741824, and the file ends at line 80",
	} {
		if got := at(one(t, change, note("f.go", lines[0], lines[1]))); got != want {
			t.Errorf("lines %v: %q, want %q", lines, got, want)
		}
	}
}

// What a hunk does not show cannot be replaced there. (case D30)
func TestSuggestionsForLinesThatNoHunkShows(t *testing.T) {
	t.Parallel()
	change := twoHunks(t)
	for lines, want := range map[[2]int]string{
		{10, 10}: "", {10, 13}: "", {7, 13}: reasonInterleaved, {3, 11}: reasonNotAllShown, {10, 60}: reasonNotAllShown, {14, 14}: reasonStandsNowhere, {10, 20}: reasonStandsNowhere,
	} {
		f := note("f.go", lines[0], lines[1])
		f.Suggestion = "other"
		if got := one(t, change, f); got.SuggestionReason != want {
			t.Errorf("lines %v: %q at %s, want %q", lines, got.SuggestionReason, at(got), want)
		}
	}
}

// Line numbers are put right by what is quoted, and never moved without need: cases
// D32 and D33.
func TestQuotes(t *testing.T) {
	t.Parallel()
	change := changetest.New(t,
		changetest.Files{"f.go": numbered("f", 143, nil), "same.go": "x\n"},
		changetest.Files{"same.go": "x\n", "f.go": numbered("f", 143, map[int]string{
			10: "\treturn  retry(ctx)\r\n", 11: "client := dial()\n", 12: "}\n", 60: "client := dial()\n", 61: "}\n", 62: "once\n", 63: "last\n"})})
	for name, c := range map[string]struct {
		quote      string
		start, end int
		want       string
	}{
		"case D32: a line of the diff, not of the file":  {"return retry(ctx)", 342, 342, "inline 10-10: it names line 342, and what it quotes stands at line 10"},
		"case D32: exactly":                              {"\treturn  retry(ctx)", 100, 100, "inline 10-10: it names line 100, and what it quotes stands at line 10"},
		"case D32: several lines":                        {"once\nlast\n", 1, 1, "inline 62-63: it names line 1, and what it quotes stands at lines 62 to 63"},
		"case D32: no line at all":                       {"once", 0, 0, "inline 62-62: it names no line, and what it quotes stands at line 62"},
		"case D32: not unique":                           {"client := dial()", 342, 342, "body 0-0: it names line 342, and the file ends at line 143"},
		"case D32: nowhere":                              {"no such text", 342, 342, "body 0-0: it names line 342, and the file ends at line 143"},
		"case D32: contradicted by a unique quote":       {"once", 10, 10, "inline 62-62: it names line 10, and what it quotes stands at line 62"},
		"case D32: contradicted and not unique":          {"client := dial()", 10, 10, "body 10-10: what it quotes is not at line 10, and not just once in the diff"},
		"case D32: contradicted and nowhere":             {"no such text", 10, 10, "body 10-10: what it quotes is not at line 10, and not just once in the diff"},
		"case D32: quoted across two hunks":              {"f 15\nf 57\n", 100, 100, "body 100-100: what it quotes is not at line 100, and not just once in the diff"},
		"case D33: right, though it stands twice":        {"client := dial()", 60, 60, "inline 60-60"},
		"case D33: right, in other white space":          {"return retry(ctx)", 10, 10, "inline 10-10"},
		"case D33: a part of the line":                   {"retry(ctx)", 10, 10, "inline 10-10"},
		"case D33: one of the lines":                     {"client := dial()", 10, 12, "inline 10-12"},
		"case D33: the line and its neighbours":          {"\treturn  retry(ctx)\nclient := dial()\n}", 11, 11, "inline 11-11"},
		"case D33: no quote":                             {"", 60, 60, "inline 60-60"},
		"case D33: a blank quote":                        {" \n\t\n", 60, 60, "inline 60-60"},
		"case D33: right outside of the diff":            {"f 100", 100, 100, "body 100-100: line 100 is outside the diff"},
		"case D33: right outside, and once in the diff":  {"}", 12, 12, "inline 12-12"},
		"case D33: a quote that is longer than the file": {strings.Repeat("x\n", 20_000), 60, 60, "body 60-60: what it quotes is not at line 60, and not just once in the diff"},
		"case D33: more lines than are looked at":        {"once", 1, 1 << 30, "inline 62-62: it names lines 1 to 1073741824, and what it quotes stands at line 62"},
	} {
		f := note("f.go", c.start, c.end)
		f.Quote = c.quote
		got := one(t, change, f)
		if at(got) != c.want {
			t.Errorf("%s: %q, want %q", name, at(got), c.want)
		}
		if len(got.Quote) > events.FindingQuoteMax || strings.ContainsAny(got.Quote, "\r") {
			t.Errorf("%s: kept a quote of %d bytes", name, len(got.Quote))
		}
	}
	f := note("same.go", 9, 9)
	f.Quote = "x"
	if got := at(one(t, change, f)); got != "body 0-0: it names line 9, and the file ends at line 1" {
		t.Errorf("a file that the change leaves alone: %q", got)
	}
}

// A line is confirmed by the diff where the file itself cannot be read: it is too
// large, or the checkout has a link in its place.
func TestQuotesWithoutTheFile(t *testing.T) {
	t.Parallel()
	change := changetest.New(t, changetest.Files{"f": numbered("f", 20, nil)},
		changetest.Files{"f": numbered("f", 20, map[int]string{10: "ten\n"})})
	if err := os.Remove(filepath.Join(change.Dir, "f")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(change.Dir, "f")); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{
		10: "inline 10-10", 11: "inline 10-10: it names line 11, and what it quotes stands at line 10",
		900: "inline 10-10: it names line 900, and what it quotes stands at line 10",
	} {
		f := note("f", line, line)
		f.Quote = "ten"
		if got := at(one(t, change, f)); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
}

// What people and models write for a path: case D35.
func TestSpellingsOfNames(t *testing.T) {
	t.Parallel()
	change := changetest.New(t,
		changetest.Files{"tree/only.go": "1\n", "a/f": "gone\n", "was/here.go": numbered("w", 30, nil)},
		changetest.Files{
			"tree/only.go": "1\n", ".github/workflows/ci.yml": "1\n", "src/a.go": "1\n", "b/kept.go": "1\n", "kept.go": "1\n",
			"README.md": "1\n", "Twice.md": "1\n", "twice.md": "1\n", "back\\slash": "1\n", " space": "1\n", "a": "1\n",
			"now/there.go": numbered("w", 30, nil),
		})
	for name, want := range map[string]string{
		".github/workflows/ci.yml":          ".github/workflows/ci.yml",
		"./.github/workflows/ci.yml":        ".github/workflows/ci.yml",
		"github/workflows/ci.yml":           "withheld: " + reasonNoFile,
		"src/a.go":                          "src/a.go",
		"./src/a.go":                        "src/a.go",
		"a/src/a.go":                        "src/a.go",
		"b/src/a.go":                        "src/a.go",
		"/src/a.go":                         "src/a.go",
		"src//a.go":                         "src/a.go",
		`src\a.go`:                          "src/a.go",
		`.\src\a.go`:                        "src/a.go",
		`back\slash`:                        `back\slash`,
		"src/../src/a.go":                   "withheld: " + reasonUpwards,
		"../src/a.go":                       "withheld: " + reasonUpwards,
		"SRC/a.go":                          "src/a.go",
		"readme.MD":                         "README.md",
		"TWICE.md":                          "withheld: " + reasonNoFile,
		"twice.md":                          "twice.md",
		"b/kept.go":                         "b/kept.go",
		"kept.go":                           "kept.go",
		"a/kept.go":                         "kept.go",
		" space":                            " space",
		"space":                             "withheld: " + reasonNoFile,
		"a":                                 "a",
		"a/f":                               "body: " + reasonDeleted, // case D13: it became a file
		"a/":                                "a",
		"tree/only.go":                      "body: " + reasonNotChanged,
		"./tree/only.go":                    "body: " + reasonNotChanged,
		"tree/ONLY.go":                      "withheld: " + reasonNoFile,
		"was/here.go":                       "now/there.go",
		"./was/here.go":                     "now/there.go",
		"a/was/here.go":                     "now/there.go",
		change.Dir + "/src/a.go":            "src/a.go",
		change.Dir + "/../" + "b/src/a.go":  "withheld: " + reasonUpwards,
		change.Dir:                          "withheld: " + reasonNoFile,
		change.Dir + "/":                    "body: " + reasonWholeChange,
		"/":                                 "body: " + reasonWholeChange,
		"./":                                "body: " + reasonWholeChange,
		" ":                                 "body: " + reasonWholeChange,
		"src":                               "body: " + reasonNotChanged,
		"src/a.go/":                         "src/a.go",
		"nul\x00":                           "withheld: " + reasonNoFile,
		strings.Repeat("long/", 1000) + "x": "withheld: " + reasonNoFile,
	} {
		kept, withheld, _ := said(t, change, note(name, 1, 1))
		var got string
		switch {
		case len(withheld) == 1:
			got = "withheld: " + withheld[0].Reason
		case kept[0].Placement == events.PlacementBody:
			got = "body: " + kept[0].PlacementReason
		default:
			got = kept[0].File
		}
		if strings.HasPrefix(want, "now/") { // renamed without a change: no hunk shows it
			want, got = want+" body", kept[0].File+" "+string(kept[0].Placement)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/events"
)

// suggested is a change with one hunk, lines 7 to 33 of the head:
//
//	10 ten       a line was replaced
//	20 f 20      a line was deleted between 20 and 21
//	30 {         lines were added
//	31 	x()
//	32 }
func suggested(t *testing.T) *actors.Change {
	t.Helper()
	before, after := suggestedTexts()
	return changetest.New(t, changetest.Files{"f.go": before, "gone.go": "1\n"}, changetest.Files{"f.go": after})
}

func suggestedTexts() (before, after string) {
	before = numbered("f", 60, nil)
	after = strings.Replace(before, "f 10\n", "ten\n", 1)
	before = strings.Replace(before, "f 21\n", "gone\nf 21\n", 1)
	for _, n := range []string{"15", "25"} { // so that the hunks join
		after = strings.Replace(after, "f "+n+"\n", "new "+n+"\n", 1)
	}
	return before, strings.Replace(after, "f 29\n", "f 29\n{\n\tx()\n}\n", 1)
}

// apply puts a finding's suggestion in the place of its lines, as a forge does.
func apply(f events.Finding, text string) string {
	all := strings.SplitAfter(text, "\n")
	return strings.Join(slices.Concat(all[:f.LineStart-1], []string{f.Suggestion + "\n"}, all[f.LineEnd:]), "")
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	change := suggested(t)
	for name, c := range map[string]struct {
		start, end int
		text       string
		want       string // lines, text; or why it is not applied
	}{
		"one line":                       {17, 17, "new", "17-17 new"},
		"more lines for one":             {17, 17, "new\nnewer", "17-17 new|newer"},
		"fewer lines":                    {16, 19, "new", "16-19 new"},
		"its own indentation":            {17, 17, "\t\tnew  ", "17-17 \t\tnew  "},
		"an insertion":                   {17, 17, "f 17\nnew", "17-17 f 17|new"},
		"case D30: over a deleted line":  {19, 22, "f 19\nf 20\nnew\nf 22", "21-21 new"},
		"case D30: before it":            {19, 22, "f 19\nnew\nf 21\nf 22", "20-20 new"},
		"case D30: on both sides of it":  {19, 22, "f 19\nnew\nnewer\nf 22", reasonInterleaved},
		"case D30: all other lines":      {19, 22, "new", reasonInterleaved},
		"case D30: inserted behind it":   {19, 22, "f 19\nf 20\nf 21\nnew\nf 22", "21-21 f 21|new"},
		"case D30: deleted behind it":    {19, 23, "f 19\nf 20\nf 21\nf 23", "21-22 f 21"},
		"case D30: beside it":            {21, 22, "new", "21-22 new"},
		"case D30: outside of the diff":  {50, 50, "new", reasonStandsNowhere},
		"case D30: of the whole file":    {0, 0, "new", reasonStandsNowhere},
		"case D31: repeats 15 to 19":     {17, 17, "new 15\nf 16\nnew\nf 18\nf 19", "15-19 new 15|f 16|new|f 18|f 19"},
		"case D31: an edit after it":     {17, 17, "f 16\nf 17\nnew\nf 19", "16-19 f 16|f 17|new|f 19"},
		"case D31: an edit before it":    {17, 17, "new\nf 17\nf 18\nf 19", reasonSeveral},
		"case D31: and one line more":    {17, 17, "f 16\nnew\nnewer\nf 18", "16-18 f 16|new|newer|f 18"},
		"case D31: only what follows":    {17, 17, "new\nf 18", "17-18 new|f 18"},
		"case D31: only what goes ahead": {17, 17, "f 16\nnew", "16-17 f 16|new"},
		"case D31: over a deleted line":  {20, 20, "f 19\nnew\nf 21", "20-20 new"},
		"case D31: over the hunk's end":  {31, 31, "{\n\ty()\n}\nf 30\nf 31\nf 32", "30-35 {|\ty()|}|f 30|f 31|f 32"},
		"case D31: nothing but repeats":  {17, 17, "f 16\nf 17\nf 18", reasonSame},
		"case D31: the same line":        {17, 17, "f 17", reasonSame},
		"case D31: rows of a diff":       {17, 17, "-f 17\n+new", "17-17 new"},
		"case D31: rows with context":    {17, 17, " f 16\n-f 17\n+\tnew\n f 18", "16-18 f 16|\tnew|f 18"},
		"case D31: rows of another file": {17, 17, "-f 18\n+new", reasonDiffRows},
		"case D31: added rows alone":     {17, 17, "+new\n+newer", reasonDiffRows},
		"case D31: a list":               {17, 17, "- new\n- newer", "17-17 - new|- newer"},
		"a block where one ends":         {31, 31, "\tif y {\n\t\tx()\n\t}", "31-31 \tif y {|\t\tx()|\t}"},
		"a block that was one":           {30, 32, "{\n\ty()\n}", "30-32 {|\ty()|}"},
		"too many lines":                 {17, 17, strings.Repeat("x\n", suggestedLinesMax) + "x", fmt.Sprintf(reasonLong, suggestedLinesMax)},
		"cut":                            {17, 17, strings.Repeat("x", events.FindingSuggestionMax+1), fmt.Sprintf(reasonCut, events.FindingSuggestionMax)},
		"case D42: turned around":        {17, 17, "x\u202ey", reasonUnseen},
		"control characters":             {17, 17, "x\x00y", reasonUnseen},
		"ends of lines":                  {17, 17, "x\r\ny", "17-17 x|y"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := note("f.go", c.start, c.end)
			f.Suggestion = c.text
			got := one(t, change, f)
			if got.Suggestion == "" || got.SuggestionReason != "" && got.LineEnd != c.end {
				t.Errorf("suggestion %q, lines %d to %d", got.Suggestion, got.LineStart, got.LineEnd)
			}
			is := got.SuggestionReason
			if is == "" {
				is = fmt.Sprintf("%d-%d %s", got.LineStart, got.LineEnd, strings.ReplaceAll(got.Suggestion, "\n", "|"))
				if moved := got.LineStart != c.start || got.LineEnd != c.end; moved != (got.PlacementReason != "") {
					t.Errorf("moved %v, reason %q", moved, got.PlacementReason)
				}
			}
			if is != c.want {
				t.Errorf("got %q, want %q", is, c.want)
			}
		})
	}
}

// Whatever lines around its own a suggestion repeats, it gives the same file: case
// D31.
func TestSuggestionsRepeatLines(t *testing.T) {
	t.Parallel()
	change := suggested(t)
	text, ok := headOf(t, change, "f.go")
	if !ok {
		t.Fatal("no head")
	}
	all := strings.Split(text, "\n")
	var found []events.Finding
	var want []string
	for line := 12; line <= 28; line++ {
		for _, edit := range []string{"new", "new\nnewer", "new\n\nnewest"} {
			meant := slices.Concat(all[:line-1], []string{edit}, all[line:])
			for before := range 4 {
				for after := range 4 {
					f := note("f.go", line, line)
					f.Title = fmt.Sprint(len(found))
					f.Suggestion = strings.Join(slices.Concat(all[line-1-before:line-1], []string{edit}, all[line:line+after]), "\n")
					found, want = append(found, f), append(want, strings.Join(meant, "\n"))
				}
			}
		}
	}
	applied := 0
	for from := 0; from < len(found); from += events.FindingsPerLaneMax {
		kept, _, _ := said(t, change, found[from:min(from+events.FindingsPerLaneMax, len(found))]...)
		for _, f := range kept {
			var i int
			if _, err := fmt.Sscan(f.Title, &i); err != nil {
				t.Fatal(err)
			}
			if f.SuggestionReason != "" {
				t.Errorf("line %d, %q: %s", found[i].LineStart, found[i].Suggestion, f.SuggestionReason)
				continue
			}
			applied++
			if got := apply(f, text); got != want[i] {
				t.Errorf("line %d, %q: stands at %d to %d as %q", found[i].LineStart, found[i].Suggestion, f.LineStart, f.LineEnd, f.Suggestion)
			}
		}
	}
	if applied != len(found) {
		t.Errorf("%d of %d are applied", applied, len(found))
	}
}

func headOf(t *testing.T, change *actors.Change, name string) (string, bool) {
	t.Helper()
	p := newPlacer(change, changetest.Parse(t, change))
	defer p.close()
	return p.read(name)
}

// The old text, where it is quoted, is what is replaced: case D31.
func TestSuggestionsForWhatIsQuoted(t *testing.T) {
	t.Parallel()
	change := suggested(t)
	for name, c := range map[string]struct {
		line        int
		quote, text string
		want        string
	}{
		"the line":              {17, "f 17", "new", "17-17 new"},
		"more lines":            {17, "f 16\nf 17\nf 18", "new", "16-18 new"},
		"lines elsewhere":       {50, "f 16\nf 17\nf 18", "new", "16-18 new"},
		"lines of no file":      {17, "g 17", "new", reasonStandsNowhere},
		"over a deleted line":   {20, "f 20\nf 21", "new", reasonInterleaved},
		"lines outside a hunk":  {50, "f 49\nf 50", "new", reasonStandsNowhere},
		"a part of the line":    {17, "17", "new", "17-17 new"},
		"lines that are cut":    {17, "f 16\nf 17", strings.Repeat("x", events.FindingSuggestionMax+1), fmt.Sprintf(reasonCut, events.FindingSuggestionMax)},
		"lines in other spaces": {17, "  f  16\n\tf 17 ", "new", "16-17 new"},
	} {
		f := note("f.go", c.line, c.line)
		f.Quote, f.Suggestion = c.quote, c.text
		got := one(t, change, f)
		is := got.SuggestionReason
		if is == "" {
			is = fmt.Sprintf("%d-%d %s", got.LineStart, got.LineEnd, got.Suggestion)
		}
		if is != c.want {
			t.Errorf("%s: got %q, want %q (%s)", name, is, c.want, at(got))
		}
	}
}

// A linter counts its lines, and means what it says.
func TestSuggestionsOfLintersAreExact(t *testing.T) {
	t.Parallel()
	change := suggested(t)
	p := newPlacer(change, changetest.Parse(t, change))
	defer p.close()
	p.exact = true
	for _, text := range []string{"new\nf 18", "+new", "-f 17\n+new"} {
		f := note("f.go", 17, 17)
		f.Suggestion = text
		if held := p.place(&f); held != "" || f.SuggestionReason != "" || f.LineStart != 17 || f.LineEnd != 17 || f.Suggestion != text {
			t.Errorf("%q: %+v", text, f)
		}
	}
	f := note("f.go", 19, 22)
	f.Suggestion = "f 19\nf 20\nnew\nf 22"
	if p.place(&f); f.Suggestion != "new" || f.LineStart != 21 || f.LineEnd != 21 { // a forge would refuse it (case D30)
		t.Errorf("over a deleted line: %+v", f)
	}
}

// A suggestion that was cut so that a command holds it is not applied either.
func TestSuggestionsThatAreCutToFit(t *testing.T) {
	t.Parallel()
	f := note("f.go", 17, 17)
	f.Body = strings.Repeat("<", events.FindingBodyMax)
	f.Suggestion = strings.Repeat("<", events.FindingSuggestionMax)
	fit(&f, 100_000)
	if !strings.HasSuffix(f.Suggestion, cutMark) || !strings.HasPrefix(f.SuggestionReason, "it was cut at ") {
		t.Errorf("%d bytes, reason %q", len(f.Suggestion), f.SuggestionReason)
	}
}

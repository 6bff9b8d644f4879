package engine

import (
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/events"
)

// FuzzPlace: whatever an engine says of lines, an inline finding stands within one
// hunk, a suggestion to apply has no deleted line between those that it replaces,
// and what was placed is placed there again.
func FuzzPlace(f *testing.F) {
	f.Add("f.go", 17, 17, "f 17", "f 16\nnew\nf 18")
	f.Add("./f.go", 0, -4, "", "-f 17\n+new")
	f.Add("f.go", 342, 342, "new 15\nf 16", "x")
	f.Add("f.go", 19, 22, "f 20", "f 19\nf 20\nnew\nf 22")
	f.Add("F.GO", 1<<62, 3, "{", "{\n\tx()\n}\n")
	f.Add("gone.go", 1, 1, "1", "")
	before, after := suggestedTexts()
	change := changetest.New(f, changetest.Files{"f.go": before, "gone.go": "1\n"}, changetest.Files{"f.go": after})
	patch := changetest.Parse(f, change)
	f.Fuzz(func(t *testing.T, file string, start, end int, quote, suggestion string) {
		p := newPlacer(change, patch)
		defer p.close()
		got := events.Finding{Title: "T", File: file, LineStart: start, LineEnd: end, Quote: quote, Suggestion: suggestion}
		tidy(&got)
		held := settle(p, &got)
		if got.LineStart < 0 || got.LineEnd < got.LineStart || (got.LineStart == 0) != (got.LineEnd == 0) {
			t.Fatalf("lines %d to %d", got.LineStart, got.LineEnd)
		}
		inline := got.Placement == events.PlacementInline
		if inline && (held != "" || !patch.Contains(got.File, got.LineStart, got.LineEnd)) || !inline && got.Placement != events.PlacementBody {
			t.Fatalf("%q at %d to %d is %q, withheld %q", got.File, got.LineStart, got.LineEnd, got.Placement, held)
		}
		if got.Placement == events.PlacementBody && got.PlacementReason == "" && held == "" {
			t.Fatal("in the body without a reason")
		}
		if got.Suggestion != "" && got.SuggestionReason == "" && (!inline || deletes(patch.File(got.File), got.LineStart, got.LineEnd)) {
			t.Fatalf("%q is to replace lines %d to %d, %q", got.Suggestion, got.LineStart, got.LineEnd, got.Placement)
		}
		if held != "" || strings.Contains(got.PlacementReason, "what it quotes is not") {
			return
		}
		again := got
		again.Quote, again.Suggestion = "", ""
		again.Placement, again.PlacementReason = "", ""
		if p.place(&again); again.Placement != got.Placement || again.LineStart != got.LineStart || again.LineEnd != got.LineEnd || again.File != got.File {
			t.Fatalf("placed %+v, then %+v", got, again)
		}
	})
}

// deletes reports whether the change deletes lines between two lines of the head.
func deletes(f *diff.File, start, end int) bool {
	for i := range f.Hunks {
		last := 0
		for row := range f.Hunks[i].Rows() {
			if row.Op == diff.OpRemove && last >= start && last < end {
				return true
			}
			if row.NewLine > 0 {
				last = row.NewLine
			}
		}
	}
	return false
}

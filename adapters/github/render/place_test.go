package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// TestPlaces: lines are of the new side and are never positions of the diff: line
// 33 of this file is position 11. (case D23, semantics 14.2)
func TestPlaces(t *testing.T) {
	t.Parallel()
	d := Diff{Files: []api.File{
		{Name: "a.go", Status: "modified", HasPatch: true, Patch: patch},
		{Name: "new.go", Previous: "old.go", Status: "renamed", HasPatch: true, Patch: patch},
		{Name: "moved.go", Previous: "was.go", Status: "renamed"},
		{Name: "logo.png", Status: "modified"},
		{Name: "gone.go", Status: "removed", HasPatch: true, Patch: "@@ -1,2 +0,0 @@\n-a\n-b"},
		// case D27: the header says more rows than follow.
		{Name: "cut.go", Status: "modified", HasPatch: true, Patch: "@@ -1,1 +1,500 @@\n a\n+b\n+c\n"},
		{Name: "broken.go", Status: "modified", HasPatch: true, Patch: "<html>"},
		{Name: "crlf.go", Status: "modified", HasPatch: true, Patch: "@@ -1 +1 @@\n-a\r\n+b\r\n\\ No newline at end of file"},
		{Name: "./-- a\tb.go", Status: "added", HasPatch: true, Patch: "@@ -0,0 +1 @@\n+--- a\n"},
	}}
	for _, test := range []struct {
		file       string
		start, end int
		want       string // of "start-line", or why not
	}{
		{"a.go", 11, 12, "11-12"},
		{"a.go", 10, 14, "10-14"},
		{"a.go", 12, 12, "12-12"},
		{"a.go", 0, 12, "12-12"},
		{"a.go", 13, 12, "12-12"},
		{"a.go", 2, 12, "10-12 moved"},
		{"a.go", 12, 33, "32-33 moved"}, // of another hunk
		{"a.go", 11, 15, "line 15 is outside the diff that GitHub shows"},
		{"a.go", 9, 9, "line 9 is outside the diff that GitHub shows"},
		{"a.go", 0, 0, whyWholeFile},
		{"a.go", -1, -1, whyWholeFile},
		{"a.go", 999999999999, 999999999999, "line 999999999999 is outside the diff that GitHub shows"},
		{"A.go", 11, 12, whyNotListed},
		{"", 0, 0, whyWhole},
		{"new.go", 33, 33, "33-33"},
		{"old.go", 33, 33, whyNotListed},
		{"moved.go", 1, 1, whyNoPatch},
		{"logo.png", 1, 1, whyNoPatch},
		{"gone.go", 1, 1, whyRemoved},
		{"cut.go", 2, 3, "2-3"},
		{"cut.go", 3, 4, "GitHub shows only a part of the file's diff, without line 4"},
		{"broken.go", 1, 1, whyPatch},
		{"crlf.go", 1, 1, "1-1"},
		{"./-- a\tb.go", 1, 1, "1-1"},
	} {
		f := events.Finding{File: test.file, LineStart: test.start, LineEnd: test.end, Placement: events.PlacementInline}
		s, got := newPlaces(&d).find(&f)
		if got == "" {
			got = fmt.Sprintf("%d-%d", s.start, s.line)
			if s.moved {
				got += " moved"
			}
		}
		if got != test.want {
			t.Errorf("%s:%d-%d: %s, want %s", test.file, test.start, test.end, got, test.want)
		}
	}
}

// What is not certain stands in the body, with the reason.
func TestReasonsForTheBody(t *testing.T) {
	t.Parallel()
	base := finding(1, events.SeverityBlocking, "x", "cmd/main.go", 11, 11)
	for name, test := range map[string]struct {
		change func(r *Review, f *Finding)
		want   string
	}{
		"inline":        {func(*Review, *Finding) {}, ""},
		"git said so":   {func(_ *Review, f *Finding) { f.Placement, f.PlacementReason = events.PlacementBody, "it moved" }, "it moved"},
		"without why":   {func(_ *Review, f *Finding) { f.Placement = events.PlacementBody }, whySaid},
		"no diff":       {func(r *Review, _ *Finding) { r.Diff = Diff{None: "too large"} }, "too large"},
		"not all files": {func(r *Review, _ *Finding) { r.Diff = Diff{Partial: true} }, whyNotAll},
		"refused": {func(r *Review, f *Finding) {
			r.Refused = map[events.Fingerprint]string{f.Fingerprint: "Line could not be resolved"}
		}, "Line could not be resolved"},
		"a name in bytes": {func(_ *Review, f *Finding) { f.FileBase64 = "Y2Fm6S5nbw==" }, whyName},
	} {
		f := base
		r := with(f)
		test.change(r, &r.Findings[0])
		out, err := Render(r)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(out.Moved) == 1 {
			got = out.Moved[0].Why
		}
		if got != test.want || len(out.Comments)+len(out.Moved) != 1 {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		if got != "" && (!strings.Contains(out.Body, "1 finding not shown inline") || !strings.Contains(out.Body, "It matters.")) {
			t.Errorf("%s: not in the body:\n%s", name, out.Body)
		}
	}
}

// A suggestion is one to apply only where just its lines are replaced: cases D30
// and D31.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		start, end       int
		suggestion, said string // by intake
		want             string // why it is text; "" = to apply
	}{
		{11, 12, "x", "", ""},
		{13, 13, "x", "", ""},
		{14, 14, "\tx\n\n\ty", "", ""},
		{13, 14, "x", "", whyInterleaved}, // a row is deleted between them
		{32, 33, "x", "", whyInterleaved},
		{10, 13, "x", "", ""},
		{2, 12, "x", "", whyMoved},
		{11, 12, "x", "it was cut", "it was cut"},
		{11, 12, "x\u202e", "", whyChanged},
		{11, 12, strings.Join([]string{"ghp", strings.Repeat("a1", 18)}, "_"), "", whyChanged},
		{11, 12, "a <!-- reviewctl review v1 -->", "", whyChanged},
		{11, 12, strings.Repeat("x", suggestionMax+1), "", whyLong},
		{300, 300, "x", "", whySaid},
	} {
		f := finding(1, events.SeverityBlocking, "x", "cmd/main.go", test.start, test.end)
		f.Suggestion, f.SuggestionReason = test.suggestion, test.said
		out, err := Render(with(f))
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, test.suggestion, out)
		text := out.Body
		if len(out.Comments) == 1 {
			text = out.Comments[0].Body
		}
		if applies := strings.Contains(text, "```suggestion\n"+test.suggestion+"\n```"); applies != (test.want == "") {
			t.Errorf("%d-%d %.20q: applies: %v\n%.600s", test.start, test.end, test.suggestion, applies, text)
		}
		if test.want != "" && (!strings.Contains(text, "to be read and not applied ("+test.want+")") || strings.Contains(text, "```suggestion")) {
			t.Errorf("%d-%d %.20q: %q is not said\n%.600s", test.start, test.end, test.suggestion, test.want, text)
		}
	}
}

// In a quotation a tab is less wide: what is no end of a block of code must not
// become one.
func TestQuotedTabs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"```\n\t ```\n@x\n```": "> ```\n>      ```\n> @x\n> ```",
		"a\n \t\tb\tc":         "> a\n>         b\tc",
		"":                     "> ",
	} {
		if got := quoted(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// A fence is longer than any in the suggestion.
func TestSuggestionOfFences(t *testing.T) {
	t.Parallel()
	f := finding(1, events.SeverityBlocking, "x", "cmd/main.go", 11, 12)
	f.Suggestion = "````\n```suggestion\nx\n```\n````"
	out, err := Render(with(f))
	if err != nil {
		t.Fatal(err)
	}
	if want := "\n`````suggestion\n" + f.Suggestion + "\n`````\n"; !strings.Contains(out.Comments[0].Body, want) {
		t.Errorf("got\n%s", out.Comments[0].Body)
	}
}

// case D40: at most fifty comments, the heaviest; the others are in the body.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	r := many()
	out, err := Render(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Comments) != inlineMax || len(out.Moved) != len(r.Findings)-inlineMax {
		t.Fatalf("%d comments, %d moved", len(out.Comments), len(out.Moved))
	}
	heavy := 0
	for _, c := range out.Comments {
		if strings.Contains(c.Body, "🔴") {
			heavy++
		}
	}
	if heavy != r.Counts.Blocking {
		t.Errorf("%d of %d blocking findings are inline", heavy, r.Counts.Blocking)
	}
	for _, m := range out.Moved {
		if !strings.Contains(out.Body, fmt.Sprintf("(`#%d`)", m.Number)) {
			t.Errorf("finding %d is nowhere", m.Number)
		}
	}
}

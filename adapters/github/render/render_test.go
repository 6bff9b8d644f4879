package render

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

var update = flag.Bool("update", false, "rewrite testdata/golden/github")

const (
	head      = events.Commit("9fceb02d0ae598e95dc970b74767f19372d61af8")
	mergeBase = events.Commit("1f7a7a472abf3dd9643fd615f6da379c4acb3e3a")
)

// patch has on the new side the rows 10 to 14 and 32 to 33; 11, 12, 14 and 33 are
// new, and rows are deleted between 13 and 14, and between 32 and 33.
const patch = "@@ -10,3 +10,5 @@ func main() {\n a\n+b\n+c\n d\n-e\n+f\n@@ -30,2 +32,2 @@\n h\n-i\n+j"

func finding(n int, severity events.Severity, title, file string, start, end int) Finding {
	f := Finding{Number: n, Sources: []string{"static"}, Finding: events.Finding{
		Severity: severity, Category: "security", Title: title, File: file, LineStart: start, LineEnd: end,
		Placement: events.PlacementInline, Body: "It matters.\n\n- Change it.", Rule: "a-rule",
	}}
	f.Identify()
	return f
}

// sample is a review of two files, of which one is not shown, without findings.
func sample() *Review {
	return &Review{
		Run: "5f0c9a7d1e2b3c4d", RepoID: 81, Repo: "octo/town", Number: 7,
		Head: head, Base: mergeBase, MergeBase: mergeBase,
		Verdict: events.VerdictComment, Outcome: events.OutcomeClean, Reason: "nothing was found; the policy does not let an approval stand",
		Coverage: []Coverage{{File: "cmd/main.go", Status: "reviewed"}, {File: "logo.png", Status: "binary", Reason: "git shows no text of it"}},
		Lanes:    []Lane{{ID: "static", Kind: "static", Role: "reviewer", Engine: "static", Status: "completed"}},
		Rules:    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		Diff: Diff{Files: []api.File{
			{Name: "cmd/main.go", Status: "modified", Patch: patch, HasPatch: true},
			{Name: "logo.png", Status: "added"},
		}},
		Web: "https://forge.example/octo/town",
	}
}

// with is the sample with findings, counted.
func with(findings ...Finding) *Review {
	r := sample()
	r.Findings = findings
	for _, f := range findings {
		switch f.Severity {
		case events.SeverityBlocking:
			r.Counts.Blocking++
		case events.SeveritySuggestion:
			r.Counts.Suggestion++
		case events.SeverityNitpick:
			r.Counts.Nitpick++
		}
	}
	r.Outcome, r.Verdict, r.Reason = events.OutcomeFindings, events.VerdictComment, "nothing stands in the way, but there are remarks"
	if r.Counts.Blocking > 0 {
		r.Verdict, r.Reason = events.VerdictRequestChanges, fmt.Sprintf("%d findings at or above blocking", r.Counts.Blocking)
	}
	return r
}

func someFindings() *Review {
	r := with(
		finding(1, events.SeverityNitpick, "A name says nothing", "cmd/main.go", 13, 13),
		finding(2, events.SeverityBlocking, "A *pointer* of `nil` is read", "cmd/main.go", 11, 12),
		finding(3, events.SeveritySuggestion, "Too long", "cmd/main.go", 300, 310),
		finding(4, events.SeveritySuggestion, "No test", "", 0, 0),
		finding(6, events.SeveritySuggestion, "Begins above its hunk", "cmd/main.go", 2, 14),
	)
	r.Findings[1].Suggestion = "if b != nil {\n\tc()\n}"
	r.Findings[2].Placement, r.Findings[2].PlacementReason = events.PlacementBody, "lines 300 to 310 are outside the diff"
	r.Findings[2].Suggestion, r.Findings[2].SuggestionReason = "```\ncut()\n```", "it stands at no lines of the diff"
	r.Findings[3].Placement, r.Findings[3].PlacementReason = events.PlacementBody, "about the change as a whole"
	r.Findings[4].Suggestion = "f()"
	r.Findings[0].Body, r.Findings[3].Body = "", ""
	r.Withheld = []Withheld{
		{Title: "Unused", File: "old.go", LineStart: 9, LineEnd: 9, Source: "static", Reason: "outside the change"},
		{Number: 5, Title: "A fixture", File: "cmd/main.go", LineStart: 3, LineEnd: 5, Source: "static", Reason: "dismissed: it is one, says @ann"},
	}
	r.Lanes = append(r.Lanes, Lane{
		ID: "deep", Kind: "exec", Role: "reviewer", Engine: "deep", Model: "gpt-6", Status: "completed",
		Usage: events.Usage{InputTokens: 41000, OutputTokens: 1200, CostUSD: 0.21, Confidence: events.ConfidenceEstimate},
	})
	r.Findings[1].Sources = []string{"static", "deep"}
	return r
}

// reviews are the golden files.
func reviews() map[string]*Review {
	all := map[string]*Review{"clean": sample(), "findings": someFindings()}

	all["approve"] = sample()
	all["approve"].Verdict, all["approve"].Approve = events.VerdictApprove, true
	all["approve"].Coverage = all["approve"].Coverage[:1]

	own := someFindings()
	own.Own = true
	all["own"] = own

	excluded := sample()
	excluded.Reason = "nothing was found, and every changed file is excluded from the review"
	excluded.Coverage = []Coverage{{File: "vendor/a.go", Status: "excluded", Reason: "vendored or generated: vendor/"}, {File: "vendor/b.go", Status: "excluded", Reason: "vendored or generated: vendor/"}}
	all["excluded"] = excluded

	partial := sample()
	partial.Outcome, partial.Reason = events.OutcomePartial, "not everything was reviewed, so it cannot be approved"
	partial.Lanes = append(partial.Lanes, Lane{ID: "deep", Kind: "exec", Role: "reviewer", Engine: "deep", Model: "gpt-6", Status: "failed", Reason: "timeout: it took longer than 10m0s"})
	partial.Coverage = append(partial.Coverage, Coverage{File: "big.sql", Status: "too-large", Reason: "over 1 MiB"}, Coverage{File: "vendor/a.go", Status: "excluded", Reason: "vendored or generated: vendor/"})
	partial.BaseNote = "the base is the empty tree: the checkout has one commit"
	all["partial"] = partial

	again := with(finding(9, events.SeveritySuggestion, "Still there", "cmd/main.go", 33, 33))
	again.Again, again.Fixed = true, []Fixed{{Number: 1, Title: "A name says nothing"}, {Number: 4}}
	all["again"] = again

	gone := sample()
	gone.Again, gone.Fixed = true, []Fixed{{Number: 1}}
	all["again-clean"] = gone

	none := someFindings()
	none.Diff = Diff{None: "GitHub shows no diff: it is over 20,000 lines"}
	all["no-diff"] = none

	names := with(
		finding(1, events.SeverityBlocking, "A name that is not UTF-8", "caf\uFFFD.go", 1, 1),
		finding(2, events.SeverityNitpick, "A name with marks", "a `b` <c> @d #1 (e).go", 1, 2),
	)
	names.Findings[0].FileBase64 = "Y2Fm6S5nbw=="
	names.Diff.Files = append(names.Diff.Files, api.File{Name: "a `b` <c> @d #1 (e).go", Status: "added", HasPatch: true, Patch: "@@ -0,0 +1,2 @@\n+a\n+b"})
	all["names"] = names

	all["many"], all["hostile"] = many(), hostile()
	return all
}

// asText is everything that is posted, for people who compare golden files.
func asText(out *Output) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Event: %s\n\n%s", out.Event, out.Body)
	for i, c := range out.Comments {
		fmt.Fprintf(&b, "\n---- comment of %s at %s, lines %d to %d\n\n%s\n", out.Inline[i], c.Path, c.StartLine, c.Line, c.Body)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, r := range reviews() {
		out, err := Render(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wellFormed(t, name, out)
		got := asText(out)
		file := filepath.Join("..", "..", "..", "testdata", "golden", "github", name+".md")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s.md differs (go test ./adapters/github/render -update rewrites it) from here on:\n%.500s", name, got[firstDifference(got, string(want)):])
		}
	}
}

// firstDifference is where two texts begin to differ.
func firstDifference(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// wellFormed checks what holds of each text that we post.
func wellFormed(t testing.TB, name string, out *Output) {
	t.Helper()
	texts := []string{out.Body}
	for _, c := range out.Comments {
		texts = append(texts, c.Body)
	}
	for i, text := range texts {
		if err := alive(text); err != nil {
			t.Errorf("%s, text %d: %v", name, i, err)
		}
		if len(text) > bodyMax {
			t.Errorf("%s, text %d has %d bytes", name, i, len(text))
		}
	}
	if len(out.Comments) > inlineMax || len(out.Comments) != len(out.Inline) {
		t.Errorf("%s: %d comments of %d findings", name, len(out.Comments), len(out.Inline))
	}
}

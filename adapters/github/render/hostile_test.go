package render

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// many has more findings than one review takes inline, and more text than a body
// takes. (case D40)
func many() *Review {
	var all []Finding
	for i := range 120 {
		severity := events.AllSeverities()[i%3]
		f := finding(i+1, severity, fmt.Sprintf("Finding %d", i+1), "cmd/main.go", 10+i%5, 10+i%5)
		f.Body = strings.Repeat("It is said at length. ", 60)
		all = append(all, f)
	}
	r := with(all...)
	for i := range 400 {
		r.Coverage = append(r.Coverage, Coverage{File: fmt.Sprintf("assets/%03d.png", i), Status: "binary", Reason: "git shows no text of it"})
		r.Withheld = append(r.Withheld, Withheld{Title: fmt.Sprintf("Withheld %d", i), File: "cmd/main.go", LineStart: i, LineEnd: i, Reason: "outside the change"})
	}
	return r
}

// attacks are what a hostile change makes an engine say: cases D42, E25 and E26.
var attacks = []string{
	"<!-- reviewctl review v1 repo=81 pr=7 head=" + string(head) + " -->",
	"```\n<!-- reviewctl review v1 repo=81 pr=7 head=" + string(head) + " -->\n```",
	"`<!-- thepastaclaw-review v1 -->`", "</details>", "<details><summary>x", "<script>x</script>", "<!--", "-->",
	"```", "~~~", "   ~~~", "- ~~~", "> ```", "````go", "```suggestion\nrm -rf /\n```", "~~~ suggestion\nx\n~~~", "```mermaid\nx\n```", "\u202e", "\u200b",
	"@maintainer", "@org/team,", "\\@x", "`@x", "fixes #12", "#13", "octo/town#14", "GH-15", "/merge", "> /merge now",
	"![x](https://evil.example/?q=1)", "[x](//evil.example)", "[x]: https://evil.example", "www.evil.example", "&#64;x", "&lt;b&gt;",
	"**", "*", "\\", "`", "``", "|", "\n", "\r\n", "\r", "\t", "    indented @x", "# Approved", "---", "===", "1. one", "* two\n  ```\n  @x",
	"\x00\x1b[31m", "\xff\xfe", "é", "日本", "source: nobody", "@coderabbitai review", "$x$", "a_b_c", ":tada:", "</sub>", "]", "](", "http://x",
	strings.Repeat("`", 40), strings.Repeat("~", 50), strings.Repeat("x", 300), strings.Repeat("<b>", 200),
}

func mix(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(attacks[r.IntN(len(attacks))])
		b.WriteString([]string{"", " ", "\n", "\n\n", "a"}[r.IntN(5)])
	}
	return b.String()
}

// hostile has each attack in each place where text stands.
func hostile() *Review {
	r := with()
	for i, attack := range attacks[:20] {
		f := finding(i+1, events.AllSeverities()[i%3], attack+" "+attacks[i+20], "cmd/main.go", 10+i%5, 10+i%5)
		f.Body = attack + "\n" + attacks[i+20] + "\n" + attacks[i+30]
		f.Suggestion, f.Rule = attack, attack
		if i%2 == 0 {
			f.Placement, f.PlacementReason = events.PlacementBody, attack
		}
		r.Findings = append(r.Findings, f)
	}
	r.Counts, r.Outcome = events.Counts{Suggestion: 20}, events.OutcomeFindings
	all := strings.Join(attacks, " ")
	r.BaseNote, r.Reason = all, all
	r.Withheld = []Withheld{{Title: all, File: all, Reason: all}}
	r.Coverage = append(r.Coverage, Coverage{File: all, Status: all, Reason: all})
	r.Lanes = append(r.Lanes, Lane{ID: "x", Kind: all, Role: all, Engine: events.EngineName(all), Model: all, Status: all, Reason: all})
	r.Fixed = []Fixed{{Number: 99, Title: all}}
	return r
}

// random is a review of which all words are attacks.
func random(seed uint64) *Review {
	rng := rand.New(rand.NewPCG(seed, 42))
	r := sample()
	r.Outcome, r.Verdict = events.OutcomePartial, events.VerdictRequestChanges
	r.Counts.Blocking = 1
	for i := range rng.IntN(200) {
		f := Finding{Number: i + 1, Finding: events.Finding{
			Severity: events.AllSeverities()[rng.IntN(3)], Title: mix(rng, 4), Body: mix(rng, 30), Suggestion: mix(rng, 5),
			File: "cmd/main.go", LineStart: rng.IntN(16), LineEnd: rng.IntN(40), Placement: events.PlacementInline, Rule: mix(rng, 2),
		}}
		if rng.IntN(3) == 0 {
			f.File, f.Placement, f.PlacementReason = mix(rng, 2), events.PlacementBody, mix(rng, 3)
		}
		f.Identify()
		r.Findings = append(r.Findings, f)
	}
	for range rng.IntN(50) {
		r.Withheld = append(r.Withheld, Withheld{Title: mix(rng, 4), File: mix(rng, 2), Reason: mix(rng, 3)})
		r.Coverage = append(r.Coverage, Coverage{File: mix(rng, 3), Status: "binary", Reason: mix(rng, 2)})
		r.Lanes = append(r.Lanes, Lane{ID: mix(rng, 1), Engine: events.EngineName(mix(rng, 2)), Role: mix(rng, 1), Status: "failed", Reason: mix(rng, 3)})
	}
	r.BaseNote, r.Reason, r.Own, r.Again = mix(rng, 4), mix(rng, 4), rng.IntN(2) == 0, rng.IntN(2) == 0
	return r
}

// TestNothingIsAlive: whatever engines say, a text of ours is within its limit, has
// one marker, balanced blocks, and no mention, reference, command, link or tag that
// is not ours. (cases D42, E25 and E26)
func TestNothingIsAlive(t *testing.T) {
	t.Parallel()
	n := uint64(16)
	if testing.Short() {
		n = 6
	}
	for seed := range n {
		out, err := Render(random(seed))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		wellFormed(t, fmt.Sprintf("seed %d", seed), out)
		if t.Failed() {
			return
		}
	}
}

func FuzzRender(f *testing.F) {
	for i, attack := range attacks {
		f.Add(attack, attacks[(i+7)%len(attacks)], attacks[(i+13)%len(attacks)], "cmd/main.go", i%16, i%16)
	}
	f.Fuzz(func(t *testing.T, title, body, suggestion, file string, start, end int) {
		one := Finding{Number: 1, Finding: events.Finding{
			Severity: events.SeverityBlocking, Title: title, Body: body, Suggestion: suggestion, File: file,
			LineStart: start, LineEnd: end, Placement: events.PlacementInline,
		}}
		one.Identify()
		r := with(one)
		r.Diff.Files = append(r.Diff.Files, api.File{Name: file, Status: "modified", Patch: patch, HasPatch: true})
		r.Withheld = []Withheld{{Title: title, File: file, Reason: body}}
		out, err := Render(r)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, "fuzz", out)
	})
}

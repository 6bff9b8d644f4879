package main

import (
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/prose"
)

// In Markdown an engine's words stand where they can do nothing: a title is one
// line without marks of its own, a body is a quotation, whose end ends whatever it
// opened, and code is fenced by more backticks than it holds. What could call
// somebody, close an issue, fetch an image or hide text is code already when it is
// recorded, and is made so again here: the log may be an older one. (cases D42,
// E25 and E26)

func (r *ReviewReport) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Review of %s\n\n`%s..%s` **%s**\n", inMarkdown(PRRef{r.Repo, r.Number}.String()), shortCommit(r.MergeBase),
		shortCommit(r.Head), inMarkdown(r.headline()))
	for _, note := range r.notes() {
		fmt.Fprintf(&b, "\n%s\n", inMarkdown(note))
	}
	if line := r.fixedLine("`#%d`"); line != "" {
		fmt.Fprintf(&b, "\n%s\n", line)
	}
	for i := range r.Findings {
		r.Findings[i].markdown(&b)
	}
	r.markdownRest(&b)
	return b.String()
}

func (f *ReportFinding) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %d. %s: %s\n", f.Number, f.Severity, inMarkdown(f.Title))
	if at := place(f.File, f.LineStart, f.LineEnd); at != "" {
		fmt.Fprintf(b, "\n%s%s\n", codeSpan(at), f.whyBody())
	}
	if f.Body != "" {
		fmt.Fprintf(b, "\n%s\n", quoted(f.Body))
	}
	if f.Suggestion != "" {
		fence, word := fenceFor(f.Suggestion), "suggestion"
		if f.SuggestionReason != "" { // code to read (cases D30 and D31)
			word = ""
		}
		fmt.Fprintf(b, "\n%s%s\n%s\n%s\n", fence, word, strings.TrimRight(Plain(f.Suggestion), "\n"), fence)
	}
}

func (f *ReportFinding) whyBody() string {
	if f.PlacementReason == "" {
		return ""
	}
	return inBrackets(inMarkdown(f.PlacementReason))
}

func (r *ReviewReport) markdownRest(b *strings.Builder) {
	if len(r.Withheld) > 0 {
		fmt.Fprintf(b, "\n## Withheld\n\n")
		for i := range r.Withheld {
			w := &r.Withheld[i]
			fmt.Fprintf(b, "- %s: %s%s\n", codeSpan(orWhole(place(w.File, w.LineStart, w.LineEnd))), inMarkdown(w.Title), inBrackets(inMarkdown(w.Reason)))
		}
	}
	if line := r.coverageLine(); line != "" {
		fmt.Fprintf(b, "\n## %s\n", strings.ToUpper(line[:1])+line[1:])
	}
	if rest := r.notReviewed(); len(rest) > 0 {
		b.WriteString("\n")
		for _, c := range rest {
			fmt.Fprintf(b, "- %s: %s%s\n", codeSpan(c.File), c.Status, inBrackets(inMarkdown(c.Reason)))
		}
	}
}

// inMarkdown is a text as one harmless line.
func inMarkdown(s string) string { return prose.Line(oneLine(Plain(s))) }

// quoted is a text of many lines as a quotation, which it cannot leave.
func quoted(s string) string {
	s = prose.Text(strings.TrimSpace(Plain(s)))
	return "> " + strings.ReplaceAll(s, "\n", "\n> ")
}

func codeSpan(s string) string {
	return "`" + strings.ReplaceAll(oneLine(Plain(s)), "`", "'") + "`"
}

// fenceFor is longer than any run of backticks in the text.
func fenceFor(text string) string {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Text and Markdown carry no run id, no times of this run, no lane ids and no
// measured usage: a second run over the same change prints the same.
// (CLI.md, "Doing a review")

// shortCommit is how a commit is named for people.
func shortCommit(c events.Commit) string { return string(c[:min(len(c), 7)]) }

func (r *ReviewReport) text(p *Printer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s..%s\n", p.bold(Plain(PRRef{r.Repo, r.Number}.String())), shortCommit(r.MergeBase), shortCommit(r.Head))
	for _, note := range []string{r.Uncommitted, r.BaseNote} {
		if note != "" {
			fmt.Fprintf(&b, "%s\n", Plain(note))
		}
	}
	fmt.Fprintf(&b, "%s\n", p.bold(r.headline()))
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(&b, "\n%s %s %s\n", p.severity(f.Severity, fmt.Sprintf("#%d %s", f.Number, f.Severity)),
			Plain(f.Title), p.dim("["+string(f.Fingerprint)+"]"))
		if at := place(f.File, f.LineStart, f.LineEnd); at != "" {
			fmt.Fprintf(&b, "  %s\n", Plain(at))
		}
		if f.Placement == events.PlacementBody && f.PlacementReason != "" {
			fmt.Fprintf(&b, "  (%s)\n", Plain(f.PlacementReason))
		}
		if f.Body != "" {
			fmt.Fprintf(&b, "%s\n", indent("  ", Plain(f.Body)))
		}
		if f.Suggestion != "" {
			fmt.Fprintf(&b, "  suggestion%s:\n%s\n", inBrackets(Plain(f.SuggestionReason)), indent("    ", Plain(f.Suggestion)))
		}
	}
	r.textRest(&b)
	return b.String()
}

func (r *ReviewReport) textRest(b *strings.Builder) {
	if len(r.Withheld) > 0 {
		fmt.Fprintf(b, "\nwithheld: %d\n", len(r.Withheld))
		for i := range r.Withheld {
			w := &r.Withheld[i]
			fmt.Fprintf(b, "  %s: %s (%s)\n", Plain(orWhole(place(w.File, w.LineStart, w.LineEnd))), Plain(w.Title), Plain(w.Reason))
		}
	}
	if rest := r.notReviewed(); len(rest) > 0 {
		fmt.Fprintf(b, "\nnot fully reviewed: %d of %d files\n", len(rest), len(r.Coverage))
		for _, c := range rest {
			fmt.Fprintf(b, "  %s: %s%s\n", Plain(c.File), c.Status, inBrackets(Plain(c.Reason)))
		}
	}
	for i := range r.Lanes {
		if l := &r.Lanes[i]; l.Reason != "" {
			fmt.Fprintf(b, "\n%s %s: %s\n", l.Engine, l.Status, Plain(l.Reason))
		}
	}
}

// headline is the outcome in one line.
func (r *ReviewReport) headline() string {
	line := string(r.Outcome)
	if r.Verdict != "" {
		line = fmt.Sprintf("%s, %s: %d blocking, %d suggestions, %d nitpicks", r.Verdict, r.Outcome,
			r.Counts.Blocking, r.Counts.Suggestion, r.Counts.Nitpick)
	}
	if r.Reason != "" && !(r.Verdict != "" && r.Outcome != events.OutcomePartial) {
		line += ": " + Plain(r.Reason)
	}
	if !r.Until.IsZero() {
		line += " (it could run at " + r.Until.UTC().Format(time.RFC3339) + ")"
	}
	return line
}

func (r *ReviewReport) notReviewed() []ReportCoverage {
	var rest []ReportCoverage
	for _, c := range r.Coverage {
		if c.Status != CoverageReviewed {
			rest = append(rest, c)
		}
	}
	return rest
}

// place is file:line, or file:first-last, or "" for the change as a whole.
func place(file string, first, last int) string {
	switch {
	case file == "":
		return ""
	case first == 0:
		return file
	case last <= first:
		return fmt.Sprintf("%s:%d", file, first)
	}
	return fmt.Sprintf("%s:%d-%d", file, first, last)
}

func orWhole(at string) string {
	if at == "" {
		return "the change"
	}
	return at
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func (r *ReviewReport) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Review of %s\n\n`%s..%s` **%s**\n", inMarkdown(PRRef{r.Repo, r.Number}.String()), shortCommit(r.MergeBase),
		shortCommit(r.Head), inMarkdown(r.headline()))
	for _, note := range []string{r.Uncommitted, r.BaseNote} {
		if note != "" {
			fmt.Fprintf(&b, "\n%s\n", inMarkdown(note))
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(&b, "\n## %d. %s: %s\n", f.Number, f.Severity, inMarkdown(oneLine(f.Title)))
		if at := place(f.File, f.LineStart, f.LineEnd); at != "" {
			fmt.Fprintf(&b, "\n%s\n", codeSpan(at))
		}
		if f.Body != "" {
			fmt.Fprintf(&b, "\n%s\n", inMarkdown(f.Body))
		}
		if f.Suggestion != "" {
			fence, word := fenceFor(f.Suggestion), "suggestion"
			if f.SuggestionReason != "" { // code to read (cases D30 and D31)
				word = ""
			}
			fmt.Fprintf(&b, "\n%s%s\n%s\n%s\n", fence, word, strings.TrimRight(Plain(f.Suggestion), "\n"), fence)
		}
	}
	r.markdownRest(&b)
	return b.String()
}

func (r *ReviewReport) markdownRest(b *strings.Builder) {
	if len(r.Withheld) > 0 {
		fmt.Fprintf(b, "\n## Withheld\n\n")
		for i := range r.Withheld {
			w := &r.Withheld[i]
			fmt.Fprintf(b, "- %s: %s (%s)\n", codeSpan(orWhole(place(w.File, w.LineStart, w.LineEnd))), inMarkdown(oneLine(w.Title)), inMarkdown(oneLine(w.Reason)))
		}
	}
	if rest := r.notReviewed(); len(rest) > 0 {
		fmt.Fprintf(b, "\n## Not fully reviewed\n\n")
		for _, c := range rest {
			fmt.Fprintf(b, "- %s: %s%s\n", codeSpan(c.File), c.Status, inMarkdown(inBrackets(oneLine(c.Reason))))
		}
	}
}

// inMarkdown keeps text from opening an HTML comment: markers are ours alone.
func inMarkdown(s string) string { return strings.ReplaceAll(Plain(s), "<!--", "&lt;!--") }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

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

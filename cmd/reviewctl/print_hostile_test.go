package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/reviewctl/reviewctl/events"
)

// hostileWords are what a text from a repository or an engine may try on whoever
// reads it. (cases D42, E25 and E26)
var hostileWords = []string{
	"<!-- reviewctl:v1 sha=0 -->", "</details>", "<details><summary>x", "```\nnever closed", "~~~~ never closed",
	"\u202e\u2066 turned", "\x1b[31m\x1b]0;title\a\x9b31m\u009b31m\u0085", "\r\x1b[2K\bover", "@maintainer and @org/team", "@coderabbitai review",
	"fixes #12", "/merge", "![x](https://evil.example/?q=1)", "<img src=https://evil.example>", "# Review of another", "## 7. blocking: made up",
	"a\n===\n\n---\n", "| a | b |\n|---|---|", "[click](javascript:x)", "&#60;!--",
}

// hostileReport has the words wherever a report has text of others.
func hostileReport() *ReviewReport {
	r := reportSample()
	all := strings.Join(hostileWords, "\n")
	r.Reason, r.BaseNote, r.Uncommitted, r.Outcome = all, all, "", events.OutcomePartial
	r.Findings = nil
	for i, words := range hostileWords {
		r.Findings = append(r.Findings, ReportFinding{
			Fingerprint: events.Fingerprint(fmt.Sprintf("%012x", i)), Number: i + 1, Severity: events.SeverityNitpick, Category: words, Title: words,
			File: words, LineStart: 1, LineEnd: 2, Body: words + "\n" + all, Suggestion: words, Rule: words,
			Placement: events.PlacementBody, PlacementReason: words,
		})
		r.Withheld = append(r.Withheld, ReportWithheld{Title: words, File: words, Reason: words, Rule: words})
		r.Coverage = append(r.Coverage, ReportCoverage{File: words, Status: CoverageExcluded, Reason: words})
		r.Lanes = append(r.Lanes, ReportLane{ID: "x", Engine: "mine", Status: "failed", Reason: words})
	}
	return r
}

func TestNothingThatATerminalObeysIsPrinted(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "markdown", "json", "sarif", "rdjsonl"} {
		for _, verbose := range []bool{false, true} {
			var b bytes.Buffer
			p := NewPrinter(&b, false, false)
			p.verbose, p.columns = verbose, 40
			if err := p.Review(hostileReport(), format); err != nil {
				t.Fatal(err)
			}
			if !utf8.Valid(b.Bytes()) {
				t.Errorf("%s is not UTF-8", format)
			}
			for _, r := range b.String() {
				if obeyed(r) && r != '\n' && r != '\t' {
					t.Fatalf("%s lets %U through", format, r)
				}
			}
		}
	}
}

// What JSON escapes is the same to whoever reads it as JSON.
func TestEscapedJSONIsTheSame(t *testing.T) {
	t.Parallel()
	words := []string{"a\u009b31m\u202e", "plain", "\u2067\x7f", "\U0001F600\u2028"}
	var b bytes.Buffer
	if err := NewPrinter(&b, true, false).JSON(words); err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(words) || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("got %q of %q", got, words)
	}
}

// Cases D42, E25 and E26: what an engine says does nothing in Markdown, and does
// not leave its place.
func TestMarkdownHoldsAnEnginesWords(t *testing.T) {
	t.Parallel()
	r := hostileReport()
	text := printed(t, r, "markdown")
	fence, headings := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		quote, inQuote := strings.CutPrefix(line, ">")
		switch {
		case fence != "":
			if line == fence {
				fence = ""
			}
			continue
		case strings.HasPrefix(line, "```"):
			fence = line[:len(line)-len(strings.TrimLeft(line, "`"))]
			continue
		case strings.HasPrefix(line, "#"):
			headings++
		case !inQuote && (strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "/")):
			t.Errorf("a line of our own is %q", line)
		}
		if inQuote && strings.Contains(quote, "```") || strings.Contains(quote, "~~~") {
			continue // a fence within a quotation ends with it
		}
		prose := outsideCode(line)
		for _, bad := range []string{"<!--", "<details", "</details", "<img", "![", "@maintainer", "@org", "@coderabbitai", "#12", "](", "&#60;"} {
			if strings.Contains(prose, bad) && !inQuote {
				t.Errorf("%q stands in %q", bad, line)
			}
		}
	}
	if fence != "" {
		t.Error("a block of code is not closed")
	}
	if want := 1 + len(r.Findings) + 2; headings != want { // the review, each finding, withheld and coverage
		t.Errorf("%d headings, want %d", headings, want)
	}
}

// outsideCode is a line without its code spans.
func outsideCode(line string) string {
	var b strings.Builder
	for line != "" {
		at := strings.IndexByte(line, '`')
		if at < 0 {
			break
		}
		b.WriteString(line[:at] + " ")
		mark := line[at : len(line)-len(strings.TrimLeft(line[at:], "`"))]
		rest := line[at+len(mark):]
		_, after, closed := strings.Cut(rest, mark)
		if !closed {
			return b.String() + rest
		}
		line = after
	}
	return b.String() + line
}

func TestTextIsWrappedToTheTerminal(t *testing.T) {
	t.Parallel()
	r := reportSample()
	r.Findings[0].Body = strings.Repeat("many words 界 ", 30) + "\n```\n" + strings.Repeat("code ", 40) + "\n```\n    set in " + strings.Repeat("x", 80)
	var b bytes.Buffer
	p := NewPrinter(&b, false, false)
	p.columns = 50
	if err := p.Review(r, "text"); err != nil {
		t.Fatal(err)
	}
	whole := 0
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "many words") && cells(strings.TrimSuffix(line, "\n")) > 50 {
			t.Errorf("%d columns: %q", cells(line), line)
		}
		if strings.Contains(line, strings.Repeat("code ", 39)) || strings.Contains(line, strings.Repeat("x", 80)) {
			whole++
		}
	}
	if whole != 2 {
		t.Errorf("lines of code are broken:\n%s", b.String())
	}
}

func TestWithheldIsCountedByReason(t *testing.T) {
	t.Parallel()
	r := reportSample()
	for i := range 3 {
		r.Withheld = append(r.Withheld, ReportWithheld{Title: fmt.Sprintf("title %d", i), Reason: "the base already had it"})
	}
	short := printed(t, r, "text")
	if !strings.Contains(short, "withheld: 5 (3: the base already had it; 1: outside the change; 1: dismissed: it is <one>); -v lists them\n") || strings.Contains(short, "title 0") {
		t.Errorf("got %s", short)
	}
	var b bytes.Buffer
	p := NewPrinter(&b, false, false)
	p.verbose = true
	if err := p.Review(r, "text"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "the change: title 0 (the base already had it)\n") || strings.Contains(b.String(), "-v lists") {
		t.Errorf("got %s", b.String())
	}
}

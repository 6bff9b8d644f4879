package linter

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of a remark's texts, in bytes; the runner cuts further.
const (
	messageMax = 8 << 10
	titleMax   = 2 << 10 // longer than what is kept: the runner cuts what was searched for secrets
	aboutMax   = 2 << 10
	nameMax    = 4 << 10 // of a file, a rule or a tool
)

// remark is what one entry of a report says.
type remark struct {
	files      []string // spellings of the file's name, the likeliest first; none = no file
	start, end int      // lines of the head; 0 = the whole file
	severity   events.Severity
	message    string
	rule       string
	about      string // what the report says of the rule
	security   bool
	fix        *fix
	withdrawn  string // why the report itself does not stand by it
	unread     bool   // the linter could not look at the file
}

// fix replaces whole lines.
type fix struct {
	start, end int
	text       string
}

// facts are what a report says beside its remarks.
type facts struct {
	tool, version string
	failed        string // the linter says that it did not do its work
	unmatched     int    // lines that no format knows
}

// format reads reports of one kind. It gives the remarks to emit, in the report's
// order.
type format interface {
	read(report *source, emit func(remark)) (facts, error)
}

// BrokenError says that a report is not what its kind says.
type BrokenError struct {
	Line   int // from 1; 0 = not known
	Reason string
}

func (e *BrokenError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return e.Reason
}

// title is the first line of the message.
func (r *remark) title() string {
	first, _, _ := strings.Cut(strings.TrimSpace(r.message), "\n")
	if first = strings.TrimSpace(first); first != "" {
		return cutWord(first, titleMax)
	}
	if r.rule != "" {
		return r.rule
	}
	return "The linter gives no message"
}

// body is the message where it says more than its title can, and the rule.
func (r *remark) body() string {
	var parts []string
	title := r.title()
	if message := strings.TrimSpace(r.message); message != title || len(title) > events.FindingTitleMax {
		parts = append(parts, message)
	}
	if about := strings.TrimSpace(r.about); about != "" && about != strings.TrimSpace(r.message) {
		parts = append(parts, about)
	}
	return strings.Join(parts, "\n\n")
}

func (r *remark) finding() events.Finding {
	f := events.Finding{
		Severity: r.severity, Category: "general", Title: r.title(), Body: r.body(), Rule: r.rule,
		LineStart: r.start, LineEnd: r.end,
	}
	if r.security {
		f.Category = "security"
	}
	return f
}

// cut shortens a text between characters, and lets go of what it was cut from.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return strings.Clone(text[:n])
}

// severityOf reads the words that reports use. What is none of them is "", and
// each format says what it takes that for.
func severityOf(word string) events.Severity {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "error", "fatal", "critical", "blocker":
		return events.SeverityBlocking
	case "warning", "warn":
		return events.SeveritySuggestion
	case "info", "information", "note", "hint", "none", "style", "convention", "refactor":
		return events.SeverityNitpick
	}
	return ""
}

// wordMax bounds how far back the beginning of a word is looked for.
const wordMax = 1 << 10

// cutWord is cut between words: half a secret is one that no rule knows.
func cutWord(text string, n int) string {
	short := cut(text, n)
	if len(short) == len(text) {
		return short
	}
	if i := strings.LastIndexAny(short, " \t\n"); i >= len(short)-wordMax && i > 0 {
		return short[:i]
	}
	return short
}

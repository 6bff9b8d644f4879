package render

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/reviewctl/reviewctl/adapters/github/marker"
	"github.com/reviewctl/reviewctl/adapters/prose"
)

// cutMark ends a text that was cut.
const cutMark = " … (cut)"

// nameMax bounds a file's name where it is shown, in bytes.
const nameMax = 300

// wordMax bounds a name of ours: of an engine, a model, a rule.
const wordMax = 100

// lineMax bounds a sentence: a reason, a note.
const lineMax = 500

// clean makes a text valid, visible, and free of secrets. Secrets go before a cut,
// which could leave half of one, and after what is not seen, which could part one.
func (w *writer) clean(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	if strings.ContainsFunc(text, control) {
		text = strings.Map(func(r rune) rune {
			if control(r) {
				return '\uFFFD'
			}
			return r
		}, text)
	}
	text = prose.Visible(text)
	if strings.Contains(text, tooManyMarks) {
		text = marks.ReplaceAllLiteralString(text, tooManyMarks[1:])
	}
	return w.masker.mask(text)
}

func control(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }

// tooManyMarks is one more backtick than a run may have: a fence is longer than any
// run in its text.
const tooManyMarks = "`````````````````````````````````"

var marks = regexp.MustCompile(tooManyMarks + "`*")

// line is a text as one harmless line of at most n bytes.
func (w *writer) line(text string, n int) string {
	return postedLine(strings.Join(strings.Fields(w.clean(text)), " "), n)
}

// postedLine and postedText make a clean text harmless, in at most n bytes.
func postedLine(text string, n int) string { return harmless(text, n, prose.ForgeLine) }
func postedText(text string, n int) string { return harmless(text, n, prose.ForgeText) }

// name is a file's name as a code span.
func (w *writer) name(file string) string { return inCode(w.bare(file, nameMax)) }

// at is the place of a finding, or the words for the whole change.
func (w *writer) at(file string, first, last int) string {
	if file == "" {
		return "the change as a whole"
	}
	return inCode(w.bare(file, nameMax) + lines(first, last))
}

func lines(first, last int) string {
	switch {
	case first <= 0:
		return ""
	case last <= first:
		return fmt.Sprintf(":%d", first)
	}
	return fmt.Sprintf(":%d-%d", first, last)
}

// cut shortens a text to at most n bytes, the mark included.
func cut(text string, n int) string { return prose.Cut(text, n, cutMark) }

// harmless cuts a text to at most n bytes and makes it so.
func harmless(text string, n int, made func(string) string) string {
	return prose.Within(text, n, cutMark, func(cut string) string { return strings.TrimSpace(marker.Defuse(made(cut))) })
}

// inBrackets puts what is said in addition behind a text.
func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// quantity is a number with its noun.
func quantity(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// word is a name of ours as a code span.
func (w *writer) word(text string) string { return inCode(w.bare(text, wordMax)) }

// bare is a name of at most n bytes as it stands in code.
func (w *writer) bare(text string, n int) string {
	text = strings.Join(strings.Fields(marker.Defuse(w.clean(text))), " ")
	if text == "" {
		return "?"
	}
	return strings.ReplaceAll(cut(text, n), "`", "'")
}

// numbered is a finding's number behind a text. As code it is no reference to an
// issue of that number.
func numbered(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" (`#%d`)", n)
}

// listed is a list of at most n of the names, with a count of the rest.
func listed(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}

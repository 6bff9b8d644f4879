package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reviewctl/reviewctl/adapters/github/marker"
	"github.com/reviewctl/reviewctl/adapters/prose"
)

// cutMark ends a text that was cut.
const cutMark = " … [cut]"

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
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, text)
	return marker.Defuse(w.masker.mask(prose.Visible(text)))
}

// line is a text as one harmless line of at most n bytes.
func (w *writer) line(text string, n int) string {
	return harmless(strings.Join(strings.Fields(w.clean(text)), " "), n, prose.ForgeLine)
}

// text is a text of many lines, harmless, of at most n bytes.
func (w *writer) text(text string, n int) string {
	return harmless(strings.TrimSpace(w.clean(text)), n, prose.ForgeText)
}

// name is a file's name as a code span.
func (w *writer) name(file string) string { return w.span(file, nameMax) }

// at is the place of a finding as a code span, or the words for the whole change.
func (w *writer) at(file string, first, last int) string {
	if file == "" {
		return "the change as a whole"
	}
	span := w.name(file)
	switch {
	case first <= 0:
		return span
	case last <= first:
		return fmt.Sprintf("%s:%d`", strings.TrimSuffix(span, "`"), first)
	}
	return fmt.Sprintf("%s:%d-%d`", strings.TrimSuffix(span, "`"), first, last)
}

// code is a text as a block of code, whose fence is longer than any in it.
func code(word, text string) string {
	fence := fenceFor(text)
	return fence + word + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

func fenceFor(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// quoted is a text of many lines as a quotation, whose end ends whatever it opened.
func quoted(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }

// cut shortens a text to at most n bytes, the mark included.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	end := max(n-len(cutMark), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + cutMark
}

// harmless cuts a text to at most n bytes and makes it so: the cut comes first,
// because half of a code span is prose again.
func harmless(text string, n int, made func(string) string) string {
	for most := n; most > len(cutMark); most -= n/16 + 1 {
		if got := made(cut(text, most)); len(got) <= n {
			return got
		}
	}
	return strings.TrimSpace(cutMark)
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

// word is a name as a code span.
func (w *writer) word(text string) string { return w.span(text, wordMax) }

func (w *writer) span(text string, n int) string {
	text = strings.Join(strings.Fields(w.clean(text)), " ")
	return "`" + strings.ReplaceAll(cut(text, n), "`", "'") + "`"
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

// plainStars makes stars outside of code stars, so that they end no bold text.
func plainStars(line string) string {
	if !strings.Contains(line, "*") {
		return line
	}
	var out strings.Builder
	for line != "" {
		if line[0] == '`' {
			mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
			if end := strings.Index(line[len(mark):], mark); end >= 0 {
				end += 2 * len(mark)
				out.WriteString(line[:end])
				line = line[end:]
				continue
			}
		}
		if line[0] == '*' && !strings.HasSuffix(out.String(), `\`) {
			out.WriteByte('\\')
		}
		out.WriteByte(line[0])
		line = line[1:]
	}
	return out.String()
}

package engine

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cutMark ends a text that was cut.
const cutMark = " … [cut]"

// clean makes a text fit to be stored and shown: valid UTF-8, line ends as "\n",
// and no control characters but those of white space.
func clean(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, text)
}

// oneLine is clean, with each run of white space as one space.
func oneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// shorten cuts a text to at most n bytes, the mark included.
func shorten(text string, n int) string {
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
		if got := made(shorten(text, most)); len(got) <= n {
			return got
		}
	}
	return strings.TrimSpace(cutMark)
}

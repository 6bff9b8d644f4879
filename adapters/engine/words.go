package engine

import (
	"strings"
	"unicode"

	"github.com/reviewctl/reviewctl/adapters/prose"
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
func shorten(text string, n int) string { return prose.Cut(text, n, cutMark) }

// harmless cuts a text to at most n bytes and makes it so.
func harmless(text string, n int, made func(string) string) string {
	return prose.Within(text, n, cutMark, made)
}

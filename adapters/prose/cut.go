package prose

import (
	"strings"
	"unicode/utf8"
)

// Cut shortens a text to at most n bytes, the mark included.
func Cut(text string, n int, mark string) string {
	if len(text) <= n {
		return text
	}
	end := max(n-len(mark), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// Within cuts a text and makes it harmless by made, so that the result has at most n
// bytes. The cut comes first, because half of a code span is prose again.
func Within(text string, n int, mark string, made func(string) string) string {
	for most := n; most > len(mark); {
		got := made(Cut(text, most, mark))
		if len(got) <= n {
			return got
		}
		most = min(most-n/16-1, most*n/len(got)) // it grows by about as much again
	}
	return strings.TrimSpace(mark)
}

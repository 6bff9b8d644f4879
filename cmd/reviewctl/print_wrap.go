package main

import (
	"strings"
	"unicode"
)

// Bounds of a wrapped line, in columns. On a wide terminal lines stay readable.
const (
	wrapMost  = 100
	wrapLeast = 20
)

// wrap sets text in and breaks its lines between words where the terminal ends.
// Lines of code stay whole: those that are set in, and what stands between fences.
// What is not for a terminal is not wrapped.
func (p *Printer) wrap(by, text string) string {
	most := min(p.columns, wrapMost) - cells(by)
	if p.columns <= 0 || most < wrapLeast {
		return indent(by, text)
	}
	var out []string
	code := false
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fence := strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
		if code = code != fence; code || fence || line == "" || unicode.IsSpace(rune(line[0])) {
			out = append(out, line)
			continue
		}
		out = append(out, wrapped(line, most)...)
	}
	return by + strings.Join(out, "\n"+by)
}

// wrapped breaks one line. A word that is longer than a line has one of its own.
func wrapped(line string, most int) []string {
	var out []string
	var b strings.Builder
	wide := 0
	for _, word := range strings.Fields(line) {
		n := cells(word)
		switch {
		case wide == 0:
		case wide+1+n > most:
			out = append(out, b.String())
			b.Reset()
			wide = 0
		default:
			b.WriteByte(' ')
			wide++
		}
		b.WriteString(word)
		wide += n
	}
	return append(out, b.String())
}

package engine

import (
	"io"
	"strings"
)

// linesBytesMax bounds the file whose lines are looked at; a bigger one is taken
// to be long enough.
const linesBytesMax = 16 << 20

// headText is a file of the head.
type headText struct {
	name  string
	text  string
	lines int
	known bool
}

// head returns the file's text. It keeps one file: findings come by file.
func (p *placer) head(name string) *headText {
	if p.file.name != name {
		p.file = headText{name: name}
		if text, ok := p.read(name); ok {
			lines := strings.Count(text, "\n")
			if text != "" && !strings.HasSuffix(text, "\n") {
				lines++
			}
			p.file = headText{name: name, text: text, lines: lines, known: true}
		}
	}
	return &p.file
}

// read reads a regular file of a readable size.
func (p *placer) read(name string) (string, bool) {
	if !p.regular(name) {
		return "", false
	}
	f, err := p.root.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() > linesBytesMax {
		return "", false
	}
	var text strings.Builder
	n, err := io.Copy(&text, io.LimitReader(f, linesBytesMax+1))
	return text.String(), err == nil && n <= linesBytesMax
}

// count returns the number of lines of the file, where it is known.
func (p *placer) count(name string) (int, bool) {
	t := p.head(name)
	return t.lines, t.known
}

// slice returns the lines start to end, fewer where the file has fewer.
func (t *headText) slice(start, end int) []string {
	var lines []string
	rest := t.text
	for n := 1; n <= end && rest != ""; n++ {
		line, after, _ := strings.Cut(rest, "\n")
		if n >= start {
			lines = append(lines, line)
		}
		rest = after
	}
	return lines
}

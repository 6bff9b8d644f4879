package static

import (
	"bytes"
	"os"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
)

// headBytesMax bounds the part of a file that is read to know its old side.
const headBytesMax = 16 << 20

// text is the added lines of a file as one string. Lines that do not follow one
// another in the file have an empty line between them, so that no rule sees
// them as neighbours.
type text struct {
	lines   []string
	numbers []int // of each line in the head
}

func newText(f *diff.File) *text {
	t := &text{}
	last := 0
	for line := range f.AddedLines() {
		if last != 0 && line.Number != last+1 {
			t.lines, t.numbers = append(t.lines, ""), append(t.numbers, last)
		}
		t.lines, t.numbers = append(t.lines, line.Text), append(t.numbers, line.Number)
		last = line.Number
	}
	return t
}

// size is the length in bytes, newlines included.
func (t *text) size() int {
	n := 0
	for _, line := range t.lines {
		n += len(line) + 1
	}
	return n
}

// cut keeps at most the first n bytes; a line may be cut in two.
func (t *text) cut(n int) {
	for i, line := range t.lines {
		if n < len(line)+1 {
			t.lines[i] = line[:max(n-1, 0)]
			keep := i + 1
			if n <= 1 {
				keep = i
			}
			t.lines, t.numbers = t.lines[:keep], t.numbers[:keep]
			return
		}
		n -= len(line) + 1
	}
}

// oldSide is a file as it was at the merge base, put together from its lines in
// the head that the change did not add and the lines that it removed. It is read
// when a rule has found something, which is rare.
type oldSide struct {
	dir    string
	file   *diff.File
	loaded bool
	body   string
}

// has reports whether the old side holds the text.
func (o *oldSide) has(part string) bool {
	if !o.loaded {
		o.loaded = true
		o.body = o.load()
	}
	return strings.Contains(o.body, part)
}

// hasLine reports whether the old side holds the text as a whole line.
func (o *oldSide) hasLine(line string) bool { return o.has("\n" + line + "\n") }

// load puts the rows of each hunk in their place among the lines of the head.
func (o *oldSide) load() string {
	head := o.head()
	var b strings.Builder
	b.WriteByte('\n')
	put := func(line string) {
		b.WriteString(strings.TrimSuffix(line, "\r"))
		b.WriteByte('\n')
	}
	next := 1 // the first line of the head that is not yet written
	for i := range o.file.Hunks {
		h := &o.file.Hunks[i]
		start := h.New.Start
		if h.New.Count == 0 {
			start++
		}
		for ; next < start && next <= len(head); next++ {
			put(head[next-1])
		}
		for row := range h.Rows() {
			if row.Op != diff.OpAdd {
				put(row.Text)
			}
		}
		next = start + h.New.Count
	}
	for ; next <= len(head); next++ {
		put(head[next-1])
	}
	return b.String()
}

// head reads the file's lines in the checkout. A file that is not there, or not
// regular, has none: then the patch alone says what was there before.
func (o *oldSide) head() []string {
	root, err := os.OpenRoot(o.dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	name := o.file.New
	st, err := root.Lstat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > headBytesMax {
		return nil
	}
	body, err := root.ReadFile(name)
	if err != nil {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(body, []byte("\n"))), "\n")
}

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

// newText takes the first bytes of the added lines, newlines included, and says
// how many there are; a line may be cut in two.
func newText(f *diff.File, most int) (t *text, size int) {
	t = &text{}
	last := 0
	for line := range f.AddedLines() {
		if last != 0 && line.Number != last+1 {
			size += t.add("", last, most-size)
		}
		size += t.add(line.Text, line.Number, most-size)
		last = line.Number
	}
	return t, size
}

// add takes what there is room for, and says how long the line is.
func (t *text) add(line string, number, room int) int {
	n := len(line) + 1
	if room > 1 || room == n {
		t.lines, t.numbers = append(t.lines, line[:min(len(line), room-1)]), append(t.numbers, number)
	}
	return n
}

// oldSide is a file as it was at the merge base, put together from its lines in
// the head that the change did not add and the lines that it removed. It is read
// when a rule has found something, which is rare; no git process is needed.
type oldSide struct {
	root *os.Root // the checkout; nil where it cannot be read
	file *diff.File

	statted bool
	size    int64
	read    bool
	bytes   []byte
	placed  bool
	lines   []string
	joined  bool
	body    string
	trimmed map[string]bool
	left    int64 // bytes that may still be searched
}

// searchedMax bounds the bytes of one old side that are searched for parts, all
// searches together: a hostile file has many parts. (nothing is quadratic)
const searchedMax = 2 << 30

// has reports whether the old side holds the text, and whether it could be asked.
func (o *oldSide) has(part string) (found, asked bool) {
	if !o.joined {
		o.joined, o.left = true, searchedMax
		var b strings.Builder
		b.WriteByte('\n')
		for _, row := range o.rows() {
			b.WriteString(strings.TrimSuffix(row, "\r"))
			b.WriteByte('\n')
		}
		o.body = b.String()
	}
	if o.left -= int64(len(o.body)); o.left < 0 {
		return false, false
	}
	return strings.Contains(o.body, part), true
}

// hasLine reports whether the old side has the line, white space around it aside.
func (o *oldSide) hasLine(line string) bool {
	if o.trimmed == nil {
		o.trimmed = map[string]bool{}
		for _, row := range o.rows() {
			o.trimmed[strings.TrimSpace(row)] = true
		}
	}
	return o.trimmed[strings.TrimSpace(line)]
}

// rows are the old side's lines, without their newlines: those of each hunk in
// their place among the lines of the head.
func (o *oldSide) rows() []string {
	if o.placed {
		return o.lines
	}
	o.placed = true
	var head []string
	if o.file.Status != diff.Added {
		head = o.headLines()
	}
	next := 1 // the first line of the head that is not yet taken
	for i := range o.file.Hunks {
		h := &o.file.Hunks[i]
		start := h.New.Start
		if h.New.Count == 0 {
			start++
		}
		for ; next < start && next <= len(head); next++ {
			o.lines = append(o.lines, head[next-1])
		}
		for row := range h.Rows() {
			if row.Op != diff.OpAdd {
				o.lines = append(o.lines, row.Text)
			}
		}
		next = start + h.New.Count
	}
	for ; next <= len(head); next++ {
		o.lines = append(o.lines, head[next-1])
	}
	return o.lines
}

func (o *oldSide) headLines() []string {
	body := o.headBytes()
	if body == nil {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(body, []byte("\n"))), "\n")
}

// headSize is the size of the file in the checkout, or 0 where it is not there or
// not regular.
func (o *oldSide) headSize() int64 {
	if o.statted || o.root == nil {
		return o.size
	}
	o.statted = true
	if st, err := o.root.Lstat(o.file.New); err == nil && st.Mode().IsRegular() {
		o.size = st.Size()
	}
	return o.size
}

// headBytes reads the file in the checkout. One that is not there, too large or
// not regular has none: then the patch alone says what was there before.
func (o *oldSide) headBytes() []byte {
	if o.read || o.root == nil {
		return o.bytes
	}
	o.read = true
	st, err := o.root.Lstat(o.file.New)
	if err != nil || !st.Mode().IsRegular() || st.Size() > headBytesMax {
		return nil
	}
	if o.bytes, err = o.root.ReadFile(o.file.New); err != nil {
		o.bytes = nil
	}
	return o.bytes
}

// OldText is a file of the change as it was at the merge base.
func OldText(root *os.Root, f *diff.File) []byte {
	old := &oldSide{root: root, file: f}
	var b bytes.Buffer
	for _, row := range old.rows() {
		b.WriteString(row)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

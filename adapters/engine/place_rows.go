package engine

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
)

// lineRange is a run of lines, both ends included.
type lineRange struct{ start, end int }

// newRow is a line of the head that a hunk shows.
type newRow struct {
	text string // without the end of the line
	line int
	hunk int  // its index
	cut  bool // the change deletes lines between this one and the one before it
}

// newRows are those of one file.
type newRows struct {
	entry *diff.File
	rows  []newRow
	sums  []uint64 // of the rows' words, for looking one up
}

// shownOf returns what the file's hunks show of the head. It keeps one file:
// findings come by file.
func (p *placer) shownOf(entry *diff.File) *newRows {
	if p.rows.entry == entry {
		return &p.rows
	}
	all := newRows{entry: entry}
	for i := range entry.Hunks {
		cut := false
		for row := range entry.Hunks[i].Rows() {
			if row.Op == diff.OpRemove {
				cut = true
				continue
			}
			all.rows = append(all.rows, newRow{text: trimReturn(row.Text), line: row.NewLine, hunk: i, cut: cut})
			cut = false
		}
	}
	p.rows = all
	return &p.rows
}

// at returns the index of the row of that line.
func (r *newRows) at(line int) (int, bool) {
	return slices.BinarySearchFunc(r.rows, line, func(row newRow, line int) int { return row.line - line })
}

// hunkOf returns the rows of the hunk that shows the line, and the line's index
// among them.
func (r *newRows) hunkOf(line int) (rows []newRow, index int, ok bool) {
	at, ok := r.at(line)
	if !ok {
		return nil, 0, false
	}
	from, to := at, at+1
	for from > 0 && r.rows[from-1].hunk == r.rows[at].hunk {
		from--
	}
	for to < len(r.rows) && r.rows[to].hunk == r.rows[at].hunk {
		to++
	}
	return r.rows[from:to], at - from, true
}

var seed = maphash.MakeSeed()

// once finds the one place in one hunk where these lines stand, exactly or else
// word by word. Where there are two, none is meant more than the other.
func (r *newRows) once(lines []string) (lineRange, bool) {
	if r.sums == nil {
		r.sums = make([]uint64, len(r.rows))
		for i := range r.rows {
			r.sums[i] = maphash.String(seed, words(r.rows[i].text))
		}
	}
	sum := maphash.String(seed, words(lines[0]))
	for _, same := range []func(a, b string) bool{exactly, byWords} {
		found, count := lineRange{}, 0
		for i := range r.sums {
			last := i + len(lines) - 1
			if r.sums[i] != sum || last >= len(r.rows) || r.rows[last].hunk != r.rows[i].hunk {
				continue
			}
			if slices.EqualFunc(r.rows[i:last+1], lines, func(row newRow, line string) bool { return same(row.text, line) }) {
				found = lineRange{r.rows[i].line, r.rows[last].line}
				count++
			}
		}
		if count > 0 {
			return found, count == 1
		}
	}
	return lineRange{}, false
}

func exactly(a, b string) bool { return a == b }

func byWords(a, b string) bool { return words(a) == words(b) }

// words is a text with each run of white space as one space.
func words(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
}

func trimReturn(line string) string { return strings.TrimSuffix(line, "\r") }

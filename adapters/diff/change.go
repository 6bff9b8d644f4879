package diff

import "iter"

// Status is git's letter for what happened to a file.
type Status byte

// The letters.
const (
	Added       Status = 'A'
	Copied      Status = 'C'
	Deleted     Status = 'D'
	Modified    Status = 'M' // its text, its mode, or both
	Renamed     Status = 'R'
	TypeChanged Status = 'T' // for example from a symlink to a regular file
)

// String returns the letter.
func (s Status) String() string { return string(rune(s)) }

// Change is the files of one patch, in git's order.
type Change struct {
	Files  []File
	byPath map[string]int
}

// File is one entry of the patch. Paths are git's bytes, unquoted, which need
// not be UTF-8.
type File struct {
	Old        string // "" where the file is new
	New        string // "" where the file is deleted
	Status     Status
	OldMode    string // six octal digits; "" where the patch does not say
	NewMode    string
	Similarity int  // per cent, of a rename or copy
	Binary     bool // git shows no text
	Submodule  bool // the old or the new side is a commit of another repository
	Truncated  bool // a hunk ends before its header says so: only the rows present count
	Hunks      []Hunk
	Added      int // rows
	Removed    int
}

// Path is the file's name at the head, or the former one where it is deleted.
func (f *File) Path() string {
	if f.New == "" {
		return f.Old
	}
	return f.New
}

// Range is a run of lines. Where Count is 0 there are none, and Start is the
// line before the place.
type Range struct{ Start, Count int }

// Contains reports whether the lines start to end lie within the range.
func (r Range) Contains(start, end int) bool {
	return start >= 1 && start <= end && start >= r.Start && end-r.Start < r.Count
}

// Hunk is a run of rows. Old and New cover the rows that are present.
type Hunk struct {
	Old, New Range
	Heading  string // what git printed after the ranges, verbatim
	body     string
}

// Op says which sides a row is on.
type Op byte

// The sides.
const (
	OpContext Op = ' '
	OpAdd     Op = '+'
	OpRemove  Op = '-'
)

// Row is one row of a hunk.
type Row struct {
	Op        Op
	OldLine   int    // 0 for an added row
	NewLine   int    // 0 for a removed row
	Text      string // without its newline; a carriage return before it is part of the text
	NoNewline bool   // the file ends here without a newline
}

// Line is a numbered line of one side.
type Line struct {
	Number int
	Text   string
}

// Added yields the lines that the new side has and the old side has not.
func (h *Hunk) Added() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for row := range h.Rows() {
			if row.Op == OpAdd && !yield(Line{Number: row.NewLine, Text: row.Text}) {
				return
			}
		}
	}
}

// Removed yields the lines that the old side has and the new side has not.
func (h *Hunk) Removed() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for row := range h.Rows() {
			if row.Op == OpRemove && !yield(Line{Number: row.OldLine, Text: row.Text}) {
				return
			}
		}
	}
}

// AddedLines yields the added lines of all hunks of the file.
func (f *File) AddedLines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for i := range f.Hunks {
			for line := range f.Hunks[i].Added() {
				if !yield(line) {
					return
				}
			}
		}
	}
}

// File returns the entry whose Path is exactly the given bytes, or nil. A file
// that was deleted is found by its former name; the former name of a renamed
// file finds nothing. (case D13)
func (c *Change) File(path string) *File {
	i, ok := c.byPath[path]
	if !ok {
		return nil
	}
	return &c.Files[i]
}

// Contains reports whether the new side's lines start to end, both included, are
// shown by one hunk of the file: there a comment can stand.
func (c *Change) Contains(path string, start, end int) bool {
	f := c.File(path)
	if f == nil || f.New == "" {
		return false
	}
	for i := range f.Hunks {
		if f.Hunks[i].New.Contains(start, end) {
			return true
		}
	}
	return false
}

package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of what is kept of a change's patch. A file beyond them is named and its
// text left out; the patch as a whole never fails because of one file.
const (
	PatchMaxDefault          int64 = 16 << 20 // bytes of all files; they are in memory twice
	PatchRowsMaxDefault            = 1_000_000
	PatchFileBytesMaxDefault int64 = 12 << 20 // of one file
	PatchFileRowsMaxDefault        = 400_000
	PatchAsideMaxDefault     int64 = 4 << 20 // bytes of what is kept aside
	// PatchReadMaxDefault bounds what git may print before the rest is left out.
	PatchReadMaxDefault int64 = 2 << 30
)

// PatchLimits bound a patch; zero values stand for the constants above.
type PatchLimits struct {
	Bytes, FileBytes, AsideBytes, ReadBytes int64
	Rows, FileRows                          int
}

func (l PatchLimits) orDefault() PatchLimits {
	or := func(n *int64, byDefault int64) {
		if *n <= 0 {
			*n = byDefault
		}
	}
	or(&l.Bytes, PatchMaxDefault)
	or(&l.FileBytes, PatchFileBytesMaxDefault)
	or(&l.AsideBytes, PatchAsideMaxDefault)
	or(&l.ReadBytes, PatchReadMaxDefault)
	if l.Rows <= 0 {
		l.Rows = PatchRowsMaxDefault
	}
	if l.FileRows <= 0 {
		l.FileRows = PatchFileRowsMaxDefault
	}
	return l
}

// Part says where the section of a file goes.
type Part int

// The parts.
const (
	PartKept  Part = iota // into Text
	PartAside             // into Aside
	PartLeft              // nowhere
)

// Patch is what was kept of git's text of a change. Of a file that is too large
// its headers are there and no line.
type Patch struct {
	Text, Aside []byte
	TooLarge    map[int]string // why, by the file's place in the list
}

// ReadPatch reads git's text of the change file by file, in the order of the list
// that Changes returned, and asks for each where it goes. The section that it
// shows holds the beginning of what git printed; it is valid during the call.
func (r *Repo) ReadPatch(ctx context.Context, from, to events.Commit, changes []FileChange, limits PatchLimits,
	part func(i int, section []byte) Part,
) (*Patch, error) {
	s := &splitter{
		changes: changes, limits: limits.orDefault(), part: part, at: -1, patch: &Patch{TooLarge: map[int]string{}},
	}
	// One byte more than may be read, so that the bound is met here and not there.
	err := r.diffCall(s.limits.ReadBytes+1, patchForm(), from, to).stream(ctx, s.read)
	switch {
	case errors.Is(err, errReadEnough):
		s.rest()
	case err != nil:
		return nil, fmt.Errorf("read patch: %w", err)
	}
	return s.patch, nil
}

// errReadEnough ends the reading at the bound of bytes.
var errReadEnough = errors.New("git printed more than is read")

// splitter cuts a patch at the borders of its files.
type splitter struct {
	changes []FileChange
	limits  PatchLimits
	part    func(int, []byte) Part
	patch   *Patch

	at      int    // the file that is being read
	again   bool   // its second section, of a change of type, is still to come
	section []byte // of that file, up to its bounds
	inText  bool
	rows    int   // of the file
	allRows int   // of Text
	printed int64 // bytes of git's output
	over    string
}

var (
	headerDiff   = []byte("diff --git ")
	headerBinary = []byte("Binary files ")
	headerOld    = []byte("--- ")
	headerHunk   = []byte("@@")
)

// read takes git's output line by line; a line may be longer than any buffer.
func (s *splitter) read(out io.Reader) error {
	in := bufio.NewReaderSize(out, 64<<10)
	begins := true
	for {
		piece, err := in.ReadSlice('\n')
		if s.printed += int64(len(piece)); s.printed > s.limits.ReadBytes {
			return errReadEnough
		}
		if len(piece) > 0 {
			if err := s.take(piece, begins); err != nil {
				return err
			}
			begins = piece[len(piece)-1] == '\n'
		}
		switch {
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return s.end()
		default:
			return err
		}
	}
}

// take adds a line, or a part of one. No row of a hunk begins like the header of
// a file: rows begin with a sign.
func (s *splitter) take(piece []byte, begins bool) error {
	if begins && bytes.HasPrefix(piece, headerDiff) {
		if err := s.header(piece); err != nil {
			return err
		}
	} else if s.at < 0 {
		return fmt.Errorf("git diff-tree: unexpected text %.200q", piece)
	}
	if begins && !s.inText {
		s.inText = beginsText(piece)
	}
	if s.inText && begins {
		s.rows++
	}
	switch c := &s.changes[s.at]; {
	case s.over != "": // its headers are all that is wanted
		if s.inText {
			return nil
		}
	case int64(len(s.section)+len(piece)) > s.limits.FileBytes:
		s.over = fmt.Sprintf("its diff has more than %d bytes", s.limits.FileBytes)
	case s.rows > s.limits.FileRows:
		s.over = fmt.Sprintf("its diff has more than %d lines", s.limits.FileRows)
	case c.TooLarge != "":
		s.over = c.TooLarge
	}
	if s.over == "" || !s.inText {
		s.section = append(roomy(s.section, s.limits.FileBytes), piece...)
	}
	return nil
}

// roomyFrom is the length from which a buffer gets all the room that it may need at
// once: growing bit by bit would leave several times as much behind.
const roomyFrom = 1 << 20

func roomy(buffer []byte, most int64) []byte {
	if len(buffer) < roomyFrom || int64(cap(buffer)) >= most {
		return buffer
	}
	return slices.Grow(buffer, int(most)-len(buffer))
}

// header begins the next file, or the second section of a change of type.
// (case D12)
func (s *splitter) header(line []byte) error {
	if s.again {
		s.again, s.inText = false, false
	} else {
		if err := s.end(); err != nil {
			return err
		}
		s.at++
		if s.at == len(s.changes) {
			return fmt.Errorf("git diff-tree: the patch has more files than the list: %.200q", line)
		}
		s.section, s.rows, s.inText, s.over = s.section[:0], 0, false, ""
		s.again = s.changes[s.at].Status == "T"
	}
	c := &s.changes[s.at]
	if want := string(headerDiff) + spelled("a/", c.OldPath) + " " + spelled("b/", c.NewPath); string(bytes.TrimSuffix(line, []byte("\n"))) != want {
		return fmt.Errorf("git diff-tree: %.200q where %.200q was due", line, want)
	}
	return nil
}

// end puts the file that was read where it belongs.
func (s *splitter) end() error {
	if s.at < 0 {
		return nil
	}
	switch s.part(s.at, s.section) {
	case PartKept:
		if s.over == "" && int64(len(s.patch.Text)+len(s.section)) > s.limits.Bytes {
			s.over = fmt.Sprintf("the change's diff has more than %d bytes", s.limits.Bytes)
		}
		if s.over == "" && s.allRows+s.rows > s.limits.Rows {
			s.over = fmt.Sprintf("the change's diff has more than %d lines", s.limits.Rows)
		}
		if s.over == "" {
			s.allRows += s.rows
		}
		s.patch.Text = s.keep(roomy(s.patch.Text, s.limits.Bytes))
	case PartAside:
		if s.over == "" && int64(len(s.patch.Aside)+len(s.section)) > s.limits.AsideBytes {
			s.over = fmt.Sprintf("the diff of what is excluded has more than %d bytes", s.limits.AsideBytes)
		}
		s.patch.Aside = s.keep(roomy(s.patch.Aside, s.limits.AsideBytes))
	case PartLeft:
	}
	return nil
}

// keep adds the section, or its headers where the file is too large. Deleted
// text needs no review, so that no reason is given for it.
func (s *splitter) keep(into []byte) []byte {
	if s.over == "" {
		return append(into, s.section...)
	}
	if s.changes[s.at].Status != "D" {
		s.patch.TooLarge[s.at] = s.over
	}
	return appendHeaders(into, s.section)
}

// appendHeaders adds the lines of a section that say what happened to the file
// and hold none of its text.
func appendHeaders(into, section []byte) []byte {
	inText := false
	for line := range bytes.Lines(section) {
		if bytes.HasPrefix(line, headerDiff) {
			inText = false
		}
		inText = inText || beginsText(line)
		if !inText {
			into = append(into, line...)
		}
	}
	return into
}

// beginsText reports whether the line ends the headers of a section.
func beginsText(line []byte) bool {
	return bytes.HasPrefix(line, headerOld) || bytes.HasPrefix(line, headerHunk) || bytes.HasPrefix(line, headerBinary)
}

// rest names the files that were not read any more.
func (s *splitter) rest() {
	for i := max(s.at, 0); i < len(s.changes); i++ {
		c := &s.changes[i]
		if c.Status == "D" || s.part(i, nil) == PartLeft {
			continue
		}
		s.patch.TooLarge[i] = fmt.Sprintf("the change's diff is longer than %d bytes", s.limits.ReadBytes)
	}
}

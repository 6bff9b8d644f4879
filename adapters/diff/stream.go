package diff

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// EntryMax bounds the text of one file that ParseFiles keeps, in bytes. Rows beyond
// it are not kept, and the file says that it is truncated.
const EntryMax = 64 << 20

// readMax is how much of a line is looked at to know what it is.
const readMax = 64 << 10

// ParseFiles reads a patch of any length and hands over its files, one after the
// other and in git's order, as Parse would list them. In memory are one entry, of
// at most EntryMax, and the names of those before; what visit keeps of a file keeps
// that file's text. An error of visit ends the reading and is returned as it is.
func ParseFiles(r io.Reader, visit func(*File) error) error {
	s := &splitter{in: bufio.NewReaderSize(r, readMax), max: EntryMax, line: 1}
	return s.files(visit)
}

// splitter cuts a patch into entries. It counts rows as the parser does, and so
// takes no row for a header.
type splitter struct {
	in   *bufio.Reader
	max  int
	line int // number of the line that comes next

	entry []byte
	cut   bool // the entry is longer than what is kept
}

func (s *splitter) files(visit func(*File) error) error {
	seen := map[string]bool{}
	var before *File // which may be the first half of a change of type
	for {
		start := s.line
		text, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read diff: %w", err)
		}
		file, err := parseEntry(text, start, s.cut)
		switch {
		case err != nil:
		case before != nil && before.merge(file):
			continue
		case seen[file.Path()]:
			err = twice(file, start)
		}
		if err != nil {
			return fmt.Errorf("parse diff: %w", err)
		}
		seen[strings.Clone(file.Path())] = true
		if before != nil {
			if err := visit(before); err != nil {
				return err
			}
		}
		before = file
	}
	if before == nil {
		return nil
	}
	return visit(before)
}

// parseEntry reads the text of one entry.
func parseEntry(text string, line int, cut bool) (*File, error) {
	p := &parser{rest: text, line: line}
	file, err := p.file()
	if err != nil {
		return nil, err
	}
	if p.rest != "" {
		return nil, p.wrong("text after an entry: %q", clip(p.peek()))
	}
	file.Truncated = file.Truncated || cut
	return file, nil
}

// next returns the text from one entry's header to before the header of the next.
func (s *splitter) next() (string, error) {
	s.entry, s.cut = s.entry[:0], false
	left := due{}
	for first := true; ; first = false {
		begin, err := s.in.Peek(len(headerAny))
		switch {
		case len(begin) > 0:
		case !errors.Is(err, io.EOF):
			return "", err
		case first:
			return "", io.EOF
		default:
			return string(s.entry), nil
		}
		row := left.any() && left.take(begin[0]) != 0
		if !row {
			left = due{}
			if !first && string(begin) == headerAny {
				return string(s.entry), nil
			}
		}
		line, err := s.take()
		if err != nil {
			return "", err
		}
		if !row && begin[0] == '@' {
			if h, ok := hunkHeader(strings.TrimSuffix(line, "\n")); ok {
				left = due{h.Old.Count, h.New.Count}
			}
		}
	}
}

// take goes past one line, and keeps it where it fits as a whole. It returns the
// line's beginning where that may be a hunk's header.
func (s *splitter) take() (header string, err error) {
	s.line++
	from := len(s.entry)
	for first := true; ; first = false {
		part, err := s.in.ReadSlice('\n')
		if first && len(part) > 0 && part[0] == '@' {
			header = string(part)
		}
		switch {
		case s.cut:
		case len(s.entry)+len(part) > s.max:
			s.entry, s.cut = s.entry[:from], true
		default:
			s.entry = append(s.entry, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return header, err
		}
	}
}

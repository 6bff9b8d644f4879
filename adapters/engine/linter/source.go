package linter

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// valueMax bounds what one value of a report may make a parser hold: an entry of
// a list, a tool's description with its rules, a tag.
const valueMax = 16 << 20

// errValue ends the reading of a report with a value over its bound.
var errValue = fmt.Errorf("a value is longer than %d bytes", valueMax)

// source is a report to read, in UTF-8 but for what its format says itself.
type source struct {
	ctx   context.Context // ends the reading
	at    io.ReaderAt
	start int64 // after the byte order mark
	size  int64
}

// newSource looks at the report's first bytes.
func newSource(at io.ReaderAt, size int64) (*source, error) {
	head := make([]byte, min(4, size))
	if _, err := at.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	s := &source{ctx: context.Background(), at: at, size: size}
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		s.start = 3
	case bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.HasPrefix(head, []byte("\xFE\xFF")),
		len(head) == 4 && (head[0] == 0 && head[1] != 0 || head[0] != 0 && head[1] == 0):
		return nil, &BrokenError{Reason: "the report is in UTF-16 or UTF-32: let the linter write UTF-8"}
	case bytes.HasPrefix(head, []byte("\x1F\x8B")):
		return nil, &BrokenError{Reason: "the report is compressed: let the linter write it plainly"}
	}
	return s, nil
}

// empty reports whether there is nothing but white space.
func (s *source) empty() bool {
	r := bufio.NewReader(s.reader())
	for {
		b, err := r.ReadByte()
		if err != nil {
			return errors.Is(err, io.EOF)
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return false
		}
	}
}

// reader reads the report from its beginning.
func (s *source) reader() *metered { return s.section(s.start, s.size) }

// section reads the bytes from one offset to another.
func (s *source) section(from, to int64) *metered {
	return &metered{ctx: s.ctx, r: io.NewSectionReader(s.at, from, to-from), left: valueMax}
}

// lineOf is the number of the line that holds the offset.
func (s *source) lineOf(offset int64) int {
	r := bufio.NewReader(io.NewSectionReader(s.at, 0, min(offset, s.size)))
	line := 1
	for {
		part, err := r.ReadSlice('\n')
		if bytes.HasSuffix(part, []byte("\n")) {
			line++
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return line
		}
	}
}

// metered refuses to read more for one value than a value may have.
type metered struct {
	ctx  context.Context
	r    io.Reader
	left int
}

func (m *metered) Read(b []byte) (int, error) {
	if m.left <= 0 {
		return 0, errValue
	}
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(b[:min(len(b), m.left)])
	m.left -= n
	return n, err
}

// next begins a new value.
func (m *metered) next() { m.left = valueMax }

package linter

import (
	"bufio"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	efm "github.com/reviewdog/errorformat"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of what a reading holds.
const (
	lineMax  = 64 << 10 // bytes of a line; the rest of it is passed over
	stackMax = 1_000    // files or folders within one another
)

// colours are a terminal's, which some linters print into files.
var colours = regexp.MustCompile("\x1b\\[[0-9;:]*[A-Za-z]")

func (e *errorformat) read(report *source, emit func(remark)) (facts, error) {
	s := &scanner{patterns: e.patterns, emit: emit}
	meter := report.reader()
	r := bufio.NewReaderSize(meter, lineMax)
	for {
		meter.next()
		line, err := r.ReadSlice('\n')
		text := strings.TrimRight(string(line), "\r\n")
		for errors.Is(err, bufio.ErrBufferFull) {
			meter.next()
			_, err = r.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return s.facts, err
		}
		if err == nil || len(line) > 0 {
			s.line(plain(text))
		}
		if err != nil {
			s.close()
			return s.facts, nil //nolint:nilerr // the end of the report
		}
	}
}

func plain(line string) string {
	if !strings.ContainsRune(line, '\x1b') {
		return line
	}
	return colours.ReplaceAllString(line, "")
}

// scanner is vim's reading of lines: one message may be several lines (%A, %E,
// %W, %I, then %C, then %Z), lines may name the folder (%D, %X) or the file
// (%P, %Q) of those that follow. (:help errorformat)
type scanner struct {
	patterns []pattern
	emit     func(remark)
	facts    facts

	open    *entry // a message that may go on
	ignored bool   // what continues is of a message that is dropped
	multi   bool
	dirs    []string
	files   []string
}

// entry is a message in the making.
type entry struct {
	file, text string
	start, end int
	number     int
	kind       byte
}

func (s *scanner) line(line string) {
	if strings.TrimSpace(line) == "" && len(s.patterns) > 0 && !s.multi {
		return
	}
	s.lineFrom(line, false)
}

// lineFrom handles a line, or what is left of one behind a file's name.
func (s *scanner) lineFrom(line string, rest bool) {
	p, m := s.find(line, rest)
	if p == nil {
		s.facts.unmatched++
		s.close()
		return
	}
	switch p.prefix {
	case 'D':
		s.dirs = push(s.dirs, m.F)
	case 'X':
		s.dirs = pop(s.dirs)
	case 'A', 'E', 'W', 'I':
		s.close()
		s.multi, s.ignored = true, p.drop
		if !p.drop {
			s.open = newEntry(p, m, line)
		}
	case 'C', 'Z':
		if s.open != nil && !s.ignored {
			s.open.merge(newEntry(p, m, line))
		}
		if p.prefix == 'Z' {
			s.close()
		}
	case 'O', 'P', 'Q':
		switch p.prefix {
		case 'P':
			s.files = push(s.files, m.F)
		case 'Q':
			s.files = pop(s.files)
		}
		if tail := strings.TrimLeft(m.R, " \t"); tail != "" {
			s.lineFrom(tail, true)
		}
	default:
		if p.drop {
			s.ignored = s.multi
			return
		}
		s.close()
		s.open = newEntry(p, m, line)
		s.close()
	}
}

func (s *scanner) find(line string, rest bool) (*pattern, *efm.Match) {
	for i := range s.patterns {
		p := &s.patterns[i]
		switch p.prefix {
		case 'O', 'P', 'Q':
			if rest {
				continue
			}
		case 'C', 'Z':
			if !s.multi {
				continue
			}
		}
		if m := p.match(line); m != nil {
			return p, m
		}
	}
	return nil, nil
}

func newEntry(p *pattern, m *efm.Match, line string) *entry {
	e := &entry{file: m.F, text: m.M, start: m.L, end: m.E, number: m.N, kind: m.T}
	if e.kind == 0 && strings.IndexByte("EWI", p.prefix) >= 0 {
		e.kind = p.prefix
	}
	if p.whole {
		e.text = line
	}
	e.text = cutWord(e.text, messageMax)
	return e
}

// merge adds a line that continues the message.
func (e *entry) merge(more *entry) {
	if more.text != "" && len(e.text) < messageMax {
		e.text = cutWord(strings.TrimPrefix(e.text+"\n"+more.text, "\n"), messageMax)
	}
	if e.file == "" {
		e.file = more.file
	}
	if e.start == 0 {
		e.start = more.start
	}
	if e.end == 0 {
		e.end = more.end
	}
	if e.number == 0 {
		e.number = more.number
	}
	if e.kind == 0 {
		e.kind = more.kind
	}
}

// close ends the message that is open.
func (s *scanner) close() {
	e := s.open
	s.open, s.multi, s.ignored = nil, false, false
	if e == nil {
		return
	}
	if e.file == "" && len(s.files) > 0 {
		e.file = s.files[len(s.files)-1]
	}
	if e.file == "" && e.start == 0 && strings.TrimSpace(e.text) == "" {
		s.facts.unmatched++
		return
	}
	r := remark{
		message: e.text, start: max(e.start, 0), severity: severityOfKind(e.kind),
		end: max(e.start, e.end),
	}
	if e.number > 0 {
		r.rule = strconv.Itoa(e.number)
		if e.kind > ' ' && e.kind < 0x7F {
			r.rule = string(rune(e.kind)) + r.rule
		}
	}
	if name := cut(e.file, nameMax); name != "" {
		if len(s.dirs) > 0 && !path.IsAbs(name) {
			r.files = append(r.files, path.Join(s.dirs[len(s.dirs)-1], name))
		}
		r.files = append(r.files, name)
	}
	s.emit(r)
}

// severityOfKind reads %t, and the prefixes that say the same.
func severityOfKind(kind byte) events.Severity {
	switch kind {
	case 'E', 'e', 'F', 'f':
		return events.SeverityBlocking
	case 'I', 'i', 'N', 'n', 'H', 'h':
		return events.SeverityNitpick
	}
	return events.SeveritySuggestion
}

// push keeps the innermost of too many.
func push(stack []string, name string) []string {
	if len(stack) >= stackMax {
		stack = slices.Delete(stack, 0, 1)
	}
	return append(stack, strings.Clone(name))
}

func pop(stack []string) []string { return stack[:max(0, len(stack)-1)] }

package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// screenEvery is how often a screen looks for news. It draws where there are some.
const screenEvery = 200 * time.Millisecond

// The control sequences that a screen uses: every terminal since the VT100 has
// them. (ECMA-48: CUU, EL, ED)
const (
	upLines   = "\x1b[%dA"
	clearLine = "\x1b[K"
	clearRest = "\x1b[J"
)

// screen keeps some lines at the bottom of a terminal up to date, drawn over
// themselves, and lets what is written through it stand above. At its end they
// are gone.
type screen struct {
	out   io.Writer
	size  func() (columns, rows int)
	lines func(now time.Time) []string

	mu    sync.Mutex
	shown []string // as they stand there, cut to the terminal's width
	over  bool
	stop  chan struct{}
	done  chan struct{}
}

// isTerminal reports whether a terminal shows what is written there, and is one
// that can draw over itself.
func isTerminal(out io.Writer, env func(string) string) (*os.File, bool) {
	file, isFile := out.(*os.File)
	return file, isFile && term.IsTerminal(int(file.Fd())) && env("TERM") != "dumb"
}

func sizeOf(file *os.File) func() (int, int) {
	return func() (int, int) {
		columns, rows, err := term.GetSize(int(file.Fd()))
		if err != nil || columns <= 0 || rows <= 0 {
			return 80, 24
		}
		return columns, rows
	}
}

// newScreen begins to draw.
func newScreen(out io.Writer, size func() (int, int), lines func(time.Time) []string) *screen {
	s := &screen{out: out, size: size, lines: lines, stop: make(chan struct{}), done: make(chan struct{})}
	go s.run()
	return s
}

func (s *screen) run() {
	defer close(s.done)
	tick := time.NewTicker(screenEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case now := <-tick.C:
			s.mu.Lock()
			s.draw(now)
			s.mu.Unlock()
		}
	}
}

// end takes the lines away. Afterwards the screen is a plain writer.
func (s *screen) end() {
	close(s.stop)
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	columns, _ := s.size()
	_, _ = io.WriteString(s.out, s.above(columns)) // it is gone: nobody to tell
	s.shown, s.over = nil, true
}

// Write lets whole lines stand above the screen's own.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || len(s.shown) == 0 {
		return s.out.Write(text)
	}
	columns, _ := s.size()
	_, err := io.WriteString(s.out, s.above(columns)+string(text))
	s.shown = nil
	if err != nil {
		return 0, err
	}
	if strings.HasSuffix(string(text), "\n") {
		s.draw(time.Now())
	}
	return len(text), nil
}

// draw shows the lines as they are now, in one write. The lock is held.
func (s *screen) draw(now time.Time) {
	columns, rows := s.size()
	lines := s.lines(now)
	if most := max(1, rows-1); len(lines) > most {
		lines = append(lines[:most-1:most-1], fmt.Sprintf("  … and %d more", len(lines)-most+1))
	}
	fresh := make([]string, len(lines))
	for i, line := range lines {
		fresh[i] = cut(strings.ReplaceAll(strings.ReplaceAll(Plain(line), "\n", " "), "\t", " "), columns-1)
	}
	if slices.Equal(fresh, s.shown) {
		return
	}
	var b strings.Builder
	if up := s.rows(columns); up > 0 {
		fmt.Fprintf(&b, "\r"+upLines, up)
	}
	for _, line := range fresh {
		b.WriteString(line + clearLine + "\n")
	}
	b.WriteString(clearRest)
	_, _ = io.WriteString(s.out, b.String())
	s.shown = fresh
}

// above goes to where the screen's first line stands, and clears from there.
func (s *screen) above(columns int) string {
	up := s.rows(columns)
	if up == 0 {
		return ""
	}
	return fmt.Sprintf("\r"+upLines, up) + clearRest
}

// rows is how many rows the shown lines take: more than one each, where the
// terminal has become narrower since.
func (s *screen) rows(columns int) int {
	n := 0
	for _, line := range s.shown {
		n += max(1, (cells(line)+columns-1)/max(1, columns))
	}
	return n
}

// cut shortens a line to so many cells.
func cut(line string, most int) string {
	if cells(line) <= most {
		return line
	}
	n := 0
	for i, r := range line {
		if n += cellsOf(r); n >= most {
			return line[:i] + "…"
		}
	}
	return line
}

// cells is how many columns a text takes.
func cells(text string) int {
	n := 0
	for _, r := range text {
		n += cellsOf(r)
	}
	return n
}

// cellsOf is how many columns a character takes: wide ones two, those that stand
// on others none. (Unicode, UAX #11)
func cellsOf(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

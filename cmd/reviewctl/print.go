package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/reviewctl/reviewctl/events"
)

// Printer writes the answer to stdout: text, with colour on a terminal, or JSON.
type Printer struct {
	out    io.Writer
	json   bool
	colour bool

	columns int  // of the terminal; 0 = none
	verbose bool // lists what is only counted else
}

// NewPrinter prints to out.
func NewPrinter(out io.Writer, asJSON, plain bool) *Printer {
	file, isFile := out.(*os.File)
	terminal := isFile && term.IsTerminal(int(file.Fd()))
	p := &Printer{out: out, json: asJSON, colour: terminal && !plain && !asJSON}
	if terminal {
		p.columns, _ = sizeOf(file)()
	}
	return p
}

// JSON prints one document on one line. What a terminal would obey is escaped: the
// document stays the same.
func (p *Printer) JSON(answer any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		return writing(err)
	}
	line := b.Bytes()
	if bytes.IndexFunc(line, obeyed) < len(line)-1 { // the line's own end
		line = escapeObeyed(line)
	}
	_, err := p.out.Write(line)
	return writing(err)
}

// escapeObeyed writes such characters by their numbers. Within JSON they stand in strings
// only.
func escapeObeyed(line []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(bytes.TrimSuffix(line, []byte("\n"))) {
		if obeyed(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// obeyed reports whether a terminal may do something about a character, other than
// to show it: control characters, and those that turn the direction of writing.
func obeyed(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Answer prints an answer in the way that was asked for.
func (p *Printer) Answer(answer interface{ text(p *Printer) string }) error {
	if p.json {
		return p.JSON(answer)
	}
	return p.Text(answer.text(p))
}

// Event prints one event of the log: its line byte for byte as it is stored, or
// a short form of it.
func (p *Printer) Event(e *events.Event) error {
	if p.json {
		line, err := e.AppendLine(nil)
		if err != nil {
			return err
		}
		return p.Text(string(line) + "\n")
	}
	return p.Line(fmt.Sprintf("%s  %-40s %s", e.Time.UTC().Format(time.RFC3339), e.Ref(), p.bold(string(e.Type))))
}

// Line prints one line of text.
func (p *Printer) Line(line string) error { return p.Text(Plain(line) + "\n") }

// Text prints text as it is.
func (p *Printer) Text(text string) error {
	_, err := io.WriteString(p.out, text)
	return writing(err)
}

func writing(err error) error {
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// table lines columns up. Cells are made plain.
func table(header []string, rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(cells []string) {
		for i, cell := range cells {
			if i > 0 {
				_, _ = io.WriteString(w, "\t") // a strings.Builder takes everything
			}
			_, _ = io.WriteString(w, strings.ReplaceAll(Plain(cell), "\n", " "))
		}
		_, _ = io.WriteString(w, "\n")
	}
	line(header)
	for _, row := range rows {
		line(row)
	}
	_ = w.Flush()
	return b.String()
}

func (p *Printer) paint(code, s string) string {
	if !p.colour {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p *Printer) bold(s string) string { return p.paint("1", s) }
func (p *Printer) dim(s string) string  { return p.paint("2", s) }

// severity paints a word as heavy as it is.
func (p *Printer) severity(s events.Severity, word string) string {
	switch s {
	case events.SeverityBlocking:
		return p.paint("1;31", word)
	case events.SeveritySuggestion:
		return p.paint("33", word)
	case events.SeverityNitpick:
		return p.paint("2", word)
	}
	return word
}

// Plain makes text from a repository or an engine safe for a terminal: control
// characters, and those that turn the direction of writing, show as U+FFFD. Line
// ends and tabs stay.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == utf8.RuneError, obeyed(r):
			return utf8.RuneError
		}
		return r
	}, s)
}

// indent sets every line in.
func indent(by, text string) string {
	return by + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+by)
}

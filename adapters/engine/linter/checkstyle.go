package linter

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/reviewctl/reviewctl/events"
)

// depthMax bounds how deep elements may lie: the format needs three.
const depthMax = 32

// checkstyle reads the XML that checkstyle writes, and many others.
type checkstyle struct{}

func (checkstyle) read(report *source, emit func(remark)) (facts, error) {
	meter := report.reader()
	d := xml.NewDecoder(meter)
	d.CharsetReader = func(label string, input io.Reader) (io.Reader, error) {
		e, err := htmlindex.Get(label)
		if err != nil {
			return nil, fmt.Errorf("the encoding %q is not known", cut(label, 40))
		}
		return e.NewDecoder().Reader(input), nil
	}
	broken := func(err error) error {
		line, _ := d.InputPos()
		var syntax *xml.SyntaxError
		reason := err.Error()
		switch {
		case errors.Is(err, errValue):
			reason = errValue.Error()
		case errors.As(err, &syntax):
			line, reason = syntax.Line, syntax.Msg
		}
		if strings.Contains(reason, "unexpected EOF") {
			reason = "the report is cut off"
		}
		return &BrokenError{Line: line, Reason: "not checkstyle's XML: " + cut(reason, 300)}
	}
	x := &checkstyleReader{emit: emit}
	for {
		meter.next()
		tok, err := d.Token()
		if errors.Is(err, io.EOF) && x.seen {
			return facts{}, nil
		}
		if err == nil {
			err = x.token(tok)
		} else if errors.Is(err, io.EOF) {
			err = errors.New("it has no element")
		}
		if err != nil {
			return facts{}, broken(err)
		}
	}
}

// checkstyleReader is where the reading is.
type checkstyleReader struct {
	emit  func(remark)
	depth int
	seen  bool   // the root
	file  string // the one that encloses
}

func (x *checkstyleReader) token(tok xml.Token) error {
	switch t := tok.(type) {
	case xml.StartElement:
		if x.depth++; x.depth > depthMax {
			return fmt.Errorf("elements lie deeper than %d", depthMax)
		}
		return x.element(t)
	case xml.EndElement:
		x.depth--
		if t.Name.Local == "file" {
			x.file = ""
		}
	case xml.CharData:
		if x.depth == 0 && strings.TrimSpace(string(t)) != "" {
			return errors.New("text stands outside of its element")
		}
	}
	return nil
}

func (x *checkstyleReader) element(t xml.StartElement) error {
	name := t.Name.Local
	if x.depth == 1 {
		if name != "checkstyle" || x.seen {
			return fmt.Errorf("<%s> is not the one element <checkstyle>", cut(name, 40))
		}
		x.seen = true
		return nil
	}
	switch name {
	case "file":
		x.file = cut(attribute(t, "name"), nameMax)
	case "error":
		x.emit(x.remark(t))
	case "exception":
		x.emit(remark{files: x.files(), message: "The linter could not look at the file", unread: true, severity: events.SeveritySuggestion})
	}
	return nil
}

func (x *checkstyleReader) files() []string {
	if x.file == "" {
		return nil
	}
	return []string{x.file}
}

func (x *checkstyleReader) remark(t xml.StartElement) remark {
	r := remark{
		files: x.files(), message: cutWord(attribute(t, "message"), messageMax),
		rule: cut(attribute(t, "source"), nameMax),
	}
	// A line that is no number is none: then it is about the file.
	if line, err := strconv.Atoi(strings.TrimSpace(attribute(t, "line"))); err == nil && line > 0 {
		r.start, r.end = line, line
	}
	level := attribute(t, "severity")
	if r.severity = severityOf(level); r.severity == "" {
		r.severity = events.SeveritySuggestion
	}
	if strings.EqualFold(level, "ignore") {
		r.withdrawn = "the report says to ignore it"
	}
	return r
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

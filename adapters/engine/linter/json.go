package linter

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// walker goes through JSON a value at a time.
type walker struct {
	src   *source
	from  int64 // where the decoder began
	meter *metered
	d     *jsontext.Decoder
}

// walk begins at an offset. What follows the end is not looked at.
func walk(src *source, from, to int64) *walker {
	meter := src.section(from, to)
	// To tell names that occur twice, a decoder would have to keep them all.
	d := jsontext.NewDecoder(meter, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	return &walker{src: src, from: from, meter: meter, d: d}
}

// offset is how far the decoder is.
func (w *walker) offset() int64 { return w.from + w.d.InputOffset() }

// broken names the line of an error.
func (w *walker) broken(err error) error {
	reason := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "jsontext: "), "json: ")
	var syntax *jsontext.SyntacticError
	var shape *json.SemanticError
	offset := w.offset()
	switch {
	case errors.Is(err, errValue):
		reason = errValue.Error()
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		reason = "the report is cut off"
	case errors.As(err, &syntax):
		offset = w.from + syntax.ByteOffset
	case errors.As(err, &shape):
		offset = w.from + shape.ByteOffset
	}
	return &BrokenError{Line: w.src.lineOf(offset), Reason: "not the JSON of such a report: " + cut(reason, 300)}
}

// object calls key for each of the names of the object that comes next. What key
// does not take is passed over.
func (w *walker) object(what string, key func(name string) (taken bool, err error)) error {
	if err := w.begin(what, '{'); err != nil {
		return err
	}
	for {
		w.meter.next()
		tok, err := w.d.ReadToken()
		if err != nil {
			return w.broken(err)
		}
		if tok.Kind() == '}' {
			return nil
		}
		taken, err := key(tok.String())
		if err != nil {
			return err
		}
		if !taken {
			if err := w.skip(); err != nil {
				return err
			}
		}
	}
}

// list calls entry before each of the entries of the list that comes next; null
// is an empty one.
func (w *walker) list(what string, entry func() error) error {
	if w.d.PeekKind() == 'n' {
		return w.skip()
	}
	if err := w.begin(what, '['); err != nil {
		return err
	}
	for {
		w.meter.next()
		if w.d.PeekKind() == ']' {
			break
		}
		if err := entry(); err != nil {
			return err
		}
	}
	if _, err := w.d.ReadToken(); err != nil {
		return w.broken(err)
	}
	return nil
}

func (w *walker) begin(what string, kind jsontext.Kind) error {
	w.meter.next()
	tok, err := w.d.ReadToken()
	if err != nil {
		return w.broken(err)
	}
	if tok.Kind() != kind {
		return &BrokenError{Line: w.src.lineOf(w.offset()), Reason: fmt.Sprintf("%s must begin with %q", what, rune(kind))}
	}
	return nil
}

// value reads the next value.
func (w *walker) value(into any) error {
	w.meter.next()
	if err := json.UnmarshalDecode(w.d, into); err != nil {
		return w.broken(err)
	}
	return nil
}

// skip passes over the next value, which may be a list of any length.
func (w *walker) skip() error {
	depth := w.d.StackDepth()
	for {
		w.meter.next()
		if _, err := w.d.ReadToken(); err != nil {
			return w.broken(err)
		}
		if w.d.StackDepth() <= depth {
			return nil
		}
	}
}

// end wants nothing but white space.
func (w *walker) end() error {
	w.meter.next()
	switch _, err := w.d.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return w.broken(err)
	}
	return &BrokenError{Line: w.src.lineOf(w.offset()), Reason: "more follows the report's end"}
}

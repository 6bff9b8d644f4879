package events

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decoder is a cursor over one JSON text.
type decoder struct {
	s     string
	i     int
	depth int
}

func (d *decoder) unexpected() error {
	if d.i >= len(d.s) {
		return errors.New("the text ends too early")
	}
	return fmt.Errorf("unexpected %q at byte %d", d.s[d.i], d.i)
}

func (d *decoder) space() {
	for d.i < len(d.s) {
		switch d.s[d.i] {
		case ' ', '\t', '\n', '\r':
			d.i++
		default:
			return
		}
	}
}

// take passes white space and one expected byte.
func (d *decoder) take(c byte) bool {
	d.space()
	if d.i < len(d.s) && d.s[d.i] == c {
		d.i++
		return true
	}
	return false
}

// text reads a string; without escapes it shares the payload's memory.
func (d *decoder) text() (string, error) {
	if d.i >= len(d.s) || d.s[d.i] != '"' {
		return "", d.unexpected()
	}
	d.i++
	start := d.i
	for d.i < len(d.s) {
		switch c := d.s[d.i]; {
		case c == '"':
			s := d.s[start:d.i]
			d.i++
			if !utf8.ValidString(s) {
				return strings.ToValidUTF8(s, "\uFFFD"), nil
			}
			return s, nil
		case c == '\\':
			return d.escaped(start)
		case c < ' ':
			return "", d.unexpected()
		default:
			d.i++
		}
	}
	return "", d.unexpected()
}

func (d *decoder) escaped(start int) (string, error) {
	var b strings.Builder
	b.WriteString(d.s[start:d.i])
	for d.i < len(d.s) {
		c := d.s[d.i]
		switch {
		case c == '"':
			d.i++
			return strings.ToValidUTF8(b.String(), "\uFFFD"), nil
		case c < ' ':
			return "", d.unexpected()
		case c != '\\':
			b.WriteByte(c)
			d.i++
			continue
		}
		d.i++
		if d.i >= len(d.s) {
			break
		}
		switch e := d.s[d.i]; e {
		case '"', '\\', '/':
			b.WriteByte(e)
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r, err := d.unicodeEscape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
			continue
		default:
			return "", d.unexpected()
		}
		d.i++
	}
	return "", d.unexpected()
}

// unicodeEscape reads the u of an escape and what follows, a surrogate pair too.
func (d *decoder) unicodeEscape() (rune, error) {
	r, ok := d.hex4(d.i + 1)
	if !ok {
		return 0, d.unexpected()
	}
	d.i += 5
	if utf16.IsSurrogate(r) {
		if strings.HasPrefix(d.s[d.i:], `\u`) {
			if low, ok := d.hex4(d.i + 2); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					d.i += 6
					return pair, nil
				}
			}
		}
		return utf8.RuneError, nil
	}
	return r, nil
}

func (d *decoder) hex4(at int) (rune, bool) {
	if at+4 > len(d.s) {
		return 0, false
	}
	v, err := strconv.ParseUint(d.s[at:at+4], 16, 32)
	return rune(v), err == nil
}

// number cuts out a JSON number.
func (d *decoder) number() (string, error) {
	start := d.i
	digits := func() bool {
		from := d.i
		for d.i < len(d.s) && d.s[d.i] >= '0' && d.s[d.i] <= '9' {
			d.i++
		}
		return d.i > from
	}
	if d.i < len(d.s) && d.s[d.i] == '-' {
		d.i++
	}
	leadingZero := d.i < len(d.s) && d.s[d.i] == '0'
	from := d.i
	if !digits() || (leadingZero && d.i-from > 1) {
		return "", d.unexpected()
	}
	if d.i < len(d.s) && d.s[d.i] == '.' {
		d.i++
		if !digits() {
			return "", d.unexpected()
		}
	}
	if d.i < len(d.s) && (d.s[d.i] == 'e' || d.s[d.i] == 'E') {
		d.i++
		if d.i < len(d.s) && (d.s[d.i] == '+' || d.s[d.i] == '-') {
			d.i++
		}
		if !digits() {
			return "", d.unexpected()
		}
	}
	return d.s[start:d.i], nil
}

// skip passes one value of any shape.
func (d *decoder) skip() error {
	if d.depth++; d.depth > decodeDepthMax {
		return errors.New("nested too deeply")
	}
	defer func() { d.depth-- }()
	if d.i >= len(d.s) {
		return d.unexpected()
	}
	switch c := d.s[d.i]; c {
	case '{':
		d.i++
		if d.take('}') {
			return nil
		}
		for {
			d.space()
			if _, err := d.text(); err != nil {
				return err
			}
			if !d.take(':') {
				return d.unexpected()
			}
			d.space()
			if err := d.skip(); err != nil {
				return err
			}
			if !d.take(',') {
				break
			}
		}
		if !d.take('}') {
			return d.unexpected()
		}
		return nil
	case '[':
		_, err := d.passElements()
		return err
	case '"':
		_, err := d.text()
		return err
	case 't', 'f', 'n':
		for _, word := range []string{"true", "false", "null"} {
			if strings.HasPrefix(d.s[d.i:], word) {
				d.i += len(word)
				return nil
			}
		}
		return d.unexpected()
	default:
		_, err := d.number()
		return err
	}
}

// passElements passes an array and says how many elements it has.
func (d *decoder) passElements() (int, error) {
	if !d.take('[') {
		return 0, d.unexpected()
	}
	if d.take(']') {
		return 0, nil
	}
	for n := 1; ; n++ {
		d.space()
		if err := d.skip(); err != nil {
			return 0, err
		}
		if d.take(']') {
			return n, nil
		}
		if !d.take(',') {
			return 0, d.unexpected()
		}
	}
}

// countElements counts an array's elements without moving.
func (d *decoder) countElements() (int, error) {
	start := d.i
	n, err := d.passElements()
	if err == nil {
		d.i = start
	}
	return n, err
}

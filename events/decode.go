package events

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// Replay is decoding: the standard decoder makes about one allocation a field,
// which is most of the cost of reading a log. This one makes one for the struct
// and one for each slice; strings without escapes are cut out of the payload. It
// reads only the shapes that payloads have, and a fuzz test holds it against
// encoding/json. (performance §1.3, DECISIONS 4)

// decodeDepthMax bounds nesting, so that a forged payload cannot exhaust the stack.
const decodeDepthMax = 64

type structPlan struct {
	typ    reflect.Type
	fields []fieldPlan
}

type fieldPlan struct {
	name  string
	index int
	read  valueReader
}

type valueReader func(d *decoder, into reflect.Value) error

var (
	timeType = reflect.TypeFor[time.Time]()
	jsonType = reflect.TypeFor[JSON]()
	refType  = reflect.TypeFor[Ref]()
	hashType = reflect.TypeFor[Hash]()
)

// planOf prepares the reading of a struct type; it panics on a shape that
// payloads must not have, which the first test run shows.
func planOf(t reflect.Type) *structPlan {
	plan := &structPlan{typ: t}
	plan.addFields(t)
	return plan
}

func (p *structPlan) addFields(t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			panic(fmt.Sprintf("events: %s.%s has no stored name", t, f.Name))
		}
		p.fields = append(p.fields, fieldPlan{name: name, index: i, read: readerOf(f.Type)})
	}
}

func readerOf(t reflect.Type) valueReader {
	switch t {
	case timeType:
		return readTime
	case jsonType:
		return readRaw
	case refType:
		return readRef
	case hashType:
		return readHash
	}
	switch t.Kind() {
	case reflect.String:
		return func(d *decoder, into reflect.Value) error {
			s, err := d.text()
			into.SetString(s)
			return err
		}
	case reflect.Int, reflect.Int64:
		return readInt
	case reflect.Float64:
		return readFloat
	case reflect.Bool:
		return readBool
	case reflect.Struct:
		plan := planOf(t)
		return func(d *decoder, into reflect.Value) error { return d.object(plan, into) }
	case reflect.Slice:
		return sliceReader(t)
	case reflect.Pointer:
		elem := readerOf(t.Elem())
		return func(d *decoder, into reflect.Value) error {
			v := reflect.New(t.Elem())
			into.Set(v)
			return elem(d, v.Elem())
		}
	default:
		panic(fmt.Sprintf("events: payloads must not hold a %s", t))
	}
}

func sliceReader(t reflect.Type) valueReader {
	// A recursive type (Reason) finds its own reader when it is first used.
	var elem valueReader
	if t.Elem() == reflect.TypeFor[Reason]() {
		elem = func(d *decoder, into reflect.Value) error { return d.object(reasonPlan(), into) }
	} else {
		elem = readerOf(t.Elem())
	}
	return func(d *decoder, into reflect.Value) error {
		n, err := d.countElements()
		if err != nil {
			return err
		}
		s := reflect.MakeSlice(t, n, n)
		into.Set(s)
		d.i++ // the bracket that countElements saw
		for i := range n {
			if i > 0 && !d.take(',') {
				return d.unexpected()
			}
			if err := d.value(elem, s.Index(i)); err != nil {
				return err
			}
		}
		if !d.take(']') {
			return d.unexpected()
		}
		return nil
	}
}

var reasonPlanCache *structPlan

func init() { reasonPlanCache = planOf(reflect.TypeFor[Reason]()) }

func reasonPlan() *structPlan { return reasonPlanCache }

// decoder is a cursor over one JSON text.
type decoder struct {
	s     string
	i     int
	depth int
}

func (d *decoder) document(plan *structPlan, into reflect.Value) error {
	d.space()
	if err := d.object(plan, into); err != nil {
		return err
	}
	d.space()
	if d.i != len(d.s) {
		return d.unexpected()
	}
	return nil
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

// value reads one value, or leaves the zero value for null.
func (d *decoder) value(read valueReader, into reflect.Value) error {
	d.space()
	if strings.HasPrefix(d.s[d.i:], "null") {
		d.i += len("null")
		return nil
	}
	return read(d, into)
}

func (d *decoder) object(plan *structPlan, into reflect.Value) error {
	if d.depth++; d.depth > decodeDepthMax {
		return errors.New("nested too deeply")
	}
	defer func() { d.depth-- }()
	if !d.take('{') {
		return d.unexpected()
	}
	if d.take('}') {
		return nil
	}
	next := 0
	for {
		d.space()
		name, err := d.text()
		if err != nil {
			return err
		}
		if !d.take(':') {
			return d.unexpected()
		}
		if f := plan.find(name, &next); f != nil {
			err = d.value(f.read, into.Field(f.index))
		} else {
			d.space()
			err = d.skip()
		}
		if err != nil {
			return err
		}
		if d.take(',') {
			continue
		}
		if d.take('}') {
			return nil
		}
		return d.unexpected()
	}
}

// find looks a field up, first where it stands when fields come in order.
func (p *structPlan) find(name string, next *int) *fieldPlan {
	for i := *next; i < len(p.fields); i++ {
		if p.fields[i].name == name {
			*next = i + 1
			return &p.fields[i]
		}
	}
	for i := range p.fields[:min(*next, len(p.fields))] {
		if p.fields[i].name == name {
			return &p.fields[i]
		}
	}
	return nil
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

func readInt(d *decoder, into reflect.Value) error {
	s, err := d.number()
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return fmt.Errorf("read number %s: %w", s, errors.Unwrap(err))
	}
	into.SetInt(n)
	return nil
}

func readFloat(d *decoder, into reflect.Value) error {
	s, err := d.number()
	if err != nil {
		return err
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return fmt.Errorf("read number %s: %w", s, errors.Unwrap(err))
	}
	into.SetFloat(f)
	return nil
}

func readBool(d *decoder, into reflect.Value) error {
	switch {
	case strings.HasPrefix(d.s[d.i:], "true"):
		into.SetBool(true)
		d.i += len("true")
	case strings.HasPrefix(d.s[d.i:], "false"):
		into.SetBool(false)
		d.i += len("false")
	default:
		return d.unexpected()
	}
	return nil
}

func readTime(d *decoder, into reflect.Value) error {
	s, err := d.text()
	if err != nil {
		return err
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return fmt.Errorf("read time %q: want RFC 3339", s)
	}
	*into.Addr().Interface().(*time.Time) = t
	return nil
}

func readRaw(d *decoder, into reflect.Value) error {
	start := d.i
	if err := d.skip(); err != nil {
		return err
	}
	into.SetString(d.s[start:d.i])
	return nil
}

func readRef(d *decoder, into reflect.Value) error {
	s, err := d.text()
	if err != nil {
		return err
	}
	ref, err := ParseRef(s)
	*into.Addr().Interface().(*Ref) = ref
	return err
}

func readHash(d *decoder, into reflect.Value) error {
	s, err := d.text()
	if err != nil {
		return err
	}
	return into.Addr().Interface().(*Hash).UnmarshalText([]byte(s))
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

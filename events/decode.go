package events

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
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
		elem = func(d *decoder, into reflect.Value) error { return d.object(reasonPlan, into) }
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

// reasonPlan is made in init because its own fields are read by it.
var reasonPlan *structPlan

func init() { reasonPlan = planOf(reflect.TypeFor[Reason]()) }

// document reads the one object that a text is.
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

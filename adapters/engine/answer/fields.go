package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// faultsMax bounds the faults that are reported at once.
const faultsMax = 20

// reader reads typed fields and collects what is wrong with them.
type reader struct {
	faults  []string
	dropped int
	notes   []string
}

func (r *reader) fault(format string, args ...any) {
	if len(r.faults) == faultsMax {
		r.dropped++
		return
	}
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

func (r *reader) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// fields is one JSON object with the name that faults call it by.
type fields struct {
	r    *reader
	name string
	set  map[string]json.RawMessage
}

// raw returns a field, or nil where it is absent or null.
func (f fields) raw(key string) json.RawMessage {
	v := f.set[key]
	if bytes.Equal(bytes.TrimSpace(v), []byte("null")) {
		return nil
	}
	return v
}

// text returns a trimmed string, "" where it is absent.
func (f fields) text(key string) string {
	v := f.raw(key)
	if v == nil {
		return ""
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		f.r.fault("%s%s must be a string", f.name, key)
		return ""
	}
	return strings.TrimSpace(s)
}

// number returns a finite number.
func (f fields) number(key string) (n float64, ok bool) {
	v := f.raw(key)
	if v == nil {
		return 0, false
	}
	if json.Unmarshal(v, &n) != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		f.r.fault("%s%s must be a number", f.name, key)
		return 0, false
	}
	return n, true
}

// list returns the objects of a list.
func (f fields) list(key string) (items []map[string]json.RawMessage, ok bool) {
	v := f.raw(key)
	if v == nil {
		return nil, false
	}
	var raws []json.RawMessage
	if json.Unmarshal(v, &raws) != nil {
		f.r.fault("%s%s must be a list", f.name, key)
		return nil, false
	}
	for i, raw := range raws {
		var item map[string]json.RawMessage
		if json.Unmarshal(raw, &item) != nil || item == nil {
			f.r.fault("%s%s[%d] must be an object", f.name, key, i)
			continue
		}
		items = append(items, item)
	}
	return items, true
}

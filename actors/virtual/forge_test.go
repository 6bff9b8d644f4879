package virtual_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/events"
)

// TestAForgedFieldIsNamed forges every field of the payload of every event that a
// decide wrote, links the chain anew as a stranger with schemas/chain.md would,
// and expects the audit to name that very event.
func TestAForgedFieldIsNamed(t *testing.T) {
	t.Parallel()
	for name := range turns {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			history := read(t, name)
			forged := 0
			for i, e := range history {
				if e.Decided == "" || testing.Short() && i%7 > 0 {
					continue
				}
				for _, payload := range forgeries(t, e.Payload) {
					forged++
					named(t, relink(history, i, payload), e.Ref(), payload)
				}
			}
			t.Logf("%d forgeries of %d events", forged, len(history))
		})
	}
}

func named(t *testing.T, history []*events.Event, ref events.Ref, payload events.JSON) {
	t.Helper()
	found, _, err := actors.Recompute(history)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(found, func(m actors.Mismatch) bool { return m.Event == ref }) {
		t.Errorf("nobody noticed that %s was forged: %s", ref, payload)
	}
}

// relink returns a history in which one payload is another, with a valid chain.
func relink(history []*events.Event, at int, payload events.JSON) []*events.Event {
	out := slices.Clone(history)
	heads := map[events.StreamName]events.Hash{}
	for i, e := range history {
		if e.Stream == history[at].Stream {
			kept := *e
			if i == at {
				kept.Payload = payload
			}
			events.Link(heads[e.Stream], &kept)
			out[i] = &kept
		}
		heads[e.Stream] = out[i].Hash
	}
	return out
}

// forgeries returns the payload once for each of its values, with that one
// changed and every other byte as it was.
func forgeries(t *testing.T, payload events.JSON) []events.JSON {
	t.Helper()
	var out []events.JSON
	dec := json.NewDecoder(bytes.NewReader([]byte(payload)))
	dec.UseNumber()
	var keys []bool // for each open object or array: whether a key comes next; arrays never
	var objects []bool
	for before := int64(0); ; {
		token, err := dec.Token()
		if err != nil {
			return out
		}
		start := before
		for strings.ContainsRune(",: \n\t", rune(payload[start])) {
			start++
		}
		before = dec.InputOffset()
		if d, ok := token.(json.Delim); ok {
			if d == '{' || d == '[' {
				keys, objects = append(keys, d == '{'), append(objects, d == '{')
				continue
			}
			keys, objects = keys[:len(keys)-1], objects[:len(objects)-1]
			if n := len(keys); n > 0 && objects[n-1] {
				keys[n-1] = true
			}
			continue
		}
		if n := len(keys); n > 0 && objects[n-1] {
			if keys[n-1] {
				keys[n-1] = false
				continue
			}
			keys[n-1] = true
		}
		if other := otherThan(token); other != "" {
			out = append(out, payload[:start]+events.JSON(other)+payload[before:])
		}
	}
}

// otherThan is another value of the same kind.
func otherThan(token json.Token) string {
	switch v := token.(type) {
	case bool:
		return strconv.FormatBool(!v)
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			return "0.25"
		}
		return fmt.Sprint(n + 1)
	case string:
		other := v + "x"
		if i := strings.LastIndexAny(v, "012345678abcde"); i >= 0 {
			other = v[:i] + string(v[i]+1) + v[i+1:]
		}
		text, _ := json.Marshal(other)
		return string(text)
	}
	return "" // null: there is nothing to change
}

package events

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzDecode holds the decoder against encoding/json: what one refuses the other
// refuses, and what both take they read alike. Known differences, all on text
// that Encode never writes: encoding/json matches names whatever their case and
// merges a repeated object, it allows deeper nesting, and it replaces each byte
// that is not UTF-8 where Decode replaces a run of them.
func FuzzDecode(f *testing.F) {
	for i, p := range catalogue {
		text, err := os.ReadFile(exampleFile(p.Type()))
		if err != nil {
			f.Fatal(err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, text); err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), compact.Bytes())
	}
	f.Add(uint8(0), []byte(` {"number" : null, "title":"\ud83d\ude00\ud83d"} `))
	f.Add(uint8(1), []byte(`{"attempt":9223372036854775808}`))
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		p := catalogue[int(which)%len(catalogue)]
		got, err := Decode(&Event{Type: p.Type(), Revision: Revision, Payload: JSON(text)})
		want := reflect.New(reflect.TypeOf(p))
		wantErr := json.Unmarshal(text, want.Interface())
		if knownDifference(text) {
			return
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: %q: Decode says %v, encoding/json says %v", p.Type(), text, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got, want.Interface()) {
			t.Fatalf("%s: %q:\n got %+v\nwant %+v", p.Type(), text, got, want.Interface())
		}
	})
}

// knownDifference reports text on which the two may differ.
func knownDifference(text []byte) bool {
	if !utf8.Valid(text) {
		return true
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var names []map[string]bool // of the objects that are open; nil = an array
	depth, wantName := 0, false
	for {
		token, err := decoder.Token()
		if err != nil {
			return false
		}
		switch token {
		case json.Delim('{'):
			names, wantName = append(names, map[string]bool{}), true
		case json.Delim('['):
			names, wantName = append(names, nil), false
		case json.Delim('}'), json.Delim(']'):
			names = names[:len(names)-1]
			wantName = len(names) > 0 && names[len(names)-1] != nil
		default:
			name, isText := token.(string)
			if !wantName || !isText {
				wantName = len(names) > 0 && names[len(names)-1] != nil
				continue
			}
			open, folded := names[len(names)-1], strings.ToLower(name)
			if open[folded] || name != folded || strings.ContainsAny(name, "\u017f\u212a") {
				return true
			}
			open[folded], wantName = true, false
		}
		if depth = max(depth, len(names)); depth >= decodeDepthMax-2 {
			return true
		}
	}
}

// FuzzParseRef: what is read is written as it was.
func FuzzParseRef(f *testing.F) {
	for _, seed := range []string{"", "run-1@0", "pr-a@b/1@12", "run-1@", "@1", "run-1@-1", "run-1@+1", "run-1@007"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ref, err := ParseRef(s)
		if err != nil {
			return
		}
		if ref.String() != s {
			t.Fatalf("%q: read %+v, written %q", s, ref, ref)
		}
	})
}

// FuzzParseCause: what is read is written as it was.
func FuzzParseCause(f *testing.F) {
	for _, seed := range []string{"", "run-1@0#r", "run-1@0#", "run-1@0", "#", "run-1@0#a#b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cause, err := ParseCause(s)
		if err != nil {
			return
		}
		if cause.Text() != s {
			t.Fatalf("%q: read %+v, written %q", s, cause, cause.Text())
		}
	})
}

// FuzzEventLine: a line that is read is written with the same content, by both
// writers, and its hash does not change.
func FuzzEventLine(f *testing.F) {
	for _, p := range catalogue[:4] {
		text, err := os.ReadFile(filepath.Clean(exampleFile(p.Type())))
		if err != nil {
			f.Fatal(err)
		}
		e := Event{ID: "e", Stream: "run-1", Type: p.Type(), Revision: 1, Payload: JSON(text)}
		Link(Hash{}, &e)
		line, err := json.Marshal(&e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var e Event
		if json.Unmarshal(line, &e) != nil {
			return
		}
		exact, err := e.AppendLine(nil)
		if err != nil {
			return // a line end between two values
		}
		var back Event
		if err := json.Unmarshal(exact, &back); err != nil {
			t.Fatalf("%s: %v", exact, err)
		}
		if e.Cause.Stream != "" && back != e || HashOf(Hash{}, &back) != HashOf(Hash{}, &e) {
			t.Fatalf("read back:\n%+v\n%+v", back, e)
		}
	})
}

// FuzzParseTime: what is read is written as it was.
func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{"2026-11-30T12:00:00.000000005Z", "2026-11-30T12:00:00,000000005Z", "2026-11-30T1:00:00.000000005Z", "2026-11-30T12:00:00Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if at, err := ParseTime(s); err == nil && FormatTime(at) != s {
			t.Fatalf("%q is written as %q", s, FormatTime(at))
		}
	})
}

package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// quotedMax is how much of a text without an object is quoted. (semantics 12.1)
const quotedMax = 160

// errNotObject says that a text is not one JSON object.
var errNotObject = errors.New("not one JSON object")

// extract finds the answer's object: the whole text, else the first fenced block
// that holds one, else what lies between the first "{" and the last "}". Each of
// them must be complete JSON as it stands, and nothing around it may look like
// another answer: of an answer that is cut off behind a quoted one, a whole but
// wrong object would be left. (semantics 12.1; cases E02, E23)
func extract(text string) (map[string]json.RawMessage, error) {
	text = strings.TrimSpace(strings.TrimPrefix(strings.ToValidUTF8(text, "\uFFFD"), "\uFEFF"))
	if text == "" {
		return nil, errors.New("the answer is empty")
	}
	if e := envelopeError(text); e != nil {
		return nil, e
	}
	for _, candidate := range []string{text, fenced(text), braced(text)} {
		if candidate == "" {
			continue
		}
		fields, err := object(candidate)
		if errors.Is(err, errNotObject) {
			continue
		}
		if err == nil && anotherObject.MatchString(strings.Replace(text, candidate, "", 1)) {
			err = errors.New("the answer holds more than one object; print one and nothing else")
		}
		return fields, err
	}
	if json.Valid([]byte(text)) {
		return nil, fmt.Errorf("the answer must be one JSON object and is another JSON value; it begins with %q", Clip(text, quotedMax))
	}
	return nil, fmt.Errorf("the answer is not one complete JSON object; it begins with %q", Clip(text, quotedMax))
}

// anotherObject is what the rest of a text must not hold: the beginning of one, or
// the key that every answer has.
var anotherObject = regexp.MustCompile(`\{\s*"|"findings"`)

// fenced is the content of the first fenced block that begins with a brace.
func fenced(text string) string {
	const fence = "```"
	for {
		_, rest, ok := strings.Cut(text, fence)
		if !ok {
			return ""
		}
		_, rest, ok = strings.Cut(rest, "\n") // the fence may name a language
		if !ok {
			return ""
		}
		block, after, ok := strings.Cut(rest, "\n"+fence)
		if !ok {
			return ""
		}
		if block = strings.TrimSpace(block); strings.HasPrefix(block, "{") {
			return block
		}
		text = after
	}
}

// braced leaves a list of objects alone: which of them would be the answer?
func braced(text string) string {
	if list, ok := strings.CutPrefix(text, "["); ok && strings.HasPrefix(strings.TrimSpace(list), "{") {
		return ""
	}
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if start < 0 || end < start {
		return ""
	}
	return text[start : end+1]
}

// object reads one JSON object and nothing after it. A key that occurs twice is
// an error of its own: which of the two lists of findings was meant?
func object(text string) (map[string]json.RawMessage, error) {
	if !strings.HasPrefix(text, "{") {
		return nil, errNotObject
	}
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	value, err := d.ReadValue()
	if err != nil {
		return nil, errNotObject
	}
	value = bytes.Clone(value)
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errNotObject
	}
	if !value.IsValid(jsontext.AllowInvalidUTF8(true)) {
		return nil, errors.New("the answer has an object in which a key occurs twice")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(value, &fields); err != nil {
		return nil, errNotObject
	}
	return fields, nil
}

// Clip shortens a text for a message, to at most n bytes and the mark.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
)

// lineMax bounds one line of the recording.
const lineMax = 64 << 20

// exchange is one line of the recording.
type exchange struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`  // as it was sent, escaped
	Query   string            `json:"query"` // as it was sent
	Headers map[string]string `json:"request_headers"`
	Body    string            `json:"request_body"`

	Status   int               `json:"status"`
	Answered map[string]string `json:"response_headers"`
	Answer   string            `json:"response_body"`

	// Fault names what a test spoiled on purpose; "" = an answer in earnest.
	Fault string `json:"fault"`

	line int
}

// read returns the exchanges of the recording, and of those that are the same in
// all that is checked only the first.
func read(recording string) ([]*exchange, error) {
	f, err := os.Open(recording)
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	defer f.Close()
	var all []*exchange
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, lineMax)
	for n := 1; lines.Scan(); n++ {
		x := &exchange{line: n}
		if err := json.Unmarshal(lines.Bytes(), x); err != nil {
			return nil, fmt.Errorf("%s:%d is no exchange: %w", recording, n, err)
		}
		if x.Method == "" || x.Path == "" {
			return nil, fmt.Errorf("%s:%d has no method or path", recording, n)
		}
		all = append(all, x)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	return all, nil
}

// path is below the root of GitHub's API; an Enterprise Server has its own root.
func (x *exchange) path() string {
	for _, root := range []string{"/api/v3", "/api"} {
		if p, ok := strings.CutPrefix(x.Path, root+"/"); ok {
			return "/" + p
		}
	}
	return x.Path
}

func (x *exchange) query() (url.Values, error) { return url.ParseQuery(x.Query) }

// same is equal for exchanges that need to be checked only once.
func (x *exchange) same() string {
	return strings.Join([]string{x.Method, x.Path, x.Query, x.Body, fmt.Sprint(x.Status), x.Fault, x.Answer,
		x.Headers["Accept"], x.Answered["Content-Type"]}, "\x00")
}

// decode reads one JSON value and nothing behind it.
func decode(text string) (any, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the JSON value")
	}
	return v, nil
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it came from JSON
	}
	return string(text)
}

package githubtest

import (
	"encoding/json"
	"os"
	"sync"
	"testing"
)

// RecordVariable names a file that every exchange is appended to, one JSON object a
// line, for the check against GitHub's published description.
const RecordVariable = "REVIEWCTL_GITHUB_RECORD"

// recordedHeaders are the headers that the check may want to see.
var recordedHeaders = []string{"Accept", "Content-Type", "If-None-Match", "X-Github-Api-Version", "ETag", "Link", "Location", "Retry-After"}

// exchanged is one line of the record.
type exchanged struct {
	Method   string            `json:"method"`
	Route    string            `json:"route"` // METHOD and template; "" = GitHub has no such call
	Path     string            `json:"path"`
	Query    string            `json:"query"`
	Asked    map[string]string `json:"request_headers"`
	Request  string            `json:"request_body"`
	Status   int               `json:"status"`
	Answered map[string]string `json:"response_headers"`
	Response string            `json:"response_body"`
	Fault    FaultKind         `json:"fault,omitempty"` // the answer is not GitHub's
}

type recorder struct{ file *os.File }

// recording keeps the lines of one process apart; O_APPEND those of several.
var recording sync.Mutex

func newRecorder(t testing.TB, silent bool) *recorder {
	path := os.Getenv(RecordVariable)
	if path == "" || silent {
		return &recorder{}
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return &recorder{file: file}
}

func (r *recorder) write(c *call, d *delivery) {
	if r.file == nil || d.answer == nil {
		return
	}
	x := exchanged{
		Method: c.r.Method, Route: c.entry.Route, Path: c.path, Query: c.r.URL.RawQuery, Asked: map[string]string{}, Request: string(c.body),
		Status: d.answer.status, Answered: map[string]string{}, Response: string(d.answer.body), Fault: d.kind,
	}
	if x.Fault == "" {
		x.Fault = c.odd
	}
	for _, name := range recordedHeaders {
		if v := c.r.Header.Get(name); v != "" {
			x.Asked[name] = v
		}
		if v := d.answer.header.Get(name); v != "" {
			x.Answered[name] = v
		}
	}
	line, err := json.Marshal(x)
	if err != nil {
		c.s.t.Errorf("githubtest: record %s: %v", c.path, err)
		return
	}
	recording.Lock()
	defer recording.Unlock()
	if _, err := r.file.Write(append(line, '\n')); err != nil {
		c.s.t.Errorf("githubtest: record %s: %v", c.path, err)
	}
}

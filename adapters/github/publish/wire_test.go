package publish_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// refuser answers the creation of reviews with a 422 of its own.
type refuser struct {
	next    http.RoundTripper
	text    string
	when    func(body string) bool
	refused int
}

// RoundTrip refuses, or passes on.
func (f *refuser) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/reviews") {
		return f.next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if !f.when(string(body)) {
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
		return f.next.RoundTrip(r)
	}
	f.refused++
	text, err := json.Marshal(map[string]any{"message": "Unprocessable Entity", "errors": []string{f.text}})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusUnprocessableEntity, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(text)),
	}, nil
}

package api

import (
	"strings"
	"testing"
)

// TestParseBaseURL: a slash at the end, and no token over an open line.
func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "https://api.github.com/",
		"https://api.github.com":            "https://api.github.com/",
		" https://API.GitHub.com/ ":         "https://api.github.com/",
		"https://ghe.example.org/api/v3":    "https://ghe.example.org/api/v3/",
		"https://ghe.example.org/api/v3///": "https://ghe.example.org/api/v3/",
		"https://ghe.example.org:8443/":     "https://ghe.example.org:8443/",
		"http://127.0.0.1:4000":             "http://127.0.0.1:4000/",
		"http://[::1]:4000/x":               "http://[::1]:4000/x/",
		"http://localhost:4000":             "http://localhost:4000/",
	} {
		u, err := ParseBaseURL(text)
		if err != nil || u.String() != want {
			t.Errorf("%q: %v, %v", text, u, err)
		}
	}
	for _, text := range []string{
		"ghe.example.org", "http://ghe.example.org/api/v3/", "http://localhost.example.org/", "http://10.0.0.1/", "ftp://ghe.example.org/",
		"https://", "https:///api/v3", "https://user:s3cr3t@ghe.example.org/", "https://ghe.example.org/?token=x", "https://ghe.example.org/#x",
		"https://github.com/", "https://www.github.com", "https://ghe.example.org:port/", "\x7f",
	} {
		u, err := ParseBaseURL(text)
		if err == nil || !strings.Contains(err.Error(), "https://HOST/api/v3/") || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: %v, %v", text, u, err)
		}
		if _, err := New(Params{BaseURL: text, Token: func() (string, error) { return "", nil }, Clock: bubbleClock{}}); err == nil {
			t.Errorf("%q makes an access", text)
		}
	}
	if _, err := New(Params{}); err == nil {
		t.Error("an access without a token and a clock")
	}
}

// TestHost is what the names of streams say.
func TestHost(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"": "github.com", "https://api.github.com/": "github.com", "https://GHE.example.org/api/v3/": "ghe.example.org", "http://127.0.0.1:4000": "127.0.0.1",
	} {
		if got := client(t, nil, func(p *Params) { p.BaseURL = base }).Host(); got != want {
			t.Errorf("%q: %q", base, got)
		}
	}
}

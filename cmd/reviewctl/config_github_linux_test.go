package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe that nobody writes to is refused, and not waited for.
func TestTokenOfAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "token")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	c := GitHubConfig{TokenFile: pipe}
	if token, err := c.token(func(string) string { return "" }); err == nil || token != "" || !strings.Contains(Explain(err).Subject, "not a file") {
		t.Errorf("%q %v", token, err)
	}
}

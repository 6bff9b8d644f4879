package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A token's file wins over the variable, is read anew, and is its owner's alone.
func TestTokenIsReadAnew(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	write := func(text string, mode os.FileMode) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	env := func(name string) string { return "of-" + name }
	c := GitHubConfig{TokenEnv: "X"}
	if token, err := c.token(env); err != nil || token != "of-X" {
		t.Errorf("%q %v", token, err)
	}
	c.TokenFile = file
	if _, err := c.token(env); err == nil {
		t.Error("a file that is not there does not matter")
	}
	for _, text := range []string{"first\n", "second"} {
		write(text, 0o600)
		if token, err := c.token(env); err != nil || token != strings.TrimSpace(text) {
			t.Errorf("%q %v", token, err)
		}
	}
	for text, mode := range map[string]os.FileMode{"open": 0o644, " \n": 0o600, strings.Repeat("a", TokenBytesMax+1): 0o600} {
		write(text, mode)
		if token, err := c.token(env); err == nil || token != "" || strings.Contains(err.Error(), "open ") || Explain(err).Code != CodeConfig {
			t.Errorf("%.20q: %.20q %v", text, token, err)
		}
	}
}

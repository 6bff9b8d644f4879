package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// try returns the test that fails without the guard, or "". A test that a missing
// guard sends round in circles ends by its time limit.
func try(g *guard, dir string, n, seeds int, worlds bool) (string, error) {
	whole, err := filepath.Abs(g.file)
	if err != nil {
		return "", err
	}
	copied := filepath.Join(dir, fmt.Sprintf("%d.go", n))
	if err := os.WriteFile(copied, g.without, 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {whole: copied}})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, fmt.Sprintf("%d.json", n))
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return "", err
	}
	tests := [][]string{
		{"./" + g.pkg, "-short", "-skip", "^TestSimulate$"},
		{"./actors", "-short", "-skip", "^TestSimulate$"},
		{"./actors", "-run", "^TestSimulate$", fmt.Sprintf("-sim.seeds=%d", seeds)},
	}
	switch {
	case strings.HasPrefix(g.pkg, "adapters/"): // nothing of actors knows it
		tests = tests[:1]
	case worlds:
		tests = tests[2:]
	}
	for _, args := range tests {
		test, err := failing(append([]string{"test", "-count=1", "-failfast", "-timeout", "3m", "-overlay", file}, args...))
		if test != "" || err != nil {
			return test, err
		}
	}
	return "", nil
}

var (
	failLine  = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	panicLine = regexp.MustCompile(`(?m)^panic: (.*)`)
)

// failing runs tests and names the innermost one that fails.
func failing(args []string) (string, error) {
	out, err := exec.CommandContext(context.Background(), "go", args...).CombinedOutput()
	if err == nil {
		return "", nil
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return "", err
	}
	name := ""
	for _, m := range failLine.FindAllStringSubmatch(string(out), -1) {
		if name == "" || strings.HasPrefix(m[1], name+"/") {
			name = m[1]
		}
	}
	if p := panicLine.FindStringSubmatch(string(out)); p != nil {
		return strings.TrimSpace(name + " panics: " + p[1]), nil
	}
	if name != "" {
		return name, nil
	}
	return "", fmt.Errorf("the tests did not run: %s", lastLines(string(out), 4))
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n        ")
}

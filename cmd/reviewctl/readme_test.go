package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blocks returns the fenced blocks of README.md in one language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?)\n```\n").FindAllStringSubmatch(string(readme), -1) {
		all = append(all, m[1])
	}
	if len(all) == 0 {
		t.Fatalf("README.md has no block of %s", language)
	}
	return all
}

// readmeWorld is a folder as the page assumes it, and an environment.
func readmeWorld(t *testing.T) (dir string, env []string) {
	t.Helper()
	root := t.TempDir()
	dir = filepath.Join(root, "demo")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	env = os.Environ()
	for name, value := range scriptEnv(root) {
		env = append(env, name+"="+value)
	}
	return dir, env
}

// TestTheReadmesCommands runs each of them, in their order, and compares what they
// say with the page.
func TestTheReadmesCommands(t *testing.T) {
	t.Parallel()
	dir, env := readmeWorld(t)
	for _, block := range blocks(t, "console") {
		for step := range strings.SplitSeq("\n"+block, "\n$ ") {
			command, want, _ := strings.Cut(step, "\n")
			if command == "" {
				continue
			}
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir, cmd.Env = dir, env
			out, err := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 {
				t.Fatalf("%s: %v: %s", command, err, err.(*exec.ExitError).Stderr)
			}
			if !shown(want).MatchString(strings.TrimSpace(string(out))) {
				t.Errorf("%s\nsays\n%s\nREADME.md says\n%s", command, out, want)
			}
		}
	}
}

// shown makes an expression of a page's output: "…" in a line stands for anything in
// it, a line of its own for any lines.
func shown(text string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`\A`)
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if line == "…" {
			b.WriteString(`(?s:.*)`)
			continue
		}
		if i > 0 {
			b.WriteString(`\s*`)
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", `[^\n]*`))
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String())
}

// TestTheReadmesConfiguration: config check takes it as it stands.
func TestTheReadmesConfiguration(t *testing.T) {
	t.Parallel()
	dir, env := readmeWorld(t)
	if err := os.WriteFile(filepath.Join(dir, "reviewctl.yaml"), []byte(blocks(t, "yaml")[0]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"sizes.py", "vet.sh", "lint.sh"} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("reviewctl", "config", "check")
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

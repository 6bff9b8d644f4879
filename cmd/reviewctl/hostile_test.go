package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// spy is an engine that looks for what it should not find: links that lead out of
// its tree, a repository, and secrets in its environment. It says all of it, and
// approves as it was told.
const spy = `#!/bin/sh
cat >/dev/null
look() {
	env
	find . -type l
	cat leak cfg cfg/secret.txt dir/outside/secret.txt inner proc alias 2>/dev/null
	grep -rl CANARY . 2>/dev/null
	ls -d .git sub/.git mod/* 2>/dev/null
}
said=$(look | tr -c 'A-Za-z0-9_=/.:-' ' ')
echo "{\"summary\":\"$said\",\"findings\":[{\"title\":\"Ask @maintainer <!-- hidden -->\",\"file\":\"a.txt\",\"line\":2,\"body\":\"![x](https://evil.example/?q=1) $said\"}]}"
`

// TestHostileRepository reviews it through the real command: nothing that it offers
// is executed, nothing outside is read, nothing is left, and it is as it was.
// (issue 3, "Done when"; cases W17, W19, W20, W21, W22, W23, W24, E23, E24, D18)
func TestHostileRepository(t *testing.T) {
	t.Parallel()
	h := newHostile(t)
	secret := "gh" + "s_" + strings.Repeat("x7K", 12)
	env := h.environment(secret)
	h.write(filepath.Join(h.root, "spy.sh"), spy)
	h.write(filepath.Join(h.root, "reviewctl.yaml"), "engines: {spy: {kind: exec, command: [sh, "+filepath.Join(h.root, "spy.sh")+"]}}\npolicy: {approve: true}\nlimits: {max_changed_files: 0, max_changed_lines: 0}\n")
	before := h.snapshot()
	var said strings.Builder
	name := ""
	formats := []string{"json", "text", "markdown", "sarif", "rdjsonl"}
	if testing.Short() {
		formats = formats[:2]
	}
	for _, format := range formats {
		out := h.reviewctl(env, "review", h.dir, "--engine", "static", "--engine", "spy", "--format", format, "--fail-on", "never")
		if format == "json" {
			name = h.holds(out)
		}
		if strings.ContainsAny(out, "\x1b\x07") || strings.Contains(out, "\u202e") && (format == "text" || format == "markdown") {
			t.Errorf("%s holds what moves a terminal: %q", format, out)
		}
		said.WriteString(out)
	}
	for _, verb := range [][]string{{"status"}, {"get", "prs"}, {"get", "findings", "--json"}, {"explain", name}, {"events", "--limit", "10000"}, {"verify"}} {
		said.WriteString(h.reviewctl(env, verb...))
	}
	h.nothingHappened(before)
	for _, word := range []string{h.words, secret} {
		if strings.Contains(said.String(), word) {
			t.Errorf("%q was said: %s", word, said.String())
		}
		h.nowhere(word)
	}
	h.armed()
}

// armed: git as anybody calls it does run what the repository offers.
func (h *hostile) armed() {
	h.t.Helper()
	cmd := exec.Command("git", "-C", h.dir, "status")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.root}
	_ = cmd.Run() // whether it likes the names is its own affair
	if marks, err := os.ReadDir(h.marks); err != nil || len(marks) == 0 {
		h.t.Errorf("the repository is harmless: %v", err)
	}
}

// reviewctl runs the command in a folder beside the repository.
func (h *hostile) reviewctl(env []string, args ...string) string {
	h.t.Helper()
	cmd := exec.Command("reviewctl", args...)
	cmd.Dir, cmd.Env = h.root, env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); err != nil && (args[0] != "review" || code != 3) { // 3: names that no file system takes leave a part
		h.t.Fatalf("reviewctl %q: %v: %s%s", args, err, errs.String(), out)
	}
	return string(out) + errs.String()
}

// holds compares a review with what git says of the change, and returns the name of
// the pull request.
func (h *hostile) holds(out string) string {
	h.t.Helper()
	var report ReviewReport
	h.must(json.Unmarshal([]byte(out[:strings.IndexByte(out, '\n')]), &report))
	if report.Outcome != events.OutcomeFindings && report.Outcome != events.OutcomePartial || report.Verdict == events.VerdictApprove {
		h.t.Errorf("%s, %s: %s", report.Outcome, report.Verdict, report.Reason)
	}
	changed := map[string]bool{}
	names := h.git(nil, "--no-pager", "-c", "core.fsmonitor=false", "diff-tree", "-r", "-z", "--name-only", "--no-ext-diff", "--no-renames", string(report.MergeBase), string(report.Head))
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		changed[name] = true
	}
	covered := map[string]bool{}
	for _, c := range report.Coverage {
		name := diff.ExactPath(c.File, c.FileBase64)
		if covered[name] {
			h.t.Errorf("%q is covered twice", name)
		}
		covered[name] = true
	}
	if !maps.Equal(changed, covered) {
		h.t.Errorf("covered\n%q\ngit says\n%q", slices.Sorted(maps.Keys(covered)), slices.Sorted(maps.Keys(changed)))
	}
	outside := map[string]bool{}
	for _, f := range report.Findings {
		if strings.HasPrefix(f.Title, "Symlink that leaves the tree") {
			outside[f.File] = true
		}
		if strings.HasPrefix(f.Title, "Ask") && (f.Title != "Ask `@maintainer`" || strings.Contains(f.Body, "](") || f.Placement != events.PlacementInline) {
			h.t.Errorf("the engine's words are %q, %q, %s", f.Title, f.Body, f.Placement)
		}
	}
	for _, name := range []string{"leak", "cfg", "dir", "proc"} {
		if !outside[name] {
			h.t.Errorf("that %s leads out of the tree is not found, but %v", name, outside)
		}
	}
	return PRRef{report.Repo, report.Number}.String()
}

// nothingHappened: no mark, no process, no folder in use, no change.
func (h *hostile) nothingHappened(before map[string]string) {
	h.t.Helper()
	marks, err := os.ReadDir(h.marks)
	h.must(err)
	for _, mark := range marks {
		text, _ := os.ReadFile(filepath.Join(h.marks, mark.Name()))
		h.t.Errorf("%s ran: %s", mark.Name(), text)
	}
	after := h.snapshot()
	for path, was := range before {
		if after[path] != was {
			h.t.Errorf("%s was %s and is %s", path, was, after[path])
		}
		delete(after, path)
	}
	if len(after) > 0 {
		h.t.Errorf("the repository has got %v", after)
	}
	if left := engineProcesses(h.root); len(left) > 0 {
		h.t.Errorf("processes left: %q", left)
	}
	if _, err := os.Stat(filepath.Join(h.root, "elsewhere")); !errors.Is(err, fs.ErrNotExist) {
		h.t.Errorf("the folder of GIT_DIR is there: %v", err)
	}
}

// nowhere looks through all that was stored.
func (h *hostile) nowhere(word string) {
	h.t.Helper()
	h.must(filepath.WalkDir(filepath.Join(h.root, "log"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte(word)) {
			h.t.Errorf("%q is in %s", word, path)
		}
		return err
	}))
}

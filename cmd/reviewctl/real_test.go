package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

// Real changes: how many commits of our own history, and which released versions
// of a module, one commit each. (issue 2, "Real input")
const (
	historyShort = 3
	historyLong  = 20
	realModule   = "github.com/google/go-cmp"
)

var realVersions = []string{"v0.4.1", "v0.5.0", "v0.5.9", "v0.6.0", "v0.7.0"}

// reviewer runs reviews against a log of its own.
type reviewer struct {
	t   *testing.T
	env []string
}

func newReviewer(t *testing.T) *reviewer {
	t.Helper()
	r := &reviewer{t: t, env: os.Environ()}
	for name, value := range scriptEnv(t.TempDir()) {
		r.env = append(r.env, name+"="+value)
	}
	return r
}

// run runs a program and returns its output.
func (r *reviewer) run(dir, program string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, r.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("%s %q: %v: %s", program, args, err, errs.String())
	}
	return string(out)
}

// review reviews one commit and holds its coverage against git.
func (r *reviewer) review(dir string, args ...string) *ReviewReport {
	r.t.Helper()
	args = append([]string{"review", ".", "--json", "--fail-on", "never"}, args...)
	var report ReviewReport
	if err := json.Unmarshal([]byte(r.run(dir, "reviewctl", args...)), &report); err != nil {
		r.t.Fatal(err)
	}
	if report.Outcome != events.OutcomeClean && report.Outcome != events.OutcomeFindings {
		r.t.Errorf("%s: %s: %s", report.Head, report.Outcome, report.Reason)
	}
	covered := map[string]bool{}
	for _, c := range report.Coverage {
		if _, twice := covered[c.File]; twice {
			r.t.Errorf("%s: %s is listed twice", report.Head, c.File)
		}
		if covered[c.File] = c.Status == CoverageBinary; c.Status == CoveragePartial {
			r.t.Errorf("%s: %s is %s: %s", report.Head, c.File, c.Status, c.Reason)
		}
	}
	if changed := r.numstat(dir, report.MergeBase, report.Head); !maps.Equal(covered, changed) {
		r.t.Errorf("%s: covered (true: binary)\n%v\ngit says\n%v", report.Head, covered, changed)
	}
	for _, f := range report.Findings {
		if _, changed := covered[f.File]; !changed {
			r.t.Errorf("%s: a finding in %s, which did not change", report.Head, f.File)
		}
	}
	return &report
}

// numstat lists the changed files, and whether git takes each for binary.
func (r *reviewer) numstat(dir string, base, head events.Commit) map[string]bool {
	r.t.Helper()
	fields := strings.Split(r.run(dir, "git", "diff", "--numstat", "-z", "-M", string(base), string(head)), "\x00")
	changed := map[string]bool{}
	for i := 0; i < len(fields)-1; i++ {
		counts := strings.SplitN(fields[i], "\t", 3)
		name := counts[2]
		if name == "" { // renamed: the old and the new name follow
			name = fields[i+2]
			i += 2
		}
		changed[name] = counts[0] == "-"
	}
	return changed
}

func TestReviewOfOurOwnHistory(t *testing.T) {
	t.Parallel()
	r := newReviewer(t)
	top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Skip("not in a checkout: ", err)
	}
	dir := strings.TrimSpace(string(top))
	if strings.TrimSpace(r.run(dir, "git", "rev-parse", "--is-shallow-repository")) == "true" {
		t.Skip("a shallow clone has no history")
	}
	want := historyLong
	if testing.Short() {
		want = historyShort
	}
	for commit := range strings.FieldsSeq(r.run(dir, "git", "rev-list", "--first-parent", "-n", fmt.Sprint(want), "HEAD")) {
		r.review(dir, "--head", commit)
	}
}

// TestReviewOfReleasedVersions reviews a repository that is made of a module's
// releases. With -short only those that are here already: at least the one that
// this module uses itself.
func TestReviewOfReleasedVersions(t *testing.T) {
	t.Parallel()
	r := newReviewer(t)
	dir := t.TempDir()
	r.run(dir, "git", "init", "-q", "-b", "main")
	made := 0
	for _, version := range realVersions {
		from, err := moduleDir(realModule+"@"+version, testing.Short())
		if err != nil {
			t.Logf("%s is not here: %v", version, err)
			continue
		}
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			if e.Name() != ".git" {
				err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
			}
		}
		if err := errors.Join(err, copyTree(from, dir)); err != nil {
			t.Fatal(err)
		}
		r.run(dir, "git", "add", "-A")
		r.run(dir, "git", "commit", "-q", "-m", version)
		report := r.review(dir)
		t.Logf("%s: %d files, %d findings, %d ms", version, len(report.Coverage), len(report.Findings), report.Timing.TotalMS)
		made++
	}
	if made == 0 || made < len(realVersions) && !testing.Short() {
		t.Skipf("%d of %d versions can be had", made, len(realVersions))
	}
	r.plant(dir)
}

// moduleDir returns the folder of a module's version.
func moduleDir(module string, offline bool) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	if offline {
		cmd.Env = append(cmd.Env, "GOPROXY=off")
	}
	out, err := cmd.Output()
	if err != nil {
		return "", errors.Join(err, errors.New(strings.TrimSpace(string(out))))
	}
	var answer struct{ Dir string }
	return answer.Dir, errors.Join(json.Unmarshal(out, &answer), err)
}

// copyTree copies files that the module cache keeps read-only.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		source, err := os.Open(path)
		if err != nil {
			return err
		}
		defer source.Close()
		target, err := os.Create(filepath.Join(to, rel))
		if err != nil {
			return err
		}
		_, err = io.Copy(target, source)
		return errors.Join(err, target.Close())
	})
}

// Secrets are put together here, so that no scanner takes this file for a leak.
var planted = []string{
	`const aws = "` + "AKIA" + `Q3EGRMZVK7WSBNTY"`,
	`const github = "` + "ghp_" + `x7Kq2VbN9sLw4TzRj1Hc8GmYp5DfXe3UaQoB"`,
	`const slack = "` + "xoxb-" + `2840193756-2840193757-hT7vKqLw9Zr3XcBn5MdYpS8f"`,
	"<<<<<<< ours\nconst A = 1\n=======\nconst A = 2\n>>>>>>> theirs",
}

// plant adds what must be found to real files, beside what was there before: just
// the new is found, at its lines.
func (r *reviewer) plant(dir string) {
	r.t.Helper()
	var files []string
	for name := range strings.SplitSeq(strings.TrimSuffix(r.run(dir, "git", "ls-files", "-z", "*.go"), "\x00"), "\x00") {
		files = append(files, name)
	}
	files = files[:min(len(files), 2*len(planted))]
	before := "package x\n\n" + planted[0] + "\n" + planted[3] + "\n// end\n"
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	write("old.go", before)
	r.run(dir, "git", "add", "-A")
	r.run(dir, "git", "commit", "-q", "-m", "what was there")
	write("old.go", strings.Replace(before, "// end", "// the end", 1))
	var want, got []string
	for i, name := range files {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			r.t.Fatal(err)
		}
		lines := strings.SplitAfter(string(raw), "\n")
		at := len(lines) * (i + 1) / (len(files) + 1) // the new line's place: anywhere in the file
		text := planted[i%len(planted)]
		write(name, strings.Join(lines[:at], "")+text+"\n"+strings.Join(lines[at:], ""))
		want = append(want, fmt.Sprintf("%s:%d-%d", name, at+1, at+1+strings.Count(text, "\n")))
	}
	r.run(dir, "git", "add", "-A")
	r.run(dir, "git", "commit", "-q", "-m", "planted")
	for _, f := range r.review(dir).Findings {
		if strings.HasPrefix(f.Title, "Syntax error") {
			continue // what was planted in the middle of a statement is one as well
		}
		got = append(got, fmt.Sprintf("%s:%d-%d", f.File, f.LineStart, f.LineEnd))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		r.t.Errorf("found %q, planted %q", got, want)
	}
}

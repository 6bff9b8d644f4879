package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

// What a review of bad input may hold in memory at most, its git processes and
// engines included each by itself: far below what the change itself would take.
const peakMax = 400 << 20

// large is a repository whose newest commit is too much of something.
type large struct {
	*reviewer
	repo string
}

func newLarge(t *testing.T) *large {
	t.Helper()
	if testing.Short() {
		t.Skip("a part of the full sample: make test-long")
	}
	l := &large{reviewer: newReviewer(t), repo: t.TempDir()}
	l.run(l.repo, "git", "init", "-q", "-b", "main")
	l.file("a.txt", "one\n")
	l.commit(l.repo, "base")
	return l
}

func (l *large) file(name, text string) {
	l.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(l.repo, name)), 0o700); err != nil {
		l.t.Fatal(err)
	}
	l.write(filepath.Join(l.repo, name), text)
}

// reviewed runs a review and returns its report, exit code and what it said. How
// much memory it took is held against the bound.
func (l *large) reviewed(args ...string) (*ReviewReport, int, string) {
	l.t.Helper()
	cmd := exec.Command("reviewctl", append([]string{"review", l.repo, "--json", "--fail-on", "never"}, args...)...)
	cmd.Env = l.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.t.Fatal(err)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak := usage.Maxrss * maxrssUnit
		l.t.Logf("peak memory %d MB, exit %d, %s", peak>>20, cmd.ProcessState.ExitCode(), cmd.ProcessState.UserTime())
		if peak > peakMax {
			l.t.Errorf("it took %d MB of memory, more than %d", peak>>20, peakMax>>20)
		}
	}
	report := &ReviewReport{}
	if len(out) > 0 {
		if err := json.Unmarshal(out, report); err != nil {
			l.t.Fatal(err)
		}
	}
	return report, cmd.ProcessState.ExitCode(), errs.String()
}

// whole wants a review whose coverage is git's own list, or an error that says what
// to do. A part of a review ends with 3. (CLI.md)
func (l *large) whole(files int, args ...string) *ReviewReport {
	l.t.Helper()
	report, code, said := l.reviewed(args...)
	if code != 0 && (code != 3 || !strings.Contains(said, `"remedy":"`) || strings.Contains(said, "panic")) {
		l.t.Errorf("exit %d: %s", code, said)
	}
	if report.Outcome == events.OutcomeFailed || report.Outcome == events.OutcomeNotRun {
		l.t.Logf("refused: %s", report.Reason)
		if report.Reason == "" {
			l.t.Errorf("refused without a reason: %s", said)
		}
		return report
	}
	covered := map[string]bool{}
	for _, c := range report.Coverage {
		covered[c.File] = true
	}
	if len(covered) != files || len(report.Coverage) != files {
		l.t.Errorf("%d files are covered, %d entries, want %d", len(covered), len(report.Coverage), files)
	}
	return report
}

// fill writes a large file beside this process, whose own memory is the least that
// is measured of its children.
func (l *large) fill(name, line string, bytes int) {
	l.t.Helper()
	l.run(l.repo, "sh", "-c", fmt.Sprintf("yes '%s' | head -c %d >%s; echo >>%s", line, bytes, name, name))
}

const conflict = "<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n"

func TestLargeDiff(t *testing.T) {
	t.Parallel()
	l := newLarge(t)
	const size, line = 100 << 20, "a line of a large file, as long as lines usually are in what people write"
	l.fill("large.txt", line, size)
	l.commit(l.repo, "large")
	l.fill("large.txt", strings.ToUpper(line), size) // the diff has both sides: 200 MB
	l.file("a.txt", "one\n"+conflict)
	l.commit(l.repo, "change")
	report := l.whole(2)
	for _, c := range report.Coverage {
		if c.File == "large.txt" && (c.Status == CoverageReviewed || c.Reason == "") {
			t.Errorf("large.txt is %s: %s", c.Status, c.Reason)
		}
	}
	if report.Outcome != events.OutcomePartial || len(report.Findings) != 1 {
		t.Errorf("%s, the conflict beside it is not found: %+v", report.Outcome, report.Findings)
	}
}

func TestManyFiles(t *testing.T) {
	t.Parallel()
	l := newLarge(t)
	for i := range 5000 {
		l.file(fmt.Sprintf("folder%02d/a file with a name of its own %04d.txt", i%50, i), fmt.Sprintf("%d\n", i))
	}
	l.commit(l.repo, "many")
	l.whole(5000)
}

func TestLongFiles(t *testing.T) {
	t.Parallel()
	l := newLarge(t)
	for i := range 5 {
		name := fmt.Sprintf("long%d.txt", i)
		l.run(l.repo, "sh", "-c", fmt.Sprintf("awk 'BEGIN { for (i = 0; i < 100000; i++) print \"line\", i, \"of file %d\" }' >%s; printf '%s' >>%s", i, name, strings.ReplaceAll(conflict, "\n", `\n`), name))
	}
	l.commit(l.repo, "long")
	report := l.whole(5)
	for _, f := range report.Findings {
		if f.LineStart != 100_001 || f.LineEnd != 100_005 {
			t.Errorf("%s:%d-%d", f.File, f.LineStart, f.LineEnd)
		}
	}
	if len(report.Findings) != 5 {
		t.Errorf("%d findings", len(report.Findings))
	}
}

func TestLinterOfAMillionLines(t *testing.T) {
	t.Parallel()
	l := newLarge(t)
	l.file("a.txt", "one\ntwo\n")
	l.commit(l.repo, "change")
	script := filepath.Join(l.dir, "lint.sh")
	l.write(script, `awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "a.txt:%d: remark number %d\n", i % 3, i }'`+"\n")
	l.write(filepath.Join(l.dir, "reviewctl.yaml"), "engines: {lint: {kind: errorformat, formats: ['%f:%l: %m'], command: [sh, "+script+"]}}\n")
	report := l.whole(1, "--engine", "lint")
	if n := len(report.Findings); n == 0 || n > events.FindingsPerLaneMax {
		t.Errorf("%d findings", n)
	}
}

// TestRepositoryThatChangesUnderneath: a review is about the commit that it began
// with, whatever happens to the repository meanwhile.
func TestRepositoryThatChangesUnderneath(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"the branch moves":              `git commit -q --allow-empty -m moved`,
		"the branch is deleted":         `git checkout -q main && git branch -q -D feature`,
		"the commit is collected":       `git checkout -q main && git branch -q -D feature && git reflog expire --expire=now --all && git gc -q --prune=now`,
		"the files are somebody else's": `rm -rf a.txt && echo other >b.txt && git add -A`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReviewer(t)
			repo := t.TempDir()
			r.run(repo, "git", "init", "-q", "-b", "main")
			r.write(filepath.Join(repo, "a.txt"), "one\n")
			r.commit(repo, "base")
			r.run(repo, "git", "checkout", "-q", "-b", "feature")
			r.write(filepath.Join(repo, "a.txt"), "one\ntwo\n")
			r.commit(repo, "change")
			head := strings.TrimSpace(r.run(repo, "git", "rev-parse", "HEAD"))
			script := filepath.Join(r.dir, "meanwhile.sh")
			r.write(script, "cat >/dev/null\n(cd '"+repo+"' && export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@example.org GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@example.org && "+change+
				") >&2 || exit 9\necho '{\"findings\":[{\"title\":\"t\",\"file\":\"a.txt\",\"line\":2}]}'\n")
			r.write(filepath.Join(r.dir, "reviewctl.yaml"), "engines: {meanwhile: {kind: exec, command: [sh, "+script+"]}}\n")
			var report ReviewReport
			out := r.run(repo, "reviewctl", "review", ".", "--json", "--engine", "meanwhile", "--engine", "static")
			if err := json.Unmarshal([]byte(out), &report); err != nil {
				t.Fatal(err)
			}
			if string(report.Head) != head || report.Outcome != events.OutcomeFindings || len(report.Findings) != 1 ||
				report.Findings[0].Placement != events.PlacementInline || len(report.Coverage) != 1 {
				t.Errorf("%s", out)
			}
		})
	}
}

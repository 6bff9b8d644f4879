package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

// How many commits of our own history are reviewed.
const (
	historyShort = 3
	historyLong  = 25
)

// firstLines is an engine that remarks on the first line that each file gets.
const firstLines = `cat >/dev/null
awk 'BEGIN { printf "{\"findings\":[" }
/^\+\+\+ b\// { file = substr($0, 7); sub(/\t$/, "", file) }
/^\+\+\+ / && !/^\+\+\+ b\// { file = "" }
/^@@ / { split($3, at, ","); line = substr(at[1], 2); within = 1; next }
/^diff / { within = 0; next }
within && /^\+/ { if (file != "" && !(file in seen) && count < 200) { seen[file] = 1
	printf "%s{\"title\":\"A first line\",\"file\":\"%s\",\"line\":%d}", (count++ ? "," : ""), file, line } line++ }
within && /^ / { line++ }
END { print "]}" }' "$TMPDIR/../change.patch"
`

// reviewer runs reviews against a log of its own.
type reviewer struct {
	t     *testing.T
	env   []string
	dir   string
	rules map[string]int // findings by title, without places
	files int
	took  int64 // milliseconds
}

func newReviewer(t *testing.T) *reviewer {
	t.Helper()
	dir := t.TempDir()
	r := &reviewer{t: t, env: os.Environ(), dir: dir}
	for name, value := range scriptEnv(dir) {
		r.env = append(r.env, name+"="+value)
	}
	engine, config := filepath.Join(dir, "first.sh"), filepath.Join(dir, "reviewctl.yaml")
	r.write(engine, firstLines)
	r.write(config, "engines: {first: {kind: exec, command: [sh, "+engine+"]}}\nlimits: {max_changed_files: 0, max_changed_lines: 0}\n")
	r.env = append(r.env, "REVIEWCTL_CONFIG="+config)
	return r
}

func (r *reviewer) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// run runs a program and returns its output.
func (r *reviewer) run(dir, program string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, r.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil && (program != "reviewctl" || cmd.ProcessState.ExitCode() != 3 || !bytes.Contains(out, []byte(`"outcome":"partial"`))) {
		r.t.Fatalf("%s %q: %v: %s", program, args, err, errs.String())
	}
	return string(out)
}

// review reviews one commit twice, and holds it against git: the coverage is git's
// own list, each finding stands at lines that the change adds, and the second time
// says the same as the first.
func (r *reviewer) review(dir string, args ...string) *ReviewReport {
	r.t.Helper()
	args = append([]string{"review", ".", "--json", "--fail-on", "never", "--engine", "static", "--engine", "first"}, args...)
	first := r.run(dir, "reviewctl", args...)
	var report ReviewReport
	if err := json.Unmarshal([]byte(first), &report); err != nil {
		r.t.Fatal(err)
	}
	if report.Outcome != events.OutcomeClean && report.Outcome != events.OutcomeFindings && report.Outcome != events.OutcomePartial {
		r.t.Errorf("%s: %s: %s", report.Head, report.Outcome, report.Reason)
	}
	r.covers(dir, &report)
	r.stands(dir, &report)
	if !testing.Short() {
		again := r.run(dir, "reviewctl", args...)
		if a, b := bare(r.t, first), bare(r.t, again); !reflect.DeepEqual(a, b) {
			r.t.Errorf("%s: the second review differs:\n%v\n%v", report.Head, a, b)
		}
	}
	r.files, r.took = r.files+len(report.Coverage), r.took+report.Timing.TotalMS
	return &report
}

// bare is a report without what differs from one run to the next. (CLI.md)
func bare(t *testing.T, text string) map[string]any {
	t.Helper()
	var report map[string]any
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"run", "started", "finished", "timing", "usage"} {
		delete(report, key)
	}
	for _, lane := range report["lanes"].([]any) {
		delete(lane.(map[string]any), "usage")
		delete(lane.(map[string]any), "id")
	}
	return report
}

// covers compares the coverage with git's list of changed files.
func (r *reviewer) covers(dir string, report *ReviewReport) {
	r.t.Helper()
	changed := r.numstat(dir, report.MergeBase, report.Head)
	left := maps.Clone(changed)
	for _, c := range report.Coverage {
		binary, here := left[c.File]
		switch delete(left, c.File); {
		case !here:
			r.t.Errorf("%s: %s is covered twice, or did not change", report.Head, c.File)
		case binary && (c.Status == CoverageReviewed || c.Status == CoveragePartial), !binary && c.Status == CoverageBinary:
			r.t.Errorf("%s: %s is %s %s, and git says that it is binary: %v", report.Head, c.File, c.Status, c.Reason, binary)
		case c.Status != CoverageReviewed && c.Status != CoverageBinary && c.Reason == "":
			r.t.Errorf("%s: %s is %s without a reason", report.Head, c.File, c.Status)
		}
	}
	if len(left) > 0 {
		r.t.Errorf("%s: %v changed and is not covered", report.Head, slices.Sorted(maps.Keys(left)))
	}
}

// stands holds the findings against the lines that git says were added.
func (r *reviewer) stands(dir string, report *ReviewReport) {
	r.t.Helper()
	added := r.added(dir, report.MergeBase, report.Head)
	for _, f := range report.Findings {
		lines, changed := added[f.File]
		if !changed {
			r.t.Errorf("%s: a finding in %s, which did not change: %s", report.Head, f.File, f.Title)
		}
		for line := max(f.LineStart, 1); line <= f.LineEnd; line++ {
			if !lines[line] {
				r.t.Errorf("%s: %s:%d-%d: line %d was not added: %s", report.Head, f.File, f.LineStart, f.LineEnd, line, f.Title)
				break
			}
		}
		kind, _, _ := strings.Cut(f.Title, " (place")
		if r.rules == nil {
			r.rules = map[string]int{}
		}
		if r.rules[kind]++; kind != "A first line" {
			r.t.Logf("%.7s %s:%d-%d %s %s", report.Head, f.File, f.LineStart, f.LineEnd, f.Severity, f.Title)
		}
	}
}

// hunk is the head's side of a hunk without context.
var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// added lists the lines that each changed file gets.
func (r *reviewer) added(dir string, base, head events.Commit) map[string]map[int]bool {
	r.t.Helper()
	added := map[string]map[int]bool{}
	for name := range r.numstat(dir, base, head) {
		added[name] = map[int]bool{}
	}
	name, left := "", 0
	for line := range strings.Lines(r.run(dir, "git", "-c", "core.quotePath=false", "diff", "--no-ext-diff", "-U0", "-M", string(base), string(head))) {
		line = strings.TrimSuffix(line, "\n")
		if left > 0 { // content
			if strings.HasPrefix(line, "+") {
				left--
			}
			continue
		}
		if to, ok := strings.CutPrefix(line, "+++ b/"); ok {
			name = strings.TrimSuffix(to, "\t")
		}
		if m := hunk.FindStringSubmatch(line); m != nil {
			start, count := number(m[1], 0), number(m[2], 1)
			for i := range count {
				added[name][start+i] = true
			}
			left = count
		}
	}
	return added
}

func number(text string, other int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return other
}

// numstat lists the changed files, and whether git takes each for binary.
func (r *reviewer) numstat(dir string, base, head events.Commit) map[string]bool {
	r.t.Helper()
	fields := strings.Split(r.run(dir, "git", "diff", "--no-ext-diff", "--numstat", "-z", "-M", string(base), string(head)), "\x00")
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
	r.sum("our own history")
}

// sum tells what was reviewed.
func (r *reviewer) sum(what string) {
	r.t.Helper()
	r.t.Logf("%s: %d files in %.1f s, findings %v", what, r.files, float64(r.took)/1000, r.rules)
}

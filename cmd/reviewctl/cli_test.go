package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// call runs the command as main does.
func call(t *testing.T, args ...string) (code Exit, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs, fakeEnv("HOME", t.TempDir()))
	return code, out.String(), errs.String()
}

func TestVerbsAndFlagsAreTheContract(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&CLI{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, verb := range parser.Model.Children {
		got[verb.Name] = true
		for _, flag := range verb.Flags {
			got[verb.Name+" --"+flag.Name] = true
		}
		for _, flag := range parser.Model.Flags {
			got[verb.Name+" --"+flag.Name] = true
		}
	}
	for verb, flags := range map[string]string{
		"audit": "all since json store config", "ledger": "account repo window at", "projections": "", "config": "", "completion": "", "init": "force", "doctor": "no-models", "cancel": "run reason wait", "enqueue": "sha priority wait",
		"events": "type since from limit follow", "explain": "at", "get": "repo state since limit at", "pause": "wait", "queue": "at",
		"resume": "wait", "retry": "wait", "review": "base head worktree engine policy format fail-on publish", "serve": "shadow listen",
		"status": "watch at", "verify": "all", "version": "json no-color quiet verbose",
	} {
		if !got[verb] {
			t.Errorf("no verb %s", verb)
		}
		for flag := range strings.FieldsSeq(flags) {
			if !got[verb+" --"+flag] {
				t.Errorf("%s has no --%s", verb, flag)
			}
		}
	}
}

func TestWrongUsageIsExit2(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"", "nonsense", "audit", "audit --all a/b#1", "cancel", "cancel a/b#1 --run 0123", "cancel --run xyz",
		"enqueue", "enqueue a/b", "enqueue a#1", "enqueue a/b 0", "enqueue a/b#+1", "enqueue a/b 1 2", "explain zzz", "get nonsense",
		"get runs --limit 0", "get runs --limit 999999", "get runs --since yesterday", "pause x", "review --fail-on nonsense",
		"ledger --window 1y", "projections", "projections nonsense", "completion", "completion tcsh", "config", "config explain", "config check x", "review --worktree --head x", "status --watch --at 2h", "verify run-1 --all", "version --nonsense",
	} {
		code, stdout, stderr := call(t, strings.Fields(line)...)
		if code != ExitUsage || stdout != "" || strings.Count(stderr, "\n") < 2 || !strings.Contains(stderr, "→ ") {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", line, code, stdout, stderr)
		}
		if line == "" {
			continue
		}
		code, _, stderr = call(t, append(strings.Fields(line), "--json")...)
		var answer ErrorAnswer
		if err := json.Unmarshal([]byte(stderr), &answer); err != nil || code != ExitUsage || answer.Error.Message == "" || answer.Error.Remedy == "" {
			t.Errorf("%q --json: exit %d, %q", line, code, stderr)
		}
	}
}

func TestHelpIsExit0AndNamesTheExitCodes(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"--help", "review --help", "audit --help", "enqueue --help", "ledger --help", "projections status --help", "projections rebuild --help", "config check --help", "config show --help", "config explain --help", "init --help", "doctor --help", "completion --help"} {
		code, stdout, stderr := call(t, strings.Fields(line)...)
		if code != ExitGood || stderr != "" || !strings.Contains(stdout, "Exit: 0") {
			t.Errorf("%q: exit %d, stderr %q, stdout %q", line, code, stderr, stdout)
		}
	}
}

func TestPullRequestsAreReadInBothForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words []string
		want  PRRef
	}{
		{[]string{"local/folder-1a2b3c#4"}, PRRef{"local/folder-1a2b3c", 4}},
		{[]string{"local/owner/repo", "7"}, PRRef{"local/owner/repo", 7}},
		{[]string{"owner/repo", "12"}, PRRef{"owner/repo", 12}},
		{[]string{"owner/repo#12"}, PRRef{"owner/repo", 12}},
	} {
		got, err := ParsePR(c.words...)
		if err != nil || got != c.want {
			t.Errorf("%q: got %v, %v", c.words, got, err)
		}
	}
	subject, err := SubjectArg{"0a1b"}.Subject()
	if err != nil || subject.Run != "0a1b" {
		t.Errorf("a run's prefix: got %+v, %v", subject, err)
	}
	if scope, err := (ScopeArg{"a/b"}).Scope(); err != nil || scope != (Scope{"a/b", 0}) {
		t.Errorf("a repository's scope: got %+v, %v", scope, err)
	}
}

func TestMomentsAreTimesOrDurationsAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-11-29T10:00:00+01:00": time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC),
		"90m":                       now.Add(-90 * time.Minute),
		"7d":                        now.Add(-7 * 24 * time.Hour),
	} {
		var m Moment
		if err := m.UnmarshalText([]byte(text)); err != nil || !m.Time(now).Equal(want) {
			t.Errorf("%s: got %s, %v", text, m.Time(now), err)
		}
	}
	var m Moment
	if err := m.UnmarshalText([]byte("-5m")); err == nil || !m.IsZero() {
		t.Error("the future was accepted")
	}
}

func TestInterruptIsExit130(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"version"}, strings.NewReader(""), &out, &errs, fakeEnv()); code != ExitInterrupted {
		t.Errorf("exit %d, stderr %q", code, errs.String())
	}
}

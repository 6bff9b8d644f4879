package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/engine/artifact"
	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/adapters/engine/process"
	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	goleak.VerifyTestMain(m)
}

// bench is an engine made of a shell script.
type bench struct {
	engine *Engine
	in     *session.Input
	folder *artifact.Folder
	root   string
}

// setup writes the script. It finds $DIR, a folder that outlives the session.
func setup(t *testing.T, script string, change func(*Params)) *bench {
	t.Helper()
	root := t.TempDir()
	out := filepath.Join(root, "out")
	path := filepath.Join(root, "engine.sh")
	for _, dir := range []string{out, filepath.Join(root, "tmp")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\nDIR='"+out+"'\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	folder, err := artifact.Open(filepath.Join(root, "artifacts"))
	if err != nil {
		t.Fatal(err)
	}
	box, err := sandbox.New(filepath.Join(root, "tmp"))
	if err != nil {
		t.Fatal(err)
	}
	p := Params{
		Name: "mine", Command: []string{path}, Temp: filepath.Join(root, "tmp"), Artifacts: folder, Sandbox: box,
		Boot: events.BootID(fmt.Sprintf("boot-%s-%d", strings.ReplaceAll(t.Name(), "/", "-"), os.Getpid())), Grace: Grace{Term: time.Second, Pipe: 30 * time.Second /* a loaded machine reads late */},
	}
	if change != nil {
		change(&p)
	}
	made := changetest.New(t, changetest.Files{"a.txt": "one\n"}, changetest.Files{"a.txt": "one\n--help \xff BEGIN UNTRUSTED\n"})
	return &bench{
		engine: New(p), folder: folder, root: root,
		in: &session.Input{
			Change: made, Diff: changetest.Parse(t, made), Until: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
			Job: actors.LaneJob{
				Key:  events.LaneKey{Run: "0000000000000001", Lane: "final/general", Attempt: 2},
				Role: "general", Phase: "final", Number: 7, Workspace: actors.WorkspaceJob{Repo: "local/x"},
			},
		},
	}
}

// review runs the session and looks that nothing is left of it.
func (b *bench) review(t *testing.T, ctx context.Context) (*session.Answer, error) {
	t.Helper()
	answer, err := b.engine.Review(ctx, b.in)
	if left, globErr := filepath.Glob(filepath.Join(b.root, "tmp", "lane-*")); globErr != nil || len(left) > 0 {
		t.Errorf("left %q, error %v", left, globErr)
	}
	found, killErr := process.Kill(t.Context(), func(m process.Mark) bool { return m.Boot == b.engine.Boot })
	if killErr != nil || len(found) > 0 {
		t.Errorf("processes left: %v, error %v", found, killErr)
	}
	return answer, err
}

// failed wants a failure.
func (b *bench) failed(t *testing.T, kind events.FailureKind, message string) *session.Failure {
	t.Helper()
	answer, err := b.review(t, t.Context())
	var failed *session.Failure
	if !errors.As(err, &failed) || failed.Kind != kind || !strings.Contains(failed.Message, message) {
		t.Fatalf("answer %+v, error %v, want %s %q", answer, err, kind, message)
	}
	return failed
}

func (b *bench) read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(b.root, "out", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

const clean = `cat >/dev/null; echo '{"findings":[],"usage":{"input_tokens":1,"output_tokens":2,"cost_usd":0.5,"confidence":"exact"}}'`

func TestRequestAndSurroundings(t *testing.T) {
	t.Setenv("REVIEWCTL_TEST_TOKEN", "a-token-of-the-daemon")
	t.Setenv("REVIEWCTL_TEST_KEY", "the-key-of-the-engine")
	b := setup(t, `cat > "$DIR/request"; env > "$DIR/env"; pwd > "$DIR/pwd"; nice > "$DIR/nice"; cp "$TMPDIR/../change.patch" "$DIR/patch"; echo x > "$TMPDIR/file"; `+strings.TrimPrefix(clean, "cat >/dev/null; "),
		func(p *Params) { p.Env = []string{"REVIEWCTL_TEST_KEY"} })
	answer, err := b.review(t, t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := (events.Usage{InputTokens: 1, OutputTokens: 2, CostUSD: 0.5, Confidence: events.ConfidenceExact}); answer.Usage != want {
		t.Errorf("usage %+v", answer.Usage)
	}
	if answer.Engine != "exec/mine" || answer.Sandbox == "" || answer.Artifact == "" {
		t.Errorf("answer %+v", answer)
	}
	var request map[string]any
	if err := json.Unmarshal([]byte(b.read(t, "request")), &request); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"schema": 1.0, "lane": "final/general", "kind": "reviewer", "role": "general", "phase": "final", "repo": "local/x",
		"number": 7.0, "head_sha": string(changetest.Head), "base_sha": string(changetest.Base), "merge_base": string(changetest.Base),
		"worktree": b.in.Change.Dir, "deadline": "2026-11-30T12:00:00Z", "correction": nil, "prior_findings": []any{},
		"files": []any{map[string]any{"path": "a.txt", "status": "M", "added": 1.0, "deleted": 0.0}},
	} {
		if got, ok := request[key]; !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	prompt, _ := request["prompt"].(string)
	if !strings.Contains(prompt, "+--help \uFFFD BEGIN UNTRUSTED") || strings.Count(prompt, "\nEND UNTRUSTED ") != 1 {
		t.Errorf("prompt %s", prompt)
	}
	if b.read(t, "patch") != string(b.in.Change.Patch) {
		t.Error("the patch file is not git's patch")
	}
	if b.read(t, "pwd") != b.in.Change.Dir+"\n" || b.read(t, "nice") != "10\n" {
		t.Errorf("folder %q, nice %q", b.read(t, "pwd"), b.read(t, "nice"))
	}
	env := b.read(t, "env")
	if !strings.Contains(env, "REVIEWCTL_LANE="+string(b.engine.Boot)+"/0000000000000001/final/general/2\n") ||
		!strings.Contains(env, "REVIEWCTL_TEST_KEY=") || strings.Contains(env, "REVIEWCTL_TEST_TOKEN") {
		t.Errorf("environment %s", env)
	}
}

// case E17: the request is on standard input; arguments and environment hold
// nothing of the change.
func TestTextsNeverBecomeArguments(t *testing.T) {
	t.Parallel()
	b := setup(t, `echo $# > "$DIR/args"; env > "$DIR/env"; wc -c > "$DIR/size"; `+strings.TrimPrefix(clean, "cat >/dev/null; "), nil)
	b.in.Change.Patch = append(b.in.Change.Patch, strings.Repeat("x", 300_000)...)
	if _, err := b.review(t, t.Context()); err != nil {
		t.Fatal(err)
	}
	var size int
	if _, err := fmt.Sscan(b.read(t, "size"), &size); err != nil || size < promptDiffMax || b.read(t, "args") != "0\n" {
		t.Errorf("%d bytes on standard input, %q arguments, error %v", size, b.read(t, "args"), err)
	}
	if env := b.read(t, "env"); strings.Contains(env, "a.txt") || strings.Contains(env, "UNTRUSTED") {
		t.Errorf("environment %s", env)
	}
}

func TestCorrections(t *testing.T) {
	t.Parallel()
	// Each turn writes its request and answers with the file of its number.
	const turns = `n=$(ls "$DIR" | grep -c request); cat > "$DIR/request$n"
case $n in 0) echo '{"findings":[{"title":"a"},{"title":"b","bo';; 1) echo '%s';; *) echo '%s';; esac`
	usage := `"usage":{"input_tokens":10,"output_tokens":1,"cost_usd":0,"confidence":"exact"}`
	t.Run("mended", func(t *testing.T) {
		t.Parallel()
		b := setup(t, fmt.Sprintf(turns, `{"findings":[{"title":"t","severity":"CRITICAL"}]}`, `{"findings":[{"title":"t"}],`+usage+`}`), nil)
		answer, err := b.review(t, t.Context())
		if err != nil || len(answer.Findings) != 1 {
			t.Fatalf("answer %+v, error %v", answer, err)
		}
		if answer.Usage.InputTokens != 10 || answer.Usage.Confidence != events.ConfidenceUnknown {
			t.Errorf("usage %+v: two turns did not say what they used", answer.Usage)
		}
		for n, fault := range []string{"", "not one complete JSON object", `severity "CRITICAL"`} {
			var r Request
			if err := json.Unmarshal([]byte(b.read(t, fmt.Sprintf("request%d", n))), &r); err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				if r.Correction != nil {
					t.Errorf("correction %+v in the first turn", r.Correction)
				}
				continue
			}
			c := r.Correction
			if c == nil || c.Turn != n || c.Of != 2 || !strings.Contains(strings.Join(c.Errors, ";"), fault) || c.Previous == "" {
				t.Errorf("correction %+v, want %q", c, fault)
			}
		}
	})
	t.Run("never mended", func(t *testing.T) {
		t.Parallel()
		b := setup(t, fmt.Sprintf(turns, `{}`, `[]`), nil)
		failed := b.failed(t, events.FailureContract, `it begins with "[]"`)
		if failed.Usage.Confidence != events.ConfidenceUnknown || failed.Artifact == "" {
			t.Errorf("failure %+v", failed)
		}
		if files, err := os.ReadDir(filepath.Join(b.root, "out")); err != nil || len(files) != 3 {
			t.Errorf("%d turns, error %v", len(files), err)
		}
	})
	t.Run("another commit", func(t *testing.T) {
		t.Parallel()
		b := setup(t, `cat >/dev/null; echo '{"head_sha":"9999999999999999999999999999999999999999","findings":[]}'`, nil)
		b.failed(t, events.FailureContract, "is not the commit to review")
	})
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script  string
		kind    events.FailureKind
		message string
	}{
		"exit with a reason":        {"echo >&2; echo '[claude-code: x]' >&2; echo 'no model' >&2; echo more >&2; exit 3", events.FailureInfra, "lane exit 3: no model"},
		"exit without a reason":     {"exit 4", events.FailureInfra, "lane exit 4: no reason given"},
		"killed":                    {"kill -9 $$", events.FailureInfra, "lane exit 137"},
		"a good answer and exit 1":  {clean + "; exit 1", events.FailureInfra, "lane exit 1"},
		"nothing":                   {"exit 0", events.FailureContract, "the answer is empty"},
		"an error as a result":      {`echo '{"type":"result","subtype":"success","is_error":true,"result":"API Error: 500"}'`, events.FailureInfra, "API Error: 500"},
		"a limit as a result":       {`echo '{"is_error":true,"api_error_status":429,"result":"API Error: Rate limit reached"}'`, events.FailureUsageLimit, "Rate limit"},
		"a limit as a result, exit": {`echo '{"is_error":true,"result":"You have hit your limit"}'; exit 1`, events.FailureUsageLimit, "You have hit your limit"},
		"a flood of errors":         {`head -c 50000000 /dev/zero | tr '\0' 'x' >&2; echo >&2; echo why >&2; exit 5`, events.FailureInfra, "lane exit 5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			setup(t, c.script, nil).failed(t, c.kind, c.message)
		})
	}
}

// case E16: both streams are read at once, and the request is longer than a pipe
// holds and is never read.
func TestFloodOfErrorsBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t, `head -c 50000000 /dev/zero >&2; `+strings.TrimPrefix(clean, "cat >/dev/null; "), nil)
	b.in.Change.Patch = append(b.in.Change.Patch, strings.Repeat("x", 300_000)...)
	if _, err := b.review(t, t.Context()); err != nil {
		t.Error(err)
	}
}

// case E16: more than the cap is an error and never an answer.
func TestFloodIsACutAndAFailure(t *testing.T) {
	t.Parallel()
	b := setup(t, `trap '' TERM PIPE; while :; do head -c 1000000 /dev/zero; done`, nil)
	failed := b.failed(t, events.FailureContract, "the answer is longer than")
	if raw, err := os.ReadFile(b.folder.Path(failed.Artifact)); err != nil || len(raw) > 1000 {
		t.Errorf("an artifact of %d bytes, error %v", len(raw), err)
	}
}

func TestUsageLimit(t *testing.T) {
	t.Parallel()
	reset := time.Date(2026, 12, 1, 5, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		line string
		want time.Time
	}{
		"known":   {"reviewctl: usage-limit reset=2026-12-01T06:00:00+01:00", reset},
		"unknown": {"reviewctl: usage-limit reset=unknown", time.Time{}},
		"garbage": {"reviewctl: usage-limit reset=tomorrow", time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, fmt.Sprintf("echo first >&2; echo '%s' >&2; echo >&2; exit 75", c.line), nil)
			if failed := b.failed(t, events.FailureUsageLimit, "usage limit"); !failed.Reset.Equal(c.want) {
				t.Errorf("reset %v, want %v", failed.Reset, c.want)
			}
		})
	}
	t.Run("not the last line", func(t *testing.T) {
		t.Parallel()
		b := setup(t, "echo 'reviewctl: usage-limit reset=unknown' >&2; echo other >&2; exit 1", nil)
		b.failed(t, events.FailureInfra, "lane exit 1")
	})
	t.Run("with exit 0", func(t *testing.T) {
		t.Parallel()
		b := setup(t, "echo 'reviewctl: usage-limit reset=unknown' >&2; "+clean, nil)
		if _, err := b.review(t, t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestNoCapacity(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{"echo busy >&2; exit 75": "busy", "exit 75": "the engine has no capacity"} {
		_, err := setup(t, script, nil).review(t, t.Context())
		var deferred *session.Deferral
		if !errors.As(err, &deferred) || deferred.Reason != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestPipesThatStayOpen(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"by a child":                clean + "; sleep 600 &",
		"by one in its session":     clean + "; setsid sleep 600 & ",
		"by one without its parent": clean + "; (setsid env -i /bin/sleep 600 &)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := setup(t, script, nil).review(t, t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestStopWhileItIgnoresSignals(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"never reads, never ends": `trap '' TERM; echo here > "$DIR/../atwork"; while :; do sleep 600; done`,
		"ends when told":          `trap 'exit 0' TERM; echo here > "$DIR/../atwork"; sleep 600 & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, script, nil)
			pipe := filepath.Join(b.root, "atwork")
			mkfifo(t, pipe)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				if f, err := os.Open(pipe); err == nil {
					_, _ = f.Read(make([]byte, 8))
					_ = f.Close()
				}
				cancel()
			}()
			answer, err := b.review(t, ctx)
			var failed *session.Failure
			if !errors.As(err, &failed) || failed.Usage.Confidence != events.ConfidenceUnknown {
				t.Errorf("answer %+v, error %v", answer, err)
			}
		})
	}
}

func TestProgramThatIsNotThere(t *testing.T) {
	t.Parallel()
	b := setup(t, "", func(p *Params) { p.Command = []string{"/nowhere/engine"} })
	failed := b.failed(t, events.FailureInfra, "the engine's program is not here")
	if failed.Usage.Confidence != events.ConfidenceExact {
		t.Errorf("usage %+v of an engine that never ran", failed.Usage)
	}
}

func TestFolderWithoutRightsIsRemoved(t *testing.T) {
	t.Parallel()
	b := setup(t, `mkdir -p "$TMPDIR/a/b"; chmod 0 "$TMPDIR/a/b" "$TMPDIR/a"; `+clean, nil)
	if _, err := b.review(t, t.Context()); err != nil {
		t.Error(err)
	}
}

func TestSecretsAreKeptNowhere(t *testing.T) {
	t.Setenv("REVIEWCTL_TEST_SECRET", "correct-horse-battery")
	token := "ghp_" + "x7Kq2VbN9sLw4TzRj1Hc8GmYp5DfXe3UaQoB"
	leaks := func(t *testing.T, b *bench, said string, digest events.Digest) {
		t.Helper()
		raw, err := os.ReadFile(b.folder.Path(digest))
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{token, "correct-horse-battery"} {
			if strings.Contains(said, secret) || strings.Contains(string(raw), secret) {
				t.Errorf("%q is in %s or in %s", secret, said, raw)
			}
		}
		if !strings.Contains(said, "[secret: github-pat]") || !strings.Contains(said, "[secret: REVIEWCTL_TEST_SECRET]") {
			t.Errorf("said %s", said)
		}
	}
	env := func(p *Params) { p.Env = []string{"REVIEWCTL_TEST_SECRET"} }
	t.Run("answer", func(t *testing.T) {
		b := setup(t, `cat >/dev/null; echo "{\"summary\":\"`+token+`\",\"findings\":[{\"title\":\"`+token+`\",\"body\":\"$REVIEWCTL_TEST_SECRET\"}]}"`, env)
		answer, err := b.review(t, t.Context())
		if err != nil {
			t.Fatal(err)
		}
		leaks(t, b, fmt.Sprintf("%+v", answer), answer.Artifact)
	})
	t.Run("message", func(t *testing.T) {
		b := setup(t, `echo "bad key $REVIEWCTL_TEST_SECRET `+token+`" >&2; exit 1`, env)
		failed := b.failed(t, events.FailureInfra, "bad key")
		leaks(t, b, failed.Message, failed.Artifact)
	})
}

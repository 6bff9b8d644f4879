package linter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/engine/artifact"
	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/adapters/engine/exec"
	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	goleak.VerifyTestMain(m)
}

// change adds a line 3 to a.go and a file, and leaves the rest.
func change(t testing.TB) *session.Input {
	t.Helper()
	long := strings.Repeat("line\n", 40)
	made := changetest.New(t,
		changetest.Files{"a.go": "one\ntwo\n" + long, "old.go": long, "caf\xe9.js": "x\n"},
		changetest.Files{"a.go": "one\ntwo\nnew\n" + long, "old.go": long, "caf\xe9.js": "y\n", "sub dir/b.go": "all\nof\nit\n"})
	return &session.Input{
		Change: made, Diff: changetest.Parse(t, made),
		Job: actors.LaneJob{Key: events.LaneKey{Run: "0000000000000001", Lane: "linter", Attempt: 1}, Workspace: actors.WorkspaceJob{Repo: "local/x"}},
	}
}

// review runs a shell script as a linter. It finds its checkout in $PWD.
func review(t *testing.T, in *session.Input, kind, script string) (*session.Answer, error) {
	t.Helper()
	root := t.TempDir()
	path, temp := filepath.Join(root, "linter.sh"), filepath.Join(root, "tmp")
	if err := errors.Join(os.Mkdir(temp, 0o700), os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700)); err != nil {
		t.Fatal(err)
	}
	artifacts, err := artifact.Open(filepath.Join(root, "artifacts"))
	if err != nil {
		t.Fatal(err)
	}
	box, err := sandbox.New(temp)
	if err != nil {
		t.Fatal(err)
	}
	p := Params{Kind: kind, Params: exec.Params{
		Name: "lint", Command: []string{path}, Temp: temp, Artifacts: artifacts, Sandbox: box,
		Boot:  events.BootID(fmt.Sprintf("boot-%d-%s", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "-"))),
		Grace: exec.Grace{Term: time.Second, Pipe: 30 * time.Second /* a loaded machine reads late */},
	}}
	if kind == KindErrorformat {
		p.Formats = []string{"%f:%l: %m", "%f: %m"}
	}
	e, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := e.Review(t.Context(), in)
	if left, globErr := filepath.Glob(filepath.Join(temp, "lane-*")); globErr != nil || len(left) > 0 {
		t.Errorf("left %q, error %v", left, globErr)
	}
	return answer, err
}

func TestFindingsAreOfTheChangeAlone(t *testing.T) {
	t.Parallel()
	in := change(t)
	answer, err := review(t, in, KindErrorformat, `cat <<E
a.go:3: new
./a.go:2: a context line
$PWD/a.go:3: by its whole path
sub dir/b.go:1: a space
sub/../a.go:3: a way around
old.go:1: not of the change
nowhere.go:1: of nothing
/etc/passwd:1: outside
../a.go:1: above
a.go: the whole file
caf`+"\xe9"+`.js:1: odd bytes
a.go:3: new
E
exit 1`)
	if err != nil {
		t.Fatal(err)
	}
	var inside, outside []string
	for _, f := range answer.Findings {
		inside = append(inside, fmt.Sprintf("%s:%d-%d %s", f.File, f.LineStart, f.LineEnd, f.Title))
	}
	for _, w := range answer.Withheld {
		outside = append(outside, fmt.Sprintf("%s:%d %s", w.Finding.File, w.Finding.LineStart, w.Reason))
	}
	if want := []string{"a.go:3-3 a way around", "a.go:3-3 by its whole path", "a.go:3-3 new", "caf\uFFFD.js:1-1 odd bytes"}; !slices.Equal(inside, want) {
		t.Errorf("inside %q", inside)
	}
	if want := []string{
		"a.go:3 said 2 times in one report",
		"../a.go:1 neither the change nor the tree has the file",
		"/etc/passwd:1 the file lies outside of the checkout",
		"a.go:0 about the whole of a file that was there before the change",
		"a.go:2 line 2 was not changed",
		"nowhere.go:1 neither the change nor the tree has the file",
		"old.go:1 the file is not part of the change",
	}; !slices.Equal(outside, want) {
		t.Errorf("outside %q", outside)
	}
	if answer.Engine != "errorformat/lint" || answer.Artifact == "" || answer.Sandbox == "" || answer.Usage != (events.Usage{Confidence: events.ConfidenceExact}) {
		t.Errorf("%+v", answer)
	}
	if want := "The linter reported 11 remarks, 5 of them about the change. 1 line of its report matched no format."; answer.Summary != want {
		t.Errorf("summary %q", answer.Summary)
	}
}

func TestLinesAndSuggestions(t *testing.T) {
	t.Parallel()
	answer, err := review(t, change(t), KindRDJSONL, `cat <<'E'
{"message":"a whole function","location":{"path":"a.go","range":{"start":{"line":1},"end":{"line":40}}}}
{"message":"one line","location":{"path":"a.go","range":{"start":{"line":3}}},"suggestions":[{"range":{"start":{"line":3},"end":{"line":3}},"text":"better"}]}
{"message":"a new file","location":{"path":"sub dir/b.go"},"suggestions":[{"range":{"start":{"line":3},"end":{"line":3}},"text":"better"}]}
{"message":"elsewhere","location":{"path":"a.go","range":{"start":{"line":3}}},"suggestions":[{"range":{"start":{"line":30},"end":{"line":31}},"text":"better"}]}
E`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range answer.Findings {
		got = append(got, fmt.Sprintf("%s:%d-%d %s|%s|%s", f.File, f.LineStart, f.LineEnd, f.Title, f.Body, f.Suggestion))
	}
	if want := []string{
		"a.go:1-6 a whole function|The linter means lines 1 to 40.|",
		"a.go:3-3 elsewhere||", "a.go:3-3 one line||better",
		"sub dir/b.go:0-0 a new file||",
	}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// What a linter's exit means: a report that can be read counts.
func TestExits(t *testing.T) {
	t.Parallel()
	const good = `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x","version":"1"}},"results":[]}]}`
	for name, c := range map[string]struct{ kind, script, want string }{
		"found something":           {KindSARIF, "echo '" + good + "'; exit 1", ""},
		"a report cut off":          {KindSARIF, `echo '{"runs":[{"results":[{'; echo "out of memory" >&2`, "contract: the report cannot be read: line 1: not the JSON of such a report: the report is cut off; the linter says: out of memory"},
		"no report and a reason":    {KindSARIF, "echo 'no configuration found' >&2; exit 2", "infra: lane exit 2: no configuration found"},
		"no report, no reason":      {KindCheckstyle, "exit 2", "infra: lane exit 2: line 1: not checkstyle's XML: it has no element"},
		"nothing and an exit code":  {KindRDJSONL, "exit 3", "infra: lane exit 3: the linter says nothing"},
		"noise and an exit code":    {KindErrorformat, "echo boom; echo 'panic: x' >&2; exit 2", "infra: lane exit 2: panic: x"},
		"nothing to say":            {KindErrorformat, "true", ""},
		"no capacity":               {KindSARIF, "echo 'no licence is free' >&2; exit 75", "no capacity: no licence is free"},
		"it says that it failed":    {KindSARIF, `echo '{"runs":[{"invocations":[{"executionSuccessful":false,"toolExecutionNotifications":[{"level":"error","message":{"text":"no rules"}}]}],"results":[]}]}'`, "infra: the linter did not do its work: no rules"},
		"a secret in its last word": {KindSARIF, "echo 'token ghp_" + "x7Kq2VbN9sLw4TzRj1Hc8GmYp5DfXe3UaQoB" + "' >&2; exit 2", "infra: lane exit 2: token [secret: github-pat]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := review(t, change(t), c.kind, c.script)
			if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && got != c.want {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestTheReportNamesTheVersion(t *testing.T) {
	t.Parallel()
	report, err := os.ReadFile(filepath.Join(folder, "golangci.sarif"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := review(t, change(t), KindSARIF, "cat <<'E'\n"+string(report)+"E\nexit 1")
	if err != nil {
		t.Fatal(err)
	}
	if answer.Engine != "sarif/lint golangci-lint 2.1.6" || len(answer.Findings) != 2 {
		t.Errorf("%+v", answer)
	}
}

// Names come as they are written on other systems and in other formats, too.
func TestNamesAreReadAsTheyAreMeant(t *testing.T) {
	t.Parallel()
	answer, err := review(t, change(t), KindRDJSONL, `cat <<E
{"message":"a uri","location":{"path":"file://$PWD/a.go","range":{"start":{"line":3}}}}
{"message":"a uri with an escape","location":{"path":"FILE://$PWD/sub%20dir/b.go","range":{"start":{"line":1}}}}
{"message":"a uri with a host","location":{"path":"file://host$PWD/a.go","range":{"start":{"line":3}}}}
{"message":"backslashes","location":{"path":"sub dir\\\\b.go","range":{"start":{"line":1}}}}
{"message":"a drive","location":{"path":"C:\\\\w\\\\a.go","range":{"start":{"line":3}}}}
E`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range answer.Findings {
		got = append(got, f.File+": "+f.Title)
	}
	if want := []string{"a.go: a uri", "a.go: a uri with a host", "sub dir/b.go: a uri with an escape", "sub dir/b.go: backslashes"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if len(answer.Withheld) != 1 || answer.Withheld[0].Reason != "neither the change nor the tree has the file" {
		t.Errorf("withheld %+v", answer.Withheld)
	}
}

// Nothing is cut in the middle of a word before it was searched for secrets.
func TestLongMessagesAreCutBetweenWords(t *testing.T) {
	t.Parallel()
	secret := "AKIA" + "Q3EGRMZVK7WSBNTY"
	for _, n := range []int{events.FindingTitleMax, titleMax, messageMax} {
		words := strings.Repeat("x ", n/2-5)
		answer, err := review(t, change(t), KindErrorformat, "printf 'a.go:3: "+words+secret+" and more\\n'")
		if err != nil {
			t.Fatal(err)
		}
		if len(answer.Findings) != 1 {
			t.Fatalf("findings %+v", answer.Findings)
		}
		if f := answer.Findings[0]; strings.Contains(f.Title+f.Body, secret[:7]) {
			t.Errorf("%d bytes before it: %s | %s", n, f.Title[max(0, len(f.Title)-60):], f.Body[max(0, len(f.Body)-60):])
		}
	}
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/schemas"
)

// waitMax bounds a wait in a script and the life of a process that it starts: a
// daemon lives through all of its script, on a machine that has much else to do.
const waitMax = 10 * time.Minute

// TestMain makes this binary the command, too: the scripts run it by its name.
func TestMain(m *testing.M) {
	sandbox.Main()
	testscript.Main(m, map[string]func(){"reviewctl": commandMain})
}

// TestScripts runs testdata/scripts: the command from outside, a process each.
//
//	repo DIR                       a new repository, on main
//	commit DIR MESSAGE             everything in it, by a fixed person at a fixed time
//	expand FILE…                   $VARIABLES in a file
//	exits CODE COMMAND ARGS…       with just this exit code
//	meets SCHEMA stdout|stderr     one JSON document that schemas/cli describes
//	samereview FILE FILE           but for what CLI.md lets differ
//	start NAME reviewctl ARGS…     beside the script
//	await NAME REGEX               until it has said so
//	signal NAME TERM|KILL|INT|HUP  ended NAME CODE
//	waitfor [-n N] TYPE [TEXT…]    until the log has such an event, N of them
//	http NAME PATH STATUS          asks the daemon that says where it serves
//	noprocess                      of an engine of this script is left
//	collide                        reviews r until $PREFIX fits two runs, $WHOLE one
//	emptylog LOG                   makes one without an event
//	sql LOG STATEMENT              changes a log behind the store's back
//	github VERB ARGS…              see githubCmd
//	future LOG STREAM              appends an event of a type that is not known here
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "scripts"),
		RequireExplicitExec: true,
		Setup:               setUpScript,
		Condition: func(name string) (bool, error) {
			switch name {
			case "root":
				return os.Geteuid() == 0, nil
			case "userns": // a process may have file systems of its own
				return exec.Command("unshare", "-Urm", "mount", "-t", "tmpfs", "tmpfs", "/tmp").Run() == nil, nil
			}
			return false, fmt.Errorf("no such condition: %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repo": repoCmd, "commit": commitCmd, "expand": expandCmd, "exits": exitsCmd, "meets": meetsCmd,
			"samereview": sameReviewCmd, "start": startCmd, "await": awaitCmd, "signal": signalCmd, "ended": endedCmd,
			"waitfor": waitForCmd, "http": httpCmd, "noprocess": noProcessCmd,
			"sql": sqlCmd, "emptylog": emptyLogCmd, "collide": collideCmd, "future": futureCmd,
			"github": githubCmd(t),
		},
	})
}

// scene is what the commands of one script share.
type scene struct {
	vars    []string
	started map[string]*started
	hub     *githubtest.Server // nil = the script has none
}

type sceneKey struct{}

func sceneOf(ts *testscript.TestScript) *scene { return ts.Value(sceneKey{}).(*scene) }

func setUpScript(env *testscript.Env) error {
	for name, value := range scriptEnv(env.WorkDir) {
		env.Setenv(name, value)
	}
	engines, err := filepath.Glob(filepath.Join("..", "..", "testdata", "engines", "*.sh"))
	if err != nil {
		return err
	}
	for _, from := range engines { // unless the script has its own of that name
		text, err := os.ReadFile(from)
		to := filepath.Join(env.WorkDir, "engines", filepath.Base(from))
		if _, own := os.Stat(to); err == nil && own != nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, 0o600))
		}
		if err != nil {
			return err
		}
	}
	s := &scene{vars: env.Vars, started: map[string]*started{}}
	env.Values[sceneKey{}] = s
	env.Defer(func() {
		for _, p := range s.started {
			p.kill()
		}
	})
	return nil
}

// scriptEnv is a world in which nothing of this machine's user shows.
func scriptEnv(dir string) map[string]string {
	const person, when = "A. U. Thor", "2026-01-02T03:04:05Z"
	return map[string]string{
		"GORACE": "atexit_sleep_ms=0", // with the race detector each process would end a second late
		"HOME":   filepath.Join(dir, "home"), "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "NO_COLOR": "1",
		"REVIEWCTL_STORE": "sqlite:" + filepath.Join(dir, "log", "events.db"), "REVIEWCTL_CONFIG": "",
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": person, "GIT_AUTHOR_EMAIL": "author@example.org", "GIT_AUTHOR_DATE": when,
		"GIT_COMMITTER_NAME": person, "GIT_COMMITTER_EMAIL": "author@example.org", "GIT_COMMITTER_DATE": when,
	}
}

func wants(ts *testscript.TestScript, neg bool, ok bool, usage string) {
	if neg || !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

func repoCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 1, "repo DIR")
	ts.Check(ts.Exec("git", "init", "-q", "-b", "main", ts.MkAbs(args[0])))
}

func commitCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 2, "commit DIR MESSAGE")
	dir := ts.MkAbs(args[0])
	ts.Check(ts.Exec("git", "-C", dir, "add", "-A"))
	ts.Check(ts.Exec("git", "-C", dir, "commit", "-q", "--allow-empty", "-m", args[1]))
}

func expandCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) > 0, "expand FILE…")
	for _, file := range args {
		text := os.Expand(ts.ReadFile(file), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o600))
	}
}

func exitsCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) > 1, "exits CODE COMMAND ARGS…")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func meetsCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 2, "meets SCHEMA stdout|stderr|FILE")
	text, err := schemas.JSON.ReadFile(path.Join("cli", args[0]+".json"))
	ts.Check(err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	ts.Check(err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	ts.Check(compiler.AddResource("file.json", doc))
	schema, err := compiler.Compile("file.json")
	ts.Check(err)
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile(args[1]), "\n"), "\n")
	if args[0] != "event" && args[0] != "status" && len(lines) != 1 {
		ts.Fatalf("%d lines, want one document", len(lines))
	}
	for _, line := range lines {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		ts.Check(err)
		ts.Check(schema.Validate(value))
	}
}

func sameReviewCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 2, "samereview FILE FILE")
	var both [2]map[string]any
	for i, file := range args {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &both[i]))
		for _, key := range []string{"run", "started", "finished", "timing", "usage"} {
			if _, ok := both[i][key]; !ok {
				ts.Fatalf("%s has no %s", file, key)
			}
			delete(both[i], key)
		}
		for _, lane := range both[i]["lanes"].([]any) {
			delete(lane.(map[string]any), "usage")
		}
	}
	if !reflect.DeepEqual(both[0], both[1]) {
		ts.Fatalf("the reviews differ:\n%v\n%v", both[0], both[1])
	}
}

// collideCmd needs 17 runs at most: there are 16 digits.
func collideCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 0, "collide")
	for {
		ts.Check(ts.Exec("reviewctl", "get", "runs", "--json"))
		var page struct{ Items []struct{ Run string } }
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &page))
		seen := map[string]bool{}
		for _, item := range page.Items {
			if seen[item.Run[:1]] {
				ts.Setenv("PREFIX", item.Run[:1])
				ts.Setenv("WHOLE", item.Run)
				return
			}
			seen[item.Run[:1]] = true
		}
		ts.Check(ts.Exec("reviewctl", "review", "r", "--fail-on", "never"))
	}
}

func waitForCmd(ts *testscript.TestScript, neg bool, args []string) {
	count := 1
	if len(args) > 2 && args[0] == "-n" {
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		count, args = n, args[2:]
	}
	wants(ts, neg, len(args) > 0, "waitfor [-n N] TYPE [TEXT…]")
	p, err := begin(ts.MkAbs("."), sceneOf(ts).vars, "reviewctl", "events", "--follow", "--json", "--type", args[0])
	ts.Check(err)
	defer p.kill()
	lines := bufio.NewScanner(p.stdout)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if containsAll(lines.Text(), args[1:]) {
			if count--; count == 0 {
				return
			}
		}
	}
	ts.Fatalf("no %s with %q in %s: %s", args[0], args[1:], waitMax, p.said())
}

func containsAll(line string, texts []string) bool {
	for _, text := range texts {
		if !strings.Contains(line, text) {
			return false
		}
	}
	return true
}

func httpCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 3, "http NAME PATH STATUS")
	p := sceneOf(ts).of(ts, args[0])
	address := regexp.MustCompile(`serving (\S+)`).FindStringSubmatch(p.said())
	if address == nil {
		ts.Fatalf("%s serves nowhere: %s", args[0], p.said())
	}
	answer, err := (&http.Client{Timeout: waitMax}).Get("http://" + address[1] + args[1])
	ts.Check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	ts.Check(err)
	if fmt.Sprint(answer.StatusCode) != args[2] {
		ts.Fatalf("%s: %s: %s", args[1], answer.Status, body)
	}
}

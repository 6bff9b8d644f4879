package engine

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/enginetest"
	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/adapters/engine/exec"
	"github.com/reviewctl/reviewctl/adapters/engine/process"
	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
	"github.com/reviewctl/reviewctl/events"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	goleak.VerifyTestMain(m)
}

// opener hands out one change. While hold is set it blocks like git would.
type opener struct {
	change *actors.Change
	hold   chan struct{} // gets one value when a call has begun to wait
}

func (o *opener) Open(ctx context.Context, job actors.WorkspaceJob) (*actors.Change, error) {
	switch job.Ref {
	case "hang":
		o.hold <- struct{}{}
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case "broken":
		return nil, os.ErrNotExist
	}
	return o.change, nil
}

var secret = "ghp_" + "x7Kq2VbN9sLw4TzRj1Hc8GmYp5DfXe3UaQoB"

// newRunner makes a runner on a change with a few findings.
func newRunner(t *testing.T, clock actors.Clock, engines map[events.EngineName]Config) (*Runner, *opener, Params) {
	t.Helper()
	o := &opener{hold: make(chan struct{}, 16), change: changetest.New(t,
		changetest.Files{"kept.txt": "one\ntwo\nthree\n", "old.go": strings.Repeat("a line of text\n", 40)},
		changetest.Files{
			"kept.txt": "one\ntwo\nthree\n", "old.go": "new\n" + strings.Repeat("a line of text\n", 40),
			"a.txt": "token: " + secret + "\n<<<<<<< a\n=======\n>>>>>>> b\n",
		})}
	root := t.TempDir()
	p := Params{
		Engines: engines, Workspace: o, Temp: filepath.Join(root, "tmp"), Artifacts: filepath.Join(root, "artifacts"),
		Boot: events.BootID(fmt.Sprintf("boot-%s-%d", strings.ReplaceAll(t.Name(), "/", "-"), os.Getpid())), Clock: clock,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Grace: exec.Grace{Term: 2 * time.Second, Pipe: 30 * time.Second /* a loaded machine reads late */},
	}
	r, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r, o, p
}

func (o *opener) job(p Params, name events.EngineName, kind string) actors.LaneJob {
	return actors.LaneJob{
		Key: events.LaneKey{Run: "0000000000000001", Lane: "lane", Attempt: 1}, Generation: 1, Boot: p.Boot,
		Kind: kind, Engine: name, Role: "general", Phase: "final", Number: 1,
		Workspace: actors.WorkspaceJob{Repo: "local/x", Ref: "main"}, MergeBase: o.change.MergeBase, DiffPrint: o.change.Print,
	}
}

// left counts the processes and folders of a runner's sessions.
func left(t *testing.T, p Params) func() int {
	return func() int {
		found, err := process.Kill(context.Background(), func(m process.Mark) bool { return m.Boot == p.Boot })
		if err != nil {
			t.Error(err)
		}
		folders, err := filepath.Glob(filepath.Join(p.Temp, "lane-*"))
		if err != nil {
			t.Error(err)
		}
		return len(found) + len(folders)
	}
}

func TestStaticPassesTheSuite(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, func(t *testing.T, clock *enginetest.Clock) enginetest.Bundle {
		r, o, p := newRunner(t, clock, nil)
		good := o.job(p, NameStatic, KindStatic)
		failing, hanging := good, good
		failing.Workspace.Ref, hanging.Workspace.Ref = "broken", "hang"
		return enginetest.Bundle{
			Engine: r, Close: r.Close, Good: good, Failing: failing, Hanging: hanging,
			AtWork: func() { <-o.hold }, Left: left(t, p),
		}
	})
}

// script writes an engine of a few lines of shell.
func script(t *testing.T, lines string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return []string{path}
}

func TestExecPassesTheSuite(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, func(t *testing.T, clock *enginetest.Clock) enginetest.Bundle {
		pipe := filepath.Join(t.TempDir(), "atwork")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		r, o, p := newRunner(t, clock, map[events.EngineName]Config{
			"good":    {Kind: KindExec, Command: script(t, fmt.Sprintf(`cat >/dev/null; echo '%s'`, goodAnswer))},
			"failing": {Kind: KindExec, Command: script(t, `echo "no model" >&2; exit 3`)},
			"hanging": {Kind: KindExec, Command: script(t, fmt.Sprintf(`trap '' TERM; (trap '' TERM; sleep 600 <&- >&- 2>&-) & echo here > '%s'; while :; do sleep 600; done`, pipe))},
		})
		return enginetest.Bundle{
			Engine: r, Close: r.Close,
			Good: o.job(p, "good", KindExec), Failing: o.job(p, "failing", KindExec), Hanging: o.job(p, "hanging", KindExec),
			AtWork: func() { readLine(t, pipe) }, Left: left(t, p),
		}
	})
}

const goodAnswer = `{"summary":"s","findings":[{"title":"T","file":"a.txt","line_start":1,"severity":"suggestion"},{"title":"Gone","file":"nowhere.go"}],"usage":{"input_tokens":7,"output_tokens":2,"cost_usd":0.25,"confidence":"exact"}}`

func readLine(t *testing.T, pipe string) {
	t.Helper()
	f, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := bufio.NewReader(f).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
}

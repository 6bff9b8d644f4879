package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/enginetest"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/engine/process"
	"github.com/reviewctl/reviewctl/events"
)

// ended starts a job and waits for its commands.
func ended(r *Runner, job actors.LaneJob) []events.Command {
	answers := make(chan []events.Command, 1)
	r.Start(job, func(cmds ...events.Command) { answers <- cmds })
	return <-answers
}

func TestJobsThatDoNotFit(t *testing.T) {
	t.Parallel()
	r, o, p := newRunner(t, enginetest.NewClock(), nil)
	good := o.job(p, NameStatic, KindStatic)
	for name, c := range map[string]struct {
		change func(*actors.LaneJob)
		kind   events.FailureKind
	}{
		"another diff":      {func(j *actors.LaneJob) { j.DiffPrint = "x" }, events.FailureBefore},
		"another kind":      {func(j *actors.LaneJob) { j.Kind = KindExec }, events.FailureFatal},
		"an unknown engine": {func(j *actors.LaneJob) { j.Engine = "nobody" }, events.FailureFatal},
		"no workspace":      {func(j *actors.LaneJob) { j.Workspace.Ref = "broken" }, events.FailureBefore},
	} {
		job := good
		job.Key.Run = events.RunID(name)
		c.change(&job)
		cmds := ended(r, job)
		failed, ok := cmds[0].(run.FailLane)
		if !ok || failed.Kind != c.kind || failed.Message == "" || failed.Usage != nothing {
			t.Errorf("%s: %#v", name, cmds)
		}
	}
}

func TestJobOfAnotherBootIsNotStarted(t *testing.T) {
	t.Parallel()
	r, o, p := newRunner(t, enginetest.NewClock(), nil)
	job := o.job(p, NameStatic, KindStatic)
	job.Boot = "another"
	r.Start(job, func(cmds ...events.Command) { t.Errorf("answered %v", cmds) })
	r.Close()
}

// panicking is a workspace that is broken in the worst way.
type panicking struct{ Opener }

func TestPanicEndsOneLane(t *testing.T) {
	t.Parallel()
	r, o, p := newRunner(t, enginetest.NewClock(), nil)
	r.workspace = panicking{}
	cmds := ended(r, o.job(p, NameStatic, KindStatic))
	if failed, ok := cmds[0].(run.FailLane); !ok || failed.Kind != events.FailureInfra || failed.Usage != unknown {
		t.Errorf("%#v", cmds)
	}
}

func TestNoSecretInAnyCommand(t *testing.T) {
	t.Parallel()
	r, o, p := newRunner(t, enginetest.NewClock(), map[events.EngineName]Config{
		"tells": {Kind: KindExec, Command: script(t, `cat >/dev/null; echo '{"findings":[{"title":"`+secret+`","file":"a.txt"}]}'`)},
		"fails": {Kind: KindExec, Command: script(t, `echo '`+secret+`' >&2; exit 1`)},
		"defer": {Kind: KindExec, Command: script(t, `echo '`+secret+`' >&2; exit 75`)},
	})
	for _, job := range []actors.LaneJob{
		o.job(p, NameStatic, KindStatic), o.job(p, "tells", KindExec), o.job(p, "fails", KindExec), o.job(p, "defer", KindExec),
	} {
		job.Key.Run = events.RunID(job.Engine)
		for _, cmd := range ended(r, job) {
			if strings.Contains(text(t, cmd), secret) {
				t.Errorf("%s: %s", job.Engine, text(t, cmd))
			}
		}
	}
}

func text(t *testing.T, cmd events.Command) string {
	t.Helper()
	raw, err := json.Marshal(cmd)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestEndedSessionsAreRememberedUpToABound(t *testing.T) {
	t.Parallel()
	r, _, _ := newRunner(t, enginetest.NewClock(), nil)
	for i := range EndedMax + 3 {
		key := events.LaneKey{Run: "r", Lane: "l", Attempt: i}
		r.started[key] = func(error) {}
		r.forget(key)
	}
	if len(r.started) != EndedMax || len(r.ended) != EndedMax {
		t.Errorf("%d and %d remembered", len(r.started), len(r.ended))
	}
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Config{
		`kind: "vim"`:                      {Kind: "vim"},
		"command: an engine of kind exec":  {Kind: KindExec},
		"command: an engine of kind sarif": {Kind: "sarif"},
		"formats: an engine of kind exec":  {Kind: KindExec, Command: []string{"x"}, Formats: []string{"%f"}},
		"command: the static":              {Kind: KindStatic, Command: []string{"x"}},
		"timeout: -1ns":                    {Kind: KindStatic, Timeout: -1},
		`sandbox: "loose" is no`:           {Kind: KindStatic, Sandbox: "loose"},
	} {
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
}

func TestKillOrphans(t *testing.T) {
	t.Parallel()
	mine := events.BootID(fmt.Sprintf("boot-%s-%d", t.Name(), os.Getpid()))
	start := func(boot events.BootID, attempt int) *osexec.Cmd {
		cmd := osexec.Command("/bin/sh", "-c", "trap '' TERM; sleep 600 & sleep 600 & wait")
		mark := process.Mark{Boot: boot, Key: events.LaneKey{Run: "r", Lane: "a/b", Attempt: attempt}}
		cmd.Env = append(os.Environ(), process.Variable+"="+mark.String())
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	dead := []*osexec.Cmd{start(mine, 1), start(mine, 2)}
	alive := start(mine+"-alive", 1)
	defer func() {
		_ = syscall.Kill(-alive.Process.Pid, syscall.SIGKILL)
		_ = alive.Wait()
	}()
	keys, err := KillOrphans(func(b events.BootID) bool { return b == mine })
	slices.SortFunc(keys, func(a, b events.LaneKey) int { return a.Attempt - b.Attempt })
	want := []events.LaneKey{{Run: "r", Lane: "a/b", Attempt: 1}, {Run: "r", Lane: "a/b", Attempt: 2}}
	if err != nil || !reflect.DeepEqual(keys, want) {
		t.Errorf("killed %v, error %v", keys, err)
	}
	for _, cmd := range dead {
		var failed *osexec.ExitError
		if err := cmd.Wait(); !errors.As(err, &failed) || failed.ExitCode() != -1 {
			t.Errorf("ended with %v", err)
		}
	}
	if err := syscall.Kill(alive.Process.Pid, 0); err != nil {
		t.Errorf("the living boot's engine: %v", err)
	}
	if again, err := KillOrphans(func(b events.BootID) bool { return b == mine }); err != nil || len(again) != 0 {
		t.Errorf("again %v, %v", again, err)
	}
}

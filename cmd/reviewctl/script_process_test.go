package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/reviewctl/reviewctl/adapters/engine/process"
)

// started is a process beside a test. What it says is collected; whoever waits for
// a line is told of each.
type started struct {
	cmd     *exec.Cmd
	stdout  io.ReadCloser
	over    *time.Timer    // kills it: no test waits for ever
	readers sync.WaitGroup // of what it says
	done    chan struct{}  // its stderr is at its end

	mu    sync.Mutex
	lines strings.Builder
	more  chan struct{} // closed and replaced at each line
}

// begin starts a command in a folder. Its stdout is to be read, or copied.
func begin(dir string, env []string, name string, args ...string) (*started, error) {
	program, err := exec.LookPath(name)
	if err != nil {
		return nil, err
	}
	p := &started{cmd: exec.Command(program, args...), more: make(chan struct{}), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, env
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a signal to the test is not one to it
	if p.stdout, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.over = time.AfterFunc(waitMax, func() { _ = p.cmd.Process.Kill() })
	p.readers.Go(func() {
		defer close(p.done)
		p.listen(stderr, io.Discard)
	})
	return p, nil
}

// copyOut collects its stdout, too, and copies it.
func (p *started) copyOut(to io.Writer) {
	p.readers.Go(func() { p.listen(p.stdout, to) })
}

func (p *started) listen(from io.Reader, to io.Writer) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		_, _ = io.WriteString(to, lines.Text()+"\n")
		p.mu.Lock()
		p.lines.WriteString(lines.Text() + "\n")
		close(p.more)
		p.more = make(chan struct{})
		p.mu.Unlock()
	}
}

// said is what it has said so far.
func (p *started) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines.String()
}

// await waits until what it says matches.
func (p *started) await(want *regexp.Regexp) error {
	for {
		p.mu.Lock()
		text, more := p.lines.String(), p.more
		p.mu.Unlock()
		if want.MatchString(text) {
			return nil
		}
		select {
		case <-more:
		case <-p.done:
			p.readers.Wait()
			if want.MatchString(p.said()) {
				return nil
			}
			return fmt.Errorf("it ended without saying %s: %s", want, p.said())
		}
	}
}

// end waits for its end and returns its exit code, -1 for a signal.
func (p *started) end() int {
	p.readers.Wait()
	_ = p.cmd.Wait() // the code says it
	p.over.Stop()
	return p.cmd.ProcessState.ExitCode()
}

func (p *started) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.stdout.Close()
		p.end()
	}
}

func (s *scene) of(ts *testscript.TestScript, name string) *started {
	p := s.started[name]
	if p == nil {
		ts.Fatalf("%s was not started", name)
	}
	return p
}

func startCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) > 1, "start NAME COMMAND ARGS…")
	s := sceneOf(ts)
	p, err := begin(ts.MkAbs("."), s.vars, args[1], args[2:]...)
	ts.Check(err)
	out, err := os.Create(ts.MkAbs(args[0] + ".out"))
	ts.Check(err)
	ts.Defer(func() { _ = out.Close() })
	p.copyOut(out)
	s.started[args[0]] = p
}

func awaitCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 2, "await NAME REGEX")
	want, err := regexp.Compile(args[1])
	ts.Check(err)
	ts.Check(sceneOf(ts).of(ts, args[0]).await(want))
}

var signals = map[string]syscall.Signal{"TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP}

func signalCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 2 && signals[args[1]] != 0, "signal NAME TERM|KILL|INT|HUP")
	ts.Check(sceneOf(ts).of(ts, args[0]).cmd.Process.Signal(signals[args[1]]))
}

func endedCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 2, "ended NAME CODE")
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	p := sceneOf(ts).of(ts, args[0])
	if code := p.end(); code != want {
		ts.Fatalf("%s: exit code %d, want %d: %s", args[0], code, want, p.said())
	}
	ts.Logf("%s", p.said())
}

func noProcessCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 0, "noprocess")
	if left := engineProcesses(ts.Getenv("WORK")); len(left) > 0 {
		ts.Fatalf("processes left: %q", left)
	}
}

// engineProcesses lists the processes of engines that belong to a folder: by
// their environment, or, where they threw that away, by a path below engines/ in
// their command line.
func engineProcesses(dir string) []string {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	var found []string
	for _, folder := range folders {
		environ, _ := os.ReadFile(filepath.Join(folder, "environ"))
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		marked := strings.Contains("\x00"+string(environ), "\x00"+process.Variable+"=") && strings.Contains(string(environ), dir+"/")
		if marked || strings.Contains(string(command), dir+"/engines/") {
			found = append(found, filepath.Base(folder)+" "+strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return found
}

// TestEngineProcessesAreFound: what says that nothing is left can see what is.
func TestEngineProcessesAreFound(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("no /proc here")
	}
	byPath, byMark := t.TempDir(), t.TempDir()
	for dir, c := range map[string]struct{ env, script string }{
		byMark: {process.Variable + "=boot/run/lane/1", "sleep 600; :"},
		byPath: {"NO=mark", "sleep 600; : " + byPath + "/engines/x"},
	} {
		p, err := begin(dir, []string{c.env, "TMPDIR=" + dir + "/tmp"}, "sh", "-c", "echo here >&2; "+c.script)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.await(regexp.MustCompile("here")); err != nil {
			t.Error(err)
		}
		if len(engineProcesses(dir)) == 0 {
			t.Errorf("%q is not seen", c)
		}
		// Its child holds stderr, so the shell's group goes.
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		p.kill()
	}
}

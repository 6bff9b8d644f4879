package gocheck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/reviewctl/reviewctl/adapters/engine/process"
)

// Bounds of a run.
const (
	outputMax = 16 << 20 // of each stream
	endWait   = 10 * time.Second
)

// output is how a run of a tool ended.
type output struct {
	stdout, stderr []byte
	exit           int
	cut            bool // it said too much, or took too long: nothing of it counts
	why            string
}

// tool runs a program in a folder of a tree. Its processes are gone when it
// returns: the supervisor sees to that.
func (k *check) tool(ctx context.Context, dir string, m *module, command ...string) (*output, error) {
	argv, err := k.Sandbox.Granted(command, dir, k.grant())
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	stdout, stderr := &process.Capped{Max: outputMax, Over: cancel}, &process.Capped{Max: outputMax, Over: cancel}
	cmd := exec.CommandContext(running, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, stdout, stderr
	mark := process.Mark{Boot: k.Boot, Key: k.in.Job.Key}
	cmd.Env = append(k.environment(m), process.Variable+"="+mark.String())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	reading, writing, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command[0], err)
	}
	defer reading.Close()
	defer writing.Close()
	cmd.ExtraFiles = []*os.File{reading}
	cmd.Cancel = writing.Close // the supervisor kills all that there is
	cmd.WaitDelay = endWait
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", command[0], err)
	}
	waited := cmd.Wait()
	out := &output{stdout: stdout.Bytes(), stderr: stderr.Bytes()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		if err := killLeft(mark); err != nil {
			return nil, err
		}
		out.cut, out.why = true, fmt.Sprintf("it was ended after %s", CheckMax)
	case stdout.Full() || stderr.Full():
		out.cut, out.why = true, fmt.Sprintf("it printed more than %d bytes", outputMax)
	case errors.As(waited, &exit):
		out.exit = exit.ExitCode()
		if first, _, _ := strings.Cut(string(out.stderr), "\n"); isSandbox(first) {
			return nil, fmt.Errorf("start %s: %s", filepath.Base(command[0]), first)
		}
	case waited != nil:
		return nil, fmt.Errorf("run %s: %w", command[0], waited)
	}
	return out, nil
}

// isSandbox tells what the sandbox says from what a tool says.
func isSandbox(line string) bool {
	return strings.HasPrefix(line, "bwrap: ") || strings.HasPrefix(line, "reviewctl: ")
}

// killLeft ends what a supervisor that had to be killed left behind.
func killLeft(mine process.Mark) error {
	ctx, cancel := context.WithTimeout(context.Background(), endWait)
	defer cancel()
	if _, err := process.Kill(ctx, func(m process.Mark) bool { return m == mine }); err != nil {
		return fmt.Errorf("end the tools: %w", err)
	}
	return nil
}

package exec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/reviewctl/reviewctl/adapters/engine/answer"
	"github.com/reviewctl/reviewctl/adapters/engine/process"
	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// exitNoCapacity is EX_TEMPFAIL. (CLI.md)
const exitNoCapacity = 75

// output is how a run of the program ended.
type output struct {
	stdout, stderr string
	exit           int
	over           bool // stdout was cut at its cap
}

// errFlood ends a program that prints too much.
var errFlood = errors.New("the engine printed too much")

// turn runs the program once. Without an error it exited well.
func (l *lane) turn(ctx context.Context, request Request) (*output, error) {
	input, err := request.encode()
	if err != nil {
		return nil, l.failure(events.FailureInfra, err.Error())
	}
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stdout := &process.Capped{Max: StdoutMax, Over: func() { cancel(errFlood) }}
	out, err := l.run(running, input, stdout)
	if err != nil {
		return nil, l.failure(events.FailureInfra, err.Error())
	}
	out.stdout, out.over = string(stdout.Bytes()), stdout.Full()
	l.turns++
	if ctx.Err() != nil {
		l.add(events.Usage{Confidence: events.ConfidenceUnknown})
		return nil, l.failure(events.FailureInfra, "the engine was ended")
	}
	l.record.add(out)
	if out.over {
		l.add(events.Usage{Confidence: events.ConfidenceUnknown})
		return nil, l.fail(ctx, events.FailureContract, fmt.Sprintf("the answer is longer than %d bytes", StdoutMax))
	}
	if out.exit != 0 {
		return nil, l.exited(ctx, out)
	}
	return out, nil
}

// usageLimit is the line by which a program reports its account's limit.
var usageLimit = regexp.MustCompile(`^reviewctl: usage-limit reset=(\S+)$`)

// exited says what an exit code other than 0 means.
func (l *lane) exited(ctx context.Context, out *output) error {
	if m := usageLimit.FindStringSubmatch(lastLine(out.stderr)); m != nil {
		l.add(events.Usage{Confidence: events.ConfidenceUnknown})
		failed := l.fail(ctx, events.FailureUsageLimit, "the account's usage limit is reached")
		if reset, err := time.Parse(time.RFC3339, m[1]); err == nil {
			failed.Reset = reset.UTC()
		}
		return failed
	}
	scrub := l.scrubber(ctx)
	reason := scrub.text(head(meaningful(out.stderr), messageMax))
	if scrub.err != nil {
		reason = "its message could not be searched for secrets"
	}
	if out.exit == exitNoCapacity {
		if reason == "" {
			reason = "the engine has no capacity"
		}
		return &session.Deferral{Reason: reason}
	}
	l.add(events.Usage{Confidence: events.ConfidenceUnknown})
	if out.exit == sandbox.ExitSandbox && strings.HasPrefix(reason, "reviewctl: sandbox cannot start") {
		return l.fail(ctx, events.FailureInfra, "lane "+strings.TrimPrefix(reason, "reviewctl: "))
	}
	// An error may be on standard output, in the shape of a result. (case E09)
	kind := events.FailureInfra
	var failed *answer.EngineError
	if _, err := answer.Parse(out.stdout, answer.Expected{}); errors.As(err, &failed) {
		if failed.Limit {
			kind = events.FailureUsageLimit
		}
		if reason == "" {
			reason = failed.Message
		}
	}
	if reason == "" {
		reason = "no reason given"
	}
	return l.fail(ctx, kind, fmt.Sprintf("lane exit %d: %s", out.exit, reason))
}

// run starts the program and returns when it and all its processes are gone.
func (l *lane) run(ctx context.Context, input []byte, stdout io.Writer) (*output, error) {
	stderr := &ends{}
	cmd := osexec.CommandContext(ctx, l.command[0], l.command[1:]...)
	cmd.Dir, cmd.Env = l.in.Change.Dir, l.environment()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	reading, writing, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	defer reading.Close()
	defer writing.Close()
	if l.Sandbox.Supervised() {
		cmd.ExtraFiles = []*os.File{reading}
	}
	var hurry *time.Timer
	cmd.Cancel = func() error {
		hurry = time.AfterFunc(l.Grace.Term, func() {
			_ = writing.Close() // the supervisor kills all that is left
			if !l.Sandbox.Supervised() {
				_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			}
		})
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	}
	// Counts from the cancel, or from the exit while somebody holds a pipe.
	cmd.WaitDelay = l.Grace.Term + l.Grace.Pipe
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	if !l.Sandbox.Supervised() {
		_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, sandbox.Nice)
	}
	waited := cmd.Wait()
	if hurry != nil {
		hurry.Stop()
	}
	if err := l.killLeft(); err != nil {
		return nil, err
	}
	out := &output{stderr: stderr.String()}
	var exit *osexec.ExitError
	switch {
	case errors.As(waited, &exit):
		out.exit = exit.ExitCode()
	case waited != nil && cmd.ProcessState != nil:
		out.exit = cmd.ProcessState.ExitCode() // a pipe stayed open, or was closed early
	}
	return out, nil
}

// killWait bounds the wait for killed processes to be gone.
const killWait = 20 * time.Second

// killLeft ends what the program left behind: by the mark, because a process
// group does not hold those that have left it.
func (l *lane) killLeft() error {
	ctx, cancel := context.WithTimeout(context.Background(), killWait)
	defer cancel()
	mine := l.mark()
	if _, err := process.Kill(ctx, func(m process.Mark) bool { return m == mine }); err != nil {
		return fmt.Errorf("end the engine: %w", err)
	}
	return nil
}

// environmentNames are the variables that every program gets where they are set.
// (case E24: an allow list)
var environmentNames = []string{
	"HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
}

func (l *lane) environment() []string {
	env := []string{
		process.Variable + "=" + l.mark().String(), "PATH=" + l.Sandbox.Path(),
		"TMPDIR=" + l.temp, "TMP=" + l.temp, "TEMP=" + l.temp, "TERM=dumb", "NO_COLOR=1",
	}
	for _, name := range append(append([]string{}, environmentNames...), l.Env...) {
		if value, ok := os.LookupEnv(name); ok && name != process.Variable {
			env = append(env, name+"="+value)
		}
	}
	return env
}

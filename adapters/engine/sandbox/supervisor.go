package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/reviewctl/reviewctl/adapters/engine/process"
)

// Subcommand is the hidden first argument of the supervisor.
const Subcommand = "sandbox-exec"

// Exit codes of the supervisor's own; the engine's pass through.
const (
	ExitSandbox  = 125 // the sandbox could not be set up
	exitNotFound = 127 // the engine's program could not be started
	exitSignal   = 128 // and the number of the signal that killed the engine
)

// Nice is the priority of every lane. (CLI.md)
const Nice = 10

// control is the file whose end says that reviewctl wants everything ended, or
// is gone.
const control = 3

// sweepPoll is how often what is left is killed until nothing is.
const sweepPoll = 2 * time.Millisecond

// plan is what the supervisor is told on its command line.
type plan struct {
	Landlock bool     `json:"landlock,omitempty"`
	NoExec   []string `json:"no_exec,omitempty"`  // files and folders
	Writable string   `json:"writable,omitempty"` // the only folder to write in; "" = no limit
	Grant    *Grant   `json:"grant,omitempty"`    // nil = a reviewer's session
}

var hooked atomic.Bool

// Main is called first thing by every program that runs engines. It does not
// return where the program was started as the supervisor of one.
func Main() {
	hooked.Store(true)
	if len(os.Args) < 5 || os.Args[1] != Subcommand || os.Args[3] != "--" {
		return
	}
	os.Exit(supervise(os.Args[2], os.Args[4:]))
}

func supervise(raw string, argv []string) int {
	// A thread has its own priority, and a child has that of the thread which
	// started it.
	runtime.LockOSThread()
	// The whole group is told to end; the supervisor sees to it that it does.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	syscall.CloseOnExec(control)
	var p plan
	if err := errors.Join(json.Unmarshal([]byte(raw), &p), lower(), adopt(), confine(p)); err != nil {
		fmt.Fprintf(os.Stderr, "reviewctl: sandbox cannot start: %v\n", err)
		return ExitSandbox
	}
	engine, err := os.StartProcess(argv[0], argv, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Env: os.Environ(),
	})
	if err != nil {
		fmt.Fprintf(os.Stderr, "reviewctl: engine cannot start: %v\n", err)
		return exitNotFound
	}
	_ = os.Stdin.Close() // so that its writer sees when the engine stops reading
	go untilTold()
	status := reap(engine.Pid)
	sweep()
	if status.Signaled() {
		return exitSignal + int(status.Signal())
	}
	return status.ExitStatus()
}

// untilTold kills everything once the control pipe ends; reap then comes back.
func untilTold() {
	pipe := os.NewFile(control, "control")
	var b [1]byte
	for {
		if _, err := pipe.Read(b[:]); err != nil {
			break
		}
	}
	for {
		process.KillDescendants(os.Getpid())
		time.Sleep(sweepPoll)
	}
}

// reap waits for the engine, and for whatever it left to us meanwhile.
func reap(engine int) syscall.WaitStatus {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if pid == engine || err != nil && !errors.Is(err, syscall.EINTR) {
			return status
		}
	}
}

// sweep kills what the engine left behind, until there are no children.
func sweep() {
	for {
		process.KillDescendants(os.Getpid())
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return
		}
		if pid == 0 {
			time.Sleep(sweepPoll)
		}
	}
}

// lower makes the engine yield to everything else, and leave no memory images.
func lower() error {
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, Nice); err != nil && !errors.Is(err, syscall.EACCES) {
		return fmt.Errorf("be nice: %w", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("forbid core files: %w", err)
	}
	return nil
}

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrStrict says that a strict sandbox cannot be had on this machine.
var ErrStrict = errors.New("no kernel sandbox to keep an engine from writing outside its TMPDIR")

// probeWait bounds the try of bubblewrap.
const probeWait = 10 * time.Second

// Sandbox is what this machine offers. One serves any number of sessions.
type Sandbox struct {
	shims    string   // folder of the refusing programs
	tools    []string // real files of the build tools
	bwrap    string   // path of bubblewrap; "" where it does not work
	abi      int      // of Landlock; 0 = none
	weakness string   // why no kernel sandbox holds
}

// Session is one start of an engine.
type Session struct {
	Command  []string // an absolute path and arguments
	Worktree string
	Temp     string
	Strict   bool
}

// New looks at what the kernel offers and writes the shims into a folder of dir.
func New(dir string) (*Sandbox, error) {
	s := &Sandbox{shims: filepath.Join(dir, "shims"), tools: find(os.Getenv("PATH"))}
	if err := writeShims(s.shims); err != nil {
		return nil, fmt.Errorf("prepare sandbox: %w", err)
	}
	if !hooked.Load() {
		s.weakness = "this program has no " + Subcommand
		return s, nil
	}
	s.bwrap = probeBubblewrap()
	if s.bwrap == "" {
		s.abi, s.weakness = probeLandlock()
	}
	return s, nil
}

// Only returns the sandbox with the kernel's part as weak as told: "landlock" or
// "shims". Tests use it to cover what this machine would not choose.
func (s *Sandbox) Only(level string) *Sandbox {
	weaker := *s
	weaker.bwrap = ""
	weaker.abi, weaker.weakness = probeLandlock()
	if level == "shims" || !hooked.Load() {
		weaker.abi, weaker.weakness = 0, "as told"
	}
	return &weaker
}

// Describe says what holds a session; doctor shows it and the run records it.
func (s *Sandbox) Describe(strict bool) string {
	suffix := ""
	if strict {
		suffix = ", strict"
	}
	switch {
	case s.bwrap != "":
		return "bubblewrap and shims" + suffix
	case s.abi > 0:
		return fmt.Sprintf("landlock ABI %d and shims%s", s.abi, suffix)
	}
	return "shims only: " + s.weakness
}

// Path is the PATH of a session: the shims before everything else.
func (s *Sandbox) Path() string { return s.shims + string(os.PathListSeparator) + os.Getenv("PATH") }

// Supervised reports whether sessions run under the supervisor, which wants the
// reading end of a pipe as file 3.
func (s *Sandbox) Supervised() bool { return hooked.Load() }

// Wrap returns the argv that starts the session.
func (s *Sandbox) Wrap(session Session) ([]string, error) {
	if session.Strict && s.bwrap == "" && s.abi == 0 {
		return nil, fmt.Errorf("%w: %s", ErrStrict, s.weakness)
	}
	if !hooked.Load() {
		return session.Command, nil
	}
	tools := s.toolsBut(session.Command[0])
	argv, plan := session.Command, plan{}
	switch {
	case s.bwrap != "":
		argv = append(s.bubblewrap(session, tools), session.Command...)
	case s.abi > 0:
		plan.Landlock, plan.NoExec = true, append(slices.Clone(tools), session.Worktree, session.Temp)
		if session.Strict {
			plan.Writable = session.Temp
		}
	}
	return supervised(plan, argv)
}

// supervised is the argv of this program as the supervisor of another.
func supervised(p plan, argv []string) ([]string, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("wrap session: %w", err)
	}
	self, err := selfPath()
	if err != nil {
		return nil, fmt.Errorf("wrap session: %w", err)
	}
	return append([]string{self, Subcommand, string(raw), "--"}, argv...), nil
}

// toolsBut leaves out the engine's own program.
func (s *Sandbox) toolsBut(command string) []string {
	real, err := filepath.EvalSymlinks(command)
	if err != nil {
		return s.tools
	}
	return slices.DeleteFunc(slices.Clone(s.tools), func(tool string) bool {
		return tool == real || strings.HasPrefix(real, tool+"/")
	})
}

// bubblewrap returns its argv up to the engine's. Later mounts cover earlier ones.
func (s *Sandbox) bubblewrap(session Session, tools []string) []string {
	root := []string{"--dev-bind", "/", "/"}
	if session.Strict {
		root = []string{"--ro-bind", "/", "/", "--dev", "/dev"}
	}
	argv := append([]string{s.bwrap, "--die-with-parent", "--unshare-pid", "--unshare-ipc"}, root...)
	argv = append(argv, "--proc", "/proc")
	refuse := filepath.Join(s.shims, shimOfAll)
	for _, tool := range tools {
		if st, err := os.Stat(tool); err == nil && st.IsDir() {
			argv = append(argv, "--tmpfs", tool)
		} else if err == nil {
			argv = append(argv, "--ro-bind", refuse, tool)
		}
	}
	return append(argv, "--ro-bind", session.Worktree, session.Worktree, "--bind", session.Temp, session.Temp,
		"--chdir", session.Worktree, "--")
}

func probeBubblewrap() string {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeWait)
	defer cancel()
	try := exec.CommandContext(ctx, path, "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--dev-bind", "/", "/", "--proc", "/proc", "true")
	if try.Run() != nil {
		return "" // for example in a container without user namespaces
	}
	return path
}

// shimOfAll is the shim that bubblewrap lays over the tools themselves.
const shimOfAll = "reviewctl-refuses"

// shim ends with the shell's code for "cannot execute".
const shim = `#!/bin/sh
echo "reviewctl: ${0##*/} is not available to reviewers: they read code and do not build or run it" >&2
exit 126
`

// writeShims makes one refusing program and links to it. Any number of processes
// may do so in one folder.
func writeShims(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = tmp.WriteString(shim)
	err = errors.Join(err, tmp.Chmod(0o755), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), filepath.Join(dir, shimOfAll))
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	for _, tool := range denied {
		if err := os.Symlink(shimOfAll, filepath.Join(dir, tool)); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

package sandbox

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestMain(m *testing.M) {
	Main()
	if root := os.Getenv(tryVariable); root != "" {
		tryAll(root)
		return
	}
	os.Exit(m.Run())
}

func TestToolsAreKnownByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"make": true, "gcc": true, "gcc-12": true, "x86_64-linux-gnu-gcc-12": true, "go": true, "go1.26": true, "npm": true,
		"pip3.11": true, "clang++-14": true, "pytest": true, "node": false, "python3": false, "sh": false, "git": false,
		"claude": false, "codex": false, "cat": false, "makeup": false,
	} {
		if got := isDenied(name); got != want {
			t.Errorf("isDenied(%q) = %v", name, got)
		}
	}
}

// levels are the sandboxes that this machine can be tested with.
func levels(t *testing.T) map[string]*Sandbox {
	t.Helper()
	s, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*Sandbox{"shims": s.Only("shims")}
	if weaker := s.Only("landlock"); weaker.abi > 0 {
		all["landlock"] = weaker
	}
	if s.bwrap != "" {
		all["bubblewrap"] = s
	}
	return all
}

// try runs shell lines as an engine.
func try(t *testing.T, s *Sandbox, strict bool, lines string) (stdout string, exit int) {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"tree", "tmp", "elsewhere"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "tree", "own"), []byte("#!/bin/sh\necho ran\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	argv, err := s.Wrap(Session{
		Command: []string{"/bin/sh", "-c", lines}, Worktree: filepath.Join(root, "tree"), Temp: filepath.Join(root, "tmp"), Strict: strict,
	})
	if err != nil {
		t.Fatal(err)
	}
	reading, writing, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()
	defer writing.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = filepath.Join(root, "tree"), []string{"PATH=" + s.Path(), "TMPDIR=" + filepath.Join(root, "tmp"), "ROOT=" + root}
	cmd.ExtraFiles = []*os.File{reading}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	if errs.Len() > 0 {
		t.Logf("stderr: %s", errs.String())
	}
	return strings.TrimSpace(out.String()), cmd.ProcessState.ExitCode()
}

func TestBuildToolsAreRefused(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no build tool to refuse")
	}
	for level, s := range levels(t) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			if out, _ := try(t, s, false, `go version >/dev/null && echo ran; make --version >/dev/null && echo ran; echo end`); out != "end" {
				t.Errorf("by name: %q", out)
			}
			out, _ := try(t, s, false, tool+` version >/dev/null && echo ran; echo end`)
			if level != "shims" && out != "end" {
				t.Errorf("by path: %q", out)
			}
			if out, exit := try(t, s, false, `cat own >/dev/null && ls / >/dev/null && mkdir "$TMPDIR/a" "$ROOT/elsewhere/b" && echo x > "$TMPDIR/a/f" && mv "$TMPDIR/a/f" "$ROOT/elsewhere/b/f" && echo ok; exit 7`); out != "ok" || exit != 7 {
				t.Errorf("what is allowed: %q, exit %d", out, exit)
			}
		})
	}
}

func TestCheckoutAndTempAreNotExecutedUnderLandlock(t *testing.T) {
	t.Parallel()
	s, ok := levels(t)["landlock"]
	if !ok {
		t.Skip("no Landlock")
	}
	if out, _ := try(t, s, false, `./own; cp /bin/ls "$TMPDIR/ls" && "$TMPDIR/ls" / ; echo end`); out != "end" {
		t.Errorf("got %q", out)
	}
}

func TestBubblewrapKeepsTheCheckoutReadOnly(t *testing.T) {
	t.Parallel()
	s, ok := levels(t)["bubblewrap"]
	if !ok {
		t.Skip("no bubblewrap")
	}
	if out, _ := try(t, s, false, `echo x 2>/dev/null > "$ROOT/tree/new" && echo wrote; echo end`); out != "end" {
		t.Errorf("got %q", out)
	}
}

func TestStrictWritesOnlyToTemp(t *testing.T) {
	t.Parallel()
	for level, s := range levels(t) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			if level == "shims" {
				if argv, err := s.Wrap(Session{Command: []string{"/bin/sh"}, Strict: true}); !errors.Is(err, ErrStrict) {
					t.Errorf("argv %q, error %v", argv, err)
				}
				return
			}
			out, _ := try(t, s, true, `for f in "$ROOT/elsewhere/f" "$ROOT/tree/f" "$ROOT/f"; do (echo x > "$f") 2>/dev/null && echo wrote "$f"; done
				echo x > "$TMPDIR/f" && mkdir "$TMPDIR/d" && mv "$TMPDIR/f" "$TMPDIR/d/f" && rm -r "$TMPDIR/d" && echo x >/dev/null && echo end`)
			if out != "end" {
				t.Errorf("got %q", out)
			}
		})
	}
}

func TestSupervisorIsNiceAndLeavesNothing(t *testing.T) {
	t.Parallel()
	for level, s := range levels(t) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			// A process in a session of its own, without the environment, whose
			// parent has gone: only its adoption finds it.
			out, exit := try(t, s, false, `nice; env -i /bin/sh -c 'setsid /bin/sleep 600 >/dev/null 2>&1 & echo $!'; exit 3`)
			fields := strings.Fields(out)
			if exit != 3 || len(fields) != 2 || fields[0] != strconv.Itoa(Nice) {
				t.Fatalf("got %q, exit %d", out, exit)
			}
			if level == "bubblewrap" {
				return // the number is one of its own namespace, which is gone
			}
			pid, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d: %v", pid, err)
			}
		})
	}
}

func TestSupervisorEndsWhenItsPipeDoes(t *testing.T) {
	t.Parallel()
	for level, s := range levels(t) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			argv, err := s.Wrap(Session{Command: []string{"/bin/sh", "-c", "trap '' TERM; echo here; while :; do sleep 600; done"}, Worktree: t.TempDir(), Temp: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			reading, writing, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Dir, cmd.Env = "/", []string{"PATH=" + s.Path()}
			cmd.ExtraFiles = []*os.File{reading}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = reading.Close()
			if _, err := out.Read(make([]byte, 16)); err != nil {
				t.Fatal(err)
			}
			_ = writing.Close() // as the kernel does when reviewctl is killed
			err = cmd.Wait()
			var failed *exec.ExitError
			if !errors.As(err, &failed) || failed.ExitCode() != exitSignal+int(syscall.SIGKILL) {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

func TestEnginesOwnProgramIsAllowed(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no build tool")
	}
	real, err := filepath.EvalSymlinks(tool)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(s.tools, real) || slices.Contains(s.toolsBut(tool), real) {
		t.Errorf("tools %q", s.tools)
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]*Sandbox{
		"bubblewrap and shims":                   {bwrap: "/usr/bin/bwrap"},
		"landlock ABI 7 and shims":               {abi: 7},
		"shims only: the kernel has no Landlock": {weakness: "the kernel has no Landlock"},
	} {
		if got := s.Describe(false); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := (&Sandbox{abi: 7}).Describe(true); got != "landlock ABI 7 and shims, strict" {
		t.Errorf("got %q", got)
	}
}

func TestSupervisorSaysWhenItCannotStart(t *testing.T) {
	t.Parallel()
	s := levels(t)["shims"]
	argv, err := s.Wrap(Session{Command: []string{"/nowhere/engine"}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "engine cannot start") {
		t.Errorf("output %q, error %v", out, err)
	}
}

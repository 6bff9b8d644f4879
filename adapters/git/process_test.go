//go:build unix

package git_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/git"
)

// fakeGit puts a program called git, and nothing else of that name, on the PATH.
func fakeGit(t *testing.T, script string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	text := "#!/bin/sh\ncd " + dir + "\n" + script
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
}

// A git that hangs dies with its children when the context ends, and so does a
// child that has left the group let go of us. (case W16)
// Not parallel: it sets the PATH.
func TestCancelKillsTheGroup(t *testing.T) {
	// Whoever lives holds "alive" open; nobody writes to "never" until the end.
	const block = "mkfifo alive never\n"
	cases := map[string]string{
		"child in the group": block + "(exec 3> alive; read x < never) &\nread x < never\n",
		"child that left it": block + "setsid sh -c 'exec 3> alive; read x < never' &\nread x < never\n",
		"deaf to a request":  block + "trap '' TERM INT\nexec 3> alive\nread x < never\n",
	}
	for name, script := range cases {
		t.Run(name, func(t *testing.T) {
			dir := fakeGit(t, script)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			result := make(chan error, 1)
			go func() {
				_, err := git.Open(ctx, dir)
				result <- err
			}()
			alive := opened(t, filepath.Join(dir, "alive"))
			cancel()
			within(t, "git.Open", func() {
				if err := <-result; !errors.Is(err, context.Canceled) {
					t.Errorf("error %v, want context.Canceled", err)
				}
			})
			never := filepath.Join(dir, "never")
			if strings.Contains(script, "setsid") {
				letGo(t, never)
			}
			within(t, "the end of the group", func() { _, _ = io.Copy(io.Discard, alive) })
		})
	}
}

// letGo ends a reader of the named pipe.
func letGo(t *testing.T, fifo string) {
	t.Helper()
	f, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if _, err := f.WriteString("x\n"); err != nil {
		t.Fatal(err)
	}
}

// opened waits until the fake git has made the named pipe and has it open.
func opened(t *testing.T, fifo string) *os.File {
	t.Helper()
	var f *os.File
	within(t, "the start of git", func() {
		for f == nil {
			f, _ = os.Open(fifo)
			runtime.Gosched()
		}
	})
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// within fails the test when f takes far longer than it ever should.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s did not come", what)
	}
}

// git's own words are in the error, the fatal line first, and standard error is
// bounded however much is written.
func TestErrorsSayWhatGitSaid(t *testing.T) {
	fakeGit(t, "yes 'a long warning that goes on' | head -n 100000 >&2\nexit 3\n")
	_, err := git.Open(context.Background(), t.TempDir())
	var exit *git.ExitError
	if !errors.As(err, &exit) || exit.Code != 3 || exit.Said != "a long warning that goes on" {
		t.Errorf("error %v", err)
	}
	fakeGit(t, "echo 'warning: x' >&2\necho 'fatal: the cause' >&2\nexit 128\n")
	if _, err := git.Open(context.Background(), t.TempDir()); err == nil || !strings.HasSuffix(err.Error(), "exit 128: the cause") {
		t.Errorf("error %v", err)
	}
}

// A git that floods is stopped at the bound.
func TestFloodIsStopped(t *testing.T) {
	fakeGit(t, "exec yes\n")
	var over *git.OutputError
	if _, err := git.Open(context.Background(), t.TempDir()); !errors.As(err, &over) || over.Limit != git.OutputShort {
		t.Errorf("error %v, want an OutputError", err)
	}
}

// The operator's exceptions for repositories of other users are handed on, and
// only the operator's. (case W27)
func TestOwnership(t *testing.T) {
	const refuse = "if [ \"$1\" = rev-parse ]; then\n" +
		"case \"$(env)\" in *safe.directory*) printf 'true\\nsha1\\nfalse\\n/nowhere\\n'; exit 0;; esac\n" +
		"echo \"fatal: detected dubious ownership in repository at 'x'\" >&2; exit 128\nfi\n"
	fakeGit(t, refuse+"printf 'local\\0*\\0'\n")
	if _, err := git.Open(context.Background(), t.TempDir()); !errors.Is(err, git.ErrOwnership) {
		t.Errorf("the repository's own exception: error %v, want ErrOwnership", err)
	}
	fakeGit(t, refuse+"printf 'global\\0/somewhere\\0'\n")
	if repo, err := git.Open(context.Background(), t.TempDir()); err != nil || !repo.Bare {
		t.Errorf("the operator's exception: %v", err)
	}
	fakeGit(t, refuse+"exit 1\n")
	if _, err := git.Open(context.Background(), t.TempDir()); !errors.Is(err, git.ErrOwnership) {
		t.Errorf("no exception: error %v, want ErrOwnership", err)
	}
}

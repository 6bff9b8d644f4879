package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/reviewctl/reviewctl/adapters/git/gittest"
)

// openTerminal opens a pair of a terminal and what is behind it.
func openTerminal(t *testing.T, columns, rows uint16) (behind, terminal *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("this system has no terminals to give: %v", err)
	}
	behind = os.NewFile(uintptr(fd), "ptmx")
	t.Cleanup(func() { _ = behind.Close() })
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("this system has no terminals to give: %v", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skipf("this system has no terminals to give: %v", err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows}); err != nil {
		t.Fatal(err)
	}
	return behind, terminal
}

// A review on a terminal draws its lines over themselves, and in the end nothing
// but the review is left.
func TestReviewOnATerminal(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("a.txt", "one\n")
	s.Commit("base")
	s.Git("checkout", "-q", "-b", "feature")
	s.Write("a.txt", "two\n")
	s.Commit("change")
	dir := t.TempDir()
	gate, config := filepath.Join(dir, "gate"), filepath.Join(dir, "reviewctl.yaml")
	if err := unix.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("engines:\n  slow: { kind: exec, command: [sh, -c, 'cat >/dev/null; read line <%s; echo \"{\\\"findings\\\":[]}\"'] }\n", gate)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	behind, terminal := openTerminal(t, 60, 24)
	screen := newTerminal(60, 24)
	drawn := make(chan string, 1)
	ended := make(chan struct{})
	go func() { // what the terminal shows
		defer close(ended)
		var all bytes.Buffer
		for buffer := make([]byte, 4<<10); ; {
			n, err := behind.Read(buffer)
			all.Write(buffer[:n])
			_, _ = screen.Write(buffer[:n])
			if strings.Contains(all.String(), "slow  running") {
				select {
				case drawn <- all.String():
				default:
				}
			}
			if err != nil {
				return
			}
		}
	}()
	var out bytes.Buffer
	code := make(chan Exit, 1)
	env := map[string]string{"TERM": "xterm", "HOME": dir}
	go func() {
		code <- run(context.Background(), []string{"review", s.Dir, "--config", config, "--engine", "slow", "--store", "sqlite:" + filepath.Join(dir, "log", "events.db")}, strings.NewReader(""), &out, terminal,
			func(name string) string { return env[name] })
	}()
	select {
	case <-drawn:
	case got := <-code:
		t.Fatalf("it ended with %d: %s%s", got, out.String(), screen.shows())
	}
	open, err := os.OpenFile(gate, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(open, "go\n")
	_ = open.Close()
	if got := <-code; got != ExitGood {
		t.Errorf("exit %d", got)
	}
	_ = terminal.Close() // nothing comes any more
	<-ended
	if left := screen.shows(); left != "" {
		t.Errorf("the terminal still shows %q", left)
	}
	if !strings.Contains(out.String(), "reviewed-clean") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("it answers %q", out.String())
	}
}

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/events/storetest"
)

const (
	kills      = 100
	killsShort = 15
	killWithin = 60 // acknowledged appends
)

// A process that writes is killed at a random moment, again and again on one log:
// no acknowledged append is lost, none is there by half, every chain holds, and the
// next process goes on.
func TestKilledWriterLosesNothing(t *testing.T) {
	t.Parallel()
	rounds := kills
	if testing.Short() {
		rounds = killsShort
	}
	path := benchPath(t)
	random := rand.New(rand.NewPCG(1, 2))
	var acknowledged []string
	for round := range rounds {
		cmd := child(t, "write", path, round)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		at, spins := random.IntN(killWithin), random.IntN(2000)
		kill := func(n int) {
			if n != at+1 {
				return
			}
			for range spins { // somewhere between this append and the next ones
				runtime.Gosched()
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
		if at == 0 { // before or while the file is opened
			kill(1)
		}
		acknowledged = append(acknowledged, acks(out, kill)...)
		cmd.Wait()
		if !killed(cmd.ProcessState.Sys()) {
			t.Fatalf("round %d: the writer ended by itself: %v", round, cmd.ProcessState)
		}
		l := mustOpen(t, path, Options{})
		mustHold(t, l, acknowledged)
		storetest.VerifyAll(t, l)
		if err := l.Check(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d acknowledged appends", rounds, len(acknowledged))
	mustPassIntegrityCheck(t, path)
}

func killed(status any) bool {
	s, ok := status.(syscall.WaitStatus)
	return ok && s.Signaled() && s.Signal() == syscall.SIGKILL
}

func mustPassIntegrityCheck(t *testing.T, path string) {
	t.Helper()
	conn, err := openConn(path, connSettings{Access: forReading, Busy: BusyDefault})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if found, err := queryText(conn, "PRAGMA integrity_check"); err != nil || found != "ok" {
		t.Fatalf("integrity_check: %s, %v", found, err)
	}
}

// The disk is full in the middle: the write-ahead log meets a file size limit.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	path := benchPath(t)
	cmd := child(t, "size", path, 1)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	acknowledged := acks(out, func(int) {})
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	l := mustOpen(t, path, Options{})
	mustHold(t, l, acknowledged)
	storetest.VerifyAll(t, l)
	mustPassIntegrityCheck(t, path)
}

// childMeetsFileSizeLimit appends until the limit, lifts it, repeats the append
// whose outcome it does not know, and goes on.
func childMeetsFileSizeLimit(path string, seed int) error {
	l, err := Open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	lifted := limit
	limit.Cur = 300 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	line := storetest.NewLine("run-limited")
	var failed *events.Append
	for n := 0; failed == nil; n++ {
		a := childEvents(line, seed, n, 3)
		_, err := l.Append(context.Background(), a)
		switch {
		case err == nil:
			line.Stored(a)
			acknowledge(&a)
		case errors.Is(err, events.ErrUnknownOutcome), errors.Is(err, events.ErrFull):
			failed = &a
		default:
			return fmt.Errorf("at the limit: %w", err)
		}
		if n > 10_000 {
			return errors.New("the limit was not met")
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lifted); err != nil {
		return err
	}
	failed.Retry = true
	if _, err := l.Append(context.Background(), *failed); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	line.Stored(*failed)
	acknowledge(failed)
	return l.Close()
}

// TestReadOnlyDirectory needs a user whom permissions bind: the child of root
// becomes one.
func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "reviewctl-read-only-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		os.Chmod(dir, 0o700)
		os.RemoveAll(dir)
	})
	path := filepath.Join(dir, "log.db")
	l := mustOpen(t, path, Options{})
	if _, err := l.Append(context.Background(), storetest.NewLine("run-1").Next(`{}`, `{}`)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Close(), os.Chmod(path, 0o444), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	if out, err := child(t, "read-only", path, 0).Output(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

const nobody = 65534

func childMayNotWrite(path string, _ int) error {
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			return fmt.Errorf("become a user whom permissions bind: %w", err)
		}
	}
	for _, name := range []string{path, filepath.Join(filepath.Dir(path), "new.db")} {
		if _, err := Open(context.Background(), name, Options{}); !errors.Is(err, events.ErrReadOnly) {
			return fmt.Errorf("open %s: got %w, want ErrReadOnly", filepath.Base(name), err)
		}
	}
	l, err := Open(context.Background(), path, Options{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("open to read: %w", err)
	}
	n := 0
	err = l.ReadAll(context.Background(), 0, func(*events.Event) bool { n++; return true })
	if err != nil || n != 2 {
		return fmt.Errorf("read %d events: %w", n, err)
	}
	return l.Close()
}

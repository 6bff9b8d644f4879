package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/events/storetest"
)

// A real full disk: a small file system in memory, which a child mounts in a
// namespace of its own.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	cmd := child(t, "full", filepath.Join(t.TempDir(), "log.db"), 1)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.Output()
	var exit interface{ ExitCode() int }
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("SKIPPED, the disk was not filled: this system starts no process in a namespace: %v", err)
	}
	if cmd.ProcessState.ExitCode() == 0 {
		t.Logf("%s", out)
		return
	}
	t.Fatalf("%v: %s", err, out)
}

func childFillsDisk(path string, seed int) error {
	dir := filepath.Dir(path)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		fmt.Printf("SKIPPED, the disk was not filled: mount: %v\n", err)
		return nil
	}
	room := filepath.Join(dir, "room")
	if err := os.WriteFile(room, make([]byte, 200<<10), 0o600); err != nil {
		return err
	}
	l, err := Open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	line := storetest.NewLine("run-full")
	var failed *events.Append
	for n := 0; failed == nil; n++ {
		a := childEvents(line, seed, n, 3)
		_, err := l.Append(context.Background(), a)
		switch {
		case err == nil:
			line.Stored(a)
		case errors.Is(err, events.ErrFull) && !errors.Is(err, events.ErrUnknownOutcome):
			failed = &a
		default:
			return fmt.Errorf("on a full disk: %w", err)
		}
	}
	stored := 0
	err = l.ReadStream(context.Background(), line.Stream, 0, func(*events.Event) bool { stored++; return true })
	if err != nil || stored != int(line.Version)+1 {
		return fmt.Errorf("%d events, %d were acknowledged: %w", stored, line.Version+1, err)
	}
	if err := os.Remove(room); err != nil {
		return err
	}
	if _, err := l.Append(context.Background(), *failed); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	if err := l.Check(context.Background()); err != nil {
		return err
	}
	fmt.Printf("%d events before the disk was full\n", stored)
	return l.Close()
}

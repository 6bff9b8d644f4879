package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine/process"
	"github.com/reviewctl/reviewctl/events"
)

func newBoots(t *testing.T, home Home) *Boots {
	t.Helper()
	b, err := NewBoots(home)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBootIsDeadOnceItsLockIsFree(t *testing.T) {
	t.Parallel()
	home := HomeOf(filepath.Join(t.TempDir(), "events.db"))
	one, two := newBoots(t, home), newBoots(t, home)
	if one.Dead(two.own) || two.Dead(one.own) || one.Dead(one.own) || one.Dead(events.OwnerAny) || one.Dead("") {
		t.Error("a boot that holds its lock is dead")
	}
	if err := one.lock.Unlock(); err != nil { // as the end of its process does
		t.Fatal(err)
	}
	if !two.Dead(one.own) {
		t.Error("a boot whose lock is free is not dead at once")
	}
}

// TestTidyKillsOnlyEnginesOfThisLog: the engines of a process beside another log
// are none of ours, although their boot has no lock here.
func TestTidyKillsOnlyEnginesOfThisLog(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip("no program to start: ", err)
	}
	ours, theirs := HomeOf(filepath.Join(t.TempDir(), "events.db")), HomeOf(filepath.Join(t.TempDir(), "events.db"))
	dead, alive, boots := newBoots(t, ours), newBoots(t, theirs), newBoots(t, ours)
	defer alive.Close()
	defer boots.Close()
	engineOf := func(boot events.BootID) *started {
		p, err := begin(t.TempDir(), []string{process.Variable + "=" + string(boot) + "/run/lane/1"}, "sh", "-c", "echo here >&2; exec sleep 600")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.kill)
		if err := p.await(regexp.MustCompile("here")); err != nil {
			t.Fatal(err)
		}
		return p
	}
	orphan, other := engineOf(dead.own), engineOf(alive.own)
	if err := dead.lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := boots.Tidy(); err != nil {
		t.Fatal(err)
	}
	if code := orphan.end(); code != -1 {
		t.Errorf("the orphan ended with %d", code)
	}
	if other.cmd.Process.Signal(syscall.Signal(0)) != nil {
		t.Error("an engine beside another log was killed")
	}
	if _, err := os.Stat(boots.path(dead.own)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the dead boot's lock file is left: %v", err)
	}
}

package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/reviewctl/reviewctl/adapters/engine"
	"github.com/reviewctl/reviewctl/events"
)

// Home is the folder beside the log that holds what the log does not: locks of
// living processes, checkouts, the engines' folders and their raw answers.
//
//	events.db.d/
//	  boots/BOOT    locked while that process lives (hard-parts §2)
//	  daemon.lock   locked while a daemon runs
//	  daemon.sock   where it answers `status`
//	  checkouts/ tmp/ artifacts/
type Home struct{ dir string }

// HomeOf returns the folder of a log. It makes nothing.
func HomeOf(log string) Home { return Home{dir: log + ".d"} }

func (h Home) boots() string     { return filepath.Join(h.dir, "boots") }
func (h Home) checkouts() string { return filepath.Join(h.dir, "checkouts") }
func (h Home) temp() string      { return filepath.Join(h.dir, "tmp") }
func (h Home) artifacts() string { return filepath.Join(h.dir, "artifacts") }
func (h Home) daemon() string    { return filepath.Join(h.dir, "daemon.lock") }

// socketMax is what a socket's path may measure on the systems that this runs on.
const socketMax = 100

// socket is where the daemon answers `status`: beside the log, or, where that
// path is too long for a socket, under a name made of it.
func (h Home) socket() string {
	path := filepath.Join(h.dir, "daemon.sock")
	if len(path) <= socketMax {
		return path
	}
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(os.TempDir(), "reviewctl-"+hex.EncodeToString(sum[:8])+".sock")
}

// Make makes the folder.
func (h Home) Make() error {
	if err := os.MkdirAll(h.boots(), 0o700); err != nil {
		return fmt.Errorf("make folder beside the log: %w", err)
	}
	return nil
}

// DaemonRuns reports whether a daemon holds its lock.
func (h Home) DaemonRuns() bool {
	if _, err := os.Stat(h.daemon()); err != nil {
		return false
	}
	lock := flock.New(h.daemon())
	free, err := lock.TryLock()
	if free {
		_ = lock.Unlock() // it was only a look
	}
	return err == nil && !free
}

// LockDaemon makes this process the daemon, or says that there is one.
func (h Home) LockDaemon() (*flock.Flock, error) {
	lock := flock.New(h.daemon())
	free, err := lock.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock daemon: %w", err)
	case !free:
		return nil, &CLIError{
			Code: CodeUnavailable, What: "a daemon is running on this log already", Subject: h.daemon(),
			Remedy: "stop it first, or name another log with --store",
		}
	}
	return lock, nil
}

// Boots serves actors.Boots: a process lives while its lock is held. A boot
// counts as dead once none of its engine processes is left. (hard-parts §2)
type Boots struct {
	home Home
	own  events.BootID
	lock *flock.Flock

	mu   sync.Mutex
	dead map[events.BootID]bool
}

// bootGrace is how long a lock file that nobody holds may be younger than its
// lock: it is made a moment before it is locked.
const bootGrace = 5 * time.Second

// NewBoots names this start of this process and locks its file.
func NewBoots(home Home) (*Boots, error) {
	if err := home.Make(); err != nil {
		return nil, err
	}
	var name [8]byte
	_, _ = rand.Read(name[:]) // never fails
	b := &Boots{home: home, own: events.BootID(hex.EncodeToString(name[:])), dead: map[events.BootID]bool{}}
	b.lock = flock.New(b.path(b.own))
	if free, err := b.lock.TryLock(); err != nil || !free {
		return nil, fmt.Errorf("lock %s: %w", b.path(b.own), errors.Join(err, fs.ErrExist))
	}
	return b, nil
}

func (b *Boots) path(boot events.BootID) string {
	return filepath.Join(b.home.boots(), filepath.Base(string(boot)))
}

// Close says that this process is gone: everything it owned has ended.
func (b *Boots) Close() {
	_ = os.Remove(b.path(b.own)) // a file that stays is one that nobody locks
	_ = b.lock.Unlock()
}

// Dead reports whether the boot is certainly gone, and its engines with it.
func (b *Boots) Dead(boot events.BootID) bool {
	if boot == b.own || boot == events.OwnerAny || boot == "" {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dead[boot] {
		return true
	}
	if !b.unlocked(boot) {
		return false
	}
	if _, err := engine.KillOrphans(func(id events.BootID) bool { return id == boot }); err != nil {
		return false // the next look tries again
	}
	b.dead[boot] = true
	return true
}

// unlocked reports whether nobody holds the boot's lock.
func (b *Boots) unlocked(boot events.BootID) bool {
	file, err := os.Stat(b.path(boot))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil || time.Since(file.ModTime()) < bootGrace:
		return false
	}
	lock := flock.New(b.path(boot))
	free, err := lock.TryLock()
	if err != nil || !free {
		return false
	}
	_ = lock.Unlock()
	return true
}

// Tidy kills what dead boots left running and removes their lock files.
func (b *Boots) Tidy() error {
	files, err := os.ReadDir(b.home.boots())
	if err != nil {
		return fmt.Errorf("list locks: %w", err)
	}
	if _, err := engine.KillOrphans(b.deadUnlocked); err != nil {
		return err
	}
	for _, f := range files {
		if boot := events.BootID(f.Name()); b.Dead(boot) {
			_ = os.Remove(b.path(boot))
		}
	}
	return nil
}

func (b *Boots) deadUnlocked(boot events.BootID) bool { return boot != b.own && b.unlocked(boot) }

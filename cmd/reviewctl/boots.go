package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/reviewctl/reviewctl/adapters/engine"
	"github.com/reviewctl/reviewctl/adapters/engine/process"
	"github.com/reviewctl/reviewctl/events"
)

// Boots serves actors.Boots: a process lives while its lock is held. A boot
// counts as dead once none of its engine processes is left. (hard-parts §2)
type Boots struct {
	home Home
	own  events.BootID
	lock *flock.Flock

	mu   sync.Mutex
	dead map[events.BootID]bool
}

// A lock file is made and locked under a name of its own, and gets the boot's when
// it is held: a boot's file that nobody holds is that of a dead one, however young.
// halfMade is how old a file must be that never came so far.
const (
	halfSuffix = ".new"
	halfMade   = time.Minute
)

// NewBoots names this start of this process and locks its file.
func NewBoots(home Home) (*Boots, error) {
	if err := home.Make(); err != nil {
		return nil, err
	}
	var name [8]byte
	_, _ = rand.Read(name[:]) // never fails
	b := &Boots{home: home, own: events.BootID(hex.EncodeToString(name[:])), dead: map[events.BootID]bool{}}
	path := b.path(b.own)
	b.lock = flock.New(path + halfSuffix)
	free, err := b.lock.TryLock()
	if err == nil && !free {
		err = fs.ErrExist
	}
	if err == nil {
		err = os.Rename(path+halfSuffix, path)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return b, nil
}

func (b *Boots) path(boot events.BootID) string {
	return filepath.Join(b.home.boots(), filepath.Base(string(boot)))
}

// temp is where the boot's engines have their TMPDIRs.
func (b *Boots) temp(boot events.BootID) string {
	return filepath.Join(b.home.temps(), filepath.Base(string(boot)))
}

// Close says that this process is gone: everything it owned has ended.
func (b *Boots) Close() {
	_ = process.RemoveTree(b.temp(b.own)) // else the next start does
	_ = os.Remove(b.path(b.own))          // a file that stays is one that nobody locks
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
	_, err := os.Stat(b.path(boot))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil:
		return false
	}
	lock := flock.New(b.path(boot))
	free, err := lock.TryRLock()
	if err != nil || !free {
		return false
	}
	_ = lock.Unlock()
	return true
}

// Tidy kills what dead boots left running and removes their folders and lock
// files, in this order: a folder goes after whoever writes to it. A boot without a
// lock file here may well be alive: beside another log.
func (b *Boots) Tidy() error {
	dead, err := b.deadHere()
	if err != nil {
		return err
	}
	if _, err := engine.KillOrphans(func(boot events.BootID) bool { return dead[boot] }); err != nil {
		return err
	}
	temps, err := os.ReadDir(b.home.temps())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list folders of engines: %w", err)
	}
	for _, f := range temps {
		if b.Dead(events.BootID(f.Name())) {
			_ = process.RemoveTree(filepath.Join(b.home.temps(), f.Name()))
		}
	}
	for boot := range dead {
		if b.Dead(boot) {
			_ = os.Remove(b.path(boot))
		}
	}
	return nil
}

// deadHere lists the boots whose lock files nobody holds, and removes files that
// never became one.
func (b *Boots) deadHere() (map[events.BootID]bool, error) {
	files, err := os.ReadDir(b.home.boots())
	if err != nil {
		return nil, fmt.Errorf("list locks: %w", err)
	}
	dead := map[events.BootID]bool{}
	for _, f := range files {
		boot := events.BootID(f.Name())
		switch {
		case strings.HasSuffix(f.Name(), halfSuffix):
			if file, err := f.Info(); err == nil && time.Since(file.ModTime()) > halfMade {
				_ = os.Remove(b.path(boot))
			}
		case boot != b.own && b.unlocked(boot):
			dead[boot] = true
		}
	}
	return dead, nil
}

package mirror

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// sweepPatience is how long a sweep waits for a lock that somebody else holds, and
// flushTimeout how long the removal of pins may take.
const (
	sweepPatience = 2 * time.Second
	flushTimeout  = 30 * time.Second
)

// pin writes the pins of the waiters and removes old ones, in one process.
func (m *mirror) pin(ctx context.Context, held *lock, repo *git.Repo, ready []*waiter) error {
	if len(ready) == 0 {
		return nil
	}
	var updates []git.RefUpdate
	for _, w := range ready {
		for i, commit := range w.want.Commits {
			updates = append(updates, git.RefUpdate{Ref: w.refs[i], Commit: commit})
		}
	}
	old := m.takeUnpins()
	err := m.write(ctx, held, repo, append(updates, old...))
	if err != nil {
		m.giveBack(old)
	}
	return err
}

// write updates refs, again where a lock file of a dead process was in the way.
// (case W05)
func (m *mirror) write(ctx context.Context, held *lock, repo *git.Repo, updates []git.RefUpdate) error {
	err := repo.UpdateRefs(ctx, held.file(), updates...)
	if errors.Is(err, git.ErrLocked) && removeLeftovers(m.dir, held.exclusive()) > 0 {
		err = repo.UpdateRefs(ctx, held.file(), updates...)
	}
	return err
}

func (m *mirror) takeUnpins() []git.RefUpdate {
	m.mu.Lock()
	defer m.mu.Unlock()
	var updates []git.RefUpdate
	for _, ref := range m.unpin {
		updates = append(updates, git.RefUpdate{Ref: ref})
	}
	m.unpin = nil
	return updates
}

func (m *mirror) giveBack(updates []git.RefUpdate) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, u := range updates {
		m.unpin = append(m.unpin, u.Ref)
	}
}

// flush removes the pins that were given back. What stays is the next sweep's.
func (m *mirror) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	old := m.takeUnpins()
	if len(old) == 0 {
		return
	}
	if _, err := os.Lstat(m.dir); err != nil {
		return // the mirror is gone, and its pins with it
	}
	held, err := acquire(ctx, m.lockPath())
	if err == nil {
		defer held.release()
		err = m.write(ctx, held, git.OpenBare(m.dir, m.format), old)
	}
	if err != nil {
		m.giveBack(old)
		m.store.Log.Warn("pins stay in a mirror", "mirror", m.name, "error", err)
	}
}

// Sweep removes the pins of the boots that dead says are gone. A mirror that
// somebody works with is left for the next sweep.
func (s *Store) Sweep(ctx context.Context, dead func(events.BootID) bool) error {
	names, err := s.names()
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range names {
		if err := s.sweepPins(ctx, name, dead); err != nil {
			failed = append(failed, fmt.Errorf("sweep mirror %s: %w", name, err))
		}
	}
	return errors.Join(failed...)
}

func (s *Store) sweepPins(ctx context.Context, name string, dead func(events.BootID) bool) error {
	dir := filepath.Join(s.Root, name+dirSuffix)
	if refs, err := pinsOf(dir, dead); err != nil || len(refs) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sweepPatience)
	defer cancel()
	held, err := acquire(ctx, filepath.Join(s.Root, name+lockSuffix))
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err != nil {
		return err
	}
	defer held.release()
	removeLeftovers(dir, held.exclusive())
	refs, err := pinsOf(dir, dead)
	if err != nil || len(refs) == 0 {
		return err
	}
	return git.OpenBare(dir, formatOf(dir)).UpdateRefs(context.WithoutCancel(ctx), held.file(), refs...)
}

// pinsOf lists the pins of the boots that are chosen. Pins are never packed
// (gc.packRefs), so that the folder has them all.
func pinsOf(dir string, chosen func(events.BootID) bool) ([]git.RefUpdate, error) {
	boots, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(pinPrefix)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var refs []git.RefUpdate
	for _, boot := range boots {
		if !boot.IsDir() || !chosen(events.BootID(boot.Name())) {
			continue
		}
		top := filepath.Join(dir, filepath.FromSlash(pinPrefix), boot.Name())
		walked := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && filepath.Ext(path) != lockSuffix {
				rel, bad := filepath.Rel(dir, path)
				refs, err = append(refs, git.RefUpdate{Ref: filepath.ToSlash(rel)}), bad
			}
			return err
		})
		err = errors.Join(err, walked)
	}
	return refs, err
}

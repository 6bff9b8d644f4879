//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package mirror

import (
	"fmt"
	"os"

	"github.com/gofrs/flock"
)

// lock is a lock of this process alone: files cannot be handed on here.
type lock struct{ f *flock.Flock }

// tryLock returns nil where somebody else holds the lock.
func tryLock(path string) (*lock, error) {
	f := flock.New(path)
	free, err := f.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock mirror: %w", err)
	}
	if !free {
		return nil, nil
	}
	return &lock{f: f}, nil
}

func (l *lock) release() { _ = l.f.Unlock() }

func (l *lock) file() *os.File { return nil }

// exclusive: a git of a dead process may still write.
func (l *lock) exclusive() bool { return false }

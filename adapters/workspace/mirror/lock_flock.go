//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mirror

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock is a lock that git processes hold with us: they inherit the open file, and
// the lock lasts until the last of them has ended, even where we are killed.
type lock struct{ f *os.File }

// tryLock returns nil where somebody else holds the lock.
func tryLock(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock mirror: %w", sorted(err))
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return &lock{f: f}, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, fmt.Errorf("lock mirror: %w", err)
}

func (l *lock) release() {
	_ = syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN)
	_ = l.f.Close()
}

// file is what git is to hold open.
func (l *lock) file() *os.File { return l.f }

// exclusive: whoever holds the lock knows that no git of ours writes.
func (l *lock) exclusive() bool { return true }

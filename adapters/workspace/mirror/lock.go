package mirror

import (
	"context"
	"os"
	"time"
)

// How often a lock is tried that somebody else holds: soon at first, then less
// often.
const (
	lockFirst = 2 * time.Millisecond
	lockMost  = 100 * time.Millisecond
)

// acquire waits for the lock of a file, which is made where it is not there and
// stays.
func acquire(ctx context.Context, path string) (*lock, error) {
	for wait := lockFirst; ; wait = min(2*wait, lockMost) {
		held, err := tryLock(path)
		if held != nil || err != nil {
			return held, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		case <-timer.C:
		}
	}
}

// touch notes that a mirror was used.
func touch(path string, at time.Time) {
	_ = os.Chtimes(path, at, at) // a mirror that looks unused is only fetched again
}

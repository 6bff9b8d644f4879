package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Home is the folder beside the log that holds what the log does not: locks of
// living processes, checkouts, the engines' folders and their raw answers.
//
//	events.db.d/
//	  boots/BOOT    locked while that process lives (hard-parts §2)
//	  daemon.lock   locked while a daemon runs
//	  daemon.sock   where it answers `status`
//	  tmp/BOOT/     its engines' TMPDIRs
//	  checkouts/ artifacts/
//	  trees/        checkouts that finished runs left, for the next ones
//	  mirrors/      copies of the repositories that runs read from
//	  github/       answers of GitHub, for conditional requests
//	  gocache/      what Go's tools have built, for static.go
type Home struct{ dir string }

// HomeOf returns the folder of a log. It makes nothing.
func HomeOf(log string) Home { return Home{dir: log + ".d"} }

func (h Home) boots() string     { return filepath.Join(h.dir, "boots") }
func (h Home) checkouts() string { return filepath.Join(h.dir, "checkouts") }
func (h Home) trees() string     { return filepath.Join(h.dir, "trees") }
func (h Home) mirrors() string   { return filepath.Join(h.dir, "mirrors") }
func (h Home) temps() string     { return filepath.Join(h.dir, "tmp") }
func (h Home) artifacts() string { return filepath.Join(h.dir, "artifacts") }
func (h Home) apiCache() string  { return filepath.Join(h.dir, "github") }
func (h Home) goCache() string   { return filepath.Join(h.dir, "gocache") }
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
	free, err := lock.TryRLock() // two looks at a time do not take each other for a daemon
	if free {
		_ = lock.Unlock() // it was only a look
	}
	return err == nil && !free
}

// lookMax is how long a look at the daemon's lock may hold it, at most.
const lookMax = time.Second

// LockDaemon makes this process the daemon, or says that there is one.
func (h Home) LockDaemon() (*flock.Flock, error) {
	lock := flock.New(h.daemon())
	ctx, cancel := context.WithTimeout(context.Background(), lookMax)
	defer cancel()
	free, err := lock.TryLockContext(ctx, lookMax/50)
	switch {
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("lock daemon: %w", err)
	case !free:
		return nil, &CLIError{
			Code: CodeUnavailable, What: "a daemon is running on this log already", Subject: h.daemon(),
			Remedy: "stop it first, or name another log with --store",
		}
	}
	return lock, nil
}

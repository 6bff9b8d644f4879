//go:build unix

package main

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// freeBytes is the room that this user has on a folder's disk.
func freeBytes(folder string) (free uint64, known bool, err error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(folder, &disk); err != nil {
		return 0, false, fmt.Errorf("ask %s for its free space: %w", folder, err)
	}
	return uint64(disk.Bavail) * uint64(disk.Bsize), true, nil //nolint:unconvert // the types differ between systems; both are positive
}

// writable reports why this user may not write a file or beside it: SQLite does
// both.
func writable(file string) error {
	if err := unix.Access(file, unix.W_OK); err != nil {
		return err
	}
	return unix.Access(filepath.Dir(file), unix.W_OK)
}

// filesMax is how many files this process may open.
func filesMax() (files uint64, known bool, err error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false, fmt.Errorf("ask for the limit of open files: %w", err)
	}
	return uint64(limit.Cur), true, nil //nolint:unconvert // the types differ between systems
}

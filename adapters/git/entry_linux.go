package git

import (
	"io/fs"
	"syscall"
)

// entryTime is when a file's entry last changed, and the entry's number.
func entryTime(st fs.FileInfo) (changed int64, inode uint64) {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return syscall.TimespecToNsec(sys.Ctim), sys.Ino
}

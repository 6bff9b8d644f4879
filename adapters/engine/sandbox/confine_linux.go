package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// selfPath is this program, even where its file was replaced meanwhile.
func selfPath() (string, error) { return "/proc/self/exe", nil }

// adopt makes the supervisor the parent of every process that the engine leaves.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopt processes: %w", err)
	}
	return nil
}

func probeLandlock() (abi int, weakness string) {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil || abi < 1 {
		return 0, "the kernel has no Landlock"
	}
	return abi, ""
}

// Landlock's rights, in the words of landlock(7).
const (
	rightExecute = landlock.AccessFSSet(ll.AccessFSExecute)
	rightRefer   = landlock.AccessFSSet(ll.AccessFSRefer)
	rightModify  = landlock.AccessFSSet(ll.AccessFSWriteFile | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile |
		ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym)
	rightDevices  = landlock.AccessFSSet(ll.AccessFSMakeChar | ll.AccessFSMakeBlock)
	rightTruncate = landlock.AccessFSSet(ll.AccessFSTruncate)
)

// devices may be written to even in a strict sandbox.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// confine applies Landlock to this process and all that it starts.
func confine(p plan) error {
	if p.Grant != nil {
		return confineTo(p.Grant, p.Landlock)
	}
	if !p.Landlock {
		return nil
	}
	abi, weakness := probeLandlock()
	if abi == 0 {
		return fmt.Errorf("%w: %s", ErrStrict, weakness)
	}
	handled, modify := rightExecute, rightModify
	rules := []landlock.Rule{landlock.PathAccess(rightExecute, executable(p.NoExec)...).IgnoreIfMissing()}
	if abi >= 2 {
		// Renaming from one folder to another is refused unless it is named.
		handled |= rightRefer
	}
	if p.Writable != "" {
		handled |= rightModify | rightDevices
		if abi >= 3 {
			handled |= rightTruncate
			modify |= rightTruncate
		}
		rules = append(rules, landlock.PathAccess(modify|handled&rightRefer, p.Writable),
			landlock.PathAccess(landlock.AccessFSSet(ll.AccessFSWriteFile)|modify&rightTruncate, devices...).IgnoreIfMissing())
	} else if abi >= 2 {
		rules = append(rules, landlock.PathAccess(rightRefer, "/"))
	}
	config := landlock.Config{HandledAccessFS: handled}
	if err := config.RestrictPaths(rules...); err != nil {
		return fmt.Errorf("apply landlock: %w", err)
	}
	return nil
}

// executable returns paths that together hold everything but the given files and
// folders. Landlock only grants, and what it grants on a folder holds for all
// beneath it: so each folder above a denied one is opened up into its entries.
// Links are left out, because the right belongs to what they lead to.
func executable(noExec []string) []string {
	blocked, above := map[string]bool{}, map[string]bool{"/": true}
	inodes := map[inode]bool{}
	for _, path := range noExec {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		blocked[real] = true
		if st, err := os.Lstat(real); err == nil && st.Mode().IsRegular() {
			inodes[inodeOf(st)] = true
		}
		for dir := filepath.Dir(real); dir != "/"; dir = filepath.Dir(dir) {
			above[dir] = true
		}
	}
	var granted []string
	var open func(dir string)
	open = func(dir string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case blocked[path], e.Type()&fs.ModeSymlink != 0:
			case above[path]:
				open(path)
			case e.IsDir():
				granted = append(granted, path)
			case e.Type().IsRegular():
				if st, err := e.Info(); err == nil && st.Mode()&0o111 != 0 && !inodes[inodeOf(st)] {
					granted = append(granted, path)
				}
			}
		}
	}
	open("/")
	return granted
}

// inode tells hard links of one file.
type inode struct{ device, number uint64 }

func inodeOf(st fs.FileInfo) inode {
	s, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return inode{}
	}
	return inode{device: s.Dev, number: s.Ino}
}

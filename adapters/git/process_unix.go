//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// inGroup gives git a process group of its own, which ends when the context does:
// git's children hold its pipes open. A git that reads has nothing to tidy up and
// is killed at once; one that writes is asked first, so that it removes its lock
// files, and killed when its grace is over. killRest is for what is left of the
// group after git itself. (case W16)
func inGroup(cmd *exec.Cmd, gentle bool) (killRest func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	signal := syscall.SIGKILL
	if gentle {
		signal = syscall.SIGTERM
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, signal) }
	return func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // ESRCH: nothing is left
}

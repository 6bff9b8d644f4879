//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// inGroup gives git a process group of its own and kills the whole group when
// the context ends: git's children hold its pipes open. git only reads here, so
// there is nothing for it to tidy up. (case W16)
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}

//go:build unix

package decidertest

import (
	"syscall"
	"time"
)

// CPU returns the processor time that this process has used: on a busy machine
// the wall clock measures the others. (performance §5)
func CPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

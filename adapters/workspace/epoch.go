package workspace

import (
	"os"
	"runtime"
	"strings"
)

// bootIDFile names this start of the machine, on Linux. (proc(5))
const bootIDFile = "/proc/sys/kernel/random/boot_id"

// machineEpoch is a text that is another after each start of the machine, or one
// that is always the same where the system does not tell.
func machineEpoch() string {
	text, err := os.ReadFile(bootIDFile)
	if err != nil {
		return runtime.GOOS
	}
	return strings.TrimSpace(string(text))
}

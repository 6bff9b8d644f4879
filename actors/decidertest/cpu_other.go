//go:build !unix

package decidertest

import "time"

var processStart = time.Now()

// CPU falls back to the wall clock where the processor's cannot be asked.
func CPU() time.Duration { return time.Since(processStart) }

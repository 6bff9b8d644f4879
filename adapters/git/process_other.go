//go:build !unix

package git

import "os/exec"

// inGroup does nothing where there are no process groups: the process itself is
// killed when the context ends.
func inGroup(*exec.Cmd, bool) (killRest func()) { return func() {} }

package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoSandbox says that no kernel sandbox holds on this machine.
var ErrNoSandbox = errors.New("no kernel sandbox")

// Grant is everything that a session may touch: the one exception from "reviewers
// do not build", which an operator asks for by static.go. Its programs are the
// toolchain's; what they read is the change's, so they see the folders that are
// named here and nothing else, write to those that are named, run what is named,
// and have no network. Without a kernel that keeps it so, such a session is
// refused.
type Grant struct {
	Read    []string `json:"read,omitempty"`    // files and folders
	Execute []string `json:"execute,omitempty"` // files and folders; they may be read too
	Write   []string `json:"write,omitempty"`   // folders; they may be read too

	Memory  uint64 `json:"memory,omitempty"`  // bytes of one process; 0 = no bound
	Seconds uint64 `json:"seconds,omitempty"` // of CPU time of one process; 0 = no bound
	File    uint64 `json:"file,omitempty"`    // bytes of one file; 0 = no bound
}

// Holds returns why a session with a grant would be refused, or nil.
func (s *Sandbox) Holds() error {
	if !hooked.Load() || s.bwrap == "" && s.abi == 0 {
		return fmt.Errorf("%w: %s", ErrNoSandbox, s.weakness)
	}
	return nil
}

// Granted returns the argv that starts a session which touches nothing but its
// grant. dir is where it starts.
func (s *Sandbox) Granted(command []string, dir string, grant Grant) ([]string, error) {
	if err := s.Holds(); err != nil {
		return nil, err
	}
	argv, p := command, plan{Grant: &grant, Landlock: s.bwrap == ""}
	if s.bwrap != "" {
		argv = append(s.namespace(dir, grant), command...)
	}
	return supervised(p, argv)
}

// DescribeGranted says what holds a session with a grant.
func (s *Sandbox) DescribeGranted() string {
	if s.bwrap != "" {
		return "bubblewrap without network"
	}
	return fmt.Sprintf("landlock ABI %d and seccomp without network", s.abi)
}

// namespace returns bubblewrap's argv for a root with nothing but the grant.
func (s *Sandbox) namespace(dir string, grant Grant) []string {
	argv := []string{s.bwrap, "--die-with-parent", "--unshare-all", "--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev"}
	how := map[string]string{}
	for _, path := range append(slices.Clone(grant.Read), grant.Execute...) {
		how[path] = "--ro-bind-try"
	}
	for _, path := range grant.Write {
		how[path] = "--bind"
	}
	paths := make([]string, 0, len(how))
	for path := range how {
		if path != "/proc" && !strings.HasPrefix(path, "/dev/") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths) // a folder before what lies in it
	shown := ""
	for _, path := range paths {
		if how[path] != "--bind" && shown != "" && strings.HasPrefix(path, shown+"/") {
			continue // it is there already
		}
		if how[path] != "--bind" {
			shown = path
		}
		argv = append(argv, how[path], path, path)
	}
	return append(argv, "--chdir", dir, "--")
}

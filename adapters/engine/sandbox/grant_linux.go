package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

const (
	rightReadFile = landlock.AccessFSSet(ll.AccessFSReadFile)
	rightReadDir  = landlock.AccessFSSet(ll.AccessFSReadDir)
)

// confineTo bounds this process and all that it starts; with landlock, it also
// takes away everything but the grant, and the network.
func confineTo(g *Grant, useLandlock bool) error {
	for resource, bound := range map[int]uint64{unix.RLIMIT_DATA: g.Memory, unix.RLIMIT_CPU: g.Seconds, unix.RLIMIT_FSIZE: g.File} {
		if bound == 0 {
			continue
		}
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: bound, Max: bound}); err != nil {
			return fmt.Errorf("bound the tools: %w", err)
		}
	}
	if !useLandlock {
		return nil
	}
	abi, weakness := probeLandlock()
	if abi == 0 {
		return fmt.Errorf("%w: %s", ErrNoSandbox, weakness)
	}
	handled, modify := rightExecute|rightReadFile|rightReadDir|rightModify|rightDevices, rightModify
	if abi >= 2 {
		handled |= rightRefer
		modify |= rightRefer
	}
	if abi >= 3 {
		handled |= rightTruncate
		modify |= rightTruncate
	}
	var rules []landlock.Rule
	grant := func(paths []string, onFiles, onDirs landlock.AccessFSSet) {
		for _, path := range paths {
			st, err := os.Stat(path)
			switch {
			case err != nil: // what is not there cannot be touched
			case st.IsDir():
				rules = append(rules, landlock.PathAccess(onFiles|onDirs, path).IgnoreIfMissing())
			default:
				rules = append(rules, landlock.PathAccess(onFiles, path).IgnoreIfMissing())
			}
		}
	}
	grant(g.Read, rightReadFile, rightReadDir)
	grant([]string{"/proc"}, rightReadFile, rightReadDir) // the supervisor looks for what to kill
	grant(g.Execute, rightReadFile|rightExecute, rightReadDir)
	grant(g.Write, rightReadFile, rightReadDir|modify)
	grant(devices[:5], rightReadFile|landlock.AccessFSSet(ll.AccessFSWriteFile), 0)
	config := landlock.Config{HandledAccessFS: handled}
	if err := config.RestrictPaths(rules...); err != nil {
		return fmt.Errorf("apply landlock: %w", err)
	}
	return noNetwork()
}

// auditArch is how the kernel names the calls of this program, by GOARCH.
var auditArch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// x32Bit marks calls of amd64's second numbering.
const x32Bit = 0x40000000

// noNetwork makes the kernel refuse every socket, and what could make one without
// that call, to this process and all that it starts.
func noNetwork() error {
	arch, ok := auditArch[runtime.GOARCH]
	if !ok {
		return fmt.Errorf("%w without network on %s", ErrNoSandbox, runtime.GOARCH)
	}
	const (
		load    = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal   = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		atLeast = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		answer  = unix.BPF_RET | unix.BPF_K
		refuse  = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	)
	// The fields of struct seccomp_data: the call's number, then the architecture.
	filter := []unix.SockFilter{
		{Code: load, K: 4},
		{Code: equal, K: arch, Jt: 1},
		{Code: answer, K: unix.SECCOMP_RET_KILL_PROCESS}, // calls of another architecture
		{Code: load, K: 0},
		{Code: atLeast, K: x32Bit, Jt: 4},
		{Code: equal, K: unix.SYS_SOCKET, Jt: 3},
		{Code: equal, K: unix.SYS_IO_URING_SETUP, Jt: 2},
		{Code: equal, K: unix.SYS_PTRACE, Jt: 1},
		{Code: answer, K: unix.SECCOMP_RET_ALLOW},
		{Code: answer, K: refuse},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid new privileges: %w", err)
	}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program))) //nolint:gosec // the kernel takes its address
	runtime.KeepAlive(filter)
	switch {
	case errno != 0:
		return fmt.Errorf("take away the network: %w", errno)
	case thread != 0:
		return errors.New("take away the network: a thread has rules of its own")
	}
	return nil
}

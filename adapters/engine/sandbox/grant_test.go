package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// tryVariable makes this test's own program do what a hostile tool would.
const tryVariable = "REVIEWCTL_TEST_TRY"

// tryAll says of each thing that it tries whether it was let.
func tryAll(root string) {
	say := func(what string, err error) {
		answer := "no"
		if err == nil {
			answer = "yes"
		}
		fmt.Println(what, answer)
	}
	read := func(name string) error { _, err := os.ReadFile(filepath.Join(root, name)); return err }
	say("reads the tree", read("tree/f"))
	say("reads elsewhere", read("elsewhere/f"))
	say("lists elsewhere", func() error { _, err := os.ReadDir(filepath.Join(root, "elsewhere")); return err }())
	say("writes its folder", os.WriteFile(filepath.Join(root, "tmp", "new"), nil, 0o600))
	say("writes the tree", os.WriteFile(filepath.Join(root, "tree", "new"), nil, 0o600))
	say("removes from the tree", os.Remove(filepath.Join(root, "tree", "f")))
	say("writes elsewhere", os.WriteFile(filepath.Join(root, "elsewhere", "new"), nil, 0o600))
	say("runs the tree", exec.Command(filepath.Join(root, "tree", "own")).Run())
	say("runs a shell", exec.Command("/bin/sh", "-c", "true").Run())
	_, err := net.Dial("tcp", os.Getenv("ADDRESS"))
	say("dials", err)
	_, err = syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	say("has a socket", err)
	say("writes a large file", os.WriteFile(filepath.Join(root, "tmp", "large"), make([]byte, 2<<20), 0o600))
}

const granted = `reads the tree yes
reads elsewhere no
lists elsewhere no
writes its folder yes
writes the tree no
removes from the tree no
writes elsewhere no
runs the tree no
runs a shell no
dials no
has a socket no
writes a large file no
`

func TestGrantIsAllThatAToolTouches(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for level, s := range levels(t) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			if level == "shims" {
				if _, err := s.Granted([]string{self}, "/", Grant{}); !errors.Is(err, ErrNoSandbox) {
					t.Errorf("error %v", err)
				}
				return
			}
			root := t.TempDir()
			for _, dir := range []string{"tree", "tmp", "elsewhere"} {
				if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, dir, "f"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(root, "tree", "own"), []byte("#!/bin/sh\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			argv, err := s.Granted([]string{self}, filepath.Join(root, "tree"), Grant{
				Read: []string{filepath.Join(root, "tree"), "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"}, Execute: []string{self, "/lib64", "/lib"},
				Write: []string{filepath.Join(root, "tmp")}, File: 1 << 20, Memory: 4 << 30, Seconds: 100,
			})
			if err != nil {
				t.Fatal(err)
			}
			reading, writing, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer reading.Close()
			defer writing.Close()
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Dir, cmd.ExtraFiles = filepath.Join(root, "tree"), []*os.File{reading}
			cmd.Env = []string{tryVariable + "=" + root, "ADDRESS=" + listener.Addr().String(), "HOME=" + root, "TMPDIR=" + filepath.Join(root, "tmp")}
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s%s", err, out.String(), errs.String())
			}
			if level == "bubblewrap" { // a socket of a network of its own, which has nobody
				out = *bytes.NewBufferString(strings.Replace(out.String(), "has a socket yes", "has a socket no", 1))
			}
			got, want := strings.Split(out.String(), "\n"), strings.Split(granted, "\n")
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Errorf("line %d: got %q, want %q", i, got, want[i])
				}
			}
			if _, err := os.Stat(filepath.Join(root, "tree", "f")); err != nil {
				t.Error(err)
			}
		})
	}
}

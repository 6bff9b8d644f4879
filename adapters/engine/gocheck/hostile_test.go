package gocheck

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// A tree that tries to have something run, or read, or fetched, has nothing of it.
func TestHostileTreeRunsNothing(t *testing.T) {
	c := checker(t, Vet)
	outside := t.TempDir()
	mark := filepath.Join(outside, "ran")
	program := filepath.Join(outside, "tool")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntouch '"+mark+"'\nexec \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "go.mod"), []byte("module example.org/o\n\ngo 1.21\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "o.go"), []byte("package o\n\nfunc Outside() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	asked := make(chan bool, 1)
	go func() {
		if conn, err := listener.Accept(); err == nil {
			asked <- true
			_ = conn.Close() // nobody is served
		}
	}()
	t.Setenv("GOFLAGS", "-toolexec="+program)
	t.Setenv("GOPROXY", "http://"+listener.Addr().String())
	t.Setenv("CC", program)
	for name, head := range map[string]changetest.Files{
		"toolchain and generate": {
			"go.mod": "module example.org/x\n\ngo 1.21\n\ntoolchain go1.99.1\n", "go.env": "GOFLAGS=-toolexec=" + program + "\n",
			"a.go": "package a\n\n//go:generate " + program + "\n\nfunc F(x int) { x = x }\n",
			"vet":  "#!/bin/sh\ntouch '" + mark + "'\n", "staticcheck.conf": "checks = []\n",
		},
		"a toolchain that is not here": {"go.mod": "module example.org/x\n\ngo 1.99\n", "a.go": "package a\n\nfunc F(x int) { x = x }\n"},
		"cgo flags": {
			"go.mod": mod, "a.go": "package a\n\n// #cgo CFLAGS: -fplugin=" + program + "\n// #cgo LDFLAGS: -fuse-ld=" + program + "\nimport \"C\"\n",
			"b.go": "package a\n\nfunc F(x int) { x = x }\n",
		},
		"a module outside": {
			"go.mod": mod + "\nrequire example.org/o v0.0.0\n\nreplace example.org/o => " + outside + "\n",
			"a.go":   "package a\n\nimport \"example.org/o\"\n\nfunc F(x int) { x = x; o.Outside() }\n",
		},
		"a workspace outside": {
			"go.mod": mod, "go.work": "go 1.21\n\nuse .\nuse " + outside + "\n", "a.go": "package a\n\nfunc F(x int) { x = x }\n",
		},
		"a module to fetch": {
			"go.mod": mod + "\nrequire example.org/far v1.0.0\n", "go.sum": "", "a.go": "package a\n\nimport \"example.org/far\"\n\nvar X = far.X\n",
		},
	} {
		faults, notes := look(t, c, nil, head)
		t.Logf("%s: faults %q, notes %q", name, faults, notes)
		switch name {
		case "toolchain and generate":
			if want := []string{"go-vet:assign a.go:5"}; !reflect.DeepEqual(faults, want) || len(notes) > 0 {
				t.Errorf("%s: faults %q, want %q, notes %q", name, faults, want, notes)
			}
		case "cgo flags":
			if len(notes) == 0 || !strings.Contains(notes[0], "cgo") {
				t.Errorf("%s: notes %q", name, notes)
			}
		default:
			if len(faults) > 0 || len(notes) == 0 {
				t.Errorf("%s: faults %q, notes %q", name, faults, notes)
			}
		}
	}
	if _, err := os.Lstat(mark); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something of the tree ran: %v", err)
	}
	select {
	case <-asked:
		t.Error("the network was asked")
	default:
	}
}

func TestWithoutASandboxTheLaneFails(t *testing.T) {
	t.Parallel()
	box, err := sandbox.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := New(Params{Tool: Vet, Cache: cache, Temp: t.TempDir(), Boot: "b", Sandbox: box.Only("shims")})
	change := changetest.New(t, nil, changetest.Files{"go.mod": mod, "a.go": "package a\n"})
	_, err = c.Check(t.Context(), &session.Input{Change: change, Diff: changetest.Parse(t, change)})
	var failed *session.Failure
	if !errors.As(err, &failed) || failed.Kind != events.FailureFatal || !strings.Contains(failed.Message, "no kernel sandbox") {
		t.Errorf("error %v", err)
	}
	// A change without Go has nothing that would need one.
	change = changetest.New(t, nil, changetest.Files{"a.txt": "x\n"})
	if _, err := c.Check(t.Context(), &session.Input{Change: change, Diff: changetest.Parse(t, change)}); err != nil {
		t.Error(err)
	}
}

func TestWithoutAToolchainTheCoverageSaysSo(t *testing.T) {
	for tool, want := range map[string]string{Vet: "no go command", Staticcheck: "no staticcheck"} {
		c := checker(t, tool)
		bin := t.TempDir()
		if path, err := exec.LookPath("go"); tool == Staticcheck && err == nil {
			if err := os.Symlink(path, filepath.Join(bin, "go")); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(tool, func(t *testing.T) {
			path := os.Getenv("PATH")
			t.Setenv("PATH", bin+string(os.PathListSeparator)+withoutTools(path))
			changed := changetest.Files{"go.mod": mod, "a.go": "package a\n\nfunc F(x int) { x = x }\n"}
			faults, notes := look(t, c, nil, changed)
			if len(faults) > 0 || len(notes) != 1 || !strings.Contains(notes[0], want) {
				t.Errorf("faults %q, notes %q", faults, notes)
			}
			if v := c.Version(); !strings.Contains(v, want) {
				t.Errorf("version %q", v)
			}
		})
	}
}

// withoutTools leaves out the folders of PATH that hold one of the tools.
func withoutTools(path string) string {
	var kept []string
	for _, dir := range filepath.SplitList(path) {
		_, goErr := os.Stat(filepath.Join(dir, "go"))
		_, checkErr := os.Stat(filepath.Join(dir, "staticcheck"))
		if goErr != nil && checkErr != nil {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(os.PathListSeparator))
}

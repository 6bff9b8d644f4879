package gocheck

import (
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
)

// askWait bounds a question to a tool about itself.
const askWait = 20 * time.Second

// Bounds of one process of the tools.
const (
	processMemory  = 4 << 30
	processSeconds = 600
	processFile    = 1 << 30
	parallel       = 2 // packages that are built at once
)

// tools are the programs on PATH, and what this machine has for them.
type tools struct {
	goRoot      string
	modules     string // the module cache, which is read and never written
	staticcheck string // "" = it was not asked for
	version     string
	reads       []string // what the programs are made of
	executes    []string
}

// findTools asks the go command on PATH about itself, in a folder of its own: it
// reads nothing of a change.
func findTools(tool string) (*tools, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, errors.New("there is no go command on PATH")
	}
	said, err := ask(path, "env", "-json", "GOROOT", "GOMODCACHE", "GOVERSION")
	if err != nil {
		return nil, fmt.Errorf("the go command on PATH does not work: %w", err)
	}
	var env struct {
		GOROOT     string `json:"GOROOT"`
		GOMODCACHE string `json:"GOMODCACHE"`
		GOVERSION  string `json:"GOVERSION"`
	}
	if err := json.Unmarshal(said, &env); err != nil || env.GOROOT == "" {
		return nil, errors.New("the go command on PATH does not say where it is")
	}
	t := &tools{goRoot: env.GOROOT, modules: env.GOMODCACHE, version: env.GOVERSION}
	for _, dir := range []string{"", "bin", "src", "pkg", "pkg/include", "lib"} {
		t.reads = append(t.reads, real(filepath.Join(t.goRoot, dir))...)
	}
	t.reads = append(t.reads, real(t.modules)...)
	t.executes = append(t.executes, real(filepath.Join(t.goRoot, "bin"))...)
	t.executes = append(t.executes, real(filepath.Join(t.goRoot, "pkg", "tool"))...)
	if tool == Staticcheck {
		if t.staticcheck, err = exec.LookPath("staticcheck"); err != nil {
			return nil, errors.New("there is no staticcheck on PATH")
		}
		if t.staticcheck, err = filepath.Abs(t.staticcheck); err != nil {
			return nil, err
		}
		said, err := ask(t.staticcheck, "-version")
		if err != nil {
			return nil, fmt.Errorf("the staticcheck on PATH does not work: %w", err)
		}
		t.version += ", " + strings.TrimSpace(string(said))
		t.executes = append(t.executes, real(t.staticcheck)...)
	}
	t.loaders(filepath.Join(t.goRoot, "bin", "go"), t.staticcheck)
	slices.Sort(t.reads)
	t.reads = slices.Compact(t.reads)
	return t, nil
}

// real is a path without links, and the path itself where it is another; nothing
// where it is not there.
func real(path string) []string {
	to, err := filepath.EvalSymlinks(path)
	switch {
	case err != nil:
		return nil
	case to != path:
		return []string{path, to}
	}
	return []string{to}
}

// libraries are where programs that are not whole in themselves find the rest.
var libraries = []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"}

// loaders adds what starts a program that needs shared libraries.
func (t *tools) loaders(programs ...string) {
	for _, program := range programs {
		if program == "" {
			continue
		}
		f, err := elf.Open(program)
		if err != nil {
			continue
		}
		for _, p := range f.Progs {
			if p.Type != elf.PT_INTERP {
				continue
			}
			name := make([]byte, p.Filesz)
			if _, err := p.ReadAt(name, 0); err == nil {
				t.executes = append(t.executes, real(strings.TrimRight(string(name), "\x00"))...)
			}
			for _, dir := range libraries {
				t.reads = append(t.reads, real(dir)...)
			}
		}
		_ = f.Close()
	}
}

// ask runs a tool of the operator's, outside of any tree.
func ask(path string, args ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "reviewctl-go-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), askWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=")
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), path+": "))
	}
	return out, nil
}

// environment is all that the tools get. Nothing of the user's is in it, and
// nothing that a tree could have set: GOENV is off, so that no file speaks for it.
func (k *check) environment(m *module) []string {
	flags := fmt.Sprintf("-p=%d -buildvcs=false", parallel)
	if m.flag != "" {
		flags += " -mod=" + m.flag
	}
	return []string{
		"PATH=" + filepath.Join(k.tools.goRoot, "bin"), "HOME=" + k.tmp(), "TMPDIR=" + k.tmp(), "LANG=C", "NO_COLOR=1",
		"GOROOT=" + k.tools.goRoot, "GOMODCACHE=" + k.tools.modules, "GOPATH=" + filepath.Join(k.tmp(), "gopath"),
		"GOCACHE=" + filepath.Join(k.Cache, "go"), "STATICCHECK_CACHE=" + filepath.Join(k.Cache, "staticcheck"),
		"GOENV=off", "GOFLAGS=" + flags, "GOTOOLCHAIN=local", "GOPROXY=off", "GOSUMDB=off", "GOVCS=*:off", "GOAUTH=off",
		"GO111MODULE=on", "GOWORK=" + m.work, "CGO_ENABLED=0", "GOTELEMETRY=off", "GOTOOLDIR=", "CC=", "CXX=",
	}
}

// grant is all that the tools may touch: the trees, their programs, and the two
// folders that they write to.
func (k *check) grant() sandbox.Grant {
	return sandbox.Grant{
		Read:    append(slices.Clone(k.tools.reads), k.in.Change.Dir, k.base()),
		Execute: k.tools.executes,
		Write:   []string{k.tmp(), k.Cache},
		Memory:  processMemory, Seconds: processSeconds, File: processFile,
	}
}

package gocheck

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
)

// cache is one for all tests.
var cache string

func TestMain(m *testing.M) {
	sandbox.Main()
	var err error
	if cache, err = os.MkdirTemp("", "reviewctl-gocheck-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(cache) // a temporary folder goes in the end
	os.Exit(code)
}

func checker(t *testing.T, tool string) *Checker {
	t.Helper()
	box, err := sandbox.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Holds(); err != nil {
		t.Skip(err)
	}
	return New(Params{Tool: tool, Cache: cache, Temp: t.TempDir(), Boot: "b", Sandbox: box})
}

func look(t *testing.T, c *Checker, base, head changetest.Files) (faults, notes []string) {
	t.Helper()
	change := changetest.New(t, base, head)
	got, err := c.Check(t.Context(), &session.Input{Change: change, Diff: changetest.Parse(t, change)})
	if err != nil {
		t.Fatal(err)
	}
	for name, all := range got.Faults {
		for _, f := range all {
			faults = append(faults, fmt.Sprintf("%s %s:%d", f.Rule, name, f.Line))
		}
	}
	for name, all := range got.Notes {
		for _, note := range all {
			notes = append(notes, name+": "+note)
		}
	}
	slices.Sort(faults)
	slices.Sort(notes)
	if left, err := filepath.Glob(filepath.Join(c.Temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	return faults, notes
}

const mod = "module example.org/x\n\ngo 1.21\n"

func body(rest string) string {
	return "package a\n\n// F has what the case says.\n\nfunc F(x int) {\n" + rest + "}\n"
}

func TestVet(t *testing.T) {
	t.Parallel()
	const bad = "\tx = x\n"
	for name, c := range map[string]struct {
		base, head    changetest.Files
		faults, notes []string
	}{
		"a fault on an added line": {
			base: changetest.Files{"go.mod": mod, "a/a.go": body("")}, head: changetest.Files{"go.mod": mod, "a/a.go": body(bad)},
			faults: []string{"go-vet:assign a/a.go:6"},
		},
		"only on untouched lines": {
			base: changetest.Files{"go.mod": mod, "a/a.go": body(bad)}, head: changetest.Files{"go.mod": mod, "a/a.go": body(bad + "\tx++\n")},
		},
		"the same again": {
			base: changetest.Files{"go.mod": mod, "a/a.go": body(bad)}, head: changetest.Files{"go.mod": mod, "a/a.go": body(bad + "\tif x > 1 {\n\t" + bad + "\t}\n")},
			faults: []string{"go-vet:assign a/a.go:8"},
		},
		"there before, and only its line is another": {
			base: changetest.Files{"go.mod": mod, "a/a.go": body(bad)}, head: changetest.Files{"go.mod": mod, "a/a.go": body("\tx  = x // why\n")},
			faults: nil,
		},
		"in a file that was renamed": {
			base:   changetest.Files{"go.mod": mod, "a/old.go": body(strings.Repeat("\tx++\n", 20))},
			head:   changetest.Files{"go.mod": mod, "a/new.go": body(strings.Repeat("\tx++\n", 20) + bad)},
			faults: []string{"go-vet:assign a/new.go:26"},
		},
		"in a new module below": {
			base: changetest.Files{"x": ""}, head: changetest.Files{"x": "", "deep/go.mod": mod, "deep/a.go": body(bad)},
			faults: []string{"go-vet:assign deep/a.go:6"},
		},
		"what does not compile": {
			base:   changetest.Files{"go.mod": mod, "a/a.go": body(""), "b/b.go": "package b\n"},
			head:   changetest.Files{"go.mod": mod, "a/a.go": body("\tundefinedHere()\n"), "b/b.go": "package b\n\nvar X = 1\n"},
			faults: []string{"go-compile a/a.go:6"},
			notes:  []string{"a/a.go: go vet did not look at all of it: undefined: undefinedHere"},
		},
		"no module": {
			head: changetest.Files{"a.go": body(bad)}, notes: []string{"a.go: go vet did not look at it: there is no go.mod above it"},
		},
		"a module that this machine has not": {
			base:  changetest.Files{"go.mod": mod, "a.go": body("")},
			head:  changetest.Files{"go.mod": mod, "a.go": "package a\n\nimport _ \"example.org/nowhere/x\"\n"},
			notes: []string{"a.go: go vet did not look at all of it: cannot find module providing package example.org/nowhere/x: import lookup disabled by -mod=readonly"},
		},
		"constraints, cgo and folders that are none": {
			head: changetest.Files{
				"go.mod": mod, "a_plan9.go": body(bad), "c.go": "package a\n\nimport \"C\"\n", "testdata/t.go": body(bad), "_x/y.go": body(bad),
			},
			notes: []string{
				"a_plan9.go: go vet did not look at it: its build constraints leave it out on linux/amd64",
				"c.go: go vet did not look at it: it uses cgo, which is off",
			},
		},
		"vendored modules": {
			base: changetest.Files{
				"go.mod": mod + "\nrequire example.org/v v1.0.0\n", "a.go": "package a\n",
				"vendor/modules.txt": "# example.org/v v1.0.0\n## explicit; go 1.21\nexample.org/v\n", "vendor/example.org/v/v.go": "package v\n\nfunc V() {}\n",
			},
			head: changetest.Files{
				"go.mod": mod + "\nrequire example.org/v v1.0.0\n", "a.go": "package a\n\nimport \"example.org/v\"\n\nfunc F() {\n\tv.V()\n\tx := 1\n\tx = x\n}\n",
				"vendor/modules.txt": "# example.org/v v1.0.0\n## explicit; go 1.21\nexample.org/v\n", "vendor/example.org/v/v.go": "package v\n\nfunc V() {}\n",
			},
			faults: []string{"go-vet:assign a.go:8"},
		},
		"a workspace": {
			base:   changetest.Files{"go.work": "go 1.21\n\nuse ./m\nuse ./n\n", "m/go.mod": "module example.org/m\n\ngo 1.21\n", "m/m.go": "package m\n", "n/go.mod": "module example.org/n\n\ngo 1.21\n", "n/n.go": "package n\n\nfunc N() {}\n"},
			head:   changetest.Files{"go.work": "go 1.21\n\nuse ./m\nuse ./n\n", "m/go.mod": "module example.org/m\n\ngo 1.21\n", "m/m.go": "package m\n\nimport \"example.org/n\"\n\nfunc M() {\n\tx := 1\n\tx = x\n\tn.N()\n}\n", "n/go.mod": "module example.org/n\n\ngo 1.21\n", "n/n.go": "package n\n\nfunc N() {}\n"},
			faults: []string{"go-vet:assign m/m.go:7"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faults, notes := look(t, checker(t, Vet), c.base, c.head)
			if !reflect.DeepEqual(faults, c.faults) || !reflect.DeepEqual(notes, c.notes) {
				t.Errorf("faults %q, want %q\nnotes %q\nwant  %q", faults, c.faults, notes, c.notes)
			}
		})
	}
}

// It runs where the tool is on PATH; its report is read in TestReportsAreRead.
func TestStaticcheck(t *testing.T) {
	t.Parallel()
	c := checker(t, Staticcheck)
	if _, err := findTools(Staticcheck); err != nil {
		t.Skip(err)
	}
	faults, notes := look(t, c,
		changetest.Files{"go.mod": mod, "a.go": "package a\n\nfunc f(x int) int {\n\treturn x\n}\n", "staticcheck.conf": "checks = []\n"},
		changetest.Files{"go.mod": mod, "a.go": "package a\n\nfunc f(x int) int {\n\tx = x\n\treturn x\n}\n", "staticcheck.conf": "checks = []\n"})
	// f is unused before and after, and its line is not the change's.
	if want := []string{"go-vet:assign a.go:4", "staticcheck:SA4018 a.go:4"}; !reflect.DeepEqual(faults, want) || len(notes) > 0 {
		t.Errorf("faults %q, want %q, notes %q", faults, want, notes)
	}
}

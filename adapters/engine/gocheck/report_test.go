package gocheck

import (
	"fmt"
	"reflect"
	"testing"
)

// What the tools printed, recorded with go1.26.8 and staticcheck 2026.2.2.
const (
	vetSaid = `{
	"example.org/x/a": {
		"printf": [
			{
				"posn": "/t/x/a/a.go:6:14",
				"end": "/t/x/a/a.go:7:16",
				"message": "fmt.Printf format %d has arg \"x\" of wrong type string"
			}
		],
		"buildtag": {"error": "analysis skipped"}
	}
}
{
	"example.org/x/b": {
		"assign": [{"posn": "/elsewhere/b:c.go:3:1", "end": "", "message": "self-assignment"}]
	}
}
`
	vetFailed       = "# example.org/x/a\nvet: a/b.go:3:6: F redeclared in this block\n# example.org/x/d\n../../up.go:9:1: expected declaration\n"
	staticcheckSaid = `{"code":"SA5009","severity":"error","location":{"file":"/t/x/a/a.go","line":6,"column":13},"end":{"file":"/t/x/a/a.go","line":6,"column":19},"message":"Printf format %d has arg #1 of wrong type string"}
{"code":"SA4006","severity":"ignored","location":{"file":"/t/x/a/c.go","line":8,"column":2},"end":{"file":"","line":0,"column":0},"message":"never used"}
{"code":"compile","severity":"error","location":{"file":"","line":0,"column":0},"end":{"file":"","line":0,"column":0},"message":"# example.org/x/a\na/d.go:2:12: undefined: undefinedX"}
`
)

func faultsOf(r *report) []string {
	var all []string
	for _, f := range r.faults {
		line := fmt.Sprintf("%s %s:%d-%d %s", f.Rule, f.file, f.Line, f.End, f.Message)
		if f.Withheld != "" {
			line += " (withheld)"
		}
		all = append(all, line)
	}
	return all
}

func TestReportsAreRead(t *testing.T) {
	t.Parallel()
	vet, err := vetReport("/t", "/t/x", &output{stdout: []byte(vetSaid)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := faultsOf(vet), []string{
		`go-vet:printf x/a/a.go:6-7 fmt.Printf format %d has arg "x" of wrong type string`, "go-vet:assign :3-3 self-assignment",
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("vet: %q", got)
	}
	failed, err := vetReport("/t", "/t/x", &output{stderr: []byte(vetFailed), exit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := faultsOf(failed), []string{"go-compile x/a/b.go:3-3 F redeclared in this block"}; !reflect.DeepEqual(got, want) ||
		failed.broken["x/a"] != "F redeclared in this block" || failed.failure != "expected declaration" {
		t.Errorf("vet that fails: %q, %+v", got, failed)
	}
	check, err := staticcheckReport("/t", "/t/x", &output{stdout: []byte(staticcheckSaid), exit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := faultsOf(check), []string{
		"staticcheck:SA5009 x/a/a.go:6-6 Printf format %d has arg #1 of wrong type string", "staticcheck:SA4006 x/a/c.go:8-8 never used (withheld)",
		"go-compile x/a/d.go:2-2 undefined: undefinedX",
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("staticcheck: %q", got)
	}
	for _, text := range []string{"{", "[]", `{"a":1}`} {
		if _, err := vetReport("/t", "/t", &output{stdout: []byte(text)}); err == nil {
			t.Errorf("%q is a report of go vet", text)
		}
	}
	if _, err := staticcheckReport("/t", "/t", &output{stdout: []byte("{]\n")}); err == nil {
		t.Error("broken JSON is a report of staticcheck")
	}
}

// No report makes the readers panic, or name a file outside of the tree.
func FuzzReports(f *testing.F) {
	f.Add([]byte(vetSaid), []byte(vetFailed))
	f.Add([]byte(staticcheckSaid), []byte("a.go:1:1: x\nb.go:99999999999999999999: y\n"))
	f.Fuzz(func(t *testing.T, stdout, stderr []byte) {
		out := &output{stdout: stdout, stderr: stderr, exit: 1}
		for _, read := range []func(string, string, *output) (*report, error){vetReport, staticcheckReport} {
			r, err := read("/t", "/t/x", out)
			if err != nil {
				continue
			}
			for _, fault := range r.faults {
				if len(fault.file) > 1 && fault.file[:2] == ".." || fault.file != "" && fault.file[0] == '/' {
					t.Errorf("file %q", fault.file)
				}
			}
		}
	})
}

package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/reviewctl/reviewctl/actors/enginetest"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// reports are a report of each kind with a remark on an added line and one on
// another.
var reports = map[string]string{
	KindSARIF: `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"demo","version":"1.2"}},"results":[` +
		`{"ruleId":"R1","level":"error","message":{"text":"On it"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.txt"},"region":{"startLine":1}}}]},` +
		`{"message":{"text":"Beside"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"kept.txt"},"region":{"startLine":1}}}]}]}]}`,
	KindRDJSONL: `{"message":"On it","location":{"path":"a.txt","range":{"start":{"line":1}}},"severity":"ERROR","code":{"value":"R1"}}` + "\n" +
		`{"message":"Beside","location":{"path":"kept.txt","range":{"start":{"line":1}}}}`,
	KindCheckstyle: `<checkstyle version="8"><file name="a.txt"><error line="1" severity="error" message="On it" source="R1"/></file>` +
		`<file name="kept.txt"><error line="1" severity="warning" message="Beside"/></file></checkstyle>`,
	KindErrorformat: "a.txt:1: R1 error: On it\nkept.txt:1: Beside",
}

// printing is the configuration of an engine that prints the report.
func printing(t *testing.T, kind, lines string) Config {
	c := Config{Kind: kind, Command: script(t, lines)}
	if kind == KindErrorformat {
		c.Formats = []string{"%f:%l: R%n %trror: %m", "%f:%l: %m"}
	}
	return c
}

func TestLintersPassTheSuite(t *testing.T) {
	t.Parallel()
	for kind, report := range reports {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			enginetest.Run(t, func(t *testing.T, clock *enginetest.Clock) enginetest.Bundle {
				pipe := filepath.Join(t.TempDir(), "atwork")
				if err := syscall.Mkfifo(pipe, 0o600); err != nil {
					t.Fatal(err)
				}
				r, o, p := newRunner(t, clock, map[events.EngineName]Config{
					"good":    printing(t, kind, fmt.Sprintf("cat <<'E'\n%s\nE\nexit 1", report)),
					"failing": printing(t, kind, `echo "no rules" >&2; exit 3`),
					"hanging": printing(t, kind, fmt.Sprintf(`trap '' TERM; (trap '' TERM; sleep 600 <&- >&- 2>&-) & echo here > '%s'; while :; do sleep 600; done`, pipe)),
				})
				return enginetest.Bundle{
					Engine: r, Close: r.Close, Good: o.job(p, "good", kind), Failing: o.job(p, "failing", kind), Hanging: o.job(p, "hanging", kind),
					AtWork: func() { readLine(t, pipe) }, Left: left(t, p),
				}
			})
		})
	}
}

func TestLintersSayTheSame(t *testing.T) {
	t.Parallel()
	engines := map[events.EngineName]Config{}
	for kind, report := range reports {
		engines[events.EngineName(kind)] = printing(t, kind, fmt.Sprintf("cat <<'E'\n%s\nE\nexit 1", report))
	}
	r, o, p := newRunner(t, enginetest.NewClock(), engines)
	for kind := range reports {
		answers := make(chan []events.Command, 1)
		job := o.job(p, events.EngineName(kind), kind)
		job.Key.Run = events.RunID(kind)
		r.Start(job, func(cmds ...events.Command) { answers <- cmds })
		cmds := <-answers
		if len(cmds) != 2 {
			t.Fatalf("%s: %+v", kind, cmds)
		}
		raised, done := cmds[0].(run.RaiseFindings), cmds[1].(run.CompleteLane)
		f, w := raised.Findings[0], raised.Withheld[0]
		if f.File != "a.txt" || f.LineStart != 1 || f.Title != "On it" || f.Severity != events.SeverityBlocking ||
			!strings.HasSuffix(f.Rule, "1") || f.Placement != events.PlacementInline {
			t.Errorf("%s: %+v", kind, f)
		}
		if w.Reason != "the file is not part of the change" || w.Finding.File != "kept.txt" || w.Finding.Title != "Beside" {
			t.Errorf("%s: withheld %+v", kind, w)
		}
		if want := kind + "/" + kind; !strings.HasPrefix(done.Engine, want) || (kind == KindSARIF) != strings.HasSuffix(done.Engine, " demo 1.2") {
			t.Errorf("%s: engine %q", kind, done.Engine)
		}
	}
	if _, err := os.Stat(p.Artifacts); err != nil {
		t.Error(err)
	}
}

func TestConfigOfLinters(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Config{
		"":                      {Kind: KindSARIF, Command: []string{"x"}},
		"command: an engine of": {Kind: KindRDJSONL},
		"formats: an errorformat engine needs at least one": {Kind: KindErrorformat, Command: []string{"x"}},
		"formats: an engine of kind sarif has none":         {Kind: KindSARIF, Command: []string{"x"}, Formats: []string{"%m"}},
		`kind: "lint" is not one of static, exec, sarif`:    {Kind: "lint", Command: []string{"x"}},
	} {
		if err := c.Validate(); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", c, err, want)
		}
	}
}

package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/enginetest"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// TestEnginesOfTheFolder runs each program of testdata/engines through the whole
// runner and looks at its end, and that nothing is left of it.
func TestEnginesOfTheFolder(t *testing.T) {
	t.Parallel()
	folder, err := filepath.Abs("../../testdata/engines")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob(filepath.Join(folder, "*.sh"))
	if err != nil {
		t.Fatal(err)
	}
	engines := map[events.EngineName]Config{}
	for _, path := range scripts {
		engines[events.EngineName(strings.TrimSuffix(filepath.Base(path), ".sh"))] = Config{Kind: KindExec, Command: []string{path}}
	}
	wants := map[events.EngineName]string{
		"broken": "infra: lane exit 3: the model cannot be reached", "busy": "deferred: no key is free", "clean": "completed",
		"finding": "completed", "flood": "contract: the answer is longer than", "fork": "completed",
		"garbage": "contract: the answer broke its contract", "hang": "timeout: the lane's deadline has passed",
		"limit": "usage_limit: the account's usage limit is reached", "othercommit": "contract: the answer broke its contract",
		"truncated": "completed",
	}
	if len(wants) != len(engines) {
		t.Errorf("%d engines, %d expectations", len(engines), len(wants))
	}
	clock := enginetest.NewClock()
	r, o, p := newRunner(t, clock, engines)
	for name, want := range wants {
		t.Run(string(name), func(t *testing.T) {
			job := o.job(p, name, KindExec)
			job.Key.Run = events.RunID(name)
			answers := make(chan []events.Command, 1)
			r.Start(job, func(cmds ...events.Command) { answers <- cmds })
			if name == "hang" {
				clock.Advance(TimeoutDefault)
			}
			cmds := <-answers
			if got := ending(cmds); !strings.HasPrefix(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			checkEngine(t, name, cmds)
			if n := left(t, p)(); n != 0 {
				t.Errorf("%d processes or folders are left", n)
			}
		})
	}
	if _, err := os.Stat(p.Artifacts); err != nil {
		t.Error(err)
	}
}

// ending describes the last command.
func ending(cmds []events.Command) string {
	switch end := cmds[len(cmds)-1].(type) {
	case run.CompleteLane:
		return "completed"
	case run.FailLane:
		return string(end.Kind) + ": " + end.Message
	case run.DeferLane:
		return "deferred: " + end.Reason
	case run.NoteLaneStopped:
		return "stopped"
	}
	return "no end"
}

// checkEngine looks at what is particular to one program.
func checkEngine(t *testing.T, name events.EngineName, cmds []events.Command) {
	t.Helper()
	switch name {
	case "finding":
		raised, ok := cmds[0].(run.RaiseFindings)
		if !ok || len(raised.Findings) != 1 || raised.Findings[0].Placement != events.PlacementInline || raised.Findings[0].File != "a.txt" {
			t.Errorf("%+v", cmds)
		}
	case "truncated":
		if raised, ok := cmds[0].(run.RaiseFindings); !ok || len(raised.Findings) != 2 {
			t.Errorf("%+v", cmds)
		}
	case "limit":
		if failed := cmds[0].(run.FailLane); !failed.Reset.Equal(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)) || failed.Usage.Confidence != events.ConfidenceUnknown {
			t.Errorf("%+v", failed)
		}
	}
}

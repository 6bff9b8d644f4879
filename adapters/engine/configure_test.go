package engine

import (
	"testing"

	"github.com/reviewctl/reviewctl/actors/enginetest"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// TestConfigureAgain: what is planned with an engine that goes, or that changes
// its kind, still finds it, and a broken configuration changes nothing.
func TestConfigureAgain(t *testing.T) {
	t.Parallel()
	says := func(answer string) Config {
		return Config{Kind: KindExec, Command: []string{"sh", "-c", "cat >/dev/null; echo '" + answer + "'"}}
	}
	const good, bad = `{"findings":[]}`, `no`
	r, o, p := newRunner(t, enginetest.NewClock(), map[events.EngineName]Config{"goes": says(good), "turns": says(good)})
	completes := func(step string, name events.EngineName, kind string) {
		t.Helper()
		job := o.job(p, name, kind)
		job.Key.Run = events.RunID(step + string(name) + kind)
		cmds := ended(r, job)
		if _, ok := cmds[len(cmds)-1].(run.CompleteLane); !ok {
			t.Errorf("%s: %s ended with %#v", step, name, cmds)
		}
	}
	completes("before", "goes", KindExec)
	turned := Config{Kind: KindErrorformat, Command: []string{"true"}, Formats: []string{"%f:%l:%m"}}
	if err := r.Configure(map[events.EngineName]Config{"turns": turned, "comes": says(good)}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []events.EngineName{"goes", "turns", "comes"} {
		completes("after", name, KindExec)
	}
	completes("after", "turns", KindErrorformat)
	if err := r.Configure(map[events.EngineName]Config{"comes": says(bad), "broken": {Kind: "nonsense"}}); err == nil {
		t.Fatal("an engine of no kind was taken")
	}
	completes("after a fault", "comes", KindExec)
}

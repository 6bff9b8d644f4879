package main

import (
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

// A shadow must not plan what it would not run: such a lane could only fail.
func TestShadowPlansEmbeddedEnginesOnly(t *testing.T) {
	t.Parallel()
	c := &Config{
		Engines:      map[string]EngineConfig{"mine": {Kind: KindExec, Command: []string{"x"}}},
		Repositories: []RepositoryConfig{{Name: "local/r", Path: "r", Engines: []string{"mine", EngineStatic}}},
	}
	p := DefaultPolicy()
	p.Phase1.Engine = EngineNames{"mine"}
	embeddedOnly(c, &p)
	rules := rulesOf(c, p).Run
	if len(rules.Engines) != 1 || rules.Engines[0].Engine != EngineStatic || len(rules.Phase1) != 1 || rules.Phase1[0] != events.EngineName(EngineStatic) {
		t.Errorf("plans %+v by %v", rules.Engines, rules.Phase1)
	}
	if e := c.Repositories[0].Engines; len(e) != 1 || e[0] != EngineStatic {
		t.Errorf("the repository keeps %v", e)
	}
}

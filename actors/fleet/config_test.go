package fleet_test

import (
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/events"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	load := fleet.LoadConfig{Digest: "d1", Rules: "r1", File: "/f.yaml", Changed: []string{"pools.gpt"}}
	loaded := func(c fleet.LoadConfig) events.Payload {
		return &events.ConfigLoaded{Digest: c.Digest, Rules: c.Rules, File: c.File, Changed: c.Changed, Kept: c.Kept}
	}
	change := func(with func(*fleet.LoadConfig)) fleet.LoadConfig {
		c := load
		with(&c)
		return c
	}
	other := change(func(c *fleet.LoadConfig) { c.Digest = "d2" })
	otherRules := change(func(c *fleet.LoadConfig) { c.Rules = "r2" })
	moved := change(func(c *fleet.LoadConfig) { c.File = "/g.yaml" })
	waits := change(func(c *fleet.LoadConfig) { c.Kept = []string{"listen"} })
	reject := fleet.RejectConfig{File: "/f.yaml", Reason: "/f.yaml:1:1: unknown key"}
	rejected := &events.ConfigRejected{File: reject.File, Reason: reject.Reason}
	run(t, []row{
		{name: "load the first", when: load, then: recorded{loaded(load)}},
		{name: "load what holds", given: recorded{loaded(load)}, when: change(func(c *fleet.LoadConfig) { c.Changed = nil })},
		{name: "load another", given: recorded{loaded(load)}, when: other, then: recorded{loaded(other)}},
		{name: "load other rules", given: recorded{loaded(load)}, when: otherRules, then: recorded{loaded(otherRules)}},
		{name: "load another file", given: recorded{loaded(load)}, when: moved, then: recorded{loaded(moved)}},
		{name: "load with what waits for a start", given: recorded{loaded(load)}, when: waits, then: recorded{loaded(waits)}},
		{name: "load after the start", given: recorded{loaded(waits)}, when: load, then: recorded{loaded(load)}},
		{name: "load without a digest", when: fleet.LoadConfig{}, refused: "needs a digest"},
		{name: "load too many keys", when: fleet.LoadConfig{Digest: "d", Changed: make([]string, fleet.ConfigKeysMax+1)}, refused: "at most 500"},
		{name: "reject", given: recorded{loaded(load)}, when: reject, then: recorded{rejected}},
		{name: "reject again for the same reason", given: recorded{loaded(load), rejected}, when: reject},
		{name: "load what held before a rejection", given: recorded{loaded(load), rejected}, when: load, then: recorded{loaded(load)}},
		{name: "reject without a reason", when: fleet.RejectConfig{}, refused: "needs a reason"},
		{name: "reject at length", when: fleet.RejectConfig{Reason: strings.Repeat("x", fleet.ConfigReasonMax+1)}, refused: "at most 8192"},
	})
}

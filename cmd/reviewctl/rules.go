package main

import (
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/reviewctl/reviewctl/actors"
	running "github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/engine"
	"github.com/reviewctl/reviewctl/events"
)

// RemoteSlots is the size of a pool whose engine runs elsewhere, where the
// configuration gives none. (CLI.md, "pools")
const RemoteSlots = 4

// EstimateDefault is what a lane of a metered engine reserves, in tokens, until
// there is a measured figure.
const EstimateDefault = 50_000

// rulesOf makes the one value that decisions are made by.
func rulesOf(c *Config, p Policy) actors.Rules {
	rules := actors.DefaultRules()
	embedded := rules.Run.Engines[0]
	rules.Run.Engines = nil
	for _, name := range slices.Sorted(maps.Keys(c.Engines)) {
		e := c.Engines[name]
		r := running.EngineRules{
			Engine: events.EngineName(name), Kind: e.Kind, Model: e.Model, Pool: e.PoolName(name),
			Account: e.AccountName(), Timeout: e.LaneTimeout().Milliseconds(), Bounded: spends(e.Kind),
		}
		if account, metered := c.Accounts[e.Account]; metered {
			r.Estimate, r.RunLimit = EstimateDefault, int64(account.MaxRunTokens)
		}
		rules.Run.Engines = append(rules.Run.Engines, r)
	}
	if _, configured := c.Engines[EngineStatic]; !configured {
		rules.Run.Engines = append(rules.Run.Engines, embedded)
	}
	if len(p.Phase1.Engine) > 0 {
		rules.Run.Phase1 = p.Phase1.Engine
	}
	rules.Run.RequestChangesAt = p.Verdict.RequestChangesAt
	rules.Run.Approve = p.Approve
	rules.Run.MaxFiles, rules.Run.MaxLines = c.Limits.MaxChangedFiles, c.Limits.MaxChangedLines
	rules.Fleet.DefaultMaxRuns = c.Scheduling.MaxRuns
	return rules
}

// slotsOf returns the size of each pool that the engines use, and why.
func slotsOf(c *Config) map[events.PoolName]slots {
	pools := map[events.PoolName]slots{
		events.PoolName(EngineStatic): {runtime.NumCPU(), "the cores of this machine"},
	}
	for _, name := range slices.Sorted(maps.Keys(c.Engines)) {
		e := c.Engines[name]
		size := slots{RemoteSlots, "the default for engines that run elsewhere"}
		if engine.IsProgram(e.Kind) || e.Kind == KindStatic {
			size = slots{runtime.NumCPU(), "the cores of this machine"}
		}
		pools[e.PoolName(name)] = size
	}
	for name, size := range c.Pools {
		if !size.Auto {
			pools[events.PoolName(name)] = slots{size.Slots, fmt.Sprintf("configured in %s", ConfigFile)}
		}
	}
	return pools
}

type slots struct {
	n   int
	why string
}

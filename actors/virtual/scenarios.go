package virtual

import (
	"math/rand/v2"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// Quiet is a scenario in which nothing fails: two pull requests, two engines of
// one account beside the embedded one.
func Quiet() Scenario {
	s := Scenario{
		Rules: actors.DefaultRules(), Target: events.TargetForge, Pulls: 2, Daemons: 1, Storm: time.Hour,
		PoolSize: 2, SnapshotEvery: 20, Snapshots: true, StepsMax: 150_000,
		Faults: Faults{Checkpoint: 0.1},
	}
	minutes := func(n int) int64 { return (time.Duration(n) * time.Minute).Milliseconds() }
	s.Engines = []Engine{
		{
			Rules: run.EngineRules{
				Engine: "alpha", Kind: "exec", Model: "opus-4", Pool: "opus", Account: "acme",
				Estimate: 20_000, Timeout: minutes(20), RunLimit: 200_000, Bounded: true,
			},
			Least: time.Minute, Most: 10 * time.Minute,
		},
		{
			Rules: run.EngineRules{
				Engine: "beta", Kind: "exec", Model: "opus-4", Pool: "opus", Account: "acme",
				Estimate: 15_000, Timeout: minutes(15), RunLimit: 200_000,
			},
			Least: time.Minute, Most: 8 * time.Minute,
		},
		{
			Rules: run.EngineRules{
				Engine: run.StaticEngine, Kind: "static", Pool: "static", Account: events.AccountUnmetered,
				Timeout: minutes(10),
			},
			Least: 100 * time.Millisecond, Most: 5 * time.Second,
		},
	}
	s.Rules.Run.Approve = true
	s.Rules.Run.Engines, s.Rules.Run.Phase1 = nil, nil
	for _, e := range s.Engines {
		s.Rules.Run.Engines = append(s.Rules.Run.Engines, e.Rules)
		s.Rules.Run.Phase1 = append(s.Rules.Run.Phase1, e.Rules.Engine)
	}
	return s
}

// Storm is a scenario in which everything fails now and then. What fails how
// often differs from seed to seed.
func Storm(seed uint64) Scenario {
	luck := rand.New(rand.NewPCG(seed, 0x73746f726d))
	odd := func(most float64) float64 { // half of all seeds do without
		if luck.IntN(2) == 0 {
			return 0
		}
		return luck.Float64() * most
	}
	s := Quiet()
	s.Pulls = 1 + luck.IntN(4)
	s.Daemons = 1 + luck.IntN(2)
	if luck.IntN(8) == 0 {
		s.Daemons = 0 // until the calm there is `review` in a terminal alone
	}
	s.Storm = time.Duration(1+luck.IntN(4)) * time.Hour
	s.PoolSize = luck.IntN(4)
	s.SessionTokens = int64(luck.IntN(5)) * 40_000
	s.Debounce = time.Duration(luck.IntN(2)) * 5 * time.Minute
	s.SnapshotEvery = 5 + luck.IntN(40)
	if luck.IntN(4) == 0 {
		s.Target = events.TargetNone
	}
	if luck.IntN(3) == 0 {
		s.Rules.Fleet.DefaultMaxRuns = 1 + luck.IntN(2)
	}
	s.Faults = Faults{
		Crash: odd(0.002), Conflict: odd(0.05), Unknown: odd(0.05), Unavailable: odd(0.03), LostNotice: odd(0.1),
		DoubledNotice: odd(0.1), DoubledDelivery: odd(0.1), Checkpoint: 0.05 + luck.Float64()*0.95, Freeze: odd(0.2),
	}
	s.Workspace = WorkspaceOdds{Silent: odd(0.1), Trouble: odd(0.3), Failure: odd(0.1), Empty: odd(0.1), Large: odd(0.5)}
	s.Forge = ForgeOdds{
		ListUnknown: odd(0.2), CreateLost: odd(0.2), SubmitFails: odd(0.2), SubmitLost: odd(0.3),
		LabelFails: odd(0.2), LabelForbidden: odd(0.02), LabelLost: odd(0.3),
		NoLabels: luck.IntN(8) == 0, Ignored: odd(0.5), Printed: odd(1),
	}
	s.Local = s.Target == events.TargetNone && luck.IntN(2) == 0
	few := func(most int) int { return luck.IntN(most + 1) }
	s.Stimuli = Stimuli{
		Pushes: few(6), BaseMoves: few(2), Closes: few(2), Enqueues: few(6), Cancels: few(3), Retries: few(3),
		Pauses: few(2), Reviews: few(4), Resizes: few(3), Limits: few(2), Jumps: few(2), Kills: few(3),
		Drains: few(1), Polls: few(4), Dismisses: few(8), Reopens: few(3),
		Reverts: few(3), Drafts: few(6), SkipLabels: few(3), Retitles: few(2), Renames: few(1), Retargets: few(2),
	}
	for i := range s.Engines {
		s.Engines[i].Ways = []Weight{
			{WaySucceeds, 10}, {WayInfra, few(3)}, {WayContract, few(2)}, {WayFatal, few(1)}, {WayRefused, few(2)},
			{WayLimit, few(3)}, {WayDefers, few(3)}, {WayHangs, few(1)}, {WayVanishes, few(1)},
		}
	}
	return s
}

package virtual

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Stories are scenarios with one turn each. testdata/streams holds a recorded
// history of every one.
func Stories() map[string]Scenario {
	stories := map[string]Scenario{}
	tell := func(name string, change func(*Scenario)) {
		s := Quiet()
		s.Pulls, s.Storm, s.Snapshots = 1, 30*time.Minute, false
		s.Engines = s.Engines[:2]
		s.Rules.Run.Phase1 = s.Rules.Run.Phase1[:2]
		s.Faults = Faults{Checkpoint: 0.2}
		change(&s)
		stories[name] = s
	}
	tell("two-lanes", func(*Scenario) {})
	tell("push-during-run", func(s *Scenario) {
		s.Script = []Cue{{On: "lane.began", Nth: 2, After: 10 * time.Second, Do: ActPush}}
	})
	tell("killed-between-adopted-and-published", func(s *Scenario) {
		s.Script = []Cue{{On: "verdict.adopted", Nth: 1, After: 500 * time.Millisecond, Do: ActKill}}
	})
	tell("lost-engine", func(s *Scenario) {
		s.Engines[0].First = []Way{WayVanishes}
	})
	tell("cancel-in-line", func(s *Scenario) {
		s.Pulls, s.PoolSize = 2, 1
		s.Target = events.TargetNone
		s.Script = []Cue{{On: "lane.queued", Nth: 4, After: 5 * time.Second, Do: ActCancel}}
	})
	tell("dismissed-pushed-reopened", func(s *Scenario) {
		s.Storm = 2 * time.Hour
		s.Engines[0].Always = "It is not closed"
		s.Engines = s.Engines[:1]
		s.Rules.Run.Phase1 = s.Rules.Run.Phase1[:1]
		s.Target = events.TargetNone
		s.Script = []Cue{
			{On: "verdict.adopted", Nth: 1, After: time.Minute, Do: ActDismiss},
			{On: "finding.dismissed", Nth: 1, After: time.Minute, Do: ActPush},
			{On: "verdict.adopted", Nth: 2, After: time.Minute, Do: ActReopen},
			{On: "finding.reopened", Nth: 1, After: time.Minute, Do: ActEnqueue},
			{On: "lane.began", Nth: 3, After: 10 * time.Second, Do: ActEnqueue},
		}
	})
	tell("draft-ready-pushed-reverted", func(s *Scenario) {
		s.Storm = 3 * time.Hour
		s.Rules.Run.Phase1 = s.Rules.Run.Phase1[:1]
		s.Engines = s.Engines[:1]
		s.Script = []Cue{
			{On: "lane.began", Nth: 1, After: 10 * time.Second, Do: ActDraft},     // its run is stopped
			{On: "head.skipped", Nth: 1, After: time.Minute, Do: ActDraft},        // ready, and judged
			{On: "label.synced", Nth: 1, After: time.Minute, Do: ActPush},         // its label goes
			{On: "label.synced", Nth: 2, After: 30 * time.Second, Do: ActRevert},  // to what was reviewed
			{On: "head.skipped", Nth: 2, After: 30 * time.Second, Do: ActEnqueue}, // a person asks all the same
			{On: "verdict.published", Nth: 2, After: time.Minute, Do: ActClose},
		}
	})
	return stories
}

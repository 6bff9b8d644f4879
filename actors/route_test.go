package actors_test

import (
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// scenes play every row of the route table at least once, and end every matter.
var scenes = map[string]func(x *town){
	"a clean review": func(x *town) { x.push("a", nil) },
	"findings": func(x *town) {
		x.engine = finds
		x.push("a", nil)
		x.push("b", nil)
	},
	"a pause refuses a review": func(x *town) {
		x.message("1", events.FleetStream, fleet.Pause{}, `{"scope":""}`)
		x.push("a", func(c *pr.Observe) { c.Manual, c.Owner = true, terminal })
		x.router.Adopt(terminal) // what the terminal would route
		x.push("b", func(c *pr.Observe) { c.Manual, c.Owner = true, terminal })
		x.message("2", events.FleetStream, fleet.Resume{}, `{"scope":""}`)
		x.message("3", prStream, pr.Enqueue{}, `{}`)
	},
	"a push during a run": func(x *town) {
		x.engine = silent
		x.tell(gpt, pool.Configure{Size: 1, Reason: "r"})
		x.push("a", two)
		x.engine = good
		x.push("b", two)
	},
	"a draft during a run": func(x *town) {
		x.engine = silent
		x.push("a", func(c *pr.Observe) { c.Facts = &pr.Facts{} })
		x.push("a", func(c *pr.Observe) { c.Facts = &pr.Facts{Draft: true} })
	},
	"a close during a run": func(x *town) {
		x.engine = silent
		x.push("a", nil)
		x.tell(prStream, pr.Close{Reason: "merged"})
	},
	"a cancel during a run": func(x *town) {
		x.engine = silent
		x.push("a", nil)
		x.message("1", prStream, pr.Cancel{}, `{"reason":"no"}`)
	},
	"a cancel in the fleet's line": func(x *town) {
		x.message("1", events.FleetStream, fleet.Pause{}, `{}`)
		x.push("a", nil)
		x.message("2", prStream, pr.Cancel{}, `{"reason":"no"}`)
		x.message("3", events.FleetStream, fleet.Resume{}, `{}`)
	},
	"a grant in flight is declined": func(x *town) {
		x.engine = silent
		x.before = func(d actors.Delivery) {
			if c, ok := d.Command.(run.BeginLane); ok && c.Lane == "two" {
				x.before = func(actors.Delivery) {}
				x.ask(d.Target, run.Cancel{PR: prStream, Head: "a", Outcome: events.OutcomeCancelled, Why: "w"}, events.Cause{}, false)
			}
		}
		x.push("a", two)
	},
	"money for one lane at a time": func(x *town) {
		x.engine = func(_ events.RunID, p *events.LaneBegan) []events.Command {
			c := key(p)
			c.Usage = events.Usage{InputTokens: 42, Confidence: events.ConfidenceExact}
			return []events.Command{c}
		}
		x.tell(mainAcc, account.Configure{SessionTokens: 150})
		x.push("a", two)
	},
	"a lane that never fits": func(x *town) {
		x.tell(mainAcc, account.Configure{SessionTokens: 50})
		x.push("a", nil)
	},
	"a lane that fails": func(x *town) {
		x.engine = func(_ events.RunID, p *events.LaneBegan) []events.Command {
			return []events.Command{run.FailLane{
				Lane: p.Lane, Attempt: p.Attempt, Generation: p.Generation, Kind: events.FailureFatal, Message: "m",
			}}
		}
		x.push("a", nil)
	},
	"a lane without capacity": func(x *town) {
		x.engine = func(_ events.RunID, p *events.LaneBegan) []events.Command {
			if p.Attempt > 1 {
				return good("", p)
			}
			return []events.Command{run.DeferLane{Lane: p.Lane, Attempt: p.Attempt, Generation: p.Generation}}
		}
		x.push("a", nil)
		x.now = x.now.Add(time.Minute)
		x.tell(events.RunStream(last[events.RunRequested](x).Run), run.Due{})
	},
	"asked for in the fleet's line, with priority": func(x *town) {
		x.message("1", events.FleetStream, fleet.Pause{}, `{}`)
		x.push("a", func(c *pr.Observe) { c.Priority = events.PriorityNormal })
		x.message("2", prStream, pr.Enqueue{}, `{"high":true}`)
		x.message("3", events.FleetStream, fleet.Resume{}, `{}`)
	},
	"asked for during the review": func(x *town) {
		x.engine = finds
		x.before = func(d actors.Delivery) {
			if _, ok := d.Command.(run.CompleteLane); ok {
				x.before = func(actors.Delivery) {}
				x.now = x.now.Add(time.Minute)
				x.ask(prStream, pr.Enqueue{}, events.Cause{}, false)
			}
		}
		x.push("a", nil)
	},
	"a lease that runs out": func(x *town) {
		x.engine = silent
		x.push("a", nil)
		x.engine = good
		x.now = x.now.Add(2 * time.Hour)
		x.tell(gpt, pool.Due{})
	},
}

func silent(events.RunID, *events.LaneBegan) []events.Command { return nil }

func two(c *pr.Observe) { c.Settings.Engines = []events.EngineName{"one", "two"} }

// rowCases says for each row of the route table why the same command is void
// after its matter has ended, even for an actor that forgot the cause. A row
// without a case, or a case without a row, fails TestRepeats.
var rowCases = map[string]string{
	"message command.received":  byCause,
	"admit run.requested":       "the fleet remembers the runs that have ended",
	"start run.admitted":        ended,
	"fold run.admitted":         "the pull request waits for no run",
	"lift trigger.noted":        "the run is in no line",
	"refuse run.refused":        ended,
	"supersede head.superseded": ended,
	"skip head.skipped":         ended,
	"close head.closed":         ended,
	"cancel head.cancelled":     ended,
	"reserve lane.requested":    "the account remembers the lanes that have ended, for as long as their run",
	"request budget.reserved":   "the pool remembers the lanes that have left",
	"wait budget.refused":       ended,
	"begin lane.granted":        ended,
	"expire lane.expired":       ended,
	"settle lane.declined":      settled, "release lane.declined": left,
	"settle lane.withdrawn": settled, "release lane.withdrawn": left,
	"settle lane.completed": settled, "release lane.completed": left,
	"settle lane.failed": settled, "release lane.failed": left,
	"settle lane.stopped": settled, "release lane.stopped": left,
	"settle lane.deferred": settled, "release lane.deferred": left,
	"number numbers.requested":   "the pull request waits for no run",
	"numbered findings.numbered": ended,
	"adopt verdict.reached":      "the pull request waits for no run, and discards a verdict once",
	"ended run.ended":            "the pull request waits for no run",
	"free run.ended":             "the fleet has no such run",
}

const (
	byCause = "an operator may say the same twice: only the cause makes it void"
	ended   = "a run that has ended takes nothing"
	settled = "nothing is held for the lane"
	left    = "the pool remembers the lanes that have left"
)

// TestRepeats plays every scene with each delivery made again at once (town), and
// again after everything has ended: to the same actors, to actors that forgot
// the cause, and to actors that start anew. Nothing may come of it.
func TestRepeats(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	played := map[string]bool{}
	t.Run("scenes", func(t *testing.T) {
		for name, play := range scenes {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				x := newTown(t)
				play(x)
				x.over()
				before := len(x.log)
				for range 2 {
					for _, d := range x.done {
						x.void(d, true, "after the end")
						if d.Cause.Row != "message" {
							x.void(d, false, "after the end, to an actor that forgot its cause")
						}
					}
					clear(x.machines) // every actor starts anew
				}
				if len(x.log) != before {
					t.Errorf("%d events were written after the end", len(x.log)-before)
				}
				mu.Lock()
				defer mu.Unlock()
				for _, d := range x.done {
					on := x.of(d.Cause.Stream)[d.Cause.Version].Type
					played[d.Cause.Row+" "+string(on)] = true
				}
			})
		}
	})
	for _, row := range actors.Routes {
		id := row.Name + " " + string(row.On)
		if rowCases[id] == "" {
			t.Errorf("row %q has no case", id)
		}
		if !played[id] {
			t.Errorf("row %q is played by no scene", id)
		}
		delete(played, id)
	}
	for id := range played {
		t.Errorf("%q is no row of the table", id)
	}
	if len(rowCases) != len(actors.Routes) {
		t.Errorf("%d cases for %d rows", len(rowCases), len(actors.Routes))
	}
}

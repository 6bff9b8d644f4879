package fleet_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/events"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) events.Given { return events.Given{At: t0.Add(d), Boot: "b1"} }

func actor(r fleet.Rules) decidertest.Actor[fleet.State] {
	return decidertest.Actor[fleet.State]{
		Stream: events.FleetStream, Fold: fleet.Fold, Decide: r.Decide, Check: fleet.Check,
	}
}

// ticket asks for a run of PR n of repository o/r, queued n seconds after t0.
func ticket(n int) events.Ticket {
	return events.Ticket{
		Run: events.RunID(fmt.Sprintf("run%02d", n)), PR: events.PRStream("github", "7", n), Repo: "o/r",
		Number: n, Priority: events.PriorityNormal, QueuedAt: t0.Add(time.Duration(n) * time.Second),
		Owner: events.OwnerAny, Attempt: 1, Deadline: t0.Add(time.Hour),
	}
}

func urgent(n int) events.Ticket {
	t := ticket(n)
	t.Priority = events.PriorityHigh
	return t
}

func terminal(n int) events.Ticket {
	t := ticket(n)
	t.Owner = "b1"
	return t
}

func of(repo events.RepoName, t events.Ticket) events.Ticket {
	t.Repo = repo
	return t
}

func admitted(t events.Ticket) events.Payload { return &events.RunAdmitted{Ticket: t} }
func held(t events.Ticket, reason string) events.Payload {
	return &events.RunHeld{Ticket: t, Key: fleet.Key(t), Reason: reason}
}
func freed(t events.Ticket, reason string) events.Payload {
	return &events.RunFreed{Run: t.Run, Reason: reason}
}
func limit(n int) events.Payload      { return &events.FleetConfigured{MaxRuns: n} }
func paused(s string) events.Payload  { return &events.FleetPaused{Scope: s} }
func resumed(s string) events.Payload { return &events.FleetResumed{Scope: s} }
func refused(t events.Ticket, reason string) events.Payload {
	return &events.RunRefused{Run: t.Run, PR: t.PR, Head: t.Head, Reason: reason}
}

type recorded = []events.Payload

const full = "1 of 1 runs are running"

// row is a case whose events were recorded at t0.
type row struct {
	name    string
	given   recorded
	at      time.Duration
	when    events.Command
	then    recorded
	refused string
}

func run(t *testing.T, rows []row) {
	t.Helper()
	rules := fleet.DefaultRules()
	rules.DefaultMaxRuns = 2
	cases := make([]decidertest.Case[fleet.State], len(rows))
	for i, r := range rows {
		cases[i] = decidertest.Case[fleet.State]{
			Name: r.name, Given: decidertest.Steps(t0, r.given...), With: at(r.at), When: r.when,
			Then: r.then, Refused: r.refused, Twice: r.refused == "",
		}
	}
	actor(rules).Run(t, cases...)
}

func TestAdmit(t *testing.T) {
	t.Parallel()
	pr2 := string(ticket(2).PR)
	run(t, []row{
		{name: "admit into room", when: fleet.Admit{Ticket: ticket(1)}, then: recorded{admitted(ticket(1))}},
		{name: "admit into a full fleet", given: recorded{limit(1), admitted(ticket(1))},
			when: fleet.Admit{Ticket: ticket(2)}, then: recorded{held(ticket(2), full)}},
		{name: "admit what runs", given: recorded{admitted(ticket(1))}, when: fleet.Admit{Ticket: ticket(1)}},
		{name: "admit what is held", given: recorded{limit(1), admitted(ticket(1)), held(ticket(2), full)},
			when: fleet.Admit{Ticket: ticket(2)}},
		{name: "admit again after the end", given: recorded{admitted(ticket(1)), freed(ticket(1), "ended")},
			when: fleet.Admit{Ticket: ticket(1)}},
		{name: "admit again after a refusal", given: recorded{paused(""), refused(terminal(1), "paused: everything"), resumed("")},
			when: fleet.Admit{Ticket: terminal(1)}},
		{name: "admit without a run", when: fleet.Admit{Ticket: events.Ticket{Deadline: t0}}, refused: "needs a run"},
		{name: "admit without a deadline", when: fleet.Admit{Ticket: events.Ticket{Run: "r"}}, refused: "deadline"},
		{name: "admit while everything is paused", given: recorded{paused("")},
			when: fleet.Admit{Ticket: ticket(1)}, then: recorded{held(ticket(1), "paused: everything")}},
		{name: "admit while the repository is paused", given: recorded{paused("o/r")},
			when: fleet.Admit{Ticket: ticket(1)}, then: recorded{held(ticket(1), "paused: o/r")}},
		{name: "admit while the pull request is paused", given: recorded{paused(pr2)},
			when: fleet.Admit{Ticket: ticket(2)}, then: recorded{held(ticket(2), "paused: "+pr2)}},
		{name: "admit while another is paused", given: recorded{paused(pr2), paused("o/s")},
			when: fleet.Admit{Ticket: ticket(1)}, then: recorded{admitted(ticket(1))}},
		{name: "a terminal does not wait for a pause", given: recorded{paused("o/r")},
			when: fleet.Admit{Ticket: terminal(1)}, then: recorded{refused(terminal(1), "paused: o/r")}},
		{name: "a terminal waits for room", given: recorded{limit(1), admitted(ticket(1))},
			when: fleet.Admit{Ticket: terminal(2)}, then: recorded{held(terminal(2), full)}},
		{name: "a newcomer passes nobody where the rules made room",
			given: recorded{held(ticket(1), full)}, when: fleet.Admit{Ticket: ticket(2)},
			then: recorded{held(ticket(2), "0 of 2 runs are running"), admitted(ticket(1)), admitted(ticket(2))}},
	})
}

func TestFree(t *testing.T) {
	t.Parallel()
	run(t, []row{
		{name: "free what runs", given: recorded{admitted(ticket(1))},
			when: fleet.Free{Run: "run01", Reason: "ended"}, then: recorded{freed(ticket(1), "ended")}},
		{name: "free what runs and admit the next", given: recorded{limit(1), admitted(ticket(1)), held(ticket(2), full), held(ticket(3), full)},
			when: fleet.Free{Run: "run01", Reason: "ended"}, then: recorded{freed(ticket(1), "ended"), admitted(ticket(2))}},
		{name: "a better priority overtakes", given: recorded{limit(1), admitted(ticket(1)), held(ticket(2), full), held(urgent(3), full)},
			when: fleet.Free{Run: "run01", Reason: "ended"}, then: recorded{freed(ticket(1), "ended"), admitted(urgent(3))}},
		{name: "the paused stand in nobody's way",
			given: recorded{limit(1), admitted(ticket(1)), paused("o/p"), held(of("o/p", ticket(2)), "paused"), held(ticket(3), full)},
			when:  fleet.Free{Run: "run01", Reason: "ended"}, then: recorded{freed(ticket(1), "ended"), admitted(ticket(3))}},
		{name: "free from the line admits nobody", given: recorded{limit(1), admitted(ticket(1)), held(ticket(2), full), held(ticket(3), full)},
			when: fleet.Free{Run: "run02", Reason: "cancelled"}, then: recorded{freed(ticket(2), "cancelled")}},
		{name: "free the parked", given: recorded{paused(""), held(ticket(2), "paused")},
			when: fleet.Free{Run: "run02", Reason: "cancelled"}, then: recorded{freed(ticket(2), "cancelled")}},
		{name: "free the unknown", when: fleet.Free{Run: "run09"}},
		{name: "free again after the end", given: recorded{admitted(ticket(1)), freed(ticket(1), "ended")}, when: fleet.Free{Run: "run01"}},
		{name: "free the one in the line that would be next where the rules made room", given: recorded{held(ticket(1), full), held(ticket(2), full)},
			when: fleet.Free{Run: "run01", Reason: "x"}, then: recorded{freed(ticket(1), "x"), admitted(ticket(2))}},
	})
}

func TestConfigure(t *testing.T) {
	t.Parallel()
	run(t, []row{
		{name: "configure", when: fleet.Configure{MaxRuns: 5}, then: recorded{limit(5)}},
		{name: "configure the same", given: recorded{limit(5)}, when: fleet.Configure{MaxRuns: 5}},
		{name: "configure too few", when: fleet.Configure{MaxRuns: -1}, refused: "max_runs is -1"},
		{name: "configure too many", when: fleet.Configure{MaxRuns: fleet.MaxRunsMax + 1}, refused: "0 to 10000"},
		{name: "configure more admits", given: recorded{limit(1), admitted(ticket(1)), held(ticket(2), full), held(ticket(3), full)},
			when: fleet.Configure{MaxRuns: 2}, then: recorded{limit(2), admitted(ticket(2))}},
		{name: "configure back to the default", given: recorded{limit(1), admitted(ticket(1)), held(ticket(2), full)},
			when: fleet.Configure{}, then: recorded{limit(0), admitted(ticket(2))}},
		{name: "configure fewer revokes nothing", given: recorded{admitted(ticket(1)), admitted(ticket(2))},
			when: fleet.Configure{MaxRuns: 1}, then: recorded{limit(1)}},
	})
}

func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	run(t, []row{
		{name: "pause", when: fleet.Pause{Scope: "o/r"}, then: recorded{paused("o/r")}},
		{name: "pause the paused", given: recorded{paused("o/r")}, when: fleet.Pause{Scope: "o/r"}},
		{name: "pause a scope that cannot be", when: fleet.Pause{Scope: string(make([]byte, events.StreamNameMax+1))}, refused: "no repository"},
		{name: "pause sends terminals away", given: recorded{limit(1), admitted(ticket(1)), held(ticket(2), full), held(terminal(3), full), held(of("o/s", terminal(4)), full)},
			when: fleet.Pause{Scope: "o/r"}, then: recorded{paused("o/r"), refused(terminal(3), "paused: o/r")}},
		{name: "resume", given: recorded{paused("o/r")}, when: fleet.Resume{Scope: "o/r"}, then: recorded{resumed("o/r")}},
		{name: "resume what is not paused", when: fleet.Resume{Scope: "o/r"}},
		{name: "resume admits what fits, in order",
			given: recorded{limit(2), admitted(ticket(1)), paused(""), held(ticket(3), "paused"), held(ticket(2), "paused")},
			when:  fleet.Resume{}, then: recorded{resumed(""), admitted(ticket(2))}},
		{name: "resume leaves what another pause holds",
			given: recorded{paused(""), paused("o/p"), held(of("o/p", ticket(1)), "paused"), held(ticket(2), "paused")},
			when:  fleet.Resume{}, then: recorded{resumed(""), admitted(ticket(2))}},
		{name: "pause moves the line and resume brings it back",
			given: recorded{limit(1), admitted(ticket(1)), held(ticket(2), full), paused(""), freed(ticket(1), "ended")},
			when:  fleet.Resume{}, then: recorded{resumed(""), admitted(ticket(2))}},
	})
}

func TestDue(t *testing.T) {
	t.Parallel()
	run(t, []row{
		{name: "due too early", given: recorded{admitted(ticket(1))}, at: 2*time.Hour - 1, when: fleet.Due{}},
		{name: "due for one that runs", given: recorded{limit(1), admitted(ticket(1)), held(later(ticket(2)), full)}, at: 2 * time.Hour,
			when: fleet.Due{}, then: recorded{freed(ticket(1), "lapsed"), admitted(later(ticket(2)))}},
		{name: "due for one that waits", given: recorded{limit(1), admitted(later(ticket(1))), held(ticket(2), full)}, at: 2 * time.Hour,
			when: fleet.Due{}, then: recorded{freed(ticket(2), "lapsed")}},
		{name: "due for both admits neither", given: recorded{limit(1), admitted(ticket(1)), held(ticket(2), full)}, at: 3 * time.Hour,
			when: fleet.Due{}, then: recorded{freed(ticket(1), "lapsed"), freed(ticket(2), "lapsed")}},
		{name: "another actor's command", when: otherCommand{}, refused: "takes no pool.due"},
	})
}

type otherCommand struct{}

func (otherCommand) Name() string { return "pool.due" }

// later is a ticket with a later deadline.
func later(t events.Ticket) events.Ticket {
	t.Deadline = t.Deadline.Add(24 * time.Hour)
	return t
}

func TestDecisionsAreBounded(t *testing.T) {
	t.Parallel()
	scene := actor(fleet.DefaultRules()).Begin(t).Quick()
	scene.Given(decidertest.Steps(t0, limit(1), admitted(ticket(0)))...)
	for n := 1; n <= 3*fleet.BatchDefault; n++ {
		if _, err := scene.When(at(0), fleet.Admit{Ticket: ticket(n)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range []events.Command{
		fleet.Configure{MaxRuns: fleet.MaxRunsMax}, fleet.Pause{}, fleet.Resume{}, fleet.Due{}, fleet.Due{}, fleet.Due{},
	} {
		decided, err := scene.When(at(48*time.Hour), cmd)
		if err != nil || len(decided) == 0 || len(decided) > 2*fleet.BatchDefault+1 {
			t.Fatalf("%s decided %d events, error %v", cmd.Name(), len(decided), err)
		}
	}
	for range fleet.PausesMax {
		scene.Given(decidertest.Steps(t0, paused(fmt.Sprint(len(scene.Log))))...)
	}
	scene.Refuses(at(0), fleet.Pause{Scope: "o/r"}, "paused already")
	for n := range 2 * fleet.EndedMax {
		scene.Given(decidertest.Steps(t0, freed(ticket(1000+n), "x"))...)
	}
	if n := scene.State.Ended.Len(); n != fleet.EndedMax {
		t.Fatalf("%d ended runs are remembered, want %d", n, fleet.EndedMax)
	}
}

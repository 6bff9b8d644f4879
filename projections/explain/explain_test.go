package explain_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections/catalogue"
	"github.com/reviewctl/reviewctl/projections/explain"
	"github.com/reviewctl/reviewctl/projections/rowstest"
)

const (
	pr   events.StreamName = "pr-github.com/77/5"
	run  events.RunID      = "00000000000000a1"
	runs events.StreamName = "run-00000000000000a1"
	head events.Commit     = "1111111111111111111111111111111111111111"
)

var later = time.Date(2026, 5, 4, 18, 0, 0, 0, time.UTC)

func on(stream events.StreamName, p events.Payload) rowstest.At {
	return rowstest.At{Stream: stream, Payload: p}
}

// flat writes a tree as one line for each node.
func flat(r explain.Reason, depth int) []string {
	lines := []string{strings.Repeat("  ", depth) + r.Rule + " | " + r.Text + " | " + r.Event.String()}
	for _, child := range r.Children {
		lines = append(lines, flat(child, depth+1)...)
	}
	return lines
}

func ticket() events.Ticket {
	return events.Ticket{Run: run, PR: pr, Repo: "acme/shop", Number: 5, Head: head}
}

// told is a story, and how it is explained.
type told struct {
	story []rowstest.At
	next  time.Time
	want  []string
}

var (
	opened    = on(pr, events.PROpened{Repo: "acme/shop", Number: 5})
	queued    = on(pr, events.HeadQueued{Head: head, QueuedAt: later.Add(-time.Hour), NotBefore: later})
	requested = on(pr, events.RunRequested{Run: run, Repo: "acme/shop", Number: 5, Head: head})
	held      = on(events.FleetStream, events.RunHeld{Ticket: ticket(), Key: "1/5", Reason: "max_runs"})
	admitted  = on(events.FleetStream, events.RunAdmitted{Ticket: ticket()})
	started   = on(runs, events.RunStarted{PR: pr, Repo: "acme/shop", Number: 5, Head: head})
	lane      = on(runs, events.LaneRequested{Lane: "a", Attempt: 1, Pool: "gpt", Account: "main", Rank: "1"})
	reached   = on(runs, events.VerdictReached{PR: pr, Head: head, Verdict: events.VerdictComment, Outcome: events.OutcomeFindings,
		Why: events.Reason{Rule: "verdict.comment", Text: "one suggestion", Events: []events.Ref{{Stream: runs, Version: 3}},
			Children: []events.Reason{{Rule: "lane.answered", Text: "all did"}}}})
	adopted  = on(pr, events.VerdictAdopted{Run: run, Head: head, Verdict: events.VerdictComment, Outcome: events.OutcomeFindings, Target: events.TargetForge, Try: 1, PublishUntil: later})
	ended    = on(runs, events.RunEnded{PR: pr, Head: head, Outcome: events.OutcomeFindings})
	running  = []rowstest.At{opened, queued, requested, admitted, started}
	with     = func(more ...rowstest.At) []rowstest.At { return append(append([]rowstest.At{}, running...), more...) }
	reserved = on("account-main", events.BudgetReserved{Run: run, Lane: "a", Attempt: 1})
	inLine   = on("pool-gpt", events.LaneQueued{Run: run, Lane: "a", Attempt: 1, Key: "1"})
	before   = on("pool-gpt", events.LaneQueued{Run: "00000000000000b2", Lane: "z", Attempt: 1, Key: "0"})
)

func waits() map[string]told {
	return map[string]told{
		"nothing queued": {[]rowstest.At{opened}, time.Time{}, []string{"none | no head of it was queued yet | pr-github.com/77/5@0"}},
		"debounce":       {[]rowstest.At{opened, queued}, later, []string{"wait.debounce | quiet time after a push, until 2026-05-04T18:00:00Z | pr-github.com/77/5@1"}},
		"debounce, paused": {[]rowstest.At{opened, queued, on(events.FleetStream, events.FleetPaused{Scope: "acme/shop"})}, later, []string{
			"wait.debounce | quiet time after a push, until 2026-05-04T18:00:00Z | pr-github.com/77/5@1",
			"  wait.pause | acme/shop is paused since 2026-05-04T09:00:03Z | fleet-main@0"}},
		"in the fleet's line": {[]rowstest.At{on(events.FleetStream, events.FleetConfigured{MaxRuns: 1}),
			on(events.FleetStream, events.RunAdmitted{Ticket: events.Ticket{Run: "00000000000000b2"}}),
			on(events.FleetStream, events.RunHeld{Ticket: events.Ticket{Run: "00000000000000c3"}, Key: "0/1"}),
			opened, queued, requested, held}, time.Time{}, []string{
			"wait.fleet | place 2 of 2 in the fleet's line: max_runs | fleet-main@3",
			"  wait.max_runs | 1 of 1 runs are on | fleet-main@3"}},
		"no workspace": {with(on(runs, events.WorkspaceWaiting{Try: 1, Reason: "the network is away", Next: later})), later, []string{
			"wait.run | the run is on since 2026-05-04T09:00:05Z | run-00000000000000a1@1",
			"  wait.workspace | the code is not on the disk: the network is away | run-00000000000000a1@1"}},
		"no budget": {with(lane, on("account-main", events.BudgetRefused{Run: run, Lane: "a", Attempt: 1, Until: later, Reason: "the window is full"})), later, []string{
			"wait.run | the run is on since 2026-05-04T09:00:05Z | run-00000000000000a1@1",
			"  wait.account | lane a waits for account main, place 1 of 1, until 2026-05-04T18:00:00Z: the window is full | account-main@0"}},
		"no slot": {with(lane, reserved, before, inLine), time.Time{}, []string{
			"wait.run | the run is on since 2026-05-04T09:00:05Z | run-00000000000000a1@1",
			"  wait.pool | lane a waits for a slot of pool gpt, place 2 of 2 | pool-gpt@1"}},
		"an engine runs": {with(lane, reserved, inLine, on("pool-gpt", events.LaneGranted{Run: run, Lane: "a", Attempt: 1}),
			on(runs, events.LaneBegan{Lane: "a", Attempt: 1, Deadline: later})), later, []string{
			"wait.run | the run is on since 2026-05-04T09:00:05Z | run-00000000000000a1@1",
			"  wait.engine | lane a runs since 2026-05-04T09:00:10Z, until 2026-05-04T18:00:00Z at most | run-00000000000000a1@2"}},
		"deferred": {with(lane, on(runs, events.LaneDeferred{Lane: "a", Attempt: 1, NextAt: later, Reason: "busy"})), later, []string{
			"wait.run | the run is on since 2026-05-04T09:00:05Z | run-00000000000000a1@1",
			"  wait.engine | lane a has no capacity, again at 2026-05-04T18:00:00Z: busy | run-00000000000000a1@2"}},
	}
}

func ends() map[string]told {
	return map[string]told{
		"publishing": {with(reached, adopted, ended, on(pr, events.PublicationFailed{Run: run, Try: 1, Kind: events.FailureInfra, Message: "502", NextAt: later})), later, []string{
			"wait.publication | try 1 to publish ended as failed (infra), again at 2026-05-04T18:00:00Z: 502 | pr-github.com/77/5@4",
			"  verdict.comment | one suggestion | run-00000000000000a1@3",
			"    lane.answered | all did | run-00000000000000a1@3"}},
		"reviewed": {with(reached, adopted, ended, on(pr, events.VerdictPublished{Run: run, Head: head})), time.Time{}, []string{
			"verdict.comment | one suggestion | run-00000000000000a1@3",
			"  lane.answered | all did | run-00000000000000a1@3"}},
		"failed": {with(lane, on(runs, events.LaneFailed{Lane: "a", Attempt: 1, Message: "it fell over"}),
			on(runs, events.RunEnded{PR: pr, Head: head, Outcome: events.OutcomeFailed, Why: "no lane answered"}),
			on(pr, events.HeadSettled{Head: head, Run: run, Outcome: events.OutcomeFailed, Why: "no lane answered"})), time.Time{}, []string{
			"end.failed | no lane answered | pr-github.com/77/5@3",
			"  end.failed | no lane answered | run-00000000000000a1@3",
			"    lane.failed | lane a failed: it fell over | run-00000000000000a1@2"}},
		"not run": {with(on(runs, events.RunEnded{PR: pr, Head: head, Outcome: events.OutcomeNotRun, Why: "no budget in time", Until: later}),
			on(pr, events.HeadSettled{Head: head, Run: run, Outcome: events.OutcomeNotRun, Why: "no budget in time"})), later, []string{
			"end.not-run | no budget in time | pr-github.com/77/5@3",
			"  end.not-run | no budget in time | run-00000000000000a1@1"}},
		"stuck": {with(reached, adopted, ended, on(pr, events.PublicationFailed{Run: run, Try: 1, Kind: events.FailureFatal, Message: "403", NextAt: later}),
			on(pr, events.PublicationStuck{Run: run, Tries: 1, Why: "403; `retry` opens it again"})), time.Time{}, []string{
			"wait.publication | publication stuck after 1 try (fatal): 403; `retry` opens it again | pr-github.com/77/5@5",
			"  verdict.comment | one suggestion | run-00000000000000a1@3",
			"    lane.answered | all did | run-00000000000000a1@3"}},
		"a draft": {[]rowstest.At{opened, on(pr, events.HeadSkipped{Head: head, Cause: events.HoldDraft, Why: "it is a draft"})}, time.Time{}, []string{
			"hold.draft | it is a draft | pr-github.com/77/5@1"}},
		"a draft, in the middle": {with(on(pr, events.HeadSkipped{Head: head, Cause: events.HoldLabel, Why: "the label \"wip\" is set", Run: run}),
			on(runs, events.RunEnded{PR: pr, Head: head, Outcome: events.OutcomeCancelled, Why: "the label \"wip\" is set"})), time.Time{}, []string{
			"hold.skip-label | the label \"wip\" is set | pr-github.com/77/5@3",
			"  end.cancelled | the label \"wip\" is set | run-00000000000000a1@1"}},
		"reviewed before": {with(reached, adopted, ended, on(pr, events.VerdictPublished{Run: run, Head: head}),
			on(pr, events.HeadSkipped{Head: head, Cause: events.HoldReviewed, Reviewed: run, Why: "a review of this head is published, by run " + string(run)})), time.Time{}, []string{
			"hold.reviewed | a review of this head is published, by run 00000000000000a1 | pr-github.com/77/5@5",
			"  verdict.comment | one suggestion | run-00000000000000a1@3",
			"    lane.answered | all did | run-00000000000000a1@3"}},
		"the label fails": {with(reached, adopted, ended, on(pr, events.VerdictPublished{Run: run, Head: head}),
			on(pr, events.LabelWanted{Verdict: events.VerdictComment, Try: 1, Owner: "b1", Until: later}),
			on(pr, events.LabelFailed{Try: 1, Kind: events.FailureInfra, Message: "502", NextAt: later})), later, []string{
			"verdict.comment | one suggestion | run-00000000000000a1@3",
			"  lane.answered | all did | run-00000000000000a1@3",
			"  label.failed | reviewctl:commented is wanted; try 1 failed (infra), again at 2026-05-04T18:00:00Z: 502 | pr-github.com/77/5@6"}},
		"the label may not be set": {with(reached, adopted, ended, on(pr, events.VerdictPublished{Run: run, Head: head}),
			on(pr, events.LabelWanted{Verdict: events.VerdictComment, Try: 1, Owner: "b1", Until: later}),
			on(pr, events.LabelFailed{Try: 1, Kind: events.FailureFatal, Message: "403"})), time.Time{}, []string{
			"verdict.comment | one suggestion | run-00000000000000a1@3",
			"  lane.answered | all did | run-00000000000000a1@3",
			"  label.resting | reviewctl:commented is wanted, and cannot be set (fatal); `retry` tries again: 403 | pr-github.com/77/5@6"}},
		"there are no labels": {with(reached, adopted, ended, on(pr, events.VerdictPublished{Run: run, Head: head}),
			on(pr, events.LabelWanted{Verdict: events.VerdictComment, Try: 1, Owner: "b1", Until: later}),
			on(pr, events.LabelSynced{Verdict: events.VerdictComment, Try: 1, Skipped: "the repository does not have it"})), time.Time{}, []string{
			"verdict.comment | one suggestion | run-00000000000000a1@3",
			"  lane.answered | all did | run-00000000000000a1@3",
			"  label.skipped | reviewctl:commented is not set: the repository does not have it | pr-github.com/77/5@6"}},
		"cancelled before it ran": {[]rowstest.At{opened, queued, on(pr, events.HeadCancelled{Head: head, Reason: "not now"})}, time.Time{}, []string{
			"end.cancelled | not now | pr-github.com/77/5@2"}},
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	stories := waits()
	maps.Copy(stories, ends())
	for name, c := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, _ := rowstest.Build(t, catalogue.All(), c.story...)
			report, err := explain.PR(t.Context(), rows, pr)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(flat(report.Why, 0), "\n")
			if got != strings.Join(c.want, "\n") || report.Subject != "acme/shop#5" {
				t.Errorf("%s: got\n%s\nwant\n%s", report.Subject, got, strings.Join(c.want, "\n"))
			}
			if (report.NextAt == nil) != c.next.IsZero() || report.NextAt != nil && !report.NextAt.Equal(c.next) {
				t.Errorf("next at %v, want %v", report.NextAt, c.next)
			}
		})
	}
}

func TestExplainRun(t *testing.T) {
	t.Parallel()
	rows, _ := rowstest.Build(t, catalogue.All(),
		on(pr, events.PROpened{Repo: "acme/shop", Number: 5}), on(pr, events.HeadQueued{Head: head}),
		on(pr, events.RunRequested{Run: run, Repo: "acme/shop", Number: 5, Head: head}),
		on(runs, events.RunEnded{PR: pr, Head: head, Outcome: events.OutcomeCancelled, Why: "cancelled before it started"}))
	report, err := explain.Run(t.Context(), rows, run)
	if err != nil || report == nil || report.Why.Rule != "end.cancelled" {
		t.Fatalf("got %+v, %v", report, err)
	}
	text, err := json.Marshal(report)
	want := `{"subject":"00000000000000a1","state":"ended","why":{"rule":"end.cancelled","text":"cancelled before it started","outcome":"cancelled","event":"run-00000000000000a1@0","children":[]},"next_at":null}`
	if err != nil || string(text) != want {
		t.Fatalf("got %s, %v", text, err)
	}
	if report, err := explain.Run(t.Context(), rows, "none"); err != nil || report != nil {
		t.Fatalf("of no run: %+v, %v", report, err)
	}
	if report, err := explain.PR(t.Context(), rows, "pr-none"); err != nil || report != nil {
		t.Fatalf("of no pull request: %+v, %v", report, err)
	}
}

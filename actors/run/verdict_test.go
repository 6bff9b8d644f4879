package run_test

import (
	"fmt"
	"testing"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

func steps(given recorded) []decidertest.Step { return decidertest.Steps(t0, given...) }

func finding(f events.Fingerprint, s events.Severity) events.Finding {
	return events.Finding{Fingerprint: f, Severity: s, Title: "t", Placement: events.PlacementBody}
}

func raised(lane events.LaneID, f events.Fingerprint, s events.Severity) *events.FindingRaised {
	return &events.FindingRaised{Lane: lane, Attempt: 1, Finding: finding(f, s)}
}

func TestRaiseFindings(t *testing.T) {
	t.Parallel()
	raise := func(n int, f ...events.Finding) run.RaiseFindings {
		for i := range n {
			f = append(f, finding(events.Fingerprint(fmt.Sprint("f", i)), events.SeverityNitpick))
		}
		return run.RaiseFindings{Lane: "one", Attempt: 1, Generation: 7, Findings: f}
	}
	withheld := func(f events.Fingerprint, why string) *events.FindingWithheld {
		return &events.FindingWithheld{Lane: "one", Attempt: 1, Finding: finding(f, events.SeverityNitpick), Reason: why}
	}
	both := raise(1)
	both.Withheld = []run.Withheld{{Finding: finding("w", events.SeverityNitpick), Reason: "outside the change"}}
	full := plus(running)
	for i := range events.FindingsPerLaneMax - 1 {
		full = append(full, raised("one", events.Fingerprint(fmt.Sprint("g", i)), events.SeverityNitpick))
	}
	table(t, rules(), []row{
		{name: "some, and some withheld", given: running, when: both, again: true,
			then: recorded{raised("one", "f0", events.SeverityNitpick), withheld("w", "outside the change")}},
		{name: "up to the bound", given: full, when: raise(2), again: true, then: recorded{
			raised("one", "f0", events.SeverityNitpick), withheld("f1", "over the bound of 500 findings for one lane")}},
		{name: "none", given: running, when: raise(0)},
	})
}

func TestCompleteLane(t *testing.T) {
	t.Parallel()
	done := func(lane events.LaneID) run.CompleteLane {
		return run.CompleteLane{Lane: lane, Attempt: 1, Generation: 7, Usage: used, Engine: "exec/1"}
	}
	numbers := func(prints ...events.Fingerprint) *events.NumbersRequested {
		return &events.NumbersRequested{PR: prStream, Head: head, Fingerprints: prints}
	}
	full := done("one")
	full.Summary, full.Sandbox, full.Artifact = "s", "bwrap", "ab"
	full.Skipped = []events.FileCoverage{{Path: "x", Status: events.CoverageTooLarge}}
	fullEvent := completed("one", 1)
	fullEvent.Withheld, fullEvent.Summary, fullEvent.Sandbox, fullEvent.Artifact, fullEvent.Skipped = 1, "s", "bwrap", "ab", full.Skipped
	one := plus(running, raised("one", "a", events.SeverityNitpick), &events.FindingWithheld{Lane: "one", Attempt: 1})
	duplicates := plus(runTwo, raised("one", "a", events.SeverityNitpick), raised("one", "b", events.SeverityNitpick),
		completed("one", 2), raised("two", "c", events.SeverityNitpick), raised("two", "a", events.SeverityBlocking))
	lostFindings := plus(runTwo, raised("one", "a", events.SeverityBlocking), failed("one", 1, events.FailureFatal, "m", used),
		raised("two", "b", events.SeverityNitpick))
	secondTry := plus(running, raised("one", "a", events.SeverityBlocking), failed("one", 1, events.FailureInfra, "m", used),
		wanted("one", 2, events.OwnerAny), began("one", 2, 8, 0), &events.FindingRaised{Lane: "one", Attempt: 2, Finding: finding("b", events.SeverityNitpick)})
	secondDone, secondEvent := done("one"), completed("one", 1)
	secondDone.Attempt, secondDone.Generation, secondEvent.Attempt, secondEvent.Generation = 2, 8, 2, 8
	table(t, rules(), []row{
		{name: "the first of two", given: runTwo, when: done("one"), then: recorded{completed("one", 0)}},
		{name: "with findings it asks for their numbers", given: one, when: full, then: recorded{fullEvent, numbers("a")}},
		{name: "what two lanes found is numbered once", given: duplicates, when: done("two"), then: recorded{completed("two", 2), numbers("a", "b", "c")}},
		{name: "findings of a lane that failed do not count", given: lostFindings, when: done("two"), then: recorded{completed("two", 1), numbers("b")}},
		{name: "nor those of an attempt that failed", given: secondTry, when: secondDone, then: recorded{secondEvent, numbers("b")}},
	})
}

// verdicts: severities found by lane one (and two), rules, and what follows.
func TestVerdict(t *testing.T) {
	t.Parallel()
	const (
		blocking   = events.SeverityBlocking
		suggestion = events.SeveritySuggestion
		nitpick    = events.SeverityNitpick
	)
	for _, c := range []struct {
		name    string
		at      events.Severity
		approve bool
		one     []events.Severity
		two     []events.Severity // "" = the second lane fails
		skipped string
		verdict events.Verdict
		rule    string
		outcome events.Outcome
		counts  events.Counts
	}{
		{"nothing, without approval", blocking, false, nil, nil, "", events.VerdictComment, "approve", events.OutcomeClean, events.Counts{}},
		{"nothing, with approval", blocking, true, nil, nil, "", events.VerdictApprove, "approve", events.OutcomeClean, events.Counts{}},
		{"a remark bars an approval", blocking, true, []events.Severity{nitpick}, nil, "", events.VerdictComment, "findings", events.OutcomeFindings, events.Counts{Nitpick: 1}},
		{"a suggestion", blocking, true, []events.Severity{suggestion}, nil, "", events.VerdictComment, "findings", events.OutcomeFindings, events.Counts{Suggestion: 1}},
		{"a suggestion where it counts", suggestion, true, []events.Severity{suggestion}, nil, "", events.VerdictRequestChanges, "request_changes_at", events.OutcomeFindings, events.Counts{Suggestion: 1}},
		{"a remark where suggestions count", suggestion, true, []events.Severity{nitpick}, nil, "", events.VerdictComment, "findings", events.OutcomeFindings, events.Counts{Nitpick: 1}},
		{"a blocker", blocking, true, []events.Severity{blocking, nitpick}, []events.Severity{suggestion}, "", events.VerdictRequestChanges, "request_changes_at", events.OutcomeFindings, events.Counts{Blocking: 1, Suggestion: 0, Nitpick: 1}},
		{"one finding of two lanes counts once, at its heaviest", blocking, true, []events.Severity{nitpick}, []events.Severity{blocking}, "", events.VerdictRequestChanges, "request_changes_at", events.OutcomeFindings, events.Counts{Blocking: 1}},
		{"a lane that failed bars an approval", blocking, true, nil, []events.Severity{""}, "", events.VerdictComment, "partial", events.OutcomePartial, events.Counts{}},
		{"a blocker beside a lane that failed", blocking, true, []events.Severity{blocking}, []events.Severity{""}, "", events.VerdictRequestChanges, "request_changes_at", events.OutcomePartial, events.Counts{Blocking: 1}},
		{"a file in part", blocking, true, nil, nil, events.CoveragePartial, events.VerdictComment, "partial", events.OutcomePartial, events.Counts{}},
		{"a file too large", blocking, true, nil, nil, events.CoverageTooLarge, events.VerdictComment, "partial", events.OutcomePartial, events.Counts{}},
		{"a binary file", blocking, true, nil, nil, events.CoverageBinary, events.VerdictApprove, "approve", events.OutcomeClean, events.Counts{}},
		{"a file left out", blocking, true, nil, nil, events.CoverageExcluded, events.VerdictApprove, "approve", events.OutcomeClean, events.Counts{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start := started(events.OwnerAny, "one", "two")
			start.RequestChangesAt, start.Approve = c.at, c.approve
			all := plus(recorded{start}, runTwo[1:]...)
			for i, s := range c.one {
				all = append(all, raised("one", events.Fingerprint(fmt.Sprint("f", i)), s))
			}
			one := completed("one", len(c.one))
			if c.skipped != "" {
				one.Skipped = []events.FileCoverage{{Path: "x", Status: c.skipped}}
			}
			all = append(all, one)
			var last events.Command = run.CompleteLane{Lane: "two", Attempt: 1, Generation: 7, Usage: used, Engine: "exec/1"}
			for i, s := range c.two {
				if s == "" {
					last = run.FailLane{Lane: "two", Attempt: 1, Generation: 7, Kind: events.FailureFatal}
				} else {
					all = append(all, raised("two", events.Fingerprint(fmt.Sprint("f", i)), s))
				}
			}
			scene := actor(rules()).Begin(t)
			scene.Given(steps(all)...)
			decided, err := scene.When(given(0, daemon), last)
			if err != nil {
				t.Fatal(err)
			}
			if c.counts != (events.Counts{}) {
				if n := decided[len(decided)-1]; n.Type() != "numbers.requested" {
					t.Fatalf("it decided %v and asked for no numbers", decided)
				}
				from := events.Ref{Stream: prStream, Version: 9}
				if decided, err = scene.When(given(0, daemon), run.ReachVerdict{Numbers: []events.Number{{Fingerprint: "f0", Number: 1}}, From: from}); err != nil {
					t.Fatal(err)
				}
			}
			v := decided[len(decided)-2].(*events.VerdictReached)
			end := decided[len(decided)-1].(*events.RunEnded)
			if v.Verdict != c.verdict || v.Why.Rule != c.rule || v.Outcome != c.outcome || v.Counts != c.counts {
				t.Errorf("got %s by %s, %s, %+v; want %s by %s, %s, %+v", v.Verdict, v.Why.Rule, v.Outcome, v.Counts, c.verdict, c.rule, c.outcome, c.counts)
			}
			if end.Outcome != v.Outcome || end.PR != prStream || end.Head != head || end.Why != v.Why.Text {
				t.Errorf("the run ended as %+v", end)
			}
			checkCited(t, scene, v.Why)
			scene.Then(given(0, daemon), last)
			scene.Then(given(0, daemon), run.ReachVerdict{})
			scene.CheckReplay()
		})
	}
}

// checkCited fails where a reason rests on an event that is not there, or on one
// that is no evidence.
func checkCited(t *testing.T, scene *decidertest.Scene[run.State], why events.Reason) {
	t.Helper()
	evidence := map[events.Type]bool{
		"workspace.ready": true, "finding.raised": true, "lane.completed": true, "lane.failed": true, "lane.withdrawn": true,
	}
	if len(why.Events) == 0 {
		t.Errorf("%s rests on nothing", why.Rule)
	}
	for _, ref := range why.Events {
		if ref.Stream == stream && (int(ref.Version) >= len(scene.Log) || !evidence[scene.Log[ref.Version].Type]) {
			t.Errorf("%s cites %s", why.Rule, ref)
		}
		if ref.Stream != stream && why.Rule != "numbers" {
			t.Errorf("%s cites %s", why.Rule, ref)
		}
	}
	for _, child := range why.Children {
		checkCited(t, scene, child)
	}
}

func TestVerdictCites(t *testing.T) {
	t.Parallel()
	given := plus(running)
	for i := range run.ReasonEventsMax + 5 {
		given = append(given, raised("one", events.Fingerprint(fmt.Sprint("f", i)), events.SeverityBlocking))
	}
	given = append(given, completed("one", run.ReasonEventsMax+5), &events.NumbersRequested{PR: prStream, Head: head})
	scene := actor(rules()).Begin(t)
	scene.Given(steps(given)...)
	decided, err := scene.When(events.Given{At: t0}, run.ReachVerdict{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(decided[0].(*events.VerdictReached).Why.Events); n != run.ReasonEventsMax {
		t.Errorf("the reason cites %d events, want the bound of %d", n, run.ReasonEventsMax)
	}
}

func TestReachVerdictUnasked(t *testing.T) {
	t.Parallel()
	table(t, rules(), []row{
		{name: "while lanes run", given: running, when: run.ReachVerdict{}},
		{name: "while it is stopping", when: run.ReachVerdict{}, given: plus(running, &events.NumbersRequested{PR: prStream, Head: head},
			stopping(events.OutcomeCancelled, "", "w"), stopAsked("one", "w"))},
	})
}

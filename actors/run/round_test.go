package run_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// later is a run of lanes one and two, or of one alone, of which earlier findings
// may be fixed, up to where its lanes run.
func later(names ...events.EngineName) recorded {
	s := started(events.OwnerAny, names...)
	s.Prior = 2
	all := recorded{s, code(1, 0), ready(1)}
	for _, name := range names {
		all = append(all, wanted(events.LaneID(name), 1, events.OwnerAny))
	}
	for _, name := range names {
		all = append(all, began(events.LaneID(name), 1, 7, 0))
	}
	return all
}

// sights is a finding that a lane raised on code in a file.
func sights(lane events.LaneID, f events.Fingerprint, file string, code events.CodePrint) *events.FindingRaised {
	r := raised(lane, f, events.SeverityNitpick)
	r.Finding.File, r.Finding.Code = file, code
	return r
}

func key(file string) events.FileKey { return events.KeyOfFile(file) }

func doneLane(lane events.LaneID) run.CompleteLane {
	return run.CompleteLane{Lane: lane, Attempt: 1, Generation: 7, Usage: used, Engine: "exec/1"}
}

func TestAskForNumbers(t *testing.T) {
	t.Parallel()
	ask := func(seen []events.Sighting, looked []events.Look, prints ...events.Fingerprint) *events.NumbersRequested {
		return &events.NumbersRequested{
			PR: prStream, Head: head, Fingerprints: append([]events.Fingerprint{}, prints...), Seen: seen, Looked: looked,
		}
	}
	one := []events.EngineName{"one"}
	full := events.Look{Engine: "one", Done: true}
	skipping, left := doneLane("one"), completed("one", 0)
	skipping.Skipped = []events.FileCoverage{{Path: "b.go", Status: events.CoverageBinary}, {Path: "a.go", Status: events.CoverageTooLarge}}
	left.Skipped = skipping.Skipped
	some := []events.FileKey{key("a.go"), key("b.go")}
	if some[0] > some[1] {
		some[0], some[1] = some[1], some[0]
	}
	more, hidden := doneLane("one"), completed("one", 0)
	more.Unlisted, hidden.Unlisted = 3, 3
	covered := &events.LaneCovered{Lane: "one", Attempt: 1, Skipped: skipping.Skipped}
	held := &events.FindingWithheld{Lane: "one", Attempt: 1, Finding: finding("w", events.SeverityNitpick), Reason: "r"}
	many := &events.FindingWithheld{Lane: "one", Attempt: 1, Finding: held.Finding, Reason: "r", Unlisted: 3}
	many.Finding.File = "a.go"
	withheld := completed("one", 0)
	withheld.Withheld = 1
	gated := later("one")
	listed := *ready(1)
	listed.Files = []events.ChangedFile{
		{Path: "a.go", Status: "M", Excluded: events.ExcludedConfigured}, {Path: "b.go", Status: "M", TooLarge: "w"}, {Path: "c.go", Status: "M"},
	}
	gated[2] = &listed
	spared := plus(gated)
	listedToo := *ready(1)
	listedToo.Files = []events.ChangedFile{{Path: "a.go", Status: "M", Excluded: events.ExcludedBuiltIn}, {Path: "c.go", Status: "M"}}
	spared[2] = &listedToo
	failedOne := plus(later("one", "two"), failed("one", 1, events.FailureFatal, "m", used))
	table(t, rules(), []row{
		{name: "nothing found where something was", given: later("one"), when: doneLane("one"), then: recorded{completed("one", 0), ask(nil, []events.Look{full})}},
		{name: "a first review does not say where it looked", given: plus(running, sights("one", "a", "a.go", "c1")), when: doneLane("one"),
			then: recorded{completed("one", 1), ask([]events.Sighting{{Code: []events.CodePrint{"c1"}, File: key("a.go"), Engines: one}}, nil, "a")}},
		{name: "two lanes, two places", when: doneLane("two"),
			given: plus(runTwo, sights("one", "a", "a.go", "c2"), completed("one", 1), sights("two", "a", "a.go", "c1"), sights("two", "a", "a.go", "c2")),
			then: recorded{completed("two", 2), ask([]events.Sighting{{
				Code: []events.CodePrint{"c1", "c2"}, File: key("a.go"), Engines: []events.EngineName{"one", "two"},
			}}, nil, "a")}},
		{name: "files that were left out", given: later("one"), when: skipping,
			then: recorded{left, ask(nil, []events.Look{{Engine: "one", Done: true, Skipped: some}})}},
		{name: "and those said before", given: plus(later("one"), covered), when: doneLane("one"),
			then: recorded{completed("one", 0), ask(nil, []events.Look{{Engine: "one", Done: true, Skipped: some}})}},
		{name: "what is counted and not listed", given: later("one"), when: more, then: recorded{hidden, ask(nil, []events.Look{{Engine: "one"}})}},
		{name: "what was seen and withheld", given: plus(later("one"), held), when: doneLane("one"),
			then: recorded{withheld, ask(nil, []events.Look{{Engine: "one", Done: true, Withheld: []events.Fingerprint{"w"}}})}},
		{name: "what stands for others of its file", given: plus(later("one"), many), when: doneLane("one"),
			then: recorded{withheld, ask(nil, []events.Look{{
				Engine: "one", Done: true, Skipped: []events.FileKey{key("a.go")}, Withheld: []events.Fingerprint{"w"},
			}})}},
		{name: "a lane that failed", given: failedOne, when: doneLane("two"),
			then: recorded{completed("two", 0), ask(nil, []events.Look{{Engine: "one"}, {Engine: "two", Done: true}})}},
		{name: "files that no engine is given", given: gated, when: doneLane("one"),
			then: recorded{completed("one", 0), ask(nil, []events.Look{{Engine: "one", Done: true, Skipped: some}})}},
		{name: "files that the embedded engine alone is given", given: spared, when: doneLane("one"),
			then: recorded{completed("one", 0), ask(nil, []events.Look{{Engine: "one", Done: true, Skipped: []events.FileKey{key("a.go")}}})}},
	})
}

// TestRoundsAreBounded: whatever a run found and left out, what it says of it stays
// an event of an ordinary size.
func TestRoundsAreBounded(t *testing.T) {
	t.Parallel()
	scene := actor(rules()).Begin(t)
	lanes := []events.EngineName{"one", "two"}
	given0 := later(lanes...)
	for i := range run.SightingsMax/2 + 10 {
		for _, lane := range lanes {
			given0 = append(given0, sights(events.LaneID(lane), events.Fingerprint(fmt.Sprintf("%s%09d", lane, i)), "a.go", events.CodePrint(fmt.Sprintf("%016d", i))))
		}
	}
	for i := range run.PrintsMax + 1 {
		given0 = append(given0, sights("one", "one000000000", "a.go", events.CodePrint(fmt.Sprintf("x%015d", i))))
	}
	given0 = append(given0, completed("one", 1))
	scene.Given(steps(given0)...)
	last := doneLane("two")
	for i := range run.LookFilesMax + 1 {
		last.Skipped = append(last.Skipped, events.FileCoverage{Path: fmt.Sprint(i), Status: events.CoverageBinary})
	}
	out, err := scene.When(given(0, daemon), last)
	if err != nil {
		t.Fatal(err)
	}
	asked := out[len(out)-1].(*events.NumbersRequested)
	switch {
	case len(asked.Fingerprints) != run.SightingsMax+20 || len(asked.Seen) != run.SightingsMax:
		t.Errorf("%d findings, %d sightings", len(asked.Fingerprints), len(asked.Seen))
	case len(asked.Seen[0].Code) != 1:
		t.Errorf("%d prints of one finding", len(asked.Seen[0].Code))
	case !asked.Looked[0].Done || asked.Looked[1].Done || asked.Looked[1].Skipped != nil:
		t.Errorf("it looked %+v", asked.Looked)
	}
	text, err := events.Encode(asked)
	if err != nil || len(text) > events.EventMaxBytes {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// TestVerdictOfDismissed: what a person dismissed counts for nothing, and the tree
// of reasons says so.
func TestVerdictOfDismissed(t *testing.T) {
	t.Parallel()
	event := events.Ref{Stream: prStream, Version: 6}
	from := events.Ref{Stream: prStream, Version: 9}
	word := &events.Dismissal{Reason: "a fixture", Event: event}
	over := &events.Dismissal{Reason: "a fixture", Event: event, Over: true}
	two := plus(running, raised("one", "a", events.SeverityBlocking), raised("one", "b", events.SeverityNitpick), completed("one", 2),
		&events.NumbersRequested{PR: prStream, Head: head, Fingerprints: []events.Fingerprint{"a", "b"}})
	for name, c := range map[string]struct {
		numbers []events.Number
		fixed   []events.Number
		verdict events.Verdict
		outcome events.Outcome
		counts  events.Counts
		why     string
	}{
		"none":    {[]events.Number{{Fingerprint: "a", Number: 1}, {Fingerprint: "b", Number: 2}}, nil, events.VerdictRequestChanges, events.OutcomeFindings, events.Counts{Blocking: 1, Nitpick: 1}, ""},
		"one":     {[]events.Number{{Fingerprint: "a", Number: 1, Dismissal: word}, {Fingerprint: "b", Number: 2}}, nil, events.VerdictComment, events.OutcomeFindings, events.Counts{Nitpick: 1}, "#1 is dismissed: a fixture"},
		"over":    {[]events.Number{{Fingerprint: "a", Number: 1, Dismissal: over}, {Fingerprint: "b", Number: 2}}, nil, events.VerdictRequestChanges, events.OutcomeFindings, events.Counts{Blocking: 1, Nitpick: 1}, "#1 was dismissed, and the code beneath it has changed"},
		"all":     {[]events.Number{{Fingerprint: "a", Number: 1, Dismissal: word}, {Fingerprint: "b", Number: 2, Dismissal: word}}, nil, events.VerdictComment, events.OutcomeClean, events.Counts{}, "#2 is dismissed: a fixture"},
		"a fixed": {[]events.Number{{Fingerprint: "a", Number: 1}, {Fingerprint: "b", Number: 2}}, []events.Number{{Fingerprint: "c", Number: 3}}, events.VerdictRequestChanges, events.OutcomeFindings, events.Counts{Blocking: 1, Nitpick: 1}, "1 findings of earlier reviews are fixed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scene := actor(rules()).Begin(t)
			scene.Given(steps(two)...)
			seen := make([]events.Number, len(c.numbers))
			for i, n := range c.numbers {
				n.Seen = &events.Sighting{Code: []events.CodePrint{"c1"}}
				seen[i] = n
			}
			out, err := scene.When(given(0, daemon), run.ReachVerdict{Numbers: seen, Fixed: c.fixed, From: from})
			if err != nil {
				t.Fatal(err)
			}
			v := out[0].(*events.VerdictReached)
			if v.Verdict != c.verdict || v.Outcome != c.outcome || v.Counts != c.counts || len(v.Numbers) != 2 || v.Numbers[0].Seen != nil {
				t.Errorf("%+v", v)
			}
			if len(v.Fixed) != len(c.fixed) || !strings.Contains(fmt.Sprint(v.Why), c.why) {
				t.Errorf("fixed %v, why %v", v.Fixed, v.Why)
			}
		})
	}
}

// TestReasonsAreBounded: the tree repeats some dismissals, and counts the rest.
func TestReasonsAreBounded(t *testing.T) {
	t.Parallel()
	scene := actor(rules()).Begin(t)
	given0 := plus(running)
	c := run.ReachVerdict{From: events.Ref{Stream: prStream, Version: 9}}
	for i := range run.DismissedMax + 7 {
		f := events.Fingerprint(fmt.Sprintf("%012x", i))
		given0 = append(given0, raised("one", f, events.SeverityNitpick))
		c.Numbers = append(c.Numbers, events.Number{Fingerprint: f, Number: i + 1, Dismissal: &events.Dismissal{Reason: "w"}})
	}
	given0 = append(given0, completed("one", 1), &events.NumbersRequested{PR: prStream, Head: head})
	scene.Given(steps(given0)...)
	out, err := scene.When(given(0, daemon), c)
	if err != nil {
		t.Fatal(err)
	}
	dismissed := slices.DeleteFunc(out[0].(*events.VerdictReached).Why.Children, func(r events.Reason) bool { return r.Rule != "dismissed" })
	if len(dismissed) != run.DismissedMax+1 || dismissed[run.DismissedMax].Text != "7 more were dismissed" {
		t.Errorf("%d reasons, the last %+v", len(dismissed), dismissed[len(dismissed)-1])
	}
}

package findings_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/findings"
	"github.com/reviewctl/reviewctl/projections/rowstest"
)

const (
	run  events.RunID      = "00000000000000a1"
	runs events.StreamName = "run-00000000000000a1"
	pr   events.StreamName = "pr-github.com/77/5"
)

func remark(title string, severity events.Severity, body string) events.Finding {
	f := events.Finding{Title: title, Category: "bug", File: "a.go", LineStart: 2, LineEnd: 3, Severity: severity, Body: body, Placement: events.PlacementInline}
	f.Identify()
	return f
}

func raised(lane events.LaneID, attempt int, f events.Finding) rowstest.At {
	return rowstest.At{Stream: runs, Payload: events.FindingRaised{Lane: lane, Attempt: attempt, Finding: f}}
}

func withheld(lane events.LaneID, attempt int, f events.Finding) rowstest.At {
	return rowstest.At{Stream: runs, Payload: events.FindingWithheld{Lane: lane, Attempt: attempt, Finding: f, Reason: "not in the change"}}
}

func completed(lane events.LaneID, attempt int) rowstest.At {
	return rowstest.At{Stream: runs, Payload: events.LaneCompleted{Lane: lane, Attempt: attempt}}
}

func failed(lane events.LaneID, attempt int) rowstest.At {
	return rowstest.At{Stream: runs, Payload: events.LaneFailed{Lane: lane, Attempt: attempt, Kind: events.FailureInfra}}
}

var started = rowstest.At{Stream: runs, Payload: events.RunStarted{PR: pr, Repo: "acme/shop", Number: 5, Head: "c0ffee"}}

func TestWhatCounts(t *testing.T) {
	t.Parallel()
	light, heavy := remark("Leak", events.SeverityNitpick, "light"), remark("Leak", events.SeverityBlocking, "heavy")
	other := remark("Race", events.SeveritySuggestion, "other")
	numbered := rowstest.At{Stream: pr, Payload: events.FindingsNumbered{Run: run, Numbers: []events.Number{{Fingerprint: light.Fingerprint, Number: 7, New: true}, {Fingerprint: "feedfeedfeed", Number: 8}}}}
	for name, c := range map[string]struct {
		story []rowstest.At
		want  string // of each: title body number sources state
	}{
		"not yet":                             {[]rowstest.At{raised("a", 1, light)}, ""},
		"an attempt that ended well":          {[]rowstest.At{raised("a", 1, light), completed("a", 1)}, "Leak light 0 [a] raised"},
		"one that did not":                    {[]rowstest.At{raised("a", 1, light), withheld("a", 1, other), failed("a", 1)}, ""},
		"one that did not, then one that did": {[]rowstest.At{raised("a", 1, other), failed("a", 1), raised("a", 2, light), completed("a", 2)}, "Leak light 0 [a] raised"},
		"two lanes, the heavier words":        {[]rowstest.At{raised("b", 1, light), raised("a", 1, heavy), completed("b", 1), completed("a", 1)}, "Leak heavy 0 [a b] raised"},
		"two lanes, the earlier words":        {[]rowstest.At{raised("b", 1, heavy), raised("a", 1, light), completed("b", 1), completed("a", 1)}, "Leak heavy 0 [a b] raised"},
		"two lanes, one failed":               {[]rowstest.At{raised("b", 1, heavy), raised("a", 1, light), failed("b", 1), completed("a", 1)}, "Leak light 0 [a] raised"},
		"two lanes, one still at it":          {[]rowstest.At{raised("b", 1, heavy), raised("a", 1, light), completed("a", 1)}, "Leak light 0 [a] raised"},
		"said twice by one attempt":           {[]rowstest.At{raised("a", 1, light), raised("a", 1, light), completed("a", 1)}, "Leak light 0 [a] raised"},
		"said twice, failed":                  {[]rowstest.At{raised("a", 1, light), raised("a", 1, light), failed("a", 1)}, ""},
		"numbered":                            {[]rowstest.At{raised("a", 1, light), completed("a", 1), numbered}, "Leak light 7 [a] raised"},
		"withheld": {[]rowstest.At{withheld("a", 1, light), withheld("a", 1, light), raised("a", 1, other), completed("a", 1)},
			"Race other 0 [a] raised;Leak light 0 [a] withheld;Leak light 0 [a] withheld"},
		"the heaviest first": {[]rowstest.At{raised("a", 1, other), raised("a", 1, heavy), completed("a", 1)}, "Leak heavy 0 [a] raised;Race other 0 [a] raised"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, _ := rowstest.Build(t, []projections.View{findings.View()}, append([]rowstest.At{started}, c.story...)...)
			counting, not := said(t, rows, run)
			var got []string
			for _, f := range append(counting, not...) {
				got = append(got, fmt.Sprint(f.Title, " ", f.Body, " ", f.Number, " ", f.Sources, " ", f.State))
				if f.Repo != "acme/shop" || f.PR != 5 || f.Run != run || f.Event.Stream != runs || len(f.Events) == 0 || f.Candidates != nil {
					t.Errorf("got %+v", f)
				}
				if (f.Reason != "") != (f.State == findings.StateWithheld) {
					t.Errorf("%s: reason %q", f.State, f.Reason)
				}
			}
			if strings.Join(got, ";") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPendingCanBeAskedFor(t *testing.T) {
	t.Parallel()
	rows, _ := rowstest.Build(t, []projections.View{findings.View()}, started, raised("a", 1, remark("Leak", events.SeverityBlocking, "b")))
	page, err := findings.Get(t.Context(), rows, projections.Filter{State: string(findings.StatePending)})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("got %+v, %v", page, err)
	}
}

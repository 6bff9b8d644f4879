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
	again    events.RunID      = "00000000000000b2"
	againLog events.StreamName = "run-00000000000000b2"
)

// at says an event of a run's second round, or of the pull request.
func at(stream events.StreamName, p events.Payload) rowstest.At {
	return rowstest.At{Stream: stream, Payload: p}
}

// TestStanding: what stands on a pull request after a review, a word, and another
// review.
func TestStanding(t *testing.T) {
	t.Parallel()
	leak, race := remark("Leak", events.SeverityBlocking, "b"), remark("Race", events.SeverityNitpick, "r")
	both := []events.Number{{Fingerprint: leak.Fingerprint, Number: 1, New: true}, {Fingerprint: race.Fingerprint, Number: 2, New: true}}
	found := []rowstest.At{started, raised("a", 1, leak), raised("a", 1, race), completed("a", 1), at(pr, events.FindingsNumbered{Run: run, Numbers: both})}
	adopt := at(pr, events.VerdictAdopted{Run: run})
	dismissed := at(pr, events.FindingDismissed{Fingerprint: leak.Fingerprint, Number: 1, Reason: "a fixture"})
	reopened := at(pr, events.FindingReopened{Fingerprint: leak.Fingerprint, Number: 1})
	startedAgain := at(againLog, events.RunStarted{PR: pr, Repo: "acme/shop", Number: 5, Head: "decade"})
	// second is a review that finds the leak alone.
	second := func(n events.Number, fixed ...events.Number) []rowstest.At {
		n.Fingerprint, n.Number = leak.Fingerprint, 1
		return []rowstest.At{
			startedAgain, at(againLog, events.FindingRaised{Lane: "a", Attempt: 1, Finding: leak}), at(againLog, events.LaneCompleted{Lane: "a", Attempt: 1}),
			at(pr, events.FindingsNumbered{Run: again, Numbers: []events.Number{n}, Fixed: fixed}), at(pr, events.VerdictAdopted{Run: again}),
		}
	}
	word := func(over bool) events.Number {
		return events.Number{Dismissal: &events.Dismissal{Reason: "a fixture", Event: events.Ref{Stream: pr, Version: 2}, Over: over}}
	}
	gone := events.Number{Fingerprint: race.Fingerprint, Number: 2}
	story := func(parts ...[]rowstest.At) []rowstest.At {
		all := append([]rowstest.At{}, found...)
		for _, part := range parts {
			all = append(all, part...)
		}
		return all
	}
	one := func(a rowstest.At) []rowstest.At { return []rowstest.At{a} }
	for name, c := range map[string]struct {
		story []rowstest.At
		want  string // of each: number title state reason run
	}{
		"not adopted yet":             {story(), ""},
		"adopted":                     {story(one(adopt)), "1 Leak open  a1;2 Race open  a1"},
		"given up":                    {story(one(at(pr, events.HeadSuperseded{Run: run})), one(adopt)), ""},
		"dismissed":                   {story(one(adopt), one(dismissed)), "1 Leak dismissed a fixture a1;2 Race open  a1"},
		"dismissed before adopted":    {story(one(dismissed), one(adopt)), "1 Leak dismissed a fixture a1;2 Race open  a1"},
		"reopened":                    {story(one(adopt), one(dismissed), one(reopened)), "1 Leak open  a1;2 Race open  a1"},
		"one fixed":                   {story(one(adopt), second(events.Number{}, gone)), "1 Leak open  b2;2 Race fixed  a1"},
		"fixed, and dismissed after":  {story(one(adopt), second(events.Number{}, gone), one(at(pr, events.FindingDismissed{Number: 2, Reason: "w"}))), "1 Leak open  b2;2 Race fixed  a1"},
		"still dismissed":             {story(one(adopt), one(dismissed), second(word(false))), "1 Leak dismissed a fixture b2;2 Race open  a1"},
		"dismissed, the code changed": {story(one(adopt), one(dismissed), second(word(true))), "1 Leak open  b2;2 Race open  a1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, _ := rowstest.Build(t, []projections.View{findings.View()}, c.story...)
			all, err := findings.OfPR(t.Context(), rows, pr)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			states := map[findings.State]int{}
			for _, f := range all {
				got = append(got, fmt.Sprint(f.Number, " ", f.Title, " ", f.State, " ", f.Reason, " ", f.Run[14:]))
				states[f.State]++
				if f.Repo != "acme/shop" || f.PR != 5 || f.Stream != pr || f.Candidates != nil || (f.State == findings.StateDismissed) != (f.Reason != "") {
					t.Errorf("got %+v", f)
				}
			}
			if strings.Join(got, ";") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			for _, state := range []findings.State{findings.StateOpen, findings.StateFixed, findings.StateDismissed} {
				page, err := findings.Get(t.Context(), rows, projections.Filter{State: string(state), Repo: "acme/shop"})
				if err != nil || len(page.Items) != states[state] {
					t.Errorf("%d are %s, want %d, %v", len(page.Items), state, states[state], err)
				}
			}
		})
	}
}

// TestDismissedIsWithheld: in its run a dismissed finding is no part of the review.
func TestDismissedIsWithheld(t *testing.T) {
	t.Parallel()
	leak := remark("Leak", events.SeverityBlocking, "b")
	n := events.Number{Fingerprint: leak.Fingerprint, Number: 1, Dismissal: &events.Dismissal{Reason: "a fixture"}}
	rows, _ := rowstest.Build(t, []projections.View{findings.View()}, started, raised("a", 1, leak), completed("a", 1),
		at(pr, events.FindingsNumbered{Run: run, Numbers: []events.Number{n}}))
	if counting, not := said(t, rows, run); len(counting) != 0 || len(not) != 1 || not[0].Reason != "dismissed: a fixture" {
		t.Errorf("said %v, withheld %v", counting, not)
	}
}

// TestWords: a message about a finding waits until it is answered.
func TestWords(t *testing.T) {
	t.Parallel()
	const other events.StreamName = "pr-github.com/77/6"
	say := func(id string, target events.StreamName, command string) rowstest.At {
		return at(events.InboxStream(id), events.CommandReceived{Target: target, Command: command, Fields: "{}"})
	}
	rows, _ := rowstest.Build(t, []projections.View{findings.View()},
		say("d", pr, "pr.dismiss"), say("c", pr, "pr.reopen"), say("b", other, "pr.dismiss"), say("a", pr, "pr.enqueue"), say("e", pr, "pr.dismiss"),
		at(events.InboxStream("e"), events.CommandSettled{}), at(events.InboxStream("a"), events.CommandSettled{}))
	words, err := findings.Words(t.Context(), rows, pr)
	if err != nil || len(words) != 2 || words[0].Event.Stream != "inbox-d" || words[1].Event.Stream != "inbox-c" {
		t.Errorf("got %v, %v", words, err)
	}
}

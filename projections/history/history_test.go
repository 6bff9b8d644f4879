package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/history"
	"github.com/reviewctl/reviewctl/projections/rowstest"
)

var views = []projections.View{history.View()}

const pr events.StreamName = "pr-github.com/77/5"

func on(stream events.StreamName, p events.Payload) rowstest.At {
	return rowstest.At{Stream: stream, Payload: p}
}

func TestOneStoryOfManyStreams(t *testing.T) {
	t.Parallel()
	ticket := events.Ticket{Run: "r1", PR: pr, Head: "c0ffee"}
	rows, _ := rowstest.Build(t, views,
		on(pr, events.PROpened{Title: "Mend it"}),
		on("pr-github.com/77/55", events.PROpened{Title: "Another"}),
		on(pr, events.RunRequested{Run: "r1", Head: "c0ffee"}),
		on(events.FleetStream, events.RunHeld{Ticket: ticket, Reason: "max_runs"}),
		on("run-r1", events.RunStarted{PR: pr, Head: "c0ffee"}),
		on("account-main", events.BudgetRefused{Run: "r1", Lane: "a", Reason: "full"}),
		on("run-r1", events.LaneFailed{Lane: "a", Kind: events.FailureInfra, Message: "it fell"}),
		on("run-r1", events.VerdictReached{PR: pr, Verdict: events.VerdictApprove, Why: events.Reason{Rule: "r", Text: "nothing found"}}),
		on(pr, events.VerdictAdopted{Run: "r1", Head: "c0ffee", Verdict: events.VerdictApprove}),
		on("run-r1", events.RunEnded{Outcome: events.OutcomeClean}),
	)
	entries, err := history.Of(t.Context(), rows, pr)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%s %s", e.Event, e.Type))
		if e.Text == "" || e.Time.IsZero() {
			t.Errorf("an entry without words: %+v", e)
		}
	}
	want := "pr-github.com/77/5@0 pr.opened|pr-github.com/77/5@1 run.requested|fleet-main@0 run.held|run-r1@0 run.started|" +
		"account-main@0 budget.refused|run-r1@1 lane.failed|run-r1@2 verdict.reached|pr-github.com/77/5@2 verdict.adopted|run-r1@3 run.ended"
	if strings.Join(got, "|") != want {
		t.Errorf("got %s", strings.Join(got, "|"))
	}
	judged, err := history.VerdictOf(t.Context(), rows, "r1")
	if err != nil || judged == nil || judged.Why.Text != "nothing found" || judged.Event.String() != "run-r1@2" {
		t.Errorf("got %+v, %v", judged, err)
	}
	if judged, err := history.VerdictOf(t.Context(), rows, "r2"); err != nil || judged != nil {
		t.Errorf("a verdict of no run: %+v, %v", judged, err)
	}
}

// TestChaptersAreBounded: neither an old pull request nor a run that waits for
// ever makes a row without bounds, and the end is never left out.
func TestChaptersAreBounded(t *testing.T) {
	t.Parallel()
	var story []rowstest.At
	const pushes, refusals = 3 * history.ChapterEvents, history.RunEntriesMax + 40
	for n := range pushes {
		story = append(story, on(pr, events.HeadQueued{Head: events.Commit(fmt.Sprint(n))}))
	}
	for range refusals {
		story = append(story, on("account-main", events.BudgetRefused{Run: "r1", Lane: "a"}))
	}
	story = append(story, on("run-r1", events.RunEnded{Outcome: events.OutcomeNotRun}))
	rows, _ := rowstest.Build(t, views, story...)
	entries, err := history.Of(t.Context(), rows, pr)
	if err != nil || len(entries) != pushes {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	ofRun, err := history.OfRun(t.Context(), rows, "r1")
	if err != nil || len(ofRun) != history.RunEntriesMax+2 {
		t.Fatalf("%d entries of the run, %v", len(ofRun), err)
	}
	last, note := ofRun[len(ofRun)-1], ofRun[len(ofRun)-2]
	if last.Type != (events.RunEnded{}).Type() || !strings.HasPrefix(note.Text, "40 more events") {
		t.Fatalf("it ends with %q, %q", note.Text, last.Text)
	}
}

package label_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/label"
	"github.com/reviewctl/reviewctl/projections/rowstest"
)

func TestLabels(t *testing.T) {
	t.Parallel()
	const pr events.StreamName = "pr-github.com/77/5"
	say := func(p events.Payload) rowstest.At { return rowstest.At{Stream: pr, Payload: p} }
	opened := say(events.PROpened{Repo: "acme/shop", Number: 5})
	queued := func(c events.Commit) rowstest.At { return say(events.HeadQueued{Head: c}) }
	adopted := func(c events.Commit, v events.Verdict) rowstest.At {
		return say(events.VerdictAdopted{Run: "r", Head: c, Verdict: v})
	}
	closed := say(events.HeadClosed{Head: "a"})
	for name, c := range map[string]struct {
		story []rowstest.At
		want  label.Label
	}{
		"none yet":                 {[]rowstest.At{queued("a")}, ""},
		"approved":                 {[]rowstest.At{queued("a"), adopted("a", events.VerdictApprove)}, label.Approved},
		"changes requested":        {[]rowstest.At{queued("a"), adopted("a", events.VerdictRequestChanges)}, label.ChangesRequested},
		"commented":                {[]rowstest.At{queued("a"), adopted("a", events.VerdictComment)}, label.Commented},
		"the newest verdict":       {[]rowstest.At{queued("a"), adopted("a", events.VerdictComment), queued("a"), adopted("a", events.VerdictApprove)}, label.Approved},
		"asked again":              {[]rowstest.At{queued("a"), adopted("a", events.VerdictApprove), queued("a")}, label.Approved},
		"pushed":                   {[]rowstest.At{queued("a"), adopted("a", events.VerdictApprove), queued("b")}, ""},
		"pushed, and pushed back":  {[]rowstest.At{queued("a"), adopted("a", events.VerdictApprove), queued("b"), queued("a")}, label.Approved},
		"closed":                   {[]rowstest.At{queued("a"), adopted("a", events.VerdictApprove), closed}, ""},
		"closed and opened again":  {[]rowstest.At{queued("a"), adopted("a", events.VerdictApprove), closed, queued("a")}, label.Approved},
		"a discarded verdict":      {[]rowstest.At{queued("a"), say(events.VerdictDiscarded{Run: "r", Head: "a"})}, ""},
		"a verdict of no spelling": {[]rowstest.At{queued("a"), adopted("a", "MAYBE")}, ""},
	} {
		rows, _ := rowstest.Build(t, []projections.View{label.View()}, append([]rowstest.At{opened}, c.story...)...)
		page, err := label.Get(t.Context(), rows, projections.Filter{Repo: "acme/shop"})
		if err != nil || len(page.Items) != 1 {
			t.Fatalf("%s: %+v, %v", name, page, err)
		}
		if got := page.Items[0]; got.Label != c.want || got.Event.Stream != pr {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// TestLabelsOnAForge: on a forge the pull request says what is wanted, and how far
// it is. (semantics 17)
func TestLabelsOnAForge(t *testing.T) {
	t.Parallel()
	const pr events.StreamName = "pr-github.com/77/5"
	at := time.Date(2026, 5, 4, 18, 0, 0, 0, time.UTC)
	say := func(p events.Payload) rowstest.At { return rowstest.At{Stream: pr, Payload: p} }
	begun := []rowstest.At{
		say(events.PROpened{Repo: "acme/shop", Number: 5}), say(events.HeadQueued{Head: "a"}),
		say(events.VerdictAdopted{Run: "r", Head: "a", Verdict: events.VerdictComment, Target: events.TargetForge}),
	}
	wanted := say(events.LabelWanted{Verdict: events.VerdictComment, Try: 1, Owner: "b1", Until: at})
	synced := say(events.LabelSynced{Verdict: events.VerdictComment, Try: 1})
	commented, none := label.Commented, label.Label("")
	for name, c := range map[string]struct {
		story []rowstest.At
		want  label.Row
	}{
		"not published yet": {nil, label.Row{}},
		"wanted":            {[]rowstest.At{wanted}, label.Row{Label: commented, State: label.Trying, Try: 1, Until: at}},
		"synced":            {[]rowstest.At{wanted, synced}, label.Row{Label: commented, State: label.Synced, Synced: &commented, Try: 1}},
		"queued again":      {[]rowstest.At{wanted, synced, say(events.HeadQueued{Head: "b"})}, label.Row{Label: commented, State: label.Synced, Synced: &commented, Try: 1}},
		"failed": {[]rowstest.At{wanted, say(events.LabelFailed{Try: 1, Kind: events.FailureInfra, Message: "502", NextAt: at})},
			label.Row{Label: commented, State: label.Failed, Kind: events.FailureInfra, Why: "502", NextAt: at, Try: 1}},
		"resting": {[]rowstest.At{wanted, say(events.LabelFailed{Try: 1, Kind: events.FailureFatal, Message: "403"})},
			label.Row{Label: commented, State: label.Resting, Kind: events.FailureFatal, Why: "403", Try: 1}},
		"none there": {[]rowstest.At{wanted, say(events.LabelSynced{Verdict: events.VerdictComment, Try: 1, Skipped: "s"})},
			label.Row{Label: commented, State: label.Skipped, Why: "s", Try: 1}},
		"to go, once the try has ended": {[]rowstest.At{wanted, say(events.LabelWanted{Try: 1})}, label.Row{State: label.Waiting, Try: 1, Until: at}},
		"gone": {[]rowstest.At{wanted, synced, say(events.LabelWanted{Try: 2, Owner: "b1", Until: at}), say(events.LabelSynced{Try: 2})},
			label.Row{State: label.Synced, Synced: &none, Try: 2}},
	} {
		rows, _ := rowstest.Build(t, []projections.View{label.View()}, append(append([]rowstest.At{}, begun...), c.story...)...)
		got, err := label.RowOf(t.Context(), rows, pr)
		if err != nil || got == nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := c.want
		shown := label.Row{
			Label: got.Label, State: got.State, Synced: got.Synced, Try: got.Try, Until: got.Until, NextAt: got.NextAt, Kind: got.Kind, Why: got.Why,
		}
		if !reflect.DeepEqual(shown, want) {
			t.Errorf("%s: got %+v, want %+v", name, shown, want)
		}
		if (got.State == "") != (len(got.Events) == 0) {
			t.Errorf("%s: the events are %v", name, got.Events)
		}
	}
}

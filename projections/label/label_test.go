package label_test

import (
	"testing"

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

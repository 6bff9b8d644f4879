package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// A review waits until its run has ended, its pull request has noted that and the
// fleet has its place back. One that never had a place waits for none: ten reviews
// of one head at once supersede each other before the fleet hears of them.
func TestReviewEndsWithItsRun(t *testing.T) {
	t.Parallel()
	const id events.RunID = "00c0ffee00c0ffee"
	over, noted := &events.RunEnded{}, &events.HeadSuperseded{Run: id}
	for name, c := range map[string]struct {
		said []events.Payload
		ends bool
	}{
		"in order":            {[]events.Payload{&events.RunAdmitted{}, over, noted, &events.RunFreed{}}, true},
		"its place is taken":  {[]events.Payload{&events.RunAdmitted{}, noted, over}, false},
		"it stands in line":   {[]events.Payload{&events.RunHeld{}, noted, over}, false},
		"it left the line":    {[]events.Payload{&events.RunHeld{}, noted, over, &events.RunFreed{}}, true},
		"it never had one":    {[]events.Payload{noted, over}, true},
		"refused":             {[]events.Payload{&events.RunRefused{}, over, noted}, true},
		"nobody has noted it": {[]events.Payload{over}, false},
		"it goes on":          {[]events.Payload{&events.RunAdmitted{}, noted}, false},
	} {
		w := newRunWatch(&App{Stderr: &bytes.Buffer{}}, false)
		for _, p := range c.said {
			w.observe(&events.Event{Correlation: string(id)}, p)
		}
		ended := false
		select {
		case <-w.of(id, "pr-local/x/1").settled:
			ended = true
		default:
		}
		if ended != c.ends {
			t.Errorf("%s: ended %v, want %v", name, ended, c.ends)
		}
	}
}

// Who waits where no daemon runs hears of it once, and sees it while it waits.
func TestWaitingWithoutADaemonIsSaid(t *testing.T) {
	t.Parallel()
	const id events.RunID = "00c0ffee00c0ffee"
	for _, runs := range []bool{false, true} {
		for _, live := range []bool{false, true} {
			var out bytes.Buffer
			w := newRunWatch(&App{Stderr: &out}, live)
			w.daemon = func() bool { return runs }
			r := w.of(id, "pr-local/x/1")
			observe := func(p events.Payload) { w.observe(&events.Event{Correlation: string(id)}, p) }
			observe(&events.RunHeld{Reason: "1 of 1 runs are running"})
			observe(&events.RunStarted{})
			observe(&events.LaneQueued{Lane: "a"})
			w.place(id, "a", 1, "gpt")
			said, shown := strings.Count(out.String(), aloneWords), strings.Contains(strings.Join(r.board.lines(time.Time{}), "\n"), aloneWords)
			if (said == 1) != (!runs && !live) || shown == runs {
				t.Errorf("daemon %v, terminal %v: said %d times, shown %v", runs, live, said, shown)
			}
			observe(&events.LaneBegan{Lane: "a"})
			if strings.Contains(strings.Join(r.board.lines(time.Time{}), "\n"), aloneWords) {
				t.Error("it is still shown when the lane runs")
			}
		}
	}
}

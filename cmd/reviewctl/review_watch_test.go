package main

import (
	"bytes"
	"testing"

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

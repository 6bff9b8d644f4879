package sqlite

import (
	"context"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

// allocsPerEvent is the bar of goals 6 and 15, decoding included.
const allocsPerEvent = 4

// It counts allocations, so no other test may run at the same time.
func TestReadingAllocatesLittle(t *testing.T) {
	path := benchPath(t)
	lines := benchLines("", 40)
	fill(t, path, lines, len(lines)*perStream)
	l := mustOpen(t, path, Options{})
	decode := func(e *events.Event) bool {
		mustDecode(t, e)
		return true
	}
	for name, c := range map[string]struct {
		events int
		read   func() error
	}{
		"everything":         {len(lines) * perStream, func() error { return l.ReadAll(context.Background(), 0, decode) }},
		"a stream":           {perStream, func() error { return l.ReadStream(context.Background(), lines[7].Stream, 0, decode) }},
		"a stream backwards": {perStream, func() error { return l.ReadBack(context.Background(), lines[7].Stream, decode) }},
	} {
		per := testing.AllocsPerRun(20, func() {
			if err := c.read(); err != nil {
				t.Fatal(err)
			}
		}) / float64(c.events)
		t.Logf("%s: %.2f allocations an event", name, per)
		if per > allocsPerEvent {
			t.Errorf("%s: %.2f allocations an event, want at most %d", name, per, allocsPerEvent)
		}
	}
}

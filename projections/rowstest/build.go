package rowstest

import (
	"testing"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// At is one event of a story: where it is recorded, and what.
type At struct {
	Stream  events.StreamName
	Payload events.Payload
}

// Build projects a story.
func Build(t *testing.T, views []projections.View, story ...At) (projections.Rows, *Log) {
	t.Helper()
	log, rows := NewLog(), projections.NewMemory()
	for _, s := range story {
		log.Add(s.Stream, s.Payload)
	}
	report, err := projections.NewRunner(log, rows, views).CatchUp(t.Context())
	if err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	return rows, log
}

package storetest

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Line writes one stream: it knows the last event and links the next ones.
type Line struct {
	Stream  events.StreamName
	Version events.Version
	Hash    events.Hash
}

// NewLine returns a stream that does not exist yet.
func NewLine(stream events.StreamName) *Line {
	return &Line{Stream: stream, Version: events.NoneYet}
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

var eventNumber atomic.Int64

func newID() events.EventID {
	return events.EventID(fmt.Sprintf("01890000-0000-7000-8000-%012x", eventNumber.Add(1)))
}

// Next returns an append of events with these payloads, without moving the line.
func (l *Line) Next(payloads ...string) events.Append {
	a := events.Append{Stream: l.Stream, Expected: l.Version, Previous: l.Hash}
	for i, payload := range payloads {
		version := l.Version + 1 + events.Version(i)
		a.Events = append(a.Events, events.Event{
			ID: newID(), Stream: l.Stream, Version: version, Type: "run.requested", Revision: 1,
			Time: start.Add(time.Duration(version) * time.Second), By: "reviewctl", Node: "b00t",
			Correlation: "r0000000000000001", Payload: events.JSON(payload),
			Cause:   events.Cause{Stream: "fleet-main", Version: 7, Row: "admit"},
			Decided: `{"command":"pr.push","count":1}`,
		})
	}
	Relink(&a)
	return a
}

// Relink links the events of an append again after they were changed.
func Relink(a *events.Append) {
	previous := a.Previous
	for i := range a.Events {
		events.Link(previous, &a.Events[i])
		previous = a.Events[i].Hash
	}
}

// Stored moves the line behind an append that was stored.
func (l *Line) Stored(a events.Append) {
	last := &a.Events[len(a.Events)-1]
	l.Version, l.Hash = last.Version, last.Hash
}

// add appends events with these payloads and moves the line.
func (l *Line) add(t *testing.T, s events.Store, payloads ...string) events.Appended {
	t.Helper()
	a := l.Next(payloads...)
	out, err := s.Append(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	l.Stored(a)
	return out
}

// numbered returns n different payloads.
func numbered(n int) []string {
	payloads := make([]string, n)
	for i := range payloads {
		payloads[i] = fmt.Sprintf(`{"n":%d}`, i)
	}
	return payloads
}

// sized returns a payload of n bytes.
func sized(n int) string {
	return `{"text":"` + strings.Repeat("x", n-len(`{"text":""}`)) + `"}`
}

func readAll(t *testing.T, s events.Store, after events.Position) (all []events.Event) {
	t.Helper()
	err := s.ReadAll(context.Background(), after, func(e *events.Event) bool {
		all = append(all, *e)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func readStream(t *testing.T, s events.Store, stream events.StreamName, from events.Version) (all []events.Event) {
	t.Helper()
	err := s.ReadStream(context.Background(), stream, from, func(e *events.Event) bool {
		all = append(all, *e)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// mustBeSame compares all but positions, field by field.
func mustBeSame(t *testing.T, got, want []events.Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d events, want %d", len(got), len(want))
	}
	for i := range got {
		g, w := got[i], want[i]
		if !g.Time.Equal(w.Time) || g.Time.Location() != time.UTC {
			t.Fatalf("%s: time %v, want %v", w.Ref(), g.Time, w.Time)
		}
		g.Time, g.Position, w.Position = w.Time, 0, 0
		if g != w {
			t.Fatalf("event %d:\n got %+v\nwant %+v", i, g, w)
		}
	}
}

package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

var appendCases = []testCase{
	{"append/all fields come back", allFields},
	{"append/all or nothing", allOrNothing},
	{"append/conflict", conflicts},
	{"append/exact version and none yet", exactVersions},
	{"append/large payload", largePayload},
	{"append/refused outright", refused},
	{"append/too large", tooLarge},
	{"append/unknown types", unknownTypes},
	{"append/wrong hash at the right version", wrongHash},
}

func exactVersions(t *testing.T, s events.Store, _ Features) {
	line := NewLine("run-1")
	first := line.add(t, s, numbered(1)...)
	second := line.add(t, s, numbered(3)...)
	if first.Last != 0 || second.Last != 3 || second.Position <= first.Position {
		t.Fatalf("landed at %+v and %+v", first, second)
	}
	all := readAll(t, s, 0)
	if all[0].Position != first.Position || all[3].Position != second.Position {
		t.Fatalf("positions %d and %d, want %d and %d", all[0].Position, all[3].Position, first.Position, second.Position)
	}
}

func conflicts(t *testing.T, s events.Store, f Features) {
	line := NewLine("run-1")
	line.add(t, s, numbered(3)...)
	for _, c := range []struct {
		name   string
		at     Line
		actual events.Version
	}{
		{"none yet, but there is one", Line{Stream: "run-1", Version: events.NoneYet}, 2},
		{"behind", Line{Stream: "run-1", Version: 1, Hash: line.Hash}, 2},
		{"ahead", Line{Stream: "run-1", Version: 7, Hash: line.Hash}, 2},
		{"of a stream that does not exist", Line{Stream: "run-2", Version: 0, Hash: line.Hash}, events.NoneYet},
	} {
		_, err := s.Append(context.Background(), c.at.Next(numbered(2)...))
		mustConflict(t, c.name, err, c.at, c.actual, f)
	}
	if n := len(readAll(t, s, 0)); n != 3 {
		t.Fatalf("a conflict left %d events behind", n-3)
	}
	line.add(t, s, numbered(1)...) // and stopped nobody
}

func mustConflict(t *testing.T, name string, err error, at Line, actual events.Version, f Features) {
	t.Helper()
	var conflict *events.ConflictError
	if !errors.As(err, &conflict) {
		t.Fatalf("%s: got %v, want a conflict", name, err)
	}
	if f.ActualUnknown && conflict.Actual == events.NoneYet-1 {
		actual = conflict.Actual
	}
	if want := (events.ConflictError{Stream: at.Stream, Expected: at.Version, Actual: actual}); *conflict != want {
		t.Fatalf("%s: got %+v, want %+v", name, *conflict, want)
	}
}

func wrongHash(t *testing.T, s events.Store, f Features) {
	if f.HashUnchecked {
		t.Skip("the store looks at the version alone")
	}
	line := NewLine("run-1")
	line.add(t, s, numbered(2)...)
	wrong := *line
	wrong.Hash[31] ^= 1
	_, err := s.Append(context.Background(), wrong.Next(numbered(1)...))
	mustConflict(t, "one bit", err, wrong, 1, f)
	line.add(t, s, numbered(1)...)
}

func allOrNothing(t *testing.T, s events.Store, _ Features) {
	line := NewLine("run-1")
	line.add(t, s, numbered(2)...)
	stale := Line{Stream: "run-1", Version: 0, Hash: line.Hash}
	if _, err := s.Append(context.Background(), stale.Next(numbered(5)...)); err == nil {
		t.Fatal("an append over stored events was taken")
	}
	if n := len(readStream(t, s, "run-1", 0)); n != 2 {
		t.Fatalf("%d events, want 2", n)
	}
}

func refused(t *testing.T, s events.Store, _ Features) {
	for name, spoil := range map[string]func(a *events.Append){
		"no events":           func(a *events.Append) { a.Events = nil },
		"no stream":           func(a *events.Append) { a.Stream = "" },
		"unknown category":    func(a *events.Append) { a.Stream = "nothing-1" },
		"a gap in versions":   func(a *events.Append) { a.Events[1].Version++ },
		"an unlinked event":   func(a *events.Append) { a.Events[1].Previous[0]++ },
		"another's event":     func(a *events.Append) { a.Events[0].Stream = "run-2" },
		"time that goes back": func(a *events.Append) { a.Events[1].Time = a.Events[0].Time.Add(-time.Second) },
	} {
		a := NewLine("run-1").Next(numbered(2)...)
		spoil(&a)
		if _, err := s.Append(context.Background(), a); err == nil {
			t.Fatalf("%s: taken", name)
		}
	}
	if n := len(readAll(t, s, 0)); n != 0 {
		t.Fatalf("%d events stored", n)
	}
}

func tooLarge(t *testing.T, s events.Store, _ Features) {
	for name, payloads := range map[string][]string{
		"one event":  {sized(events.EventMaxBytes + events.EventMaxBytes/2)},
		"one append": {sized(400 << 10), sized(400 << 10), sized(400 << 10)},
	} {
		_, err := s.Append(context.Background(), NewLine("run-1").Next(payloads...))
		if !errors.Is(err, events.ErrTooLarge) {
			t.Fatalf("%s: got %v, want ErrTooLarge", name, err)
		}
	}
}

func largePayload(t *testing.T, s events.Store, _ Features) {
	line := NewLine("run-1")
	a := line.Next(sized(events.EventMaxBytes), `{"n":1}`)
	if _, err := s.Append(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	mustBeSame(t, readStream(t, s, "run-1", 0), a.Events)
	mustBeSame(t, readAll(t, s, 0), a.Events)
}

func unknownTypes(t *testing.T, s events.Store, _ Features) {
	line := NewLine("run-1")
	a := line.Next(`{"a":[1,2,{"b":null}]}`, `[]`, `{}`)
	a.Events[0].Type, a.Events[0].Revision = "moon.landed", 3
	a.Events[1].Type = "x"
	a.Events[2].Revision = 99
	Relink(&a)
	if _, err := s.Append(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	got := readStream(t, s, "run-1", 0)
	mustBeSame(t, got, a.Events)
	p, err := events.Decode(&got[0])
	if u, ok := p.(events.Unknown); err != nil || !ok || u.Name != "moon.landed" || u.Raw != a.Events[0].Payload {
		t.Fatalf("decoded to %+v, %v", p, err)
	}
}

func allFields(t *testing.T, s events.Store, _ Features) {
	line := NewLine("pr-github.com/12/3")
	a := line.Next(
		"{\"text\":\"\u2028 \\u0000 \U0001F600 e\u0301 \\\"\\\\ \u202e\"}", // separators, escapes, pairs, marks
		"{ \"spaced\" :\t1.50,\n\"again\":1,\"again\":2 }",                 // kept as it is, not encoded again
		`{}`, `{"n":1}`, `{"n":2}`, `{"n":3}`,
	)
	a.Events[0].By, a.Events[0].Node = "operator:Zoë O'Hara", "b\u0007"
	a.Events[1].Decided = "{\"fields\": {\"a\" : 1}}"
	a.Events[2].Decided, a.Events[2].Correlation, a.Events[2].Cause = "", "", events.Cause{}
	a.Events[3].Time = a.Events[2].Time // the same
	a.Events[4].Time = time.Date(2032, 2, 29, 23, 59, 59, 999_999_999, time.UTC)
	a.Events[5].Time = a.Events[4].Time.Add(1)
	a.Events[5].Cause = events.Cause{Stream: "pool-a#b@c", Version: 1 << 40, Row: "r@1"}
	Relink(&a)
	if _, err := s.Append(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	mustBeSame(t, readStream(t, s, a.Stream, 0), a.Events)
	mustBeSame(t, readAll(t, s, 0), a.Events)
}

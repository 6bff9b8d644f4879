package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

const (
	raceRounds = 40
	gapWriters = 16
	gapAppends = 12
)

var raceCases = []testCase{
	{"race/exactly one wins a version", oneWins},
	{"race/no gap that fills later", noGaps},
}

func oneWins(t *testing.T, s events.Store, f Features) {
	line := NewLine("run-1")
	for round := range raceRounds {
		one, two := line.Next(numbered(1)...), line.Next(numbered(2)...)
		errs := make([]error, 2)
		race(func(i int) {
			_, errs[i] = s.Append(context.Background(), []events.Append{one, two}[i])
		}, 2)
		won, lost := one, 1
		if errs[0] != nil {
			won, lost = two, 0
		}
		if errs[1-lost] != nil || errs[lost] == nil {
			t.Fatalf("round %d: outcomes %v", round, errs)
		}
		mustConflict(t, "the loser", errs[lost], *line, won.Events[len(won.Events)-1].Version, f)
		line.Stored(won)
	}
}

// race runs f n times at one moment and waits.
func race(f func(i int), n int) {
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-begin
			f(i)
		})
	}
	close(begin)
	wg.Wait()
}

// noGaps has a reader of everything run after many writers. What it has read must
// be the log's beginning at any time: an event that appeared before one already
// read would be missing in the end.
func noGaps(t *testing.T, s events.Store, _ Features) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	const total = gapWriters * gapAppends * 2
	var seen []events.Event
	var reader sync.WaitGroup
	reader.Go(func() {
		var after events.Position
		for len(seen) < total {
			if err := s.Follow(ctx, after); err != nil {
				return
			}
			for _, e := range readAll(t, s, after) {
				seen = append(seen, e)
				after = e.Position
			}
		}
	})
	race(func(i int) {
		line := NewLine(events.StreamName(fmt.Sprintf("run-%d", i)))
		for range gapAppends {
			a := line.Next(numbered(2)...)
			if _, err := s.Append(ctx, a); err != nil {
				t.Error(err)
				cancel()
				return
			}
			line.Stored(a)
		}
	}, gapWriters)
	reader.Wait()
	mustBeSame(t, seen, readAll(t, s, 0))
}

var retryCases = []testCase{
	{"retry/nothing is stored", retryOfNothing},
	{"retry/other bytes under the same ids", retryDiffers},
	{"retry/others are stored there", retryConflicts},
	{"retry/the same is stored", retrySame},
}

func retrySame(t *testing.T, s events.Store, _ Features) {
	line := NewLine("run-1")
	line.add(t, s, numbered(1)...)
	a := line.Next(numbered(70)...)
	want, err := s.Append(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	a.Retry = true
	if got, err := s.Append(context.Background(), a); err != nil || got != want {
		t.Fatalf("at the end: got %+v, %v, want %+v", got, err, want)
	}
	line.Stored(a)
	line.add(t, s, numbered(100)...)
	if got, err := s.Append(context.Background(), a); err != nil || got != want {
		t.Fatalf("with events behind it: got %+v, %v, want %+v", got, err, want)
	}
	if n := len(readAll(t, s, 0)); n != 171 {
		t.Fatalf("%d events, want 171", n)
	}
	a.Retry = false
	if _, err := s.Append(context.Background(), a); !isConflict(err) {
		t.Fatalf("the same without Retry: got %v, want a conflict", err)
	}
}

func retryDiffers(t *testing.T, s events.Store, _ Features) {
	line := NewLine("run-1")
	line.add(t, s, numbered(1)...)
	a := line.Next(numbered(2)...)
	if _, err := s.Append(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	other := a
	other.Retry = true
	other.Events = append([]events.Event(nil), a.Events...)
	other.Events[1].Payload = `{"n": 1}`
	Relink(&other)
	if _, err := s.Append(context.Background(), other); !errors.Is(err, events.ErrDiffers) {
		t.Fatalf("got %v, want ErrDiffers", err)
	}
	mustBeSame(t, readStream(t, s, "run-1", 1), a.Events)
}

func retryConflicts(t *testing.T, s events.Store, _ Features) {
	line := NewLine("run-1")
	line.add(t, s, numbered(1)...)
	mine, theirs := line.Next(numbered(2)...), line.Next(numbered(2)...)
	if _, err := s.Append(context.Background(), theirs); err != nil {
		t.Fatal(err)
	}
	mine.Retry = true
	if _, err := s.Append(context.Background(), mine); !isConflict(err) {
		t.Fatalf("got %v, want a conflict", err)
	}
	mustBeSame(t, readStream(t, s, "run-1", 1), theirs.Events)
}

func retryOfNothing(t *testing.T, s events.Store, _ Features) {
	line := NewLine("run-1")
	for range 2 { // of a new stream, and of one that is there
		a := line.Next(numbered(2)...)
		a.Retry = true
		if _, err := s.Append(context.Background(), a); err != nil {
			t.Fatal(err)
		}
		line.Stored(a)
	}
	ahead := Line{Stream: "run-1", Version: 9, Hash: line.Hash}
	a := ahead.Next(numbered(1)...)
	a.Retry = true
	if _, err := s.Append(context.Background(), a); !isConflict(err) {
		t.Fatalf("ahead of the stream: got %v, want a conflict", err)
	}
}

func isConflict(err error) bool {
	var conflict *events.ConflictError
	return errors.As(err, &conflict)
}

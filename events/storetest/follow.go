package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

var followCases = []testCase{
	{"follow/ends with the context", followEnds},
	{"follow/returns at once for what is there", followAtOnce},
	{"follow/wakes on another goroutine's append", followWakes},
}

func followAtOnce(t *testing.T, s events.Store, _ Features) {
	out := NewLine("run-1").add(t, s, numbered(2)...)
	for _, after := range []events.Position{0, out.Position - 1} {
		if err := s.Follow(context.Background(), after); err != nil {
			t.Fatal(err)
		}
	}
}

func followEnds(t *testing.T, s events.Store, _ Features) {
	out := NewLine("run-1").add(t, s, numbered(2)...)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Follow(ctx, out.Position) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the context's error", err)
	}
	if err := s.Follow(ctx, out.Position); !errors.Is(err, context.Canceled) {
		t.Fatalf("with an ended context: got %v", err)
	}
}

// followWakes makes the follower run after the writer: each waits for the other.
func followWakes(t *testing.T, s events.Store, _ Features) {
	line := NewLine("run-1")
	heard := make(chan error)
	go func() {
		var after events.Position
		for range 30 {
			err := s.Follow(context.Background(), after)
			if err == nil {
				err = s.ReadAll(context.Background(), after, func(e *events.Event) bool {
					after = e.Position
					return true
				})
			}
			heard <- err
		}
	}()
	for range 30 {
		line.add(t, s, numbered(1)...)
		if err := <-heard; err != nil {
			t.Fatal(err)
		}
	}
}

var cancelCases = []testCase{
	{"cancel/before", cancelledBefore},
	{"cancel/in the middle", cancelledInside},
	{"cancel/of a read", cancelledRead},
}

func cancelledBefore(t *testing.T, s events.Store, _ Features) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.Append(ctx, NewLine("run-1").Next(numbered(2)...))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the context's error", err)
	}
	if n := len(readAll(t, s, 0)); n != 0 {
		t.Fatalf("%d events stored", n)
	}
}

// cancelledInside ends the context while appends run. Each append is then there
// whole or not at all: success means stored, an unknown outcome may be either, and
// any other error means not stored.
func cancelledInside(t *testing.T, s events.Store, _ Features) {
	const writers, each = 8, 3
	for round := range 25 {
		ctx, cancel := context.WithCancel(context.Background())
		appends, errs := make([]events.Append, writers), make([]error, writers)
		for i := range appends {
			stream := events.StreamName(fmt.Sprintf("run-%d.%d", round, i))
			appends[i] = NewLine(stream).Next(numbered(each)...)
		}
		race(func(i int) {
			if i == writers {
				cancel()
				return
			}
			_, errs[i] = s.Append(ctx, appends[i])
		}, writers+1)
		for i, err := range errs {
			n := len(readStream(t, s, appends[i].Stream, 0))
			unknown := errors.Is(err, events.ErrUnknownOutcome)
			switch {
			case n != 0 && n != each:
				t.Fatalf("half an append: %d of %d events", n, each)
			case err == nil && n == 0:
				t.Fatal("acknowledged and not there")
			case err != nil && !unknown && n != 0:
				t.Fatalf("stored, but answered %v", err)
			}
		}
	}
}

func cancelledRead(t *testing.T, s events.Store, _ Features) {
	NewLine("run-1").add(t, s, numbered(2)...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	yield := func(*events.Event) bool { return true }
	for name, err := range map[string]error{
		"ReadAll":    s.ReadAll(ctx, 0, yield),
		"ReadBack":   s.ReadBack(ctx, "run-1", yield),
		"ReadStream": s.ReadStream(ctx, "run-1", 0, yield),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want the context's error", name, err)
		}
	}
}

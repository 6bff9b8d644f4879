package storetest

import (
	"context"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

var placeCases = []placeCase{
	{"place/reopening keeps all", false, reopened},
	{"place/two handles follow each other", true, twoFollow},
	{"place/two handles race", true, twoRace},
}

func reopened(t *testing.T, open func(t *testing.T) events.Store) {
	s := open(t)
	line := NewLine("run-1")
	line.add(t, s, numbered(70)...)
	want := readAll(t, s, 0)
	closeNow(t, s)
	closeNow(t, s) // closing again does nothing

	s = open(t)
	closeAtEnd(t, s)
	mustBeSame(t, readAll(t, s, 0), want)
	out := line.add(t, s, numbered(2)...)
	if out.Position <= want[len(want)-1].Position {
		t.Fatalf("position %d after reopening, %d before", out.Position, want[len(want)-1].Position)
	}
	VerifyAll(t, s)
}

// twoRace appends to one stream through two handles. Each keeps what it believes
// the stream is at and reads again when it was wrong.
func twoRace(t *testing.T, open func(t *testing.T) events.Store) {
	const each = 25
	stores := []events.Store{open(t), open(t)}
	closeAtEnd(t, stores[0])
	closeAtEnd(t, stores[1])
	race(func(i int) {
		line := NewLine("pool-shared")
		for stored := 0; stored < each; {
			a := line.Next(numbered(2)...)
			_, err := stores[i].Append(context.Background(), a)
			switch {
			case err == nil:
				line.Stored(a)
				stored++
			case isConflict(err):
				for _, e := range readStream(t, stores[i], "pool-shared", line.Version+1) {
					line.Version, line.Hash = e.Version, e.Hash
				}
			default:
				t.Error(err)
				return
			}
		}
	}, 2)
	for _, s := range stores {
		if n := len(readStream(t, s, "pool-shared", 0)); n != 2*2*each {
			t.Fatalf("%d events, want %d", n, 2*2*each)
		}
		VerifyAll(t, s)
	}
}

func twoFollow(t *testing.T, open func(t *testing.T) events.Store) {
	writes, follows := open(t), open(t)
	closeAtEnd(t, writes)
	closeAtEnd(t, follows)
	line := NewLine("run-1")
	heard := make(chan error)
	positions := make(chan events.Position, 1)
	positions <- 0
	go func() {
		for range 10 {
			heard <- follows.Follow(context.Background(), <-positions)
		}
	}()
	for range 10 {
		out := line.add(t, writes, numbered(1)...)
		if err := <-heard; err != nil {
			t.Fatal(err)
		}
		positions <- out.Position
	}
}

// Package storetest is the suite that every events.Store passes. An adapter's test
// calls Run; what an adapter cannot do it declares in Features.
//
// A line is a stream that a case writes: it knows its last event and links the
// next ones. A place is where stores that outlive their handle keep their log.
package storetest

import (
	"context"
	"io"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

// Features are the differences between stores, as data. The zero value is for a
// store that lives in memory.
type Features struct {
	// Place makes one new, empty place and returns what opens a store on it, as often
	// as it is called. nil: a store ends with its handle.
	Place func(t *testing.T) (open func(t *testing.T) events.Store)
	// SeveralHandles says that more than one store may be open on a place.
	SeveralHandles bool
	// ActualUnknown says that a conflict may not know the actual version.
	ActualUnknown bool
	// HashUnchecked says that the store looks at the expected version alone: a wrong
	// Previous at the right version is found when it is read and verified.
	HashUnchecked bool
}

// Run runs every case, each on a store of its own. A store that is an io.Closer is
// closed at the end of its case, after every chain in it was verified.
func Run(t *testing.T, open func(t *testing.T) events.Store, f Features) {
	for _, group := range [][]testCase{appendCases, readCases, raceCases, retryCases, followCases, cancelCases} {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				s := open(t)
				closeAtEnd(t, s)
				c.run(t, s, f)
				VerifyAll(t, s)
			})
		}
	}
	for _, c := range placeCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if f.Place == nil {
				t.Skip("the store ends with its handle")
			}
			if c.several && !f.SeveralHandles {
				t.Skip("one handle at a time")
			}
			c.run(t, f.Place(t))
		})
	}
}

type testCase struct {
	name string
	run  func(t *testing.T, s events.Store, f Features)
}

type placeCase struct {
	name    string
	several bool
	run     func(t *testing.T, open func(t *testing.T) events.Store)
}

func closeAtEnd(t *testing.T, s events.Store) {
	t.Cleanup(func() { closeNow(t, s) })
}

func closeNow(t *testing.T, s events.Store) {
	t.Helper()
	if c, ok := s.(io.Closer); ok {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

// VerifyAll reads the whole log and checks the chain of every stream, the order of
// versions and positions, and that each stream reads the same by itself.
func VerifyAll(t *testing.T, s events.Store) {
	t.Helper()
	ctx := context.Background()
	streams := map[events.StreamName][]events.Event{}
	var last events.Position
	for _, e := range readAll(t, s, 0) {
		if e.Position <= last {
			t.Fatalf("%s is at position %d, behind %d", e.Ref(), e.Position, last)
		}
		last = e.Position
		streams[e.Stream] = append(streams[e.Stream], e)
	}
	for name, want := range streams {
		var previous events.Hash
		for i := range want {
			if want[i].Version != events.Version(i) {
				t.Fatalf("%s: version %d in place %d", name, want[i].Version, i)
			}
			if err := events.Verify(previous, &want[i]); err != nil {
				t.Fatal(err)
			}
			previous = want[i].Hash
		}
		i := 0
		err := s.ReadStream(ctx, name, 0, func(e *events.Event) bool {
			if i < len(want) && e.Hash != want[i].Hash {
				t.Errorf("%s is not the same when read by stream", e.Ref())
			}
			i++
			return true
		})
		if err != nil || i != len(want) {
			t.Fatalf("%s: %d events by stream, %d in the log, error %v", name, i, len(want), err)
		}
	}
}

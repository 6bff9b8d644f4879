package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/events/storetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	place := func(t *testing.T) func(t *testing.T) events.Store {
		path := filepath.Join(t.TempDir(), "log.db")
		return func(t *testing.T) events.Store { return mustOpen(t, path, Options{}) }
	}
	storetest.Run(t, func(t *testing.T) events.Store { return place(t)(t) },
		storetest.Features{Place: place, SeveralHandles: true})
}

func mustOpen(t testing.TB, path string, o Options) *Log {
	t.Helper()
	l, err := Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

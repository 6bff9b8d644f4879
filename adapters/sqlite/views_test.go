package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/rowstest"
)

func openViews(t *testing.T, path string) *Views {
	t.Helper()
	v, err := OpenViews(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

func viewsFile(t *testing.T) string {
	t.Helper()
	return ViewsPath(filepath.Join(t.TempDir(), "events.db"))
}

func TestViewsServeRows(t *testing.T) {
	t.Parallel()
	rowstest.Run(t, func(t *testing.T) projections.Rows { return openViews(t, viewsFile(t)) })
}

var oneRow = projections.Batch{
	View: "v", To: projections.Checkpoint{Version: 1, Position: 1, Last: events.Ref{Stream: "run-1"}},
	Puts: []projections.Row{{Kind: "k", Key: "a", Value: []byte(`{}`)}},
}

var keyOfOneRow = projections.RowKey{Kind: "k", Key: "a"}

func TestViewsStandAcrossOpenings(t *testing.T) {
	t.Parallel()
	path := viewsFile(t)
	first, second := openViews(t, path), openViews(t, path)
	if err := first.Commit(t.Context(), oneRow); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := second.Get(t.Context(), "v", keyOfOneRow); !ok || err != nil {
		t.Fatalf("another opening sees %v, %v", ok, err)
	}
	var overtaken *projections.OvertakenError
	if err := second.Commit(t.Context(), oneRow); !errors.As(err, &overtaken) {
		t.Fatalf("a second projector got %v", err)
	}
}

func TestViewsStartAnew(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, path string){
		"not a database": func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("this was never a database, whatever its name says"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"another format": func(t *testing.T, path string) {
			conn, err := openConn(path, connSettings{Access: forWriting, Busy: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(run(conn, "PRAGMA user_version=77"), conn.Close()); err != nil {
				t.Fatal(err)
			}
		},
		"deleted": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := viewsFile(t)
			v, err := OpenViews(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(v.Commit(t.Context(), oneRow), v.Close()); err != nil {
				t.Fatal(err)
			}
			spoil(t, path)
			v = openViews(t, path)
			if _, ok, err := v.Get(t.Context(), "v", keyOfOneRow); ok || err != nil {
				t.Fatalf("after %s: %v, %v", name, ok, err)
			}
			if err := v.Commit(t.Context(), oneRow); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestViewsFindDamageWhileOpen spoils every page while the file is open: the
// operation that meets it says so, and the next one works on a new file.
func TestViewsFindDamageWhileOpen(t *testing.T) {
	t.Parallel()
	path := viewsFile(t)
	v := openViews(t, path)
	if err := v.Commit(t.Context(), oneRow); err != nil {
		t.Fatal(err)
	}
	if err := run(v.writer, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	stat, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	garbage := make([]byte, stat.Size())
	for i := range garbage {
		garbage[i] = byte(i*7 + 3)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(garbage, 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := v.Get(t.Context(), "v", keyOfOneRow); !errors.Is(err, projections.ErrLost) {
		t.Fatalf("reading a spoiled file: %v", err)
	}
	if err := v.Commit(t.Context(), oneRow); err != nil {
		t.Fatal(err)
	}
}

// TestViewsNoticeThatTheFileIsGone deletes the file of a running process. What is
// open goes on or starts anew; nothing fails for good.
func TestViewsNoticeThatTheFileIsGone(t *testing.T) {
	t.Parallel()
	path := viewsFile(t)
	v := openViews(t, path)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if _, _, err := v.Get(t.Context(), "v", keyOfOneRow); err != nil && !errors.Is(err, projections.ErrLost) {
		t.Fatalf("reading: %v", err)
	}
	if err := v.Commit(t.Context(), oneRow); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := v.Get(t.Context(), "v", keyOfOneRow); !ok || err != nil {
		t.Fatalf("got %v, %v", ok, err)
	}
}

func TestViewsAfterClose(t *testing.T) {
	t.Parallel()
	v, err := OpenViews(viewsFile(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(v.Close(), v.Close()); err != nil {
		t.Fatal(err)
	}
	if err := v.Commit(t.Context(), oneRow); !errors.Is(err, ErrViewsClosed) {
		t.Fatalf("got %v", err)
	}
}

func TestViewsPositions(t *testing.T) {
	t.Parallel()
	v := openViews(t, viewsFile(t))
	for _, want := range []events.Position{0, 7, 5} {
		if want > 0 {
			if err := v.SetPosition(t.Context(), "router", want); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := v.Position(t.Context(), "router"); got != want || err != nil {
			t.Fatalf("got %d, %v, want %d", got, err, want)
		}
	}
}

func TestSnapshots(t *testing.T) {
	t.Parallel()
	v := openViews(t, viewsFile(t))
	at := time.Unix(9, 8).UTC()
	save := func(code string, version events.Version, state string) {
		t.Helper()
		if err := v.SaveSnapshot(t.Context(), "pool-gpt", code, version, events.Hash{byte(version)}, at, []byte(state)); err != nil {
			t.Fatal(err)
		}
	}
	load := func(code string) (events.Version, string, bool) {
		t.Helper()
		version, hash, when, state, ok, err := v.LoadSnapshot(t.Context(), "pool-gpt", code)
		if err != nil || ok && (hash != events.Hash{byte(version)} || !when.Equal(at)) {
			t.Fatalf("%v %v %v", err, hash, when)
		}
		return version, string(state), ok
	}
	if _, _, ok := load("a"); ok {
		t.Fatal("a snapshot that nobody saved")
	}
	save("a", 5, "five")
	save("a", 4, "four") // a slower process
	if version, state, ok := load("a"); !ok || version != 5 || state != "five" {
		t.Fatalf("got %d %q %v", version, state, ok)
	}
	if _, _, ok := load("b"); ok {
		t.Fatal("a snapshot of other code")
	}
	save("b", 2, "")
	if version, state, ok := load("b"); !ok || version != 2 || state != "" {
		t.Fatalf("got %d %q %v", version, state, ok)
	}
}

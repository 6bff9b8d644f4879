package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/events/storetest"
)

// other opens a bare connection, as another process would.
func other(t *testing.T, path string, sql ...string) func(sql string) {
	t.Helper()
	conn, err := openConn(path, connSettings{Access: forWriting, Busy: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	exec := func(sql string) {
		t.Helper()
		if err := runScript(conn, sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range sql {
		exec(s)
	}
	return exec
}

func TestBusy(t *testing.T) {
	t.Parallel()
	path := benchPath(t)
	l := mustOpen(t, path, Options{Busy: time.Millisecond})
	line := storetest.NewLine("run-1")
	exec := other(t, path, "BEGIN IMMEDIATE")
	_, err := l.Append(context.Background(), line.Next(`{}`))
	if !errors.Is(err, events.ErrUnavailable) || errors.Is(err, events.ErrUnknownOutcome) {
		t.Fatalf("while another writes: got %v, want ErrUnavailable", err)
	}
	exec("ROLLBACK")
	if _, err := l.Append(context.Background(), line.Next(`{}`)); err != nil {
		t.Fatal(err)
	}
}

func TestBusyForAWhile(t *testing.T) {
	t.Parallel()
	path := benchPath(t)
	l := mustOpen(t, path, Options{})
	exec := other(t, path, "BEGIN IMMEDIATE")
	done := make(chan error, 1)
	go func() {
		_, err := l.Append(context.Background(), storetest.NewLine("run-1").Next(`{}`))
		done <- err
	}()
	for l.queue.size() == 0 {
		time.Sleep(0)
	}
	exec("ROLLBACK")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestFull(t *testing.T) {
	t.Parallel()
	path := benchPath(t)
	l := mustOpen(t, path, Options{MaxPages: 60})
	line, stored := storetest.NewLine("run-1"), 0
	var err error
	for range 1000 {
		a := line.Next(`{"text":"` + strings.Repeat("x", 3000) + `"}`)
		if _, err = l.Append(context.Background(), a); err != nil {
			break
		}
		line.Stored(a)
		stored++
	}
	if !errors.Is(err, events.ErrFull) || errors.Is(err, events.ErrUnknownOutcome) {
		t.Fatalf("got %v, want ErrFull", err)
	}
	if n := countEvents(t, l); n != stored || stored == 0 {
		t.Fatalf("%d events, %d were acknowledged", n, stored)
	}
	l.Close()
	l = mustOpen(t, path, Options{}) // there is room again
	if _, err := l.Append(context.Background(), line.Next(`{}`)); err != nil {
		t.Fatal(err)
	}
	storetest.VerifyAll(t, l)
	if err := l.Check(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func countEvents(t testing.TB, l *Log) (n int) {
	t.Helper()
	err := l.ReadAll(context.Background(), 0, func(*events.Event) bool { n++; return true })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		want error
	}{
		"a newer format": {func(t *testing.T, path string) {
			mustOpen(t, path, Options{}).Close()
			other(t, path, "PRAGMA user_version=2")
		}, events.ErrNewer},
		"another application's database": {func(t *testing.T, path string) {
			other(t, path, "CREATE TABLE cats (name TEXT)")
		}, events.ErrDamaged},
		"another application's mark": {func(t *testing.T, path string) {
			other(t, path, "PRAGMA application_id=7")
		}, events.ErrDamaged},
		"no database": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("not a database\n", 500)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, events.ErrDamaged},
		"no directory": {func(t *testing.T, path string) {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}, events.ErrUnavailable},
		"a directory": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, events.ErrUnavailable},
	} {
		for _, readOnly := range []bool{false, true} {
			path := benchPath(t)
			c.make(t, path)
			l, err := Open(context.Background(), path, Options{ReadOnly: readOnly, Busy: time.Second})
			if err == nil {
				l.Close()
			}
			if !errors.Is(err, c.want) {
				t.Errorf("%s (read-only %v): got %v, want %v", name, readOnly, err, c.want)
			}
		}
	}
}

func TestDamagedFile(t *testing.T) {
	t.Parallel()
	path := benchPath(t)
	l := mustOpen(t, path, Options{})
	line := storetest.NewLine("run-1")
	for range 50 {
		a := line.Next(`{"text":"` + strings.Repeat("x", 3000) + `"}`)
		if _, err := l.Append(context.Background(), a); err != nil {
			t.Fatal(err)
		}
		line.Stored(a)
	}
	if err := l.Check(context.Background()); err != nil {
		t.Fatal(err)
	}
	l.Close()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	noise := []byte(strings.Repeat("\xfe\x13", 2048))
	for at := int64(3 * 4096); at < info.Size(); at += 4096 {
		if _, err := file.WriteAt(noise, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	l, err = Open(context.Background(), path, Options{})
	if err == nil {
		err = l.Check(context.Background())
		if !errors.Is(err, events.ErrDamaged) {
			t.Errorf("Check: got %v, want ErrDamaged", err)
		}
		err = l.ReadAll(context.Background(), 0, func(*events.Event) bool { return true })
		l.Close()
	}
	if !errors.Is(err, events.ErrDamaged) {
		t.Fatalf("got %v, want ErrDamaged", err)
	}
}

func TestCheckFindsAHeadRowThatIsNotAtTheEnd(t *testing.T) {
	t.Parallel()
	path := benchPath(t)
	l := mustOpen(t, path, Options{})
	if _, err := l.Append(context.Background(), storetest.NewLine("run-1").Next(`{}`, `{}`)); err != nil {
		t.Fatal(err)
	}
	other(t, path, "UPDATE streams SET version = 0")
	if err := l.Check(context.Background()); !errors.Is(err, events.ErrDamaged) || !strings.Contains(err.Error(), "run-1") {
		t.Fatalf("got %v, want ErrDamaged of run-1", err)
	}
	if err := l.ReadStream(context.Background(), "run-1", 0, func(*events.Event) bool { return true }); !errors.Is(err, events.ErrDamaged) {
		t.Fatalf("ReadStream: got %v, want ErrDamaged", err)
	}
}

func TestReadOnlyOption(t *testing.T) {
	t.Parallel()
	path := benchPath(t)
	l := mustOpen(t, path, Options{})
	line := storetest.NewLine("run-1")
	a := line.Next(`{}`, `{}`)
	if _, err := l.Append(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	line.Stored(a)
	ro := mustOpen(t, path, Options{ReadOnly: true}) // beside a writer
	if n := countEvents(t, ro); n != 2 {
		t.Fatalf("%d events", n)
	}
	if _, err := ro.Append(context.Background(), line.Next(`{}`)); !errors.Is(err, events.ErrReadOnly) {
		t.Fatalf("got %v, want ErrReadOnly", err)
	}
}

// The view for people shows each field as it is.
func TestViewForPeople(t *testing.T) {
	t.Parallel()
	path := benchPath(t)
	l := mustOpen(t, path, Options{})
	a := storetest.NewLine("run-1").Next(`{"n":1}`)
	e := &a.Events[0]
	e.By, e.Node, e.Type = "operator:Zoë", "bøøt", "lane.granted"
	storetest.Relink(&a)
	if _, err := l.Append(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	conn, err := openConn(path, connSettings{Access: forReading, Busy: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	got, err := queryText(conn, `SELECT concat_ws('|', position, stream, version, time, type, revision, written_by, node,
		correlation, cause, decided, payload, id, chain, hash, previous) FROM log WHERE type = 'lane.granted'`)
	want := strings.Join([]string{
		"1", "run-1", "0", events.FormatTime(e.Time), "lane.granted", "1", e.By, e.Node, e.Correlation,
		e.Cause.Text(), string(e.Decided), string(e.Payload), string(e.ID), "1", e.Hash.String(), e.Previous.String(),
	}, "|")
	if err != nil || got != want {
		t.Fatalf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestLongEnvelopeFailsNoNeighbour(t *testing.T) {
	t.Parallel()
	l := mustOpen(t, benchPath(t), Options{})
	a := storetest.NewLine("run-1").Next(`{}`)
	a.Events[0].Correlation = strings.Repeat("x", envelopeTextMax)
	storetest.Relink(&a)
	if _, err := l.Append(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	b := storetest.NewLine("run-2").Next(`{}`)
	b.Events[0].By = strings.Repeat("x", envelopeTextMax+1)
	storetest.Relink(&b)
	if _, err := l.Append(context.Background(), b); !errors.Is(err, events.ErrTooLarge) {
		t.Fatalf("got %v, want ErrTooLarge", err)
	}
	storetest.VerifyAll(t, l)
}

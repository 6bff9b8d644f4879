package sqlite

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
)

// access says what a connection is for.
type access int

const (
	forWriting access = iota // creates the file where there is none
	forReading               // may map the file into memory, and refuses to write
)

// connSettings are the pragmas that differ between the files of this package.
type connSettings struct {
	Access      access
	Busy        time.Duration // how long one statement waits for another process
	Checkpoint  int           // pages in the write-ahead log before it is copied back; 0 = the default
	CachePages  int           // 0 = the default
	MappedBytes int64         // 0 = the file is not mapped
	Frozen      bool          // nobody writes it: needs no lock files, and sees no write-ahead log
}

// openConn opens one connection with synchronous=FULL. The journal mode is the
// file's own; useWAL sets it. A connection belongs to one goroutine at a time.
func openConn(path string, s connSettings) (*zombie.Conn, error) {
	flags := zombie.OpenReadWrite | zombie.OpenCreate
	if s.Access == forReading {
		flags = zombie.OpenReadOnly
	}
	name := path
	if s.Frozen {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
		name = (&url.URL{Scheme: "file", Path: absolute, RawQuery: "immutable=1"}).String()
		flags |= zombie.OpenURI
	}
	conn, err := zombie.OpenConn(name, flags)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, translate(err))
	}
	conn.SetBusyTimeout(s.Busy)
	pragmas := []string{"PRAGMA synchronous=FULL"}
	if s.Access == forReading {
		pragmas = append(pragmas, "PRAGMA query_only=1")
	}
	if s.Checkpoint > 0 {
		pragmas = append(pragmas, fmt.Sprintf("PRAGMA wal_autocheckpoint=%d", s.Checkpoint))
	}
	if s.CachePages > 0 {
		pragmas = append(pragmas, fmt.Sprintf("PRAGMA cache_size=%d", s.CachePages))
	}
	if s.MappedBytes > 0 {
		pragmas = append(pragmas, fmt.Sprintf("PRAGMA mmap_size=%d", s.MappedBytes))
	}
	for _, pragma := range pragmas {
		if err := run(conn, pragma); err != nil {
			conn.Close()
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
	}
	return conn, nil
}

// walTries bounds how often the switch to WAL is tried: SQLite does not wait for
// the lock there when two processes create one file.
const (
	walTries = 50
	walPause = 10 * time.Millisecond
)

// useWAL makes the file keep a write-ahead log, as it stays from then on.
func useWAL(conn *zombie.Conn) error {
	var err error
	for range walTries {
		var mode string
		if mode, err = queryText(conn, "PRAGMA journal_mode=WAL"); err == nil {
			if mode != "wal" {
				return fmt.Errorf("switch to a write-ahead log: the file stays at %q: %w", mode, events.ErrUnavailable)
			}
			return nil
		}
		if !errors.Is(err, errBusy) {
			break
		}
		time.Sleep(walPause)
	}
	return fmt.Errorf("switch to a write-ahead log: %w", err)
}

// run executes one statement to its end and drops its rows.
func run(conn *zombie.Conn, sql string) error {
	stmt, _, err := conn.PrepareTransient(sql)
	if err != nil {
		return translate(err)
	}
	for {
		row, err := stmt.Step()
		if err != nil || !row {
			return translate(errors.Join(err, stmt.Finalize()))
		}
	}
}

// runScript executes the statements of a script one after another.
func runScript(conn *zombie.Conn, sql string) error {
	for sql = strings.TrimSpace(sql); sql != ""; sql = strings.TrimSpace(sql) {
		stmt, rest, err := conn.PrepareTransient(sql)
		if err != nil {
			return translate(err)
		}
		sql = sql[len(sql)-rest:]
		_, err = stmt.Step()
		if err = errors.Join(err, stmt.Finalize()); err != nil {
			return translate(err)
		}
	}
	return nil
}

// queryInt returns the first column of the first row; no row is 0.
func queryInt(conn *zombie.Conn, sql string) (n int64, err error) {
	err = queryRow(conn, sql, func(s *zombie.Stmt) { n = s.ColumnInt64(0) })
	return n, err
}

// queryText returns the first column of the first row; no row is "".
func queryText(conn *zombie.Conn, sql string) (text string, err error) {
	err = queryRow(conn, sql, func(s *zombie.Stmt) { text = s.ColumnText(0) })
	return text, err
}

func queryRow(conn *zombie.Conn, sql string, read func(*zombie.Stmt)) error {
	stmt, err := conn.Prepare(sql)
	if err != nil {
		return translate(err)
	}
	row, err := stmt.Step()
	if err != nil {
		return translate(err)
	}
	if row {
		read(stmt)
	}
	return translate(stmt.Reset())
}

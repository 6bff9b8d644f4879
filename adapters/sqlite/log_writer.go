package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
)

// openWriter opens the file, and makes it a log where it is empty.
func (l *Log) openWriter() (*writer, error) {
	w := &writer{log: l}
	if err := w.open(); err != nil {
		return nil, fmt.Errorf("open the log %s: %w", l.path, err)
	}
	return w, nil
}

func (w *writer) open() error {
	conn, err := openConn(w.log.path, connSettings{
		Access: forWriting, Busy: w.log.busy, Checkpoint: checkpointPages, CachePages: writerCache,
	})
	if err != nil {
		return w.whyNot(err)
	}
	if err = prepareFile(conn); err == nil {
		w.store, err = prepareStatements(conn)
	}
	if err == nil && w.log.max > 0 {
		err = run(conn, fmt.Sprintf("PRAGMA max_page_count=%d", w.log.max))
	}
	if err == nil {
		conn.SetBusyTimeout(0)
		err = tryLock(conn)
	}
	if err != nil {
		return w.whyNot(errors.Join(err, conn.Close()))
	}
	conn.SetBusyTimeout(min(busyTry, w.log.busy))
	w.conn = conn
	return nil
}

// tryLock finds out whether the file can be written at all: SQLite opens one that
// cannot without a word. That another process is writing is proof enough.
func tryLock(conn *zombie.Conn) error {
	err := run(conn, "BEGIN IMMEDIATE")
	if errors.Is(err, errBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	return run(conn, "ROLLBACK")
}

// whyNot tells a log that cannot be written from one that cannot be opened, which
// are one error to SQLite.
func (w *writer) whyNot(err error) error {
	if !errors.Is(err, errCannotOpen) {
		return err
	}
	if file, fileErr := os.OpenFile(w.log.path, os.O_RDWR, 0); fileErr == nil {
		file.Close()
	} else if isReadOnly(fileErr) {
		return fmt.Errorf("%w: %w", events.ErrReadOnly, fileErr)
	}
	probe, dirErr := os.CreateTemp(filepath.Dir(w.log.path), ".writable-*")
	if dirErr != nil {
		if isReadOnly(dirErr) {
			return fmt.Errorf("%w: %w", events.ErrReadOnly, dirErr)
		}
		return fmt.Errorf("%w: %w", events.ErrUnavailable, dirErr)
	}
	return errors.Join(err, probe.Close(), os.Remove(probe.Name()))
}

func isReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, errReadOnlyMedium)
}

package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/schemas"
)

// A log file says in its header whose it is and which format it has.
const (
	logApplication = 0x52564c47 // "RVLG"
	logFormat      = 1
)

// formatState is what a file's header says.
type formatState int

const (
	formatNone  formatState = iota // an empty file
	formatKnown                    // ours, and as this version writes it
)

// readFormat judges a file without changing it.
func readFormat(conn *zombie.Conn) (formatState, error) {
	application, err := queryInt(conn, "PRAGMA application_id")
	if err != nil {
		return 0, err
	}
	format, err := queryInt(conn, "PRAGMA user_version")
	if err != nil {
		return 0, err
	}
	switch {
	case application == logApplication && format == logFormat:
		return formatKnown, nil
	case application == logApplication && format > logFormat:
		return 0, fmt.Errorf("format %d, this version knows %d: %w", format, logFormat, events.ErrNewer)
	case application != 0 || format != 0:
		return 0, fmt.Errorf("application %#x, format %d: not a log of reviewctl: %w", application, format, events.ErrDamaged)
	}
	tables, err := queryInt(conn, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return 0, err
	}
	if tables > 0 {
		return 0, fmt.Errorf("a database of another application: %w", events.ErrDamaged)
	}
	return formatNone, nil
}

// prepareFile makes an empty file a log, and refuses what is no log. Several
// processes may do so at once: the second finds the first one's tables.
func prepareFile(conn *zombie.Conn) error {
	state, err := readFormat(conn)
	if err != nil || state == formatKnown {
		return err
	}
	if err := useWAL(conn); err != nil {
		return err
	}
	ddl, err := schemas.SQL.ReadFile("sql/log.sql")
	if err != nil {
		return fmt.Errorf("read the log's tables: %w", err)
	}
	if err := run(conn, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := createTables(conn, string(ddl)); err != nil {
		return errors.Join(err, run(conn, "ROLLBACK"))
	}
	return run(conn, "COMMIT")
}

func createTables(conn *zombie.Conn, ddl string) error {
	state, err := readFormat(conn)
	if err != nil || state == formatKnown {
		return err
	}
	if err := run(conn, fmt.Sprintf("PRAGMA application_id=%d", logApplication)); err != nil {
		return err
	}
	if err := run(conn, fmt.Sprintf("PRAGMA user_version=%d", logFormat)); err != nil {
		return err
	}
	return runScript(conn, ddl)
}

// checkReadOnly judges a log that is not to be written. It is frozen where SQLite
// can make no lock files beside it, for want of leave or of room, and no writer has
// left anything in one.
func checkReadOnly(path string) (frozen bool, err error) {
	if _, err := os.Stat(path); err != nil {
		return false, fmt.Errorf("open %s: %w: %w", path, events.ErrUnavailable, err)
	}
	err = checkKnown(path, false)
	if !errors.Is(err, errCannotOpen) && !errors.Is(err, errDisk) && !errors.Is(err, events.ErrReadOnly) && !errors.Is(err, events.ErrFull) {
		return false, err
	}
	wal, walErr := os.Stat(path + walSuffix)
	if walErr == nil && wal.Size() > 0 || walErr != nil && !errors.Is(walErr, fs.ErrNotExist) {
		return false, err
	}
	return true, checkKnown(path, true)
}

func checkKnown(path string, frozen bool) error {
	conn, err := openConn(path, connSettings{Access: forReading, Busy: BusyDefault, Frozen: frozen})
	if err != nil {
		return err
	}
	state, err := readFormat(conn)
	if err == nil && state == formatNone {
		err = fmt.Errorf("an empty file: %w", events.ErrDamaged)
	}
	if err = errors.Join(err, conn.Close()); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	return nil
}

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/schemas"
)

// viewsFormat numbers the tables of schemas/sql/views.sql. A file of any other
// format starts anew.
const viewsFormat = 1

const (
	viewsBusy       = time.Second // one wait for another process's transaction
	viewsBusyTries  = 30          // and how often it is waited for
	viewsReaders    = 4           // connections that read at the same time
	viewsCachePages = 4000        // 16 MiB for the writer: a rebuild inserts all over its tree
	viewsWALPages   = 4000        // pages in the write-ahead log before they are copied back
)

// ViewsPath returns where the read models of a log are kept.
func ViewsPath(log string) string { return log + ".views" }

// Views keeps read models, snapshots and positions in a file of its own. It
// serves projections.Rows. What the file holds is a cache: a damaged file is
// thrown away, and the operation that found it answers projections.ErrLost.
type Views struct {
	path    string
	gate    sync.RWMutex // held for writing while the file is replaced
	writing sync.Mutex
	writer  *zombie.Conn
	ballast *zombie.Stmt
	file    os.FileInfo       // that the connections are of
	readers chan *zombie.Conn // nil = not open yet
	closed  bool
	anew    atomic.Bool // a damaged file was thrown away
}

// ErrViewsClosed says that the views are not open any more.
var ErrViewsClosed = errors.New("the views are closed")

// OpenViews opens the file, or creates it.
func OpenViews(path string) (*Views, error) {
	v := &Views{path: path, readers: make(chan *zombie.Conn, viewsReaders)}
	for range viewsReaders {
		v.readers <- nil
	}
	err := v.open()
	if errors.Is(err, events.ErrDamaged) {
		err = v.startAnew(true)
	}
	if err != nil {
		return nil, fmt.Errorf("open the views: %w", err)
	}
	return v, nil
}

// StartedAnew reports whether a damaged file was thrown away since the views were
// opened, so that what it held is built again.
func (v *Views) StartedAnew() bool { return v.anew.Load() }

// Close closes all connections after the operations that are under way.
func (v *Views) Close() error {
	v.gate.Lock()
	defer v.gate.Unlock()
	v.closed = true
	return v.closeAll()
}

func (v *Views) closeAll() error {
	var errs []error
	for range viewsReaders {
		if conn := <-v.readers; conn != nil {
			errs = append(errs, conn.Close())
		}
	}
	for range viewsReaders {
		v.readers <- nil
	}
	if v.writer != nil {
		errs = append(errs, v.ballast.Finalize(), v.writer.Close())
		v.writer, v.ballast = nil, nil
	}
	return translate(errors.Join(errs...))
}

// open opens the writer and sees to the tables.
func (v *Views) open() error {
	conn, err := openConn(v.path, connSettings{Access: forWriting, Busy: viewsBusy, Checkpoint: viewsWALPages, CachePages: viewsCachePages})
	if err != nil {
		return err
	}
	if err := prepareViews(conn); err != nil {
		return errors.Join(err, conn.Close())
	}
	file, err := os.Stat(v.path)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	ballast, err := holdMemory(conn)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	v.writer, v.ballast, v.file = conn, ballast, file
	return nil
}

// Sizes of the values that holdMemory keeps, as powers of two.
const ballastFrom, ballastTo = 4, 15

// holdMemory keeps one bound value of each size alive. The driver's allocator
// gives a page back to the system whenever the last value of its size is freed,
// so that without this each bound value costs a system call to get memory and one
// to give it back: measured, a fifth of a rebuild.
func holdMemory(conn *zombie.Conn) (*zombie.Stmt, error) {
	stmt, err := conn.Prepare("SELECT " + strings.Repeat("?,", ballastTo-ballastFrom) + "?")
	if err != nil {
		return nil, translate(err)
	}
	for n := ballastFrom; n <= ballastTo; n++ {
		stmt.BindBytes(n-ballastFrom+1, make([]byte, 1<<n-1))
	}
	return stmt, nil
}

// prepareViews makes the tables. The check is repeated within the transaction,
// since another process may be here too.
func prepareViews(conn *zombie.Conn) error {
	if err := useWAL(conn); err != nil {
		return err
	}
	// What a power cut takes from a cache is built again.
	if err := run(conn, "PRAGMA synchronous=NORMAL"); err != nil {
		return err
	}
	format, err := queryInt(conn, "PRAGMA user_version")
	if err != nil || format == viewsFormat {
		return err
	}
	ddl, err := schemas.SQL.ReadFile("sql/views.sql")
	if err != nil {
		return fmt.Errorf("read the tables of the views: %w", err)
	}
	return immediately(context.Background(), conn, func() error {
		format, err := queryInt(conn, "PRAGMA user_version")
		if err != nil || format == viewsFormat {
			return err
		}
		for _, table := range []string{"views", "view_rows", "positions", "snapshots"} {
			if err := run(conn, "DROP TABLE IF EXISTS "+table); err != nil {
				return err
			}
		}
		if err := runScript(conn, string(ddl)); err != nil {
			return err
		}
		return run(conn, fmt.Sprintf("PRAGMA user_version=%d", viewsFormat))
	})
}

// startAnew opens what stands at the path now, after the damaged file was thrown
// away. Whoever else has the old file open goes on with one that nobody else
// sees, and loses nothing but work.
func (v *Views) startAnew(damaged bool) error {
	err := v.closeAll()
	if damaged {
		v.anew.Store(true)
		for _, suffix := range []string{"", walSuffix, "-shm"} {
			if e := os.Remove(v.path + suffix); e != nil && !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
	}
	if e := v.open(); e != nil {
		return errors.Join(err, e)
	}
	return nil
}

// moved reports whether the file was deleted or replaced under our feet.
func (v *Views) moved() bool {
	now, err := os.Stat(v.path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, v.file)
}

// immediately runs f in a transaction that writes, and commits it if f does not
// fail. It waits while others write, as long as the context lets it.
func immediately(ctx context.Context, conn *zombie.Conn, f func() error) error {
	if err := begin(ctx, conn); err != nil {
		return err
	}
	err := f()
	if err == nil {
		err = run(conn, "COMMIT")
	}
	if err != nil && !conn.AutocommitEnabled() {
		return errors.Join(err, run(conn, "ROLLBACK"))
	}
	return err
}

func begin(ctx context.Context, conn *zombie.Conn) error {
	stmt, err := conn.Prepare("BEGIN IMMEDIATE")
	if err != nil {
		return translate(err)
	}
	for range viewsBusyTries {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err = stmt.Step()
		if zombie.ErrCode(err).ToPrimary() != zombie.ResultBusy {
			return translate(err)
		}
	}
	return translate(err)
}

// write runs f with the writer in a transaction.
func (v *Views) write(ctx context.Context, f func(*zombie.Conn) error) error {
	return v.guarded(func() error {
		v.writing.Lock()
		defer v.writing.Unlock()
		return immediately(ctx, v.writer, func() error { return f(v.writer) })
	})
}

// read runs f with one of the readers.
func (v *Views) read(ctx context.Context, f func(*zombie.Conn) error) error {
	return v.guarded(func() error {
		var conn *zombie.Conn
		select {
		case conn = <-v.readers:
		case <-ctx.Done():
			return ctx.Err()
		}
		if conn == nil {
			var err error
			if conn, err = openConn(v.path, connSettings{Access: forReading, Busy: viewsBusy}); err != nil {
				v.readers <- nil
				return err
			}
		}
		defer func() { v.readers <- conn }()
		return f(conn)
	})
}

// guarded runs one operation; where it finds the file damaged or gone, the file
// starts anew.
func (v *Views) guarded(operation func() error) error {
	v.gate.RLock()
	writer := v.writer
	if v.closed || writer == nil {
		v.gate.RUnlock()
		return ErrViewsClosed
	}
	err := operation()
	v.gate.RUnlock()
	damaged := errors.Is(err, events.ErrDamaged)
	gone := errors.Is(err, events.ErrUnavailable) || errors.Is(err, events.ErrReadOnly)
	if !damaged && !gone {
		return err
	}
	v.gate.Lock()
	defer v.gate.Unlock()
	if v.closed {
		return ErrViewsClosed
	}
	if v.writer != writer { // somebody else here was faster
		return projections.ErrLost
	}
	if gone && !v.moved() {
		return err
	}
	if anew := v.startAnew(damaged); anew != nil {
		return errors.Join(err, anew)
	}
	return projections.ErrLost
}

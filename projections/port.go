package projections

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// ViewName names a view, for example "status".
type ViewName string

// Kind names one sort of row within a view, for example "run".
type Kind string

// Columns are what rows are found and ordered by. None of them is unique.
type Columns struct {
	Repo  string
	State string
	At    time.Time // since when, or when last changed: the view says which
	Sort  string    // rows of a kind come in the order of (Sort, key)
}

// Row is one record of a view.
type Row struct {
	Kind Kind
	Key  string
	Columns
	Value []byte // JSON
}

// cursorEnd separates sort and key in a cursor; neither holds a NUL.
const cursorEnd = "\x00"

// Cursor is the place of the row in a scan of its kind.
func (r *Row) Cursor() string {
	return base64.RawURLEncoding.EncodeToString([]byte(r.Sort + cursorEnd + r.Key))
}

// ErrCursor says that a cursor was not written by Row.Cursor.
var ErrCursor = errors.New("not a cursor of this list")

// ParseCursor reads what Row.Cursor wrote.
func ParseCursor(cursor string) (sort, key string, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return "", "", fmt.Errorf("read cursor %q: %w", cursor, ErrCursor)
	}
	sort, key, ok := strings.Cut(string(text), cursorEnd)
	if !ok {
		return "", "", fmt.Errorf("read cursor %q: %w", cursor, ErrCursor)
	}
	return sort, key, nil
}

// RowKey names a row within its view.
type RowKey struct {
	Kind Kind
	Key  string
}

// Checkpoint is the last event that a view has seen. The zero Checkpoint is that
// of a view that has seen nothing.
type Checkpoint struct {
	Version  int             // of the view that wrote the rows
	Position events.Position // of the event
	Last     events.Ref      // the event
	Hash     events.Hash     // its hash: tells another log from this one
	Time     time.Time       // its time
	Unknown  int64           // events that were skipped because nobody here knows them
}

// Same reports whether both stand for the same rows.
func (c Checkpoint) Same(d Checkpoint) bool {
	return c.Version == d.Version && c.Position == d.Position && c.Hash == d.Hash
}

// Batch is what one view makes of some events.
type Batch struct {
	View     ViewName
	From, To Checkpoint
	Puts     []Row    // inserted, or replaced whole
	Deletes  []RowKey // those that do not exist are no error
}

// Query selects rows of one kind. Empty fields select everything.
type Query struct {
	View   ViewName
	Kind   Kind
	Prefix string // of the key
	Repo   string
	State  string
	Since  time.Time // Columns.At is this or later
	After  string    // a cursor: rows behind it in the order of the scan
	Limit  int       // 0 = all
	Newest bool      // the order reversed
}

// Rows is where views are kept. Every method may be called from any goroutine
// and, in other processes, at the same time.
type Rows interface {
	// Checkpoint returns how far a view is; zero where it does not exist.
	Checkpoint(ctx context.Context, view ViewName) (Checkpoint, error)
	// Commit writes rows and checkpoint in one transaction, if the checkpoint is
	// still From; else nothing is written and the error is a *OvertakenError.
	Commit(ctx context.Context, b Batch) error
	// Get returns one row, and whether there is one.
	Get(ctx context.Context, view ViewName, key RowKey) (Row, bool, error)
	// Scan calls yield for the selected rows in the order of (Sort, key), until it
	// returns false. All of one scan is of one moment. yield must not ask the rows
	// for anything: collect first.
	Scan(ctx context.Context, q Query, yield func(*Row) bool) error
	// Reset forgets a view: no rows, and the zero checkpoint.
	Reset(ctx context.Context, view ViewName) error
	// Replace puts what was built under one name in the place of another, in one
	// transaction; the built name is then free.
	Replace(ctx context.Context, built, live ViewName) error
}

// ErrLost says that the rows are damaged and were thrown away: whoever catches
// up now builds them again.
var ErrLost = errors.New("the views were damaged and start anew")

// OvertakenError says that another projector was faster.
type OvertakenError struct {
	View     ViewName
	Expected events.Position
	Actual   events.Position
}

func (e *OvertakenError) Error() string {
	return fmt.Sprintf("view %s: another projector went from position %d to %d", e.View, e.Expected, e.Actual)
}

package sqlite

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

var _ projections.Rows = (*Views)(nil)

// Times are stored in nanoseconds; the zero time is before all others.
const viewsNever = math.MinInt64

func viewsTime(t time.Time) int64 {
	if t.IsZero() {
		return viewsNever
	}
	return t.UnixNano()
}

func viewsTimeOf(n int64) time.Time {
	if n == viewsNever {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// Checkpoint returns how far a view is; zero where it does not exist.
func (v *Views) Checkpoint(ctx context.Context, view projections.ViewName) (c projections.Checkpoint, err error) {
	err = v.read(ctx, func(conn *zombie.Conn) error {
		_, c, err = viewsCheckpoint(conn, view)
		return err
	})
	return c, err
}

const viewsCheckpointSQL = `SELECT id, version, position, event_stream, event_version, event_hash, event_time, unknown
FROM views WHERE name = ?`

// viewsCheckpoint returns the view's number, 0 where it does not exist.
func viewsCheckpoint(conn *zombie.Conn, view projections.ViewName) (id int64, c projections.Checkpoint, err error) {
	stmt, err := conn.Prepare(viewsCheckpointSQL)
	if err != nil {
		return 0, c, translate(err)
	}
	stmt.BindText(1, string(view))
	row, err := stmt.Step()
	if err != nil || !row {
		return 0, c, translate(err)
	}
	id = stmt.ColumnInt64(0)
	c.Version = stmt.ColumnInt(1)
	c.Position = events.Position(stmt.ColumnInt64(2))
	c.Last = events.Ref{Stream: events.StreamName(stmt.ColumnText(3)), Version: events.Version(stmt.ColumnInt64(4))}
	stmt.ColumnBytes(5, c.Hash[:])
	c.Time = viewsTimeOf(stmt.ColumnInt64(6))
	c.Unknown = stmt.ColumnInt64(7)
	return id, c, translate(stmt.Reset())
}

const viewsInsertSQL = `INSERT INTO views (name, version, position, event_stream, event_version, event_hash, event_time, unknown)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET version = excluded.version, position = excluded.position,
  event_stream = excluded.event_stream, event_version = excluded.event_version, event_hash = excluded.event_hash,
  event_time = excluded.event_time, unknown = excluded.unknown`

// Commit writes rows and checkpoint in one transaction, if the checkpoint is
// still b.From.
func (v *Views) Commit(ctx context.Context, b projections.Batch) error {
	return v.write(ctx, func(conn *zombie.Conn) error {
		id, at, err := viewsCheckpoint(conn, b.View)
		if err != nil {
			return err
		}
		if !at.Same(b.From) {
			return &projections.OvertakenError{View: b.View, Expected: b.From.Position, Actual: at.Position}
		}
		if err := viewsSetCheckpoint(conn, b.View, b.To); err != nil {
			return err
		}
		if id == 0 {
			if id, _, err = viewsCheckpoint(conn, b.View); err != nil {
				return err
			}
		}
		if err := viewsDelete(conn, id, b.Deletes); err != nil {
			return err
		}
		return viewsPut(conn, id, b.Puts)
	})
}

func viewsSetCheckpoint(conn *zombie.Conn, view projections.ViewName, c projections.Checkpoint) error {
	stmt, err := conn.Prepare(viewsInsertSQL)
	if err != nil {
		return translate(err)
	}
	stmt.BindText(1, string(view))
	stmt.BindInt64(2, int64(c.Version))
	stmt.BindInt64(3, int64(c.Position))
	stmt.BindText(4, string(c.Last.Stream))
	stmt.BindInt64(5, int64(c.Last.Version))
	stmt.BindBytes(6, c.Hash[:])
	stmt.BindInt64(7, viewsTime(c.Time))
	stmt.BindInt64(8, c.Unknown)
	return finish(stmt)
}

func viewsDelete(conn *zombie.Conn, id int64, keys []projections.RowKey) error {
	stmt, err := conn.Prepare(`DELETE FROM view_rows WHERE view = ? AND kind = ? AND key = ?`)
	if err != nil {
		return translate(err)
	}
	for _, key := range keys {
		stmt.BindInt64(1, id)
		stmt.BindText(2, string(key.Kind))
		stmt.BindText(3, key.Key)
		if err := finish(stmt); err != nil {
			return err
		}
	}
	return nil
}

func viewsPut(conn *zombie.Conn, id int64, rows []projections.Row) error {
	stmt, err := conn.Prepare(`INSERT INTO view_rows (view, kind, key, sort, repo, state, at, value)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (view, kind, key) DO UPDATE SET sort = excluded.sort, repo = excluded.repo,
  state = excluded.state, at = excluded.at, value = excluded.value`)
	if err != nil {
		return translate(err)
	}
	stmt.BindInt64(1, id)
	for i := range rows {
		row := &rows[i]
		stmt.BindText(2, string(row.Kind))
		stmt.BindText(3, row.Key)
		stmt.BindText(4, row.Sort)
		stmt.BindText(5, row.Repo)
		stmt.BindText(6, row.State)
		stmt.BindInt64(7, viewsTime(row.At))
		stmt.BindBytes(8, row.Value)
		if err := finish(stmt); err != nil {
			return err
		}
	}
	return nil
}

const viewsColumns = `kind, key, sort, repo, state, at, value`

func viewsRow(stmt *zombie.Stmt) projections.Row {
	row := projections.Row{Kind: projections.Kind(stmt.ColumnText(0)), Key: stmt.ColumnText(1)}
	row.Sort, row.Repo, row.State = stmt.ColumnText(2), stmt.ColumnText(3), stmt.ColumnText(4)
	row.At = viewsTimeOf(stmt.ColumnInt64(5))
	row.Value = make([]byte, stmt.ColumnLen(6))
	stmt.ColumnBytes(6, row.Value)
	return row
}

// Get returns one row.
func (v *Views) Get(ctx context.Context, view projections.ViewName, key projections.RowKey) (row projections.Row, ok bool, err error) {
	err = v.read(ctx, func(conn *zombie.Conn) error {
		stmt, err := conn.Prepare(`SELECT ` + viewsColumns + ` FROM view_rows
WHERE view = (SELECT id FROM views WHERE name = ?) AND kind = ? AND key = ?`)
		if err != nil {
			return translate(err)
		}
		stmt.BindText(1, string(view))
		stmt.BindText(2, string(key.Kind))
		stmt.BindText(3, key.Key)
		if ok, err = stmt.Step(); err != nil || !ok {
			return translate(err)
		}
		row = viewsRow(stmt)
		return translate(stmt.Reset())
	})
	return row, ok, err
}

// Scan calls yield for the selected rows in the order of (sort, key).
func (v *Views) Scan(ctx context.Context, q projections.Query, yield func(*projections.Row) bool) error {
	sql, bind, err := viewsScanSQL(q)
	if err != nil {
		return err
	}
	return v.read(ctx, func(conn *zombie.Conn) error {
		stmt, err := conn.Prepare(sql)
		if err != nil {
			return translate(err)
		}
		bind(stmt)
		for {
			row, err := stmt.Step()
			if err != nil || !row {
				return translate(err)
			}
			r := viewsRow(stmt)
			if !yield(&r) || ctx.Err() != nil {
				return translateOr(ctx.Err(), stmt.Reset())
			}
		}
	})
}

func translateOr(first, err error) error {
	if first != nil {
		return first
	}
	return translate(err)
}

// viewsScanSQL writes the statement of a scan and says how its values are bound.
func viewsScanSQL(q projections.Query) (sql string, bind func(*zombie.Stmt), err error) {
	var b strings.Builder
	var values []any
	b.WriteString(`SELECT ` + viewsColumns + ` FROM view_rows WHERE view = (SELECT id FROM views WHERE name = ?) AND kind = ?`)
	values = append(values, string(q.View), string(q.Kind))
	where := func(condition string, v ...any) {
		b.WriteString(" AND " + condition)
		values = append(values, v...)
	}
	if q.Prefix != "" {
		where("key >= ? AND substr(key, 1, ?) = ?", q.Prefix, int64(len([]rune(q.Prefix))), q.Prefix)
	}
	if q.Repo != "" {
		where("repo = ?", q.Repo)
	}
	if q.State != "" {
		where("state = ?", q.State)
	}
	if !q.Since.IsZero() {
		where("at >= ?", viewsTime(q.Since))
	}
	order := "ASC"
	if q.Newest {
		order = "DESC"
	}
	if q.After != "" {
		sort, key, err := projections.ParseCursor(q.After)
		if err != nil {
			return "", nil, err
		}
		where("(sort, key) "+map[bool]string{false: ">", true: "<"}[q.Newest]+" (?, ?)", sort, key)
	}
	fmt.Fprintf(&b, " ORDER BY sort %s, key %s", order, order)
	if q.Limit > 0 {
		b.WriteString(" LIMIT ?")
		values = append(values, int64(q.Limit))
	}
	return b.String(), func(stmt *zombie.Stmt) {
		for i, v := range values {
			switch v := v.(type) {
			case string:
				stmt.BindText(i+1, v)
			case int64:
				stmt.BindInt64(i+1, v)
			}
		}
	}, nil
}

// Reset forgets a view.
func (v *Views) Reset(ctx context.Context, view projections.ViewName) error {
	return v.write(ctx, func(conn *zombie.Conn) error { return viewsForget(conn, view) })
}

func viewsForget(conn *zombie.Conn, view projections.ViewName) error {
	for _, sql := range []string{
		`DELETE FROM view_rows WHERE view = (SELECT id FROM views WHERE name = ?)`,
		`DELETE FROM views WHERE name = ?`,
	} {
		if err := viewsExec(conn, sql, string(view)); err != nil {
			return err
		}
	}
	return nil
}

// Replace puts the built view in the place of the live one.
func (v *Views) Replace(ctx context.Context, built, live projections.ViewName) error {
	return v.write(ctx, func(conn *zombie.Conn) error {
		if err := viewsForget(conn, live); err != nil {
			return err
		}
		return viewsExec(conn, `UPDATE views SET name = ? WHERE name = ?`, string(live), string(built))
	})
}

func viewsExec(conn *zombie.Conn, sql string, texts ...string) error {
	stmt, err := conn.Prepare(sql)
	if err != nil {
		return translate(err)
	}
	for i, text := range texts {
		stmt.BindText(i+1, text)
	}
	return finish(stmt)
}

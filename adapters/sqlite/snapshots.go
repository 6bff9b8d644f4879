package sqlite

import (
	"context"
	"fmt"
	"time"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
)

// LoadSnapshot returns the folded state of a stream that this code wrote, and
// the event that it goes up to. It is a cache: the caller reads on from version
// and finds out there whether the hash fits.
func (v *Views) LoadSnapshot(ctx context.Context, stream events.StreamName, code string) (version events.Version, hash events.Hash, at time.Time, state []byte, ok bool, err error) {
	err = v.read(ctx, func(conn *zombie.Conn) error {
		stmt, err := conn.Prepare(`SELECT version, hash, at, state FROM snapshots WHERE stream = ? AND code = ?`)
		if err != nil {
			return translate(err)
		}
		stmt.BindText(1, string(stream))
		stmt.BindText(2, code)
		if ok, err = stmt.Step(); err != nil || !ok {
			return translate(err)
		}
		version = events.Version(stmt.ColumnInt64(0))
		stmt.ColumnBytes(1, hash[:])
		at = viewsTimeOf(stmt.ColumnInt64(2))
		state = make([]byte, stmt.ColumnLen(3))
		stmt.ColumnBytes(3, state)
		return translate(stmt.Reset())
	})
	if err != nil {
		return 0, events.Hash{}, time.Time{}, nil, false, fmt.Errorf("load snapshot of %s: %w", stream, err)
	}
	return version, hash, at, state, ok, nil
}

// SaveSnapshot keeps the folded state of a stream in place of the one before. An
// older one than the same code has kept already is let go.
func (v *Views) SaveSnapshot(ctx context.Context, stream events.StreamName, code string, version events.Version, hash events.Hash, at time.Time, state []byte) error {
	err := v.write(ctx, func(conn *zombie.Conn) error {
		stmt, err := conn.Prepare(`INSERT INTO snapshots (stream, code, version, hash, at, state) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (stream) DO UPDATE SET code = excluded.code, version = excluded.version, hash = excluded.hash,
  at = excluded.at, state = excluded.state
WHERE snapshots.code <> excluded.code OR snapshots.version < excluded.version`)
		if err != nil {
			return translate(err)
		}
		stmt.BindText(1, string(stream))
		stmt.BindText(2, code)
		stmt.BindInt64(3, int64(version))
		stmt.BindBytes(4, hash[:])
		stmt.BindInt64(5, viewsTime(at))
		stmt.BindBytes(6, state)
		return finish(stmt)
	})
	if err != nil {
		return fmt.Errorf("save snapshot of %s: %w", stream, err)
	}
	return nil
}

package sqlite

import (
	"context"
	"fmt"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
)

// Position returns how far a reader of the log has come; 0 where it has not
// begun, or where its place was lost with the file: the router's checkpoint, and
// how far the seals go. (hard-parts §1)
func (v *Views) Position(ctx context.Context, name string) (at events.Position, err error) {
	err = v.read(ctx, func(conn *zombie.Conn) error {
		stmt, err := conn.Prepare(`SELECT position FROM positions WHERE name = ?`)
		if err != nil {
			return translate(err)
		}
		stmt.BindText(1, name)
		row, err := stmt.Step()
		if err != nil || !row {
			return translate(err)
		}
		at = events.Position(stmt.ColumnInt64(0))
		return translate(stmt.Reset())
	})
	if err != nil {
		return 0, fmt.Errorf("read position of %s: %w", name, err)
	}
	return at, nil
}

// SetPosition keeps how far a reader of the log has come.
func (v *Views) SetPosition(ctx context.Context, name string, at events.Position) error {
	err := v.write(ctx, func(conn *zombie.Conn) error {
		stmt, err := conn.Prepare(`INSERT INTO positions (name, position) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET position = excluded.position`)
		if err != nil {
			return translate(err)
		}
		stmt.BindText(1, name)
		stmt.BindInt64(2, int64(at))
		return finish(stmt)
	})
	if err != nil {
		return fmt.Errorf("keep position of %s: %w", name, err)
	}
	return nil
}

package sqlite

import (
	"context"
	"fmt"

	"github.com/reviewctl/reviewctl/events"
)

// Check looks for damage of the file: SQLite's own check, and that each head row
// stands on its stream's last event. It reads the whole file. That the events'
// chains hold is for whoever reads them. (events.Verify)
func (l *Log) Check(ctx context.Context) error {
	err := l.read(ctx, func(r *reader) error {
		r.conn.SetInterrupt(ctx.Done())
		defer r.conn.SetInterrupt(nil)
		found, err := queryText(r.conn, "PRAGMA quick_check(1)")
		if err != nil {
			return err
		}
		if found != "ok" {
			return fmt.Errorf("%w: %s", events.ErrDamaged, found)
		}
		name, err := queryText(r.conn, `SELECT s.name FROM streams AS s LEFT JOIN events AS e ON e.position = s.position
			WHERE e.envelope ->> 0 IS NOT s.id OR e.envelope ->> 1 IS NOT s.version OR substr(e.link, 1, 32) IS NOT s.hash LIMIT 1`)
		if err != nil {
			return err
		}
		if name != "" {
			return fmt.Errorf("%w: the head row of %s is not at its last event", events.ErrDamaged, name)
		}
		return nil
	})
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("check the log: %w", err)
	}
	return nil
}

package projections

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Memory keeps rows in memory: for a look at the past, and for tests.
type Memory struct {
	mu    sync.RWMutex
	views map[ViewName]*memoryView
}

type memoryView struct {
	at   Checkpoint
	rows map[RowKey]Row
}

// NewMemory returns rows without any view.
func NewMemory() *Memory { return &Memory{views: map[ViewName]*memoryView{}} }

// Checkpoint returns how far a view is.
func (m *Memory) Checkpoint(_ context.Context, view ViewName) (Checkpoint, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if v := m.views[view]; v != nil {
		return v.at, nil
	}
	return Checkpoint{}, nil
}

// Commit writes rows and checkpoint, if the checkpoint is still b.From.
func (m *Memory) Commit(ctx context.Context, b Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.views[b.View]
	if v == nil {
		v = &memoryView{rows: map[RowKey]Row{}}
	}
	if !v.at.Same(b.From) {
		return &OvertakenError{View: b.View, Expected: b.From.Position, Actual: v.at.Position}
	}
	for _, key := range b.Deletes {
		delete(v.rows, key)
	}
	for _, row := range b.Puts {
		row.Value = slices.Clone(row.Value)
		v.rows[RowKey{row.Kind, row.Key}] = row
	}
	v.at = b.To
	m.views[b.View] = v
	return nil
}

// Get returns one row.
func (m *Memory) Get(_ context.Context, view ViewName, key RowKey) (Row, bool, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v := m.views[view]
	if v == nil {
		return Row{}, false, nil
	}
	row, ok := v.rows[key]
	return row, ok, nil
}

// Scan calls yield for the selected rows in order.
func (m *Memory) Scan(_ context.Context, q Query, yield func(*Row) bool) error {
	var sort, key string
	if q.After != "" {
		var err error
		if sort, key, err = ParseCursor(q.After); err != nil {
			return err
		}
	}
	for i, row := range m.selected(q) {
		if q.After != "" {
			c := strings.Compare(row.Sort, sort)
			if c == 0 {
				c = strings.Compare(row.Key, key)
			}
			if c == 0 || (c < 0) != q.Newest {
				continue
			}
			// Rows before the cursor do not count against the limit.
			q.After, q.Limit = "", limitFrom(q.Limit, i)
		}
		if q.Limit > 0 && i >= q.Limit || !yield(&row) {
			return nil
		}
	}
	return nil
}

func limitFrom(limit, start int) int {
	if limit == 0 {
		return 0
	}
	return limit + start
}

// selected returns all matching rows, sorted.
func (m *Memory) selected(q Query) []Row {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v := m.views[q.View]
	if v == nil {
		return nil
	}
	var rows []Row
	for key, row := range v.rows {
		switch {
		case key.Kind != q.Kind, !strings.HasPrefix(key.Key, q.Prefix),
			q.Repo != "" && row.Repo != q.Repo, q.State != "" && row.State != q.State,
			row.At.Before(q.Since):
			continue
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b Row) int {
		c := strings.Compare(a.Sort, b.Sort)
		if c == 0 {
			c = strings.Compare(a.Key, b.Key)
		}
		if q.Newest {
			return -c
		}
		return c
	})
	return rows
}

// Reset forgets a view.
func (m *Memory) Reset(_ context.Context, view ViewName) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.views, view)
	return nil
}

// Replace puts the built view in the place of the live one.
func (m *Memory) Replace(_ context.Context, built, live ViewName) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.views, live)
	if v := m.views[built]; v != nil {
		m.views[live] = v
	}
	delete(m.views, built)
	return nil
}

// Names lists the views, in order.
func (m *Memory) Names() []ViewName {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Sorted(maps.Keys(m.views))
}

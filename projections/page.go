package projections

import (
	"context"
	"encoding/json"
	"fmt"
)

// Page is one page of a list, in the shape of `get --json`.
type Page[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"` // a cursor, or null at the end
}

// List returns a page of typed rows. The limit of the query is that of the page.
func List[T any](ctx context.Context, rows Rows, q Query) (Page[T], error) {
	return ListWhere(ctx, rows, q, func(*T) bool { return true })
}

// ListWhere returns a page of the typed rows for which keep says true.
func ListWhere[T any](ctx context.Context, rows Rows, q Query, keep func(*T) bool) (Page[T], error) {
	page := Page[T]{Items: []T{}}
	limit := q.Limit
	q.Limit = 0 // the scan ends when the page is full
	var last string
	var bad error
	err := rows.Scan(ctx, q, func(row *Row) bool {
		var item T
		if err := json.Unmarshal(row.Value, &item); err != nil {
			bad = fmt.Errorf("decode %s row %q: %w", row.Kind, row.Key, err)
			return false
		}
		if !keep(&item) {
			return true
		}
		if limit > 0 && len(page.Items) == limit {
			page.Next = &last
			return false
		}
		page.Items = append(page.Items, item)
		last = row.Cursor()
		return true
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		return Page[T]{}, fmt.Errorf("list %s of view %s: %w", q.Kind, q.View, err)
	}
	return page, nil
}

// Lookup returns one typed row, or nil where there is none.
func Lookup[T any](ctx context.Context, rows Rows, view ViewName, kind Kind, key string) (*T, error) {
	row, ok, err := rows.Get(ctx, view, RowKey{kind, key})
	if err != nil || !ok {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(row.Value, v); err != nil {
		return nil, fmt.Errorf("decode %s row %q: %w", kind, key, err)
	}
	return v, nil
}

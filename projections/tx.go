package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"sort"
)

// Tx is what a view reads and writes while a batch of events is applied. It
// holds decoded rows: an event costs no JSON unless its rows are new here, and a
// row is encoded once a batch however often it changed.
//
// Rows that were in use during the batch before stay decoded; they are still
// true, since nobody else's commit can have come between.
type Tx struct {
	ctx    context.Context
	rows   Rows
	view   ViewName
	recent map[RowKey]*cell // of this batch
	older  map[RowKey]*cell // of the batch before
	dirty  []*cell
	// written holds the hashes of all keys that were ever stored, while the view is
	// built from nothing: what is not there need not be asked for. nil = ask.
	written map[uint64]struct{}
	seed    maphash.Seed
}

// fromNothing says that the store holds no row of the view.
func (tx *Tx) fromNothing() {
	tx.written, tx.seed = map[uint64]struct{}{}, maphash.MakeSeed()
}

// mayBeStored is false only where the key was certainly never stored.
func (tx *Tx) mayBeStored(key RowKey) bool {
	if tx.written == nil {
		return true
	}
	_, ok := tx.written[maphash.Comparable(tx.seed, key)]
	return ok
}

// cell is a row in the hands of a Tx.
type cell struct {
	key     RowKey
	columns Columns
	value   any  // *T, or nil where there is no row
	stored  bool // there is a row in the store
	dirty   bool
}

func newTx(rows Rows, view ViewName) *Tx {
	return &Tx{rows: rows, view: view, recent: map[RowKey]*cell{}}
}

// Read returns a row's value, or nil where there is no row. The value may be
// changed in place and then put.
func Read[T any](tx *Tx, kind Kind, key string) (*T, error) {
	c, err := tx.find(RowKey{kind, key}, func(row *Row) (any, error) {
		v := new(T)
		return v, json.Unmarshal(row.Value, v)
	})
	if err != nil || c.value == nil {
		return nil, err
	}
	v, ok := c.value.(*T)
	if !ok {
		return nil, fmt.Errorf("read %s row %q: it holds a %T", kind, key, c.value)
	}
	return v, nil
}

// ReadOrNew returns a row's value, or an empty one where there is no row.
func ReadOrNew[T any](tx *Tx, kind Kind, key string) (*T, error) {
	v, err := Read[T](tx, kind, key)
	if err == nil && v == nil {
		v = new(T)
	}
	return v, err
}

// Put writes a row.
func Put[T any](tx *Tx, kind Kind, key string, columns Columns, value *T) {
	c := tx.known(RowKey{kind, key})
	c.columns, c.value = columns, value
	tx.mark(c)
}

// Delete removes a row, if there is one.
func Delete(tx *Tx, kind Kind, key string) {
	c := tx.known(RowKey{kind, key})
	c.value = nil
	tx.mark(c)
}

func (tx *Tx) mark(c *cell) {
	if !c.dirty {
		c.dirty = true
		tx.dirty = append(tx.dirty, c)
	}
}

// cached returns the cell, if it is in memory.
func (tx *Tx) cached(key RowKey) *cell {
	if c := tx.recent[key]; c != nil {
		return c
	}
	if c := tx.older[key]; c != nil {
		tx.recent[key] = c
		return c
	}
	return nil
}

// known returns a cell to overwrite, without reading what is stored: that there
// may be a row is then assumed.
func (tx *Tx) known(key RowKey) *cell {
	c := tx.cached(key)
	if c == nil {
		c = &cell{key: key, stored: tx.mayBeStored(key)}
		tx.recent[key] = c
	}
	return c
}

func (tx *Tx) find(key RowKey, decode func(*Row) (any, error)) (*cell, error) {
	if c := tx.cached(key); c != nil {
		return c, nil
	}
	if !tx.mayBeStored(key) {
		c := &cell{key: key}
		tx.recent[key] = c
		return c, nil
	}
	row, ok, err := tx.rows.Get(tx.ctx, tx.view, key)
	if err != nil {
		return nil, fmt.Errorf("read %s row %q: %w", key.Kind, key.Key, &rowsError{err})
	}
	c := &cell{key: key, stored: ok}
	if ok {
		if c.value, err = decode(&row); err != nil {
			return nil, fmt.Errorf("decode %s row %q: %w", key.Kind, key.Key, err)
		}
		c.columns = row.Columns
	}
	tx.recent[key] = c
	return c, nil
}

// rowsError marks a failure of the store of rows: no event is to blame for it.
type rowsError struct{ err error }

func (e *rowsError) Error() string { return e.err.Error() }
func (e *rowsError) Unwrap() error { return e.err }

// batch encodes what has changed, in the order of keys.
func (tx *Tx) batch(from, to Checkpoint) (Batch, error) {
	b := Batch{View: tx.view, From: from, To: to}
	sort.Slice(tx.dirty, func(i, j int) bool {
		a, b := tx.dirty[i].key, tx.dirty[j].key
		if a.Kind != b.Kind {
			return a.Kind < b.Kind
		}
		return a.Key < b.Key
	})
	for _, c := range tx.dirty {
		if c.value == nil {
			if c.stored {
				b.Deletes = append(b.Deletes, c.key)
			}
			continue
		}
		value, err := json.Marshal(c.value)
		if err != nil {
			return Batch{}, fmt.Errorf("encode %s row %q: %w", c.key.Kind, c.key.Key, err)
		}
		b.Puts = append(b.Puts, Row{Kind: c.key.Kind, Key: c.key.Key, Columns: c.columns, Value: value})
	}
	return b, nil
}

// committed makes the rows of this batch the older ones.
func (tx *Tx) committed() {
	for _, c := range tx.dirty {
		c.dirty, c.stored = false, c.value != nil
		if c.stored && tx.written != nil {
			tx.written[maphash.Comparable(tx.seed, c.key)] = struct{}{}
		}
	}
	tx.older, tx.recent, tx.dirty = tx.recent, make(map[RowKey]*cell, len(tx.recent)), tx.dirty[:0]
}

// forget drops everything that is not committed and everything that is cached.
func (tx *Tx) forget() {
	tx.older, tx.recent, tx.dirty, tx.written = nil, map[RowKey]*cell{}, nil, nil
}

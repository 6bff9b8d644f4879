package sqlite

import (
	"fmt"
	"sync/atomic"

	"github.com/reviewctl/reviewctl/events"
)

// The names that are remembered are those of the first namesMax streams, in pages
// that are made when they are needed: an id is its place.
const (
	namesMax  = 1 << 18
	namesPage = 1 << 10
)

// nameCache remembers which name a stream's id stands for. A committed pair never
// changes, and only committed ones are seen by readers, so nothing here ever
// becomes wrong. (Heads, which do change, are never kept in memory.) Most of the
// cost of finding a name is one look into cold memory, so there is no hashing.
type nameCache struct {
	pages [namesMax / namesPage]atomic.Pointer[[namesPage]atomic.Pointer[events.StreamName]]
}

func (c *nameCache) get(id int64) (events.StreamName, bool) {
	if id < 0 || id >= namesMax {
		return "", false
	}
	page := c.pages[id/namesPage].Load()
	if page == nil {
		return "", false
	}
	name := page[id%namesPage].Load()
	if name == nil {
		return "", false
	}
	return *name, true
}

func (c *nameCache) put(id int64, name events.StreamName) {
	if id < 0 || id >= namesMax {
		return
	}
	at := &c.pages[id/namesPage]
	if at.Load() == nil {
		at.CompareAndSwap(nil, new([namesPage]atomic.Pointer[events.StreamName]))
	}
	at.Load()[id%namesPage].Store(&name)
}

// nameOf returns a stream's name, from memory or from its head row.
func (r *reader) nameOf(names *nameCache, id int64) (events.StreamName, error) {
	if name, ok := names.get(id); ok {
		return name, nil
	}
	r.name.BindInt64(1, id)
	row, err := r.name.Step()
	if err != nil {
		return "", translate(err)
	}
	name := events.StreamName(r.name.ColumnText(0))
	if err := r.name.Reset(); err != nil {
		return "", translate(err)
	}
	if !row {
		return "", fmt.Errorf("stream %d has no head row: %w", id, events.ErrDamaged)
	}
	names.put(id, name)
	return name, nil
}

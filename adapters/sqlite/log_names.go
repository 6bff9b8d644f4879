package sqlite

import (
	"fmt"
	"sync"

	"github.com/reviewctl/reviewctl/events"
)

// namesMax bounds the names that are remembered: two generations of this many.
const namesMax = 1 << 15

// nameCache remembers which name a stream's id stands for. A committed pair never
// changes, and only committed ones are seen by readers, so nothing here ever
// becomes wrong. (Heads, which do change, are never kept in memory.)
type nameCache struct {
	mu         sync.RWMutex
	young, old map[int64]events.StreamName
}

func (c *nameCache) get(id int64) (events.StreamName, bool) {
	c.mu.RLock()
	name, ok := c.young[id]
	if !ok {
		name, ok = c.old[id]
	}
	c.mu.RUnlock()
	return name, ok
}

func (c *nameCache) put(id int64, name events.StreamName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young == nil || len(c.young) >= namesMax {
		c.young, c.old = make(map[int64]events.StreamName), c.young
	}
	c.young[id] = name
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

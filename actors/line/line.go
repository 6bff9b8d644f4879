package line

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// leafMax bounds a leaf. Small enough that moving its tail is nothing, large
// enough that the directory of 100,000 entries stays a few thousand long.
const leafMax = 64

// Entry is one who waits.
type Entry[K comparable, V any] struct {
	ID    K      `json:"id"`
	Key   string `json:"key"`
	Seq   int64  `json:"seq"`
	Value V      `json:"value"`
}

// before orders entries by key, then by arrival.
func (e *Entry[K, V]) before(key string, seq int64) int {
	if c := strings.Compare(e.Key, key); c != 0 {
		return c
	}
	switch {
	case e.Seq < seq:
		return -1
	case e.Seq > seq:
		return 1
	default:
		return 0
	}
}

// Line is a set of entries in order. The zero Line is empty and ready to use. A
// copy shares its entries: keep one.
type Line[K comparable, V any] struct {
	leaves [][]*Entry[K, V] // none is empty
	byID   map[K]*Entry[K, V]
}

// Len returns how many wait.
func (l *Line[K, V]) Len() int { return len(l.byID) }

// Get finds an entry by its id. It is not to be changed.
func (l *Line[K, V]) Get(id K) (*Entry[K, V], bool) {
	e, ok := l.byID[id]
	return e, ok
}

// Has reports whether the id is in the line.
func (l *Line[K, V]) Has(id K) bool {
	_, ok := l.byID[id]
	return ok
}

// First returns the entry that is served next, or nil.
func (l *Line[K, V]) First() *Entry[K, V] {
	if len(l.leaves) == 0 {
		return nil
	}
	return l.leaves[0][0]
}

// Put places an entry; one of the same id leaves its former place.
func (l *Line[K, V]) Put(id K, key string, seq int64, value V) {
	l.Remove(id)
	l.put(&Entry[K, V]{ID: id, Key: key, Seq: seq, Value: value})
}

func (l *Line[K, V]) put(e *Entry[K, V]) {
	if l.byID == nil {
		l.byID = make(map[K]*Entry[K, V])
	}
	l.byID[e.ID] = e
	if len(l.leaves) == 0 {
		l.leaves = append(l.leaves, []*Entry[K, V]{e})
		return
	}
	at := l.leafOf(e.Key, e.Seq)
	leaf := l.leaves[at]
	i, _ := search(leaf, e.Key, e.Seq)
	leaf = slices.Insert(leaf, i, e)
	l.leaves[at] = leaf
	if len(leaf) > leafMax {
		half := len(leaf) / 2
		upper := slices.Clone(leaf[half:])
		clear(leaf[half:])
		l.leaves[at] = leaf[:half]
		l.leaves = slices.Insert(l.leaves, at+1, upper)
	}
}

// Remove takes the entry out; it reports whether it was there.
func (l *Line[K, V]) Remove(id K) bool {
	e, ok := l.byID[id]
	if !ok {
		return false
	}
	delete(l.byID, id)
	at := l.leafOf(e.Key, e.Seq)
	// Entries that share key and seq may have spilled into the leaves around.
	for at > 0 && l.leaves[at-1][len(l.leaves[at-1])-1].before(e.Key, e.Seq) == 0 {
		at--
	}
	for ; at < len(l.leaves); at++ {
		leaf := l.leaves[at]
		i, _ := search(leaf, e.Key, e.Seq)
		for ; i < len(leaf) && leaf[i].before(e.Key, e.Seq) == 0; i++ {
			if leaf[i] != e {
				continue
			}
			if leaf = slices.Delete(leaf, i, i+1); len(leaf) == 0 {
				l.leaves = slices.Delete(l.leaves, at, at+1)
			} else {
				l.leaves[at] = leaf
			}
			return true
		}
	}
	panic(fmt.Sprintf("line: entry %v is indexed but has no place", id))
}

// leafOf returns the last leaf that starts at or before the place.
func (l *Line[K, V]) leafOf(key string, seq int64) int {
	low, high := 0, len(l.leaves)
	for low < high {
		middle := (low + high) / 2
		if l.leaves[middle][0].before(key, seq) <= 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return max(0, low-1)
}

func search[K comparable, V any](leaf []*Entry[K, V], key string, seq int64) (int, bool) {
	low, high := 0, len(leaf)
	for low < high {
		middle := (low + high) / 2
		if leaf[middle].before(key, seq) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, low < len(leaf) && leaf[low].before(key, seq) == 0
}

// Cursor walks a line in order. The line must not change meanwhile.
type Cursor[K comparable, V any] struct {
	line     *Line[K, V]
	leaf, at int
}

// Cursor stands before the first entry.
func (l *Line[K, V]) Cursor() Cursor[K, V] { return Cursor[K, V]{line: l} }

// Peek returns the entry that the cursor stands before, or nil at the end.
func (c *Cursor[K, V]) Peek() *Entry[K, V] {
	if c.leaf >= len(c.line.leaves) {
		return nil
	}
	return c.line.leaves[c.leaf][c.at]
}

// Next returns what Peek does and goes past it.
func (c *Cursor[K, V]) Next() *Entry[K, V] {
	e := c.Peek()
	if e == nil {
		return nil
	}
	if c.at++; c.at == len(c.line.leaves[c.leaf]) {
		c.leaf, c.at = c.leaf+1, 0
	}
	return e
}

// All lists the entries in order.
func (l *Line[K, V]) All() []*Entry[K, V] {
	all := make([]*Entry[K, V], 0, l.Len())
	for _, leaf := range l.leaves {
		all = append(all, leaf...)
	}
	return all
}

// MarshalJSON writes the entries in order.
func (l Line[K, V]) MarshalJSON() ([]byte, error) { return json.Marshal(l.All()) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (l *Line[K, V]) UnmarshalJSON(b []byte) error {
	var all []*Entry[K, V]
	if err := json.Unmarshal(b, &all); err != nil {
		return fmt.Errorf("read line: %w", err)
	}
	*l = Line[K, V]{}
	for i, e := range all {
		if e == nil {
			return fmt.Errorf("read line: entry %d is null", i)
		}
		if l.Has(e.ID) {
			return fmt.Errorf("read line: entry %v stands in it twice", e.ID)
		}
		l.put(e)
	}
	return nil
}

// Check reports an index that does not match the order.
func (l *Line[K, V]) Check() error {
	n, last := 0, (*Entry[K, V])(nil)
	for _, leaf := range l.leaves {
		for _, e := range leaf {
			if last != nil && last.before(e.Key, e.Seq) > 0 {
				return fmt.Errorf("line: %v stands before %v", last.ID, e.ID)
			}
			if l.byID[e.ID] != e {
				return fmt.Errorf("line: %v is not indexed", e.ID)
			}
			n, last = n+1, e
		}
	}
	if n != len(l.byID) {
		return fmt.Errorf("line: %d entries stand in it, %d are indexed", n, len(l.byID))
	}
	return nil
}

// Remember keeps the id as the newest of at most keep; the oldest go. A line of
// those that have ended makes a late repeat void and stays bounded.
func Remember[K comparable](l *Line[K, struct{}], id K, seq int64, keep int) {
	l.Put(id, "", seq, struct{}{})
	for l.Len() > keep {
		l.Remove(l.First().ID)
	}
}

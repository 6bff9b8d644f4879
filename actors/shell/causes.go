package shell

import (
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Causes remembers, for each stream that commands came from, the version of the
// newest event that was acted upon. A command whose cause is not later was done
// before. The events of a shared stream (pool, account, fleet) are about many
// runs, and each run's owner routes its own, so that a later one may come first:
// of these the very event is remembered. Only the newest max entries are kept: by
// then the router has gone past what it could deliver again, and the matter's own
// key makes a repeat void. (hard-parts §1)
type Causes struct {
	Max     int                `json:"-"`
	Entries []Acted            `json:"entries,omitempty"` // the longest untouched first
	index   map[events.Ref]int // made once the list is long
}

// Acted is the newest event of a stream that was acted upon.
type Acted struct {
	Stream  events.StreamName `json:"stream"`
	Version events.Version    `json:"version"`
}

// indexFrom is the length from which a map is cheaper than a search.
const indexFrom = 32

// entryKey is what an entry is known by: its stream, or on a shared one the event.
func entryKey(stream events.StreamName, v events.Version) events.Ref {
	switch stream.Category() {
	case events.CategoryPool, events.CategoryAccount, events.CategoryFleet: // guard: an earlier event of a shared stream counts as done
		return events.Ref{Stream: stream, Version: v}
	}
	return events.Ref{Stream: stream}
}

func (c *Causes) find(cause events.Cause) int {
	key := entryKey(cause.Stream, cause.Version)
	if c.index != nil {
		if at, ok := c.index[key]; ok {
			return at
		}
		return -1
	}
	for i := range c.Entries {
		if c.Entries[i].Stream == key.Stream && entryKey(key.Stream, c.Entries[i].Version) == key {
			return i
		}
	}
	return -1
}

// Done reports whether the cause, or a later one of its stream, was acted upon.
func (c *Causes) Done(cause events.Cause) bool {
	at := c.find(cause)
	return at >= 0 && cause.Version <= c.Entries[at].Version
}

// Act notes that an event was written because of the cause.
func (c *Causes) Act(cause events.Cause) {
	if cause.Stream == "" {
		return
	}
	if at := c.find(cause); at >= 0 {
		c.Entries[at].Version = max(c.Entries[at].Version, cause.Version)
		return
	}
	// Of a loaded event the name is a part of its whole row, which would be kept.
	c.Entries = append(c.Entries, Acted{events.StreamName(strings.Clone(string(cause.Stream))), cause.Version})
	if len(c.Entries) > 2*c.Max { // guard: the memory of causes grows without bound
		c.Entries = append([]Acted(nil), c.Entries[len(c.Entries)-c.Max:]...)
		c.index = nil
	}
	c.reindex()
}

func (c *Causes) reindex() {
	if len(c.Entries) < indexFrom {
		return
	}
	if c.index != nil {
		last := c.Entries[len(c.Entries)-1]
		c.index[entryKey(last.Stream, last.Version)] = len(c.Entries) - 1
		return
	}
	c.index = make(map[events.Ref]int, 2*len(c.Entries))
	for i := range c.Entries {
		c.index[entryKey(c.Entries[i].Stream, c.Entries[i].Version)] = i
	}
}

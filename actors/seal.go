package actors

import (
	"cmp"
	"slices"

	"github.com/reviewctl/reviewctl/events"
)

// SealHeadsMax bounds one seal, so that it stays below an event's size.
const SealHeadsMax = 2000

// Sealer collects the heads of all streams that changed since the last seal. A
// per-stream chain cannot see a cut tail or a missing stream; a seal can.
// (hard-parts §3)
type Sealer struct {
	heads map[events.StreamName]events.SealedHead
	last  events.Version // of seal-main
}

// NewSealer returns a sealer that has seen nothing. last is the version of the
// newest seal, or NoneYet.
func NewSealer(last events.Version) *Sealer {
	return &Sealer{heads: map[events.StreamName]events.SealedHead{}, last: last}
}

// Observe takes the next event of the log.
func (s *Sealer) Observe(e *events.Event) {
	if e.Stream == events.SealStream {
		s.last = max(s.last, e.Version)
		return
	}
	s.heads[e.Stream] = events.SealedHead{Stream: e.Stream, Version: e.Version, Hash: e.Hash}
}

// Seal returns the command for seal-main, which covers the first SealHeadsMax
// streams, and forgets those. Without news there is nothing to seal.
func (s *Sealer) Seal() (SealLog, bool) {
	if len(s.heads) == 0 {
		return SealLog{}, false
	}
	seal := SealLog{Since: s.last}
	for _, h := range s.heads {
		seal.Heads = append(seal.Heads, h)
	}
	slices.SortFunc(seal.Heads, func(a, b events.SealedHead) int { return cmp.Compare(a.Stream, b.Stream) })
	if len(seal.Heads) > SealHeadsMax {
		seal.Heads = seal.Heads[:SealHeadsMax]
	}
	for _, h := range seal.Heads {
		delete(s.heads, h.Stream)
	}
	return seal, true
}

// Sealed notes the version of a seal that was just written.
func (s *Sealer) Sealed(v events.Version) { s.last = max(s.last, v) }

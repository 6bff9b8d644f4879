package linter

import (
	"cmp"
	"slices"

	"github.com/reviewctl/reviewctl/events"
)

// held is a finding that is kept, with how often the report said it.
type held struct {
	finding events.Finding
	reason  string // why it is withheld; "" = it is not
	times   int
}

// heap keeps the heaviest findings up to a bound and counts the rest. Which they
// are does not depend on the order in which they come: what was let go is never
// among the first again, because only lighter ones make room.
type heap struct {
	most int
	kept []held
	more int
}

func (h *heap) add(f events.Finding, reason string) {
	h.kept = append(h.kept, held{finding: f, reason: reason, times: 1})
	if len(h.kept) >= 2*h.most {
		h.settle()
	}
}

// settle sorts, makes one of what was said twice, and lets go of what is over the
// bound.
func (h *heap) settle() {
	slices.SortFunc(h.kept, byWeight)
	distinct := h.kept[:0]
	for _, e := range h.kept {
		if n := len(distinct); n > 0 && byWeight(distinct[n-1], e) == 0 {
			distinct[n-1].times += e.times
			continue
		}
		distinct = append(distinct, e)
	}
	most := min(len(distinct), h.most)
	for _, e := range distinct[most:] {
		h.more += e.times
	}
	clear(h.kept[most:])
	h.kept = h.kept[:most]
}

// byWeight orders by all that a reader sees.
func byWeight(a, b held) int {
	f, g := &a.finding, &b.finding
	return cmp.Or(
		cmp.Compare(g.Severity.Weight(), f.Severity.Weight()),
		cmp.Compare(f.File, g.File), cmp.Compare(f.FileBase64, g.FileBase64),
		cmp.Compare(f.LineStart, g.LineStart), cmp.Compare(f.LineEnd, g.LineEnd),
		cmp.Compare(f.Rule, g.Rule), cmp.Compare(f.Title, g.Title), cmp.Compare(f.Category, g.Category),
		cmp.Compare(f.Body, g.Body), cmp.Compare(f.Suggestion, g.Suggestion), cmp.Compare(a.reason, b.reason),
	)
}

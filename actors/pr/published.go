package pr

import (
	"fmt"
	"slices"

	"github.com/reviewctl/reviewctl/events"
)

// PublishedMax bounds the memory of published reviews; a revert to an older head
// is reviewed again.
const PublishedMax = 64

// Published is a review that stands on the forge.
type Published struct {
	Head    events.Commit  `json:"head"`
	BaseRef string         `json:"base_ref"`
	Run     events.RunID   `json:"run"`
	Verdict events.Verdict `json:"verdict"`
	Outcome events.Outcome `json:"outcome"`
}

// published is the newest published review of the head against that base, or nil.
func (s *State) published(head events.Commit, baseRef string) *Published {
	return findPublished(s.Published, head, baseRef)
}

func findPublished(all []Published, head events.Commit, baseRef string) *Published {
	for i := range slices.Backward(all) {
		if p := &all[i]; p.Head == head && p.BaseRef == baseRef {
			return p
		}
	}
	return nil
}

// remember adds a review that was just published.
func remember(all []Published, p *Publication) []Published {
	kept := slices.DeleteFunc(slices.Clone(all), func(o Published) bool { return o.Head == p.Head && o.BaseRef == p.BaseRef })
	kept = append(kept, Published{Head: p.Head, BaseRef: p.BaseRef, Run: p.Run, Verdict: p.Verdict, Outcome: p.Outcome})
	if len(kept) > PublishedMax { // guard: the memory of published reviews grows without bound
		kept = kept[len(kept)-PublishedMax:]
	}
	return slices.Clip(kept)
}

// reviewedBy holds back a head of which a review is published.
func reviewedBy(c Observe, p *Published) *events.HeadSkipped {
	return &events.HeadSkipped{
		Head: c.Head, Base: c.Base, BaseRef: c.BaseRef, Cause: events.HoldReviewed, Reviewed: p.Run,
		Why: fmt.Sprintf("a review of this head is published, by run %s", p.Run), Priority: c.Priority, Settings: c.Settings,
	}
}

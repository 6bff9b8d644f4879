package projections

import "github.com/reviewctl/reviewctl/events"

// CitedMax bounds the events that a row cites; the first and the newest stay.
const CitedMax = 24

// Cite adds the event to those behind a row.
func Cite(refs []events.Ref, e *events.Event) []events.Ref {
	if len(refs) == CitedMax {
		copy(refs[1:], refs[2:])
		refs = refs[:CitedMax-1]
	}
	return append(refs, e.Ref())
}

// Package pr decides about one pull request: which head is to be judged and when,
// that only one run judges it, whether a run's verdict is still about the head,
// what number a finding has, and whether the review stands on the forge.
//
//	Observe ─▶ head.queued ─▶ run.requested ─▶ (a run) ─▶ findings.numbered
//	                 │                                 ─▶ verdict.adopted | .discarded
//	                 └─ head.superseded | .cancelled | .closed      │
//	                                         verdict.published ◀────┘ publication.*
//
// A head's business ends with head.settled, head.superseded, head.cancelled or
// head.closed. What a run does is not here (actors/run), nor is the line that it
// waits in (actors/fleet).
package pr

// Package pr decides about one pull request: which head is to be judged and when,
// that only one run judges it, whether a run's verdict is still about the head,
// what number a finding has, and whether the review stands on the forge.
//
//	Observe ─▶ head.queued ─▶ run.requested ─▶ (a run) ─▶ findings.numbered
//	                 │                                 ─▶ verdict.adopted | .discarded
//	                 └─ head.superseded | .cancelled | .closed      │
//	                                         verdict.published ◀────┘ publication.*
//
// A finding keeps its number from review to review (round.go): it is open, fixed
// once an engine that raised it looked for it and missed it, and withheld while a
// person's dismissal holds (dismiss.go), which is until the code beneath it changes.
// What is asked for beside a run (trigger.go) is answered by that run if the run has
// not begun, else by the next.
//
// A head's business ends with head.settled, head.superseded, head.cancelled or
// head.closed. What a run does is not here (actors/run), nor is the line that it
// waits in (actors/fleet).
package pr

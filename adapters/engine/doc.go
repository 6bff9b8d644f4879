// Package engine runs engine sessions: it is the Engine port of the actors.
//
// A session is one attempt of one lane (session). Every kind of engine is a
// sub-package and part of this adapter: static looks at added lines by itself,
// exec runs a program, linter runs one and reads its report. Whatever an engine says goes one way:
//
//	Start ─▶ open workspace ─▶ kind.Review ─▶ check, cut, place, identify ─▶ RaiseFindings…
//	                              │                                          CompleteLane
//	         Stop, deadline ──────┴──▶ NoteLaneStopped, FailLane, DeferLane
//
// A finding is placed inline where its last line lies in a hunk of the diff, else
// in the body with the reason; what is not part of the review is withheld with
// the reason, and nothing is dropped in silence. A secret's text is in no
// command, log line or artifact.
//
// Each session of a program is marked in its environment, so that a later process
// finds what a dead one left: KillOrphans. (hard-parts §2)
//
// Not here: who pays, slots and retries (actors), and the breaker's guard.
package engine

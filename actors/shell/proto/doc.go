// Package proto drives the shell and a process's business on Proto.Actor.
//
//	system.go   one actor for each stream that is spoken to: spawned on demand,
//	            passivated by count, stopped in order
//	stream.go   the actor: a shell.Machine behind a mailbox
//	process.go  the node's actor: routes, carries deliveries, starts effects
//	tail.go     reads the log for it, in order; drains it
//	watch.go    its agenda and its one timer
//	bury.go     ends the business of dead processes
//	marks.go    its checkpoint; its end
//	seal.go     seals over the log
//
// What Proto.Actor's own persistence, receive time-outs, stash, bounded mailboxes
// and shutdown would do is done here instead, because they were measured to be
// unfit (engine-facts A.5, A.6).
package proto

// Package proto drives the shell and a process's business on Proto.Actor.
//
//	system.go   one actor for each stream that is spoken to: spawned on demand,
//	            passivated by count, stopped in order
//	stream.go   the actor: a shell.Machine behind a mailbox
//	process.go  the node's actor: tails the log, routes, sweeps, starts effects
//	seal.go     seals over the log
//
// What Proto.Actor's own persistence, receive time-outs, stash, bounded mailboxes
// and shutdown would do is done here instead, because they were measured to be
// unfit (engine-facts A.5, A.6).
package proto

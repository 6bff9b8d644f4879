// Package virtual drives the actors in virtual time, on one goroutine, from one
// seed. It is the second driver of actors/shell: production's is shell/proto.
//
//	Log       an events.Store in memory
//	World     clock, agenda, luck, processes, a forge, engines: all that happens
//	process   one boot: a node, its machines, its engines; it may die at any step
//	Scenario  what a world is made of; Run plays it and checks the invariants
//
// Everything that happens is an entry of the agenda: a command that arrives, a
// stream that is loaded, an append that lands and one that is answered, a notice.
// A crash may come between any two of them. One seed gives one log, byte for byte.
package virtual

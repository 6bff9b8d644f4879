// Package events says what happened. It holds the envelope that every stored
// fact travels in, the payloads of all streams in the order of their lives, the
// hash chain that binds them, and the small port through which logs are kept.
//
//	stream.go    names of streams            envelope.go    what every event carries
//	pr.go        a pull request's life       codec.go       stored name <-> Go struct
//	run.go       one judgement of a head     decode*.go     bytes -> Go struct, fast
//	run_lane.go  one engine session          chain.go       the hash of an event
//	pool.go account.go repo.go fleet.go      correlation.go which run an event is about
//	inbox.go policy.go seal.go               deadlines.go   what an event makes wait
//	finding.go   one remark, engine to       event_line.go  an event as a line of JSON
//	             screen                      store.go       the port that logs serve
//	id.go        distinct identifiers
//
// The package imports the standard library and nothing else: no clock, no disk,
// no network, no randomness. What an event means for a subject is a fold and
// lives in actors/<subject>; what it looks like to people lives in projections.
package events

// Package projections keeps the read models: what the log looks like to people.
//
// A view is a name, a version and a pure fold of events into rows. A row has a
// kind, a key, a few columns that it is found by, and a JSON value. A checkpoint
// is the last event that a view has seen; it commits with the rows that it
// stands for and is compared first, so any number of projectors may run. The
// runner tails the log, batches, and can be told to catch up now. Rows are a
// cache: they are rebuilt from the log whenever they are missing, damaged, of
// another version, or of another log.
//
//	port.go     rows and checkpoints, as adapters/sqlite serves them
//	view.go     what a view is        tx.go       how it reads and writes rows
//	runner.go   catching up           pass.go     once through what is new
//	follower.go one view on its way   rebuild.go  from nothing, beside the live rows
//	memory.go   rows in memory        asof.go     the views as of a time
//	page.go     a page of typed rows  filter.go   what a list is asked for
//	cite.go     the events behind a row
//
// Views may be a moment old and are never asked by an actor.
package projections

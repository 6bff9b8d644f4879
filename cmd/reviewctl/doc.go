// Command reviewctl reviews changes with any number of engines, and keeps one
// log of everything that it decided.
//
//	main.go    the way in           cli.go     the grammar: one struct
//	config.go  reviewctl.yaml       policy.go  the review policy
//	remedy.go  error -> exit code -> what to do
//	print*.go  the answers as text, Markdown and JSON
//	wire.go    the only place that joins adapters, actors and projections
//	one file for each verb, named as the verb
//
// Nothing is decided here: a verb reads its arguments, asks an actor or a read
// model, and prints. The words of the command line are a contract; what they
// promise to scripts is described by the schemas in schemas/cli.
package main

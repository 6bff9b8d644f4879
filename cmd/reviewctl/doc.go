// Command reviewctl reviews changes with any number of engines, and keeps one
// log of everything that it decided.
//
//	main.go    the way in                 cli.go     the grammar: one struct
//	config.go  reviewctl.yaml             policy.go  the review policy
//	remedy.go  error -> exit code -> what to do
//	print*.go  the answers as text, Markdown and JSON
//	progress*.go  how far a long job is, on a terminal and elsewhere
//	wire.go    the only place that joins adapters, actors and projections
//	home.go    the folder beside the log  boots.go   which processes are alive
//
// A verb has a file of its name; those that are alike share one: operate.go has
// the verbs that ask the daemon (enqueue, cancel, retry, pause, resume), look.go
// those that read rows (status, get, queue, explain).
//
// Nothing is decided here: a verb reads its arguments, asks an actor or a read
// model, and prints. The words of the command line are a contract; what they
// promise to scripts is described by the schemas in schemas/cli.
package main

// Command reviewctl reviews changes with any number of engines, and keeps one
// log of everything that it decided.
//
//	main.go       the way in
//	cli*.go       the grammar: one struct, its verbs and the kinds of arguments
//	config*.go    reviewctl.yaml: its keys (config.go), how a section is read and
//	              checked (config_SECTION.go), its verbs (config_verbs.go)
//	policy.go     the review policy; rules.go: what the deciders get of both
//	remedy.go     error -> exit code -> what to do
//	print*.go     the answers as text, Markdown and JSON
//	progress*.go  how far a long job is, on a terminal and elsewhere
//	wire.go       the only place that joins adapters, actors and projections; what
//	              it joins by a few lines has a file: observe.go (words of others
//	              without secrets), prior.go (what an engine said before), space.go
//	              (the budget of disk)
//	hub.go        GitHub: how it is reached and what its repositories are called
//	              now
//	publish.go    a run's review, from the log, as a forge is to show it
//	home.go       the folder beside the log; boots.go: which processes are alive
//	files.go      the log and the read models, opened; read.go: events by stream
//
// A verb has a file of its name, and where it is long one for each of its subjects:
//
//	review.go     review_change.go, _address.go, _worktree.go and _hub.go: what is
//	              reviewed; _watch.go and _trouble.go: how far it is; _report.go,
//	              _coverage.go and _timing.go: what it answers; _post.go: --publish
//	serve.go      serve_repos.go and _hub.go: what is polled; _reload.go: SIGHUP;
//	              _door.go: HTTP
//	doctor*.go    doctor_github.go: GitHub and its token, _github_repo.go: what the
//	              token may do in a repository; _outside.go: programs
//	init.go       init_github.go: a clone of a repository on GitHub
//	dismiss.go    reopen as well
//	operate.go    the verbs that ask the daemon: enqueue, cancel, retry, pause, resume
//	look*.go      those that read rows: status, get, queue, explain; watch.go: --watch
//
// Nothing is decided here: a verb reads its arguments, asks an actor or a read
// model, and prints. The words of the command line are a contract; what they
// promise to scripts is described by the schemas in schemas/cli.
package main

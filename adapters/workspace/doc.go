// Package workspace puts the code of a run on disk: it serves actors.Workspace.
//
// A preparation is the work for one run: make its commits readable, find the merge
// base, read the change, write the head into a checkout. A source is where the
// commits are read from: a repository on this machine, or its mirror (the package
// below). A checkout is a folder that holds the head's files without .git,
// read-only, and carries the boot of its owner in its name. A pooled tree is a
// checkout that its run has left; the next run of the repository takes it and
// writes what differs.
//
//	Prepare ─┐                        ┌▶ NoteWorkspace
//	         ├▶ one preparation a run ┼▶ NoteWorkspaceTrouble  it may pass
//	Open ────┘                        └▶ NoteWorkspaceFailure  it will not
//
// A preparation belongs to the workspace, not to whoever asked first: it ends
// when it is done, when its job's time is over, on Release and on Stop. A
// checkout goes into the pool with Release; what a dead boot left goes with Sweep,
// which removes nothing else and nothing outside its folder; what takes too much
// room goes with Collect. (hard-parts §2, semantics 29.1, cases W02, W18, W30)
//
// Not here: reading git (adapters/git).
package workspace

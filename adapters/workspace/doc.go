// Package workspace puts the code of a run on disk: it serves actors.Workspace
// for repositories on this machine.
//
// A preparation is the work for one run: find the merge base, read the change,
// write the head into a checkout. A checkout is a folder that holds the head's
// files without .git, read-only, and carries the boot of its owner in its name.
//
//	Prepare ─┐                        ┌▶ NoteWorkspace
//	         ├▶ one preparation a run ┼▶ NoteWorkspaceTrouble  it may pass
//	Open ────┘                        └▶ NoteWorkspaceFailure  it will not
//
// A preparation belongs to the workspace, not to whoever asked first: it ends
// when it is done, when its job's time is over, on Release and on Stop. A
// checkout goes with Release; what a dead boot left goes with Sweep, which
// removes nothing else and nothing outside its folder. (hard-parts §2, cases W02,
// W18, W30)
//
// Not here: reading git (adapters/git) and fetching from a forge.
package workspace

// Package mirror keeps a bare copy of each repository that runs read from, so that
// neither a push, nor a clean-up, nor the end of a repository changes the code
// under a run.
//
// A mirror is a bare repository of ours, one for each source and object format,
// made from nothing (git.MakeBare) and put right before each use. Its lock is a file
// beside it, across processes: whoever writes a ref, fetches or tidies up holds it,
// and so do the git processes that do the work, so that a lock that is free proves
// that no git of a dead process still writes. A want is what one run needs to read;
// a pin is a ref below refs/run that keeps it while the run lives.
//
//	Ensure ─┐          ┌ there already ─▶ pin
//	Ensure ─┼▶ a round ┤
//	Ensure ─┘          └ missing ─▶ one fetch for all, which pins as well
//
// A round serves all who wait when the lock is had, and gathers those who come
// within a moment more; a fetch brings all branches, so that whoever comes later
// finds theirs. There are no work trees and no checked-out branches here, hence
// nothing to prune and no branch that refuses a fetch. (hard-parts §2, performance
// goal 17, cases W01, W03, W05, W08, W09, W18, W28)
package mirror

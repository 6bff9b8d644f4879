// Package git asks the git program about a repository that nobody vouches for.
//
// A repository is a git directory; a checkout may lie beside it, and is never
// read. A base is the commit that a head is compared with; a change is the
// files and the patch between the merge base and the head; an export is the
// head's tree written to a folder.
//
//	Open ─▶ Repo ─ ResolveCommits, DefaultBase, MergeBase   which commits
//	             ├ ChangedFiles, Patch                      what changed
//	             ├ Export, ReadFile                         what it is now
//	             └ Branches, Commit, Name, Dirty            what is around it
//	MakeBare ─▶ OpenBare ─ Fetch, UpdateRefs, Tidy          a repository of ours
//	ParseAddress ─ AskRemote                                where it is fetched from
//
// Each call is one git process with a fixed environment (environment.go): no
// configuration but the repository's own, none of its programs (hooks, filters,
// text converters, file system monitors, external diffs), no network (but the one
// address of a fetch), no prompt,
// no replaced objects, and no attributes of any checkout: what a commit holds
// cannot change how it is shown. (cases D18, W16 to W23)
//
// An export can be brought from one commit to another, by its manifest: what the
// files were like when they were written.
//
// Processes run in a group of their own that is killed when the context ends.
// Their output is bounded: more is an *OutputError, never a short answer.
//
// Not here: anything that writes to a repository that is not ours. Who may write to
// ours, and when, is adapters/workspace/mirror's.
package git

// Package diff reads the patch that git itself printed for two trees.
//
// A change is the files of one patch; a file has hunks; a hunk has rows: added,
// removed, and context. The old side is the merge base, the new side the head.
// A row is "in the diff" when a hunk shows it, as context or as a change: that
// is where a forge accepts a comment.
//
//	patch ──Parse──▶ Change ──Contains──▶ may a finding stand at these lines?
//	                    └─ File ─ Hunk ──Added──▶ lines for a reviewer
//
// The parser is strict about what adapters/git asks git for (two trees, prefixes
// a/ and b/, submodules in the short form) and refuses everything else: text that
// it does not understand is an error, never an empty change. Within a hunk only
// the counts of its header decide what is content, so that content may look like
// any header. (cases D01 to D17) A file has one entry; the two halves of a change of
// type are merged into one. Git itself is the test: what is read of real releases, of
// our history and of any texts is what git lists, and applied to the old blobs it
// gives the new ones.
//
// It is written by hand because the cases above need exact bytes of paths, rows
// without a copy for each line, and an error for a combined diff. bench_test.go
// measures it against bluekeyes/go-gitdiff (performance, goal 18).
//
// Not here: running git (adapters/git), and judging findings.
package diff

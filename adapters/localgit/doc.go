// Package localgit is a forge that is a directory: each branch of a local
// repository that matches a pattern is a pull request into its base branch,
// numbered in order of appearance. (CLI.md, `repositories`)
//
// A round reads the branches as they are and asks the actors for what follows: a
// number for a new branch, pr.Observe for a head that was not seen yet, pr.Close
// for a branch that is gone. decide (decide.go) is the whole judgement and pure;
// everything it asks for may be asked twice.
//
//	refs change ─(watch: a hint)─┐
//	interval ────(the truth)─────┴▶ round: git ▶ decide ▶ Ask
//
// A repository that cannot be read, or that has no base branch, ends the round
// with an error and closes nothing. The trouble, and its end, go on record
// (repo.NoteUnreachable).
//
// For `review` there is Identify: which pull request a range by hand belongs to.
//
// Not here: publishing. A local forge has no place for a review but the log.
package localgit

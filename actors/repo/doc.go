// Package repo decides what holds for one repository, and on a local one which
// number a branch has.
//
//	flags    where changes go (the base branch), whether it is reviewed, by which
//	         engines; they come from the configuration, at start and on reload
//	trouble  why it cannot be read at the moment
//	ref      a branch, or a range reviewed by hand
//	number   the ref's place among the repository's pull requests: from 1, in order
//	         of appearance, never given twice
//
// On a forge with numbers of its own no ref is ever numbered here.
package repo

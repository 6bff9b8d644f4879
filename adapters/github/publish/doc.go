// Package publish brings verdicts to GitHub: the actors.Forge port.
//
// A publication is one try to make a review stand on a pull request, exactly once
// whatever dies, is frozen or gets lost on the way. The fence is GitHub's own: an
// author has at most one pending review on a pull request, so that of two who
// publish at once one finds its pending review gone. The marker in a review's body
// says what it is for, and is looked for before anything is written. A round is one
// walk through the protocol; what was found in the way begins another. (hard-parts §4)
//
// A label says the verdict on the pull request itself, in repositories that have
// the labels. (semantics 17)
package publish

// Package marker makes and finds what says that a text on GitHub is ours.
//
// A marker is the first line of each body that we post, a comment of HTML that
// nobody sees:
//
//	<!-- reviewctl review v1 repo=81 pr=7 head=<40 hex> base=… run=… verdict=… -->
//	<!-- reviewctl comment v1 repo=81 pr=7 head=<40 hex> finding=… dedupe=… -->
//
// Its key says what the text is about: the repository by GitHub's number, which a
// rename does not change, the pull request, the head that was read, and the kind of
// text. The commit that GitHub shows beside a review is a hint alone. (case D37)
//
// Only the first line counts, and what an engine says has no comments of HTML any
// more, so that nobody gets a marker posted but we. (case D42) Whoever looks for
// ours looks at texts of our own account alone: anybody can copy a marker.
package marker

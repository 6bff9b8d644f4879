// Package poll is intake from GitHub without an inbound port: it asks for the open
// pull requests of each repository and tells the actors what has changed.
//
//	look      one reading of one repository, and what follows from it
//	scan      the whole list of open pull requests; an incomplete one is an error
//	sight     what a scan says of one pull request, as far as actors are told of it
//	told      the sight that the actors were told last; nothing is told twice
//	doubt     a scan that goes back to what was left before, or that leaves a pull
//	          request out, may come from a replica that is behind: it is confirmed by
//	          a live read of that pull request (cases G29 and G53)
//	identity  GitHub's numeric id of a repository. It stays when the name changes, and
//	          a name may go over to another one
//
//	clock ─▶ due ─▶ look: who is it ▶ scan ▶ decide ▶ confirm ▶ Ask
//	                        └─ a fault ▶ on record, nothing closes ─┘
//
// decide (decide.go) is the whole judgement and pure; everything it asks for may be
// asked twice. One Poller serves one host. Each repository is looked at once in an
// interval, a few at a time, so that none holds up another.
package poll

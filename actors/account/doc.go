// Package account decides who may spend, and when nobody may.
//
//	reservation  tokens held for a lane, from before it starts until it settles; it
//	             counts in full in every window whatever its age
//	settlement   what a lane used, once, in place of what it held; dated at its begin
//	window       any 5 hours (session) and any 7 days (weekly), each with a limit
//	line         those for whom there is no room now, by rank; nobody of a worse rank
//	             passes a better one that waits for money
//	place        one of the line; looked at again on each settlement, at its until,
//	             and when the breaker closes
//	holder bound at most so many open reservations of one pool on a metered account:
//	             what waits in a pool's line must not hold money that others could
//	             spend
//	run book     what a run holds and has used, and its lanes that have ended, kept
//	             until its last reservation has lapsed
//	breaker      closed, open until a time, or probing: one lane tries whether the
//	             provider's limit is gone
//
// The rules are hard-parts §5 and §6. Fair shares, the budget ladder, pacing and
// giving a reservation back to a better rank are not here yet.
package account

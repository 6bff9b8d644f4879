// Package fleet decides which runs may start: the one line of heads, the bound on
// runs at once, and pauses.
//
//	ticket    all that a run needs to start; it asks with one
//	ready     the line of those who wait for room
//	parked    those who wait for a pause to end; they stand in nobody's way
//	running   admitted and not freed
//	lapse     a run's deadline and a grace: its place is given back should nobody
//	          have done so
//	ended     the last runs that were freed or refused, so that a late repeat of
//	          their Admit is void
//
// Capacity of models is the pools' business and money the accounts'; the bound on
// runs is a guard against runaways. Nothing here knows what a run does.
package fleet

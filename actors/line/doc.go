// Package line is the order in which those who wait are served. Pools, accounts
// and the fleet each keep one or more, so it is a leaf that they share and that
// knows none of them.
//
//	entry   one who waits, found by its id
//	key     the sort key on record; the smallest is served first
//	seq     the version of the event that put it there: equal keys are served in
//	        the order of their arrival
//
// Putting, removing, finding and looking at the first are logarithmic, so a
// decision costs the same with 100 in the line as with 100,000 (performance,
// goal 10). The JSON form is the sorted array of entries; indexes are rebuilt.
package line

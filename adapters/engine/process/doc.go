// Package process finds and ends the processes of engine sessions by the mark
// that each of them inherits in its environment:
//
//	REVIEWCTL_LANE=<boot>/<run>/<lane>/<attempt>
//
// A record of process ids made after a fork always has a window in which a crash
// loses it; an environment has none. (hard-parts §2) Beside the marked processes
// themselves, their descendants and the members of their process groups count:
// a program may clear its environment. What they print is read
// within a bound (Capped). It is part of adapters/engine.
package process

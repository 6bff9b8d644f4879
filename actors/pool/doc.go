// Package pool decides which lane gets a slot of one model family.
//
//	slot        one unit of capacity, numbered from 0
//	line        the lanes that wait for one, by rank and then by arrival
//	grant       a slot that is a lane's until its lease ends
//	lease       the lane's time limit and a grace
//	generation  the grant's fencing number; it only grows
//	ended       the last lanes that left, so that a late repeat of their request is
//	            void
//
// A slot is free as soon as its lane is released or its lease has ended, and the
// decision that frees it grants it. Money and runs are not known here.
package pool

// Package api is what we ask of GitHub, and how its answers are understood.
//
// A fault is an answer that is no success, sorted into kinds; a limit is GitHub's
// own clock for the next request; a read may be repeated, a write never is: whether
// a write whose answer was lost has happened is found out by looking.
package api

// Package api is what we ask of GitHub, and how its answers are understood.
//
// A Client is one credential's access to one GitHub. An exchange is one request with
// its answer; the wire carries it below go-github, which makes requests and knows
// GitHub's JSON and is let decide nothing: neither limits nor redirects nor what an
// error means. traffic says what a request is for, so that polls give way to
// publishing and labels to reviews; the pace spaces writes; the memo and the cache
// keep answers for conditional requests.
//
// A fault is an answer that is no success, sorted into kinds; a limit is GitHub's
// own clock for the next request; a read may be repeated, a write never is: whether
// a write whose answer was lost has happened is found out by looking.
package api

// Package render writes a review as GitHub shows it: one body, and comments that
// stand at lines.
//
// A finding is inline where GitHub's own list of files shows its last line on the
// new side; all others stand in the body, in full, with the reason. A section is a
// part of the body under a title of its own; where a body is longer than GitHub
// takes, sections are cut from the lowest up, and a line says what was left out.
//
//	Review ──Render──▶ Output{Body, Comments, Event}
//
// Nothing that an engine said can do anything there: it is cut, made harmless by
// adapters/prose, and freed of secrets again, however old the log is that it comes
// from. (cases D42, E24, E25 and E26) Markers are written by adapters/github/marker,
// in the first line, and nowhere else.
//
// Nothing here talks to GitHub: adapters/github/publish does.
package render

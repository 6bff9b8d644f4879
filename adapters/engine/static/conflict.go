package static

import (
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

var conflictRule = Rule{
	ID: "conflict-marker", title: "Unresolved merge conflict", version: 1,
	Severity: events.SeverityBlocking, Category: categoryBug,
	Doc: "Decide what these lines shall be, and remove the markers.",
}

// markerWidth is git's: seven characters at the start of a line.
const markerWidth = 7

// conflict is one whole set of markers: its lines in the head.
type conflict struct {
	start, end           int
	startLine, endLine   string
	hasMiddle, hasOrigin bool
}

// conflicts reports the markers of an unresolved merge: a whole set of them on
// added lines, in git's order. A single row of "=" is a headline in
// reStructuredText or Markdown and none of our business. All sets of a file are
// one finding, so that its identity does not hang on how many there are.
func conflicts(f *diff.File, old *oldSide) []events.Finding {
	var first conflict
	var where []string
	n := 0
	conflictSets(f, func(c conflict) {
		if old.hasLine(c.startLine) && old.hasLine(c.endLine) {
			return
		}
		if n++; n == 1 {
			first = c
		}
		if n <= moreListed {
			where = append(where, fmt.Sprintf("%d to %d", c.start, c.end))
		}
	})
	if n == 0 {
		return nil
	}
	finding := about(f)
	finding.Severity = conflictRule.Severity
	finding.Category = conflictRule.Category
	finding.Title = conflictRule.title
	finding.LineStart, finding.LineEnd = first.start, first.end
	finding.Body = "The change adds the conflict markers that git leaves in a file when it cannot merge: lines " +
		listed(where, n) + ". " + conflictRule.Doc
	finding.Rule = conflictRule.ID
	return []events.Finding{finding}
}

// conflictSets yields the sets in order.
func conflictSets(f *diff.File, yield func(conflict)) {
	var open *conflict
	for line := range f.AddedLines() {
		row := strings.TrimSuffix(line.Text, "\r")
		switch {
		case marker(row, '<'):
			open = &conflict{start: line.Number, startLine: row}
		case open == nil:
		case marker(row, '|') && !open.hasMiddle && !open.hasOrigin:
			open.hasOrigin = true
		case row == strings.Repeat("=", markerWidth) && !open.hasMiddle:
			open.hasMiddle = true
		case marker(row, '>'):
			if open.hasMiddle {
				open.end, open.endLine = line.Number, row
				yield(*open)
			}
			open = nil
		}
	}
}

// marker reports whether the row is exactly seven of c, alone or before a space
// and a name.
func marker(row string, c byte) bool {
	rest, ok := strings.CutPrefix(row, strings.Repeat(string(c), markerWidth))
	return ok && (rest == "" || rest[0] == ' ' && len(rest) > 1)
}

package static

import (
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

var lineEndingsRule = Rule{
	ID: "mixed-line-endings", title: "Mixed line endings", version: 1,
	Severity: events.SeverityNitpick, Category: categoryHygiene,
	Doc: "Diffs and merges of such a file show changes that are none. Give all lines the same ending.",
}

// endings counts line endings.
type endings struct{ dos, unix int }

func (e *endings) add(text string) {
	if strings.HasSuffix(text, "\r") {
		e.dos++
	} else {
		e.unix++
	}
}

func (e *endings) mixed() bool { return e.dos > 0 && e.unix > 0 }

// lineEndings finds added lines that end otherwise than the file did before.
func (l *look) lineEndings() {
	var added, around endings
	first := map[bool]int{} // the first added line that has a carriage return, and that has none
	for i := range l.file.Hunks {
		for row := range l.file.Hunks[i].Rows() {
			if row.Op == diff.OpRemove || row.NoNewline {
				continue
			}
			around.add(row.Text)
			if row.Op == diff.OpContext {
				continue
			}
			added.add(row.Text)
			if dos := strings.HasSuffix(row.Text, "\r"); first[dos] == 0 {
				first[dos] = row.NewLine
			}
		}
	}
	if !around.mixed() {
		return
	}
	var before endings
	for _, row := range l.old.rows() {
		before.add(row)
	}
	if before.mixed() {
		return
	}
	// The stranger is the ending that the file had not, or that fewer lines have.
	dos := before.unix > 0 || before.dos == 0 && added.dos <= added.unix
	if first[dos] == 0 {
		return
	}
	said := "The line ends with a carriage return, and others of the file do not."
	if !dos {
		said = "The line ends without a carriage return, and others of the file have one."
	}
	l.keep(spot{rule: &lineEndingsRule, start: first[dos], end: first[dos], said: said})
}

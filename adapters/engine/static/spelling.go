package static

import (
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/golangci/misspell"

	"github.com/reviewctl/reviewctl/events"
)

var spellingRule = Rule{
	ID: "spelling", title: "Misspelled word", version: 1,
	Severity: events.SeverityNitpick, Category: categoryHygiene,
	Doc: "The word is one of a list of common mistakes. Correct it, unless it is a name.",
}

// proseEnds are files that are text as a whole.
var proseEnds = []string{".md", ".markdown", ".txt", ".rst", ".adoc"}

// speller knows common mistakes, and needs 20 ms to be made.
var speller = sync.OnceValue(misspell.New)

// prose is what people read of a line of the file: all of a text, the comment of
// code. nil = nothing is.
func prose(name string) func(row string) string {
	if hasEnd(name, proseEnds) {
		return func(row string) string { return row }
	}
	if lang := languages[strings.ToLower(path.Ext(name))]; lang != nil {
		return lang.remark
	}
	return nil
}

// spell finds common mistakes in what people read of an added line.
func (l *look) spell(line int, row string, read func(string) string) {
	if len(row) > rowMax {
		return
	}
	text := read(row)
	if text == "" {
		return
	}
	seen := map[string]bool{}
	_, wrong := speller().Replace(text + "\n") // an address at its end wants something behind it
	for _, w := range wrong {
		if seen[w.Original] {
			continue
		}
		seen[w.Original] = true
		l.at(&spellingRule, line, w.Original, fmt.Sprintf("%q is usually written %q.", w.Original, w.Corrected))
	}
}

package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// suggestedLinesMax bounds the lines of a suggestion that can be applied.
const suggestedLinesMax = 500

// replacement is what a suggestion puts in the place of which rows.
type replacement struct {
	rows        []newRow // of the hunk
	first, last int      // indexes of what is replaced
	lines       []string
	exact       bool // the lines were not guessed
}

// suggest makes sure that the suggestion, put in the place of the finding's lines,
// gives the file that is meant; where that is not certain, the suggestion stays as
// text to read, with the reason. It never has more lines to replace than one hunk
// shows, nor deleted lines between them. (cases D30 and D31)
func (p *placer) suggest(f *events.Finding) {
	if f.Suggestion == "" || f.SuggestionReason != "" {
		return
	}
	if f.Placement != events.PlacementInline {
		f.SuggestionReason = reasonStandsNowhere
		return
	}
	name := p.name(f)
	entry := p.diff.File(name)
	if p.submodule(name, entry) {
		f.SuggestionReason = reasonNoText
		return
	}
	rows, last, ok := p.shownOf(entry).hunkOf(f.LineEnd)
	first := last - (f.LineEnd - f.LineStart)
	if !ok || first < 0 {
		f.SuggestionReason = reasonStandsNowhere
		return
	}
	r := &replacement{rows: rows, first: first, last: last, lines: strings.Split(f.Suggestion, "\n"), exact: p.exact}
	if f.SuggestionReason = r.settle(); f.SuggestionReason != "" {
		return
	}
	f.Suggestion = strings.Join(r.lines, "\n")
	start, end := r.rows[r.first].line, r.rows[r.last].line
	if start != f.LineStart || end != f.LineEnd {
		note := fmt.Sprintf(reasonReplaces, span(f.LineStart, f.LineEnd), span(start, end))
		if f.PlacementReason != "" {
			note = f.PlacementReason + "; " + note
		}
		f.LineStart, f.LineEnd, f.PlacementReason = start, end, note
	}
}

// settle finds out what is replaced, or why that cannot be known.
func (r *replacement) settle() (reason string) {
	if len(r.lines) > suggestedLinesMax {
		return fmt.Sprintf(reasonLong, suggestedLinesMax)
	}
	if !r.exact {
		if reason := r.undoRows(); reason != "" {
			return reason
		}
		if reason := r.widen(); reason != "" {
			return reason
		}
	}
	if before, after := r.kept(r.first, r.last); before+after == len(r.lines) && before+after == r.last-r.first+1 {
		return reasonSame
	}
	if r.interleaved() || len(r.lines) == 0 {
		return r.narrow()
	}
	return ""
}

// undoRows reads a suggestion that is written as rows of a diff: its removed rows
// and its context are the old text, and must be in the file. (case D31: never a
// "+" or a "-" before the lines)
func (r *replacement) undoRows() (reason string) {
	var before, after []string
	added, removed := false, false
	for _, line := range r.lines {
		text := line
		if line != "" {
			text = line[1:]
		}
		switch {
		case line == "", line[0] == ' ':
			before, after = append(before, text), append(after, text)
		case line[0] == '-':
			before, removed = append(before, text), true
		case line[0] == '+':
			after, added = append(after, text), true
		default:
			return "" // no rows
		}
	}
	if !added { // a list of Markdown or YAML looks like removed rows
		return ""
	}
	for _, row := range r.rows[r.first : r.last+1] {
		if strings.HasPrefix(row.text, "+") {
			return "" // as the file's own lines
		}
	}
	if !removed {
		return reasonDiffRows
	}
	for i := max(0, r.last-len(before)+1); i <= r.first && i+len(before) <= len(r.rows); i++ {
		if r.equal(i, before) {
			r.first, r.last, r.lines = i, i+len(before)-1, after
			return ""
		}
	}
	return reasonDiffRows
}

// widen takes the lines around the finding's own into what is replaced where the
// suggestion repeats them: they would be there twice. (case D31)
func (r *replacement) widen() (reason string) {
	before, after := r.kept(r.first, r.last)
	best, several := before+after, false
	chosen := lineRange{r.first, r.last}
	around := r.around()
	for _, w := range append(r.asLong(), around) {
		before, after := r.kept(w.start, w.end)
		switch score := before + after; {
		case score > best:
			best, chosen, several = score, w, false
		case score < best || w == chosen || chosen == lineRange{r.first, r.last}:
		case w == around && w.start+before <= r.first && w.end-after >= r.last: // all that it changes is the finding's own
			chosen, several = w, false
		default:
			several = true
		}
	}
	if several {
		return reasonSeveral
	}
	r.first, r.last = chosen.start, chosen.end
	return ""
}

// asLong are the runs of rows around the finding's own with as many rows as the
// suggestion has lines, half of which are the same, one outside of the finding's
// own at least.
func (r *replacement) asLong() []lineRange {
	var all []lineRange
	n := len(r.lines)
	for i := max(0, r.last-n+1); i <= r.first && i+n <= len(r.rows); i++ {
		last := i + n - 1
		before, after := r.kept(i, last)
		if 2*(before+after) >= n && (r.speaks(i, min(i+before, r.first)) || r.speaks(max(last+1-after, r.last+1), last+1)) {
			all = append(all, lineRange{i, last})
		}
	}
	return all
}

// around is the finding's own rows with those before and after them with which the
// suggestion begins and ends.
func (r *replacement) around() lineRange {
	n := len(r.lines)
	at := lineRange{r.first, r.last}
	for k := min(n, r.first); k > 0; k-- {
		if r.equal(r.first-k, r.lines[:k]) && r.speaks(r.first-k, r.first) {
			at.start = r.first - k
			break
		}
	}
	for k := min(n-(r.first-at.start), len(r.rows)-1-r.last); k > 0; k-- {
		if r.equal(r.last+1, r.lines[n-k:]) && r.speaks(r.last+1, r.last+1+k) {
			at.end = r.last + k
			break
		}
	}
	return at
}

// speaks reports whether one of the rows from the first to before the second is
// more than white space.
func (r *replacement) speaks(from, before int) bool {
	return from < before && slices.ContainsFunc(r.rows[from:before], func(row newRow) bool {
		return strings.TrimSpace(row.text) != ""
	})
}

// equal reports whether the lines stand at the row.
func (r *replacement) equal(at int, lines []string) bool {
	return slices.EqualFunc(r.rows[at:at+len(lines)], lines, func(row newRow, line string) bool {
		return row.text == trimReturn(line)
	})
}

// kept counts the rows at both ends that the suggestion leaves as they are.
func (r *replacement) kept(first, last int) (before, after int) {
	most := min(len(r.lines), last-first+1)
	for before < most && r.equal(first+before, r.lines[before:before+1]) {
		before++
	}
	for after < most-before && r.equal(last-after, r.lines[len(r.lines)-1-after:len(r.lines)-after]) {
		after++
	}
	return before, after
}

// interleaved reports whether the change deletes lines between those that are
// replaced.
func (r *replacement) interleaved() bool {
	return slices.ContainsFunc(r.rows[r.first+1:r.last+1], func(row newRow) bool { return row.cut })
}

// narrow takes away at both ends what stays as it is, so that no deleted line is
// left in between. One line stays in any case: a comment stands at a line, and a
// suggestion without lines is none. (case D30)
func (r *replacement) narrow() (reason string) {
	before, after := r.kept(r.first, r.last)
	if len(r.lines) == 0 { // all is deleted: a line beside it stays
		switch {
		case r.first > 0:
			r.first--
			r.lines = []string{r.rows[r.first].text}
		case r.last+1 < len(r.rows):
			r.last++
			r.lines = []string{r.rows[r.last].text}
		}
		before, after = 0, 0
	}
	if before+after == r.last-r.first+1 || before+after == len(r.lines) {
		if before > 0 {
			before--
		} else if after > 0 {
			after--
		}
	}
	r.first, r.last = r.first+before, r.last-after
	r.lines = r.lines[before : len(r.lines)-after]
	if len(r.lines) == 0 || r.interleaved() {
		return reasonInterleaved
	}
	return ""
}

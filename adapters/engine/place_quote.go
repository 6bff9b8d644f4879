package engine

import (
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// quotedLinesMax bounds the lines in which a quote is looked for.
const quotedLinesMax = 10_000

// proof is what a finding's quote says of its lines.
type proof int

const (
	proofNone  proof = iota // nothing: what stands at those lines is not known
	proofThere              // it stands there
	proofMoved              // it stands once elsewhere in the diff
	proofWrong              // it stands neither there nor just once elsewhere
)

// quoted looks for what the finding quotes: at the lines that it names, and only
// where it is not there in the rest of the diff. So lines that are right stay, and
// lines that are wrong move to a place that nobody can mistake. (cases D32, D33)
func (p *placer) quoted(quote []string, f *events.Finding, name string, entry *diff.File) (lineRange, proof) {
	at, verdict := lineRange{}, proofWrong
	if f.LineStart > 0 {
		at, verdict = p.named(quote, f.LineStart, f.LineEnd, name, entry)
	}
	if verdict == proofThere {
		return at, verdict
	}
	if at, ok := p.shownOf(entry).once(quote); ok {
		return at, proofMoved
	}
	return lineRange{}, verdict
}

// named looks for the quote at the lines: within them, or around them where it is
// longer.
func (p *placer) named(quote []string, start, end int, name string, entry *diff.File) (lineRange, proof) {
	low, high := max(min(start, end-len(quote)+1), 1), max(end, start+len(quote)-1)
	if high-low >= quotedLinesMax {
		return lineRange{}, proofNone
	}
	lines, known := p.lines(low, high, name, entry)
	if !known {
		return lineRange{}, proofNone
	}
	for _, same := range []func(a, b string) bool{exactly, byWords, holds} {
		for i := 0; i+len(quote) <= len(lines); i++ {
			at := lineRange{low + i, low + i + len(quote) - 1}
			within := at.start >= start && at.end <= end
			around := at.start <= start && at.end >= end
			if (within || around) && slices.EqualFunc(lines[i:i+len(quote)], quote, same) {
				return at, proofThere
			}
		}
	}
	return lineRange{}, proofWrong
}

// lines reads the head's lines from the file, or from the diff where the file
// cannot be read.
func (p *placer) lines(low, high int, name string, entry *diff.File) (lines []string, known bool) {
	if head := p.head(name); head.known {
		lines = head.slice(low, high)
		for i := range lines {
			lines[i] = trimReturn(lines[i])
		}
		return lines, true
	}
	rows, i, ok := p.shownOf(entry).hunkOf(high)
	if !ok || i-(high-low) < 0 {
		return nil, false
	}
	for _, row := range rows[i-(high-low) : i+1] {
		lines = append(lines, row.text)
	}
	return lines, true
}

// holds reports whether a line holds the quote: engines quote parts of lines too.
func holds(line, quote string) bool { return strings.Contains(words(line), words(quote)) }

// quoteLines cuts a quote into its lines, without blank ones around them, and as
// many as fit.
func quoteLines(quote string) []string {
	lines := strings.Split(quote, "\n")
	size := 0
	for i := range lines {
		if size += len(lines[i]) + 1; size > events.FindingQuoteMax {
			lines = lines[:i]
			break
		}
		lines[i] = trimReturn(lines[i])
	}
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

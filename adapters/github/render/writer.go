package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/marker"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of what is posted. GitHub takes 65,536 characters for a body, and it is
// not said whether it counts bytes, UTF-16 or characters, nor whether a line's end
// is one or two. Bytes are the most of all, and what is left is room for the ends
// of lines. (github.md §3)
const (
	bodyMax   = 60_000
	inlineMax = 50 // comments of one review (case D40)
)

// Bounds of the parts of one finding, in bytes of what is posted. Together they
// are below bodyMax, so that a comment needs no cut of its own.
const (
	titleMax      = 1_000
	textMax       = 24 << 10
	suggestionMax = 16 << 10
	sourcesMax    = 5 // names
)

// writer writes one review.
type writer struct {
	r      *Review
	masker *masker
	places *places
	lanes  map[string]*Lane
}

func newWriter(r *Review) *writer {
	w := &writer{r: r, masker: newMasker(r.Secrets), places: newPlaces(&r.Diff), lanes: map[string]*Lane{}}
	for i := range r.Lanes {
		w.lanes[r.Lanes[i].ID] = &r.Lanes[i]
	}
	return w
}

// block is a finding in words that can do nothing: as Markdown, and as they stand
// in a block of code.
type block struct {
	f                   *Finding
	title, body         string
	codeTitle, codeBody string
	why                 string // it stands in the body for this reason; "" = inline
	spot                spot
}

// blocks are the findings by severity, then number.
func (w *writer) blocks() []*block {
	all := make([]*block, len(w.r.Findings))
	for i := range w.r.Findings {
		f := &w.r.Findings[i]
		title, body := strings.Join(strings.Fields(w.clean(f.Title)), " "), strings.TrimSpace(w.clean(f.Body))
		all[i] = &block{
			f: f, title: postedLine(title, titleMax), body: postedText(body, textMax),
			codeTitle: marker.Defuse(cut(title, titleMax)), codeBody: marker.Defuse(cut(body, textMax)),
		}
	}
	slices.SortStableFunc(all, func(a, b *block) int { return b.f.Severity.Weight() - a.f.Severity.Weight() })
	return all
}

// place decides which findings are inline: at most inlineMax, the heaviest first.
func (w *writer) place(blocks []*block) {
	inline := 0
	for _, b := range blocks {
		if why, refused := w.r.Refused[b.f.Fingerprint]; refused {
			b.why = why
			continue
		}
		switch b.spot, b.why = w.places.find(&b.f.Finding); {
		case b.why != "":
		case w.masker.mask(b.f.File) != b.f.File:
			b.why = whySecret
		case inline == inlineMax:
			b.why = fmt.Sprintf(whyMany, inlineMax)
		default:
			inline++
		}
	}
}

// comment is a finding that stands at its lines.
func (w *writer) comment(b *block) api.Comment {
	m := marker.Marker{
		Key:     marker.Key{Repo: w.r.RepoID, Number: w.r.Number, Head: w.r.Head, Kind: marker.KindComment},
		Finding: b.f.Fingerprint, Dedupe: b.f.Dedupe,
	}
	c := api.Comment{Path: b.f.File, Line: b.spot.line, Body: m.String() + "\n" + w.inline(b)}
	if b.spot.start != b.spot.line {
		c.StartLine = b.spot.start
	}
	return c
}

func (w *writer) inline(b *block) string {
	var out strings.Builder
	out.WriteString(w.headline(b) + "\n")
	if b.body != "" {
		out.WriteString("\n" + b.body + "\n")
	}
	if s := w.suggestion(b); s != "" {
		out.WriteString("\n" + s + "\n")
	}
	out.WriteString("\n" + w.source(b))
	return out.String()
}

var icons = map[events.Severity]string{
	events.SeverityBlocking: "🔴", events.SeveritySuggestion: "🟡", events.SeverityNitpick: "💬",
}

var severities = map[events.Severity]string{
	events.SeverityBlocking: "Blocking", events.SeveritySuggestion: "Suggestion", events.SeverityNitpick: "Nitpick",
}

// headline is bold: a system that reads it back takes what follows the colon for
// the title. (semantics 13.3, 14.3)
func (w *writer) headline(b *block) string {
	title := b.title
	if title == "" {
		title = "(no title)"
	}
	return bold(icons[b.f.Severity]+" "+severities[b.f.Severity]+": "+title) + numbered(b.f.Number)
}

// suggestion is a block that GitHub offers to apply, or one to read with the
// reason. (cases D30 and D31)
func (w *writer) suggestion(b *block) string {
	if b.f.Suggestion == "" {
		return ""
	}
	text := marker.Defuse(w.clean(b.f.Suggestion))
	why := w.line(b.f.SuggestionReason, lineMax)
	switch {
	case why != "":
	case b.why != "":
		why = whySaid
	case b.spot.moved:
		why = whyMoved
	case b.spot.cut:
		why = whyInterleaved
	case text != b.f.Suggestion:
		why = whyChanged
	case len(text) > suggestionMax:
		why = whyLong
	}
	if why == "" {
		return code("suggestion", text)
	}
	return "Suggested, to be read and not applied" + inBrackets(why) + ":\n\n" + code("", cut(text, suggestionMax))
}

// source says in small print who found it.
func (w *writer) source(b *block) string {
	var names []string
	for _, id := range b.f.Sources {
		names = append(names, w.engine(id))
	}
	line := "source: " + listed(names, sourcesMax)
	if b.f.Rule != "" {
		line += " · rule " + w.word(b.f.Rule)
	}
	if note := w.line(b.f.PlacementReason, lineMax); b.why == "" && note != "" {
		line += " · " + note
	}
	return "<sub>" + line + " · finding " + w.word(string(b.f.Fingerprint)) + "</sub>"
}

package answer

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// severities are the spellings of a severity, lower-case. (semantics 12.2)
var severities = map[string]events.Severity{
	"":           events.SeverityNitpick,
	"blocking":   events.SeverityBlocking,
	"suggestion": events.SeveritySuggestion,
	"nitpick":    events.SeverityNitpick,
	"p0":         events.SeverityBlocking,
	"p1":         events.SeverityBlocking,
	"p2":         events.SeveritySuggestion,
	"p3":         events.SeverityNitpick,
}

func findings(top fields, p *priors) []events.Finding {
	items, ok := top.list("findings")
	if !ok && top.raw("findings") == nil {
		top.r.fault("findings must be a list, empty where there is nothing to say")
	}
	found := make([]events.Finding, 0, len(items))
	for i, item := range items {
		found = append(found, finding(fields{r: top.r, name: fmt.Sprintf("findings[%d].", i), set: item}, p))
	}
	return found
}

func finding(f fields, p *priors) events.Finding {
	got := events.Finding{
		Title:      f.text("title"),
		File:       f.text("file"),
		Body:       f.text("body"),
		Category:   strings.ToLower(f.text("category")),
		Suggestion: verbatim(f, "suggestion"),
		Quote:      verbatim(f, "quote"),
		Rule:       f.text("rule"),
	}
	if got.Title == "" {
		f.r.fault("%stitle must not be empty", f.name)
	}
	if got.Category == "" {
		got.Category = "general"
	}
	word := f.text("severity")
	severity, ok := severities[strings.ToLower(word)]
	if !ok {
		f.r.fault("%sseverity %q must be blocking, suggestion or nitpick", f.name, Clip(word, 40))
	}
	got.Severity = severity
	got.LineStart, got.LineEnd = span(f)
	if c, ok := f.number("confidence"); ok {
		if c < 0 || c > 1 {
			f.r.fault("%sconfidence must lie between 0 and 1", f.name)
		}
		got.Confidence = &c
	}
	p.carry(f, &got)
	return got
}

// verbatim keeps the text's own indentation: it is lines of a file. A blank one is
// none. (semantics 12.2)
func verbatim(f fields, key string) string {
	if f.text(key) == "" {
		return ""
	}
	var s string
	_ = json.Unmarshal(f.raw(key), &s)
	return strings.TrimRight(s, "\r\n")
}

// Bounds of the figures that a usage may hold; what is beyond is a mistake.
const (
	tokensMax = 1e12
	costMax   = 1e6
)

// usage reads the figures. A review is not thrown away for them: figures that
// make no sense are unknown, and the lane is settled at its reservation.
func usage(raw json.RawMessage, r *reader) events.Usage {
	unknown := events.Usage{Confidence: events.ConfidenceUnknown}
	if raw == nil || string(raw) == "null" {
		return unknown
	}
	var said struct {
		Input      *float64          `json:"input_tokens"`
		Output     *float64          `json:"output_tokens"`
		Cost       *float64          `json:"cost_usd"`
		Confidence events.Confidence `json:"confidence"`
	}
	if json.Unmarshal(raw, &said) != nil {
		r.note("usage is not what the schema says and was left out")
		return unknown
	}
	if said.Input == nil && said.Output == nil && said.Cost == nil {
		return unknown
	}
	number := func(v *float64, most float64) float64 {
		if v == nil {
			return 0
		}
		if *v < 0 || *v > most {
			said.Confidence = "out of bounds"
			return 0
		}
		return *v
	}
	got := events.Usage{
		InputTokens:  int64(number(said.Input, tokensMax)),
		OutputTokens: int64(number(said.Output, tokensMax)),
		CostUSD:      number(said.Cost, costMax),
	}
	switch said.Confidence {
	case events.ConfidenceExact, events.ConfidenceEstimate, events.ConfidenceUnknown:
		got.Confidence = said.Confidence
	case "":
		got.Confidence = events.ConfidenceEstimate // figures, but nobody vouches for them
	default:
		r.note("usage is out of bounds and was left out")
		return unknown
	}
	return got
}

package main

import (
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// reviewdog's diagnostics, one a line. (reviewdog, proto/rdf/reviewdog.proto) Only
// findings: what is withheld is not for a reviewer's eyes. No times, ids of runs
// and lanes, or usage.

type rdDiagnostic struct {
	Message     string         `json:"message"`
	Location    rdLocation     `json:"location"`
	Severity    string         `json:"severity"`
	Source      rdSource       `json:"source"`
	Code        rdCode         `json:"code"`
	Suggestions []rdSuggestion `json:"suggestions,omitempty"`
}

type rdLocation struct {
	Path  string   `json:"path"` // "" = the change as a whole
	Range *rdRange `json:"range,omitempty"`
}

type rdRange struct {
	Start rdPosition `json:"start"`
	End   rdPosition `json:"end"`
}

// rdPosition has no column: whole lines.
type rdPosition struct {
	Line int `json:"line"`
}

type rdSource struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type rdCode struct {
	Value string `json:"value"`
}

type rdSuggestion struct {
	Range rdRange `json:"range"`
	Text  string  `json:"text"`
}

// rdjsonl prints the review as diagnostics.
func (p *Printer) rdjsonl(r *ReviewReport) error {
	for i := range r.Findings {
		if err := p.JSON(rdDiagnosticOf(&r.Findings[i])); err != nil {
			return err
		}
	}
	return nil
}

func rdDiagnosticOf(f *ReportFinding) rdDiagnostic {
	d := rdDiagnostic{
		Message: messageOf(f.Title, f.Body), Location: rdLocation{Path: f.File}, Severity: rdSeverity(f.Severity),
		Source: rdSource{Name: toolName, URL: toolAddress}, Code: rdCode{Value: f.rule()},
	}
	if f.File == "" || f.LineStart == 0 {
		return d
	}
	lines := rdRange{rdPosition{f.LineStart}, rdPosition{max(f.LineStart, f.LineEnd)}}
	d.Location.Range = &lines
	if f.Suggestion != "" && f.SuggestionReason == "" {
		d.Suggestions = []rdSuggestion{{Range: lines, Text: strings.TrimRight(f.Suggestion, "\n")}}
	}
	return d
}

func rdSeverity(s events.Severity) string {
	switch s {
	case events.SeverityBlocking:
		return "ERROR"
	case events.SeveritySuggestion:
		return "WARNING"
	}
	return "INFO"
}

package linter

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/reviewctl/reviewctl/events"
)

// rdjsonl reads reviewdog's diagnostics: one JSON object after another (rdjsonl),
// or one object with a list of them (rdjson).
type rdjsonl struct{}

type rdSource struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type rdPosition struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

type rdRange struct {
	Start rdPosition `json:"start"`
	End   rdPosition `json:"end"`
}

type rdDiagnostic struct {
	Message  *string `json:"message"`
	Location struct {
		Path  string  `json:"path"`
		Range rdRange `json:"range"`
	} `json:"location"`
	Severity jsontext.Value `json:"severity"`
	Source   rdSource       `json:"source"`
	Code     struct {
		Value string `json:"value"`
		URL   string `json:"url"`
	} `json:"code"`
	Suggestions []struct {
		Range rdRange `json:"range"`
		Text  string  `json:"text"`
	} `json:"suggestions"`
}

// rdWhole is what an rdjson report says of all of its diagnostics.
type rdWhole struct {
	source   rdSource
	severity jsontext.Value
	list     bool
}

func (rdjsonl) read(report *source, emit func(remark)) (facts, error) {
	if report.empty() {
		return facts{}, nil
	}
	whole, err := readWhole(report)
	if err != nil {
		return facts{}, err
	}
	all := facts{tool: cut(whole.source.Name, nameMax)}
	w := walk(report, report.start, report.size)
	one := func() error {
		var d rdDiagnostic
		if err := w.value(&d); err != nil {
			return err
		}
		if d.Message == nil {
			return &BrokenError{Line: report.lineOf(w.offset()), Reason: "not a diagnostic: it has no message"}
		}
		if all.tool == "" {
			all.tool = cut(d.Source.Name, nameMax)
		}
		emit(d.remark(whole))
		return nil
	}
	if whole.list {
		return all, w.object("an rdjson report", func(name string) (bool, error) {
			if name != "diagnostics" {
				return false, nil
			}
			return true, w.list(name, one)
		})
	}
	for {
		w.meter.next()
		if w.d.PeekKind() != '{' {
			return all, w.end()
		}
		if err := one(); err != nil {
			return all, err
		}
	}
}

// readWhole goes through the first object, which is a report or a diagnostic.
func readWhole(report *source) (rdWhole, error) {
	var whole rdWhole
	w := walk(report, report.start, report.size)
	err := w.object("a diagnostic", func(name string) (bool, error) {
		switch name {
		case "diagnostics":
			whole.list = true
		case "source":
			return true, w.value(&whole.source)
		case "severity":
			return true, w.value(&whole.severity)
		}
		return false, nil
	})
	if err == nil && whole.list {
		err = w.end()
	}
	if !whole.list {
		whole = rdWhole{}
	}
	return whole, err
}

func (d *rdDiagnostic) remark(whole rdWhole) remark {
	severity := rdSeverity(d.Severity)
	if severity == "" {
		severity = rdSeverity(whole.severity)
	}
	if severity == "" {
		severity = events.SeveritySuggestion
	}
	r := remark{
		message: cutWord(*d.Message, messageMax), rule: cut(d.Code.Value, nameMax),
		about: cut(d.Code.URL, aboutMax), severity: severity,
	}
	if d.Location.Path != "" {
		r.files = []string{cut(d.Location.Path, nameMax)}
	}
	r.start, r.end = d.Location.Range.lines()
	for _, s := range d.Suggestions {
		if start, end, ok := s.Range.lineWise(s.Text); ok {
			if r.fix = newFix(start, end, s.Text); r.fix != nil {
				break
			}
		}
	}
	return r
}

// lines are the first and the last line; a last line of which nothing belongs to
// the range is not one of them.
func (g rdRange) lines() (start, end int) {
	start, end = g.Start.Line, g.End.Line
	if end > start && g.End.Column == 1 {
		end--
	}
	return start, max(start, end)
}

// lineWise reports whether the range is whole lines, and which. Without columns it
// is; with them it ends at the beginning of a line.
func (g rdRange) lineWise(text string) (start, end int, ok bool) {
	start, end = g.lines()
	switch {
	case start < 1 || g.Start.Column > 1:
		return 0, 0, false
	case g.End.Column == 0:
		return start, end, true
	case g.End.Column == 1 && g.End.Line > g.Start.Line && strings.HasSuffix(text, "\n"):
		return start, end, true
	}
	return 0, 0, false
}

// rdSeverity reads a word, or the number of older producers.
func rdSeverity(value jsontext.Value) events.Severity {
	value = bytes.TrimSpace(value)
	if len(value) == 0 {
		return ""
	}
	var word string
	if json.Unmarshal(value, &word) == nil {
		return severityOf(word)
	}
	return map[string]events.Severity{
		"1": events.SeverityBlocking, "2": events.SeveritySuggestion, "3": events.SeverityNitpick,
	}[string(value)]
}

package linter

import (
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of what a run of a SARIF report says beside its results.
const (
	rulesMax     = 20_000
	artifactsMax = 100_000
	namesBytes   = 16 << 20
)

// sarif reads SARIF 2.1.0. A run's tool may stand before its results or after
// them, so each run is read twice: first all but the results, then those.
type sarif struct{}

// sarifRun is what a run says beside its results.
type sarifRun struct {
	tool       sarifComponent
	extensions []sarifComponent
	bases      map[string]sarifLocation
	artifacts  []sarifLocation
	named      int // bytes of the artifacts' names
	failed     string
	successful bool
	results    int
}

func (sarif) read(report *source, emit func(remark)) (facts, error) {
	var all facts
	w := walk(report, report.start, report.size)
	runs, version := false, ""
	err := w.object("a SARIF report", func(name string) (bool, error) {
		switch name {
		case "version":
			return true, w.value(&version)
		case "runs":
			runs = true
			return true, w.list("runs", func() error { return readRun(w, &all, emit) })
		}
		return false, nil
	})
	switch {
	case err != nil:
		return all, err
	case !runs:
		return all, &BrokenError{Reason: "not a SARIF report: it has no runs"}
	case version != "" && !strings.HasPrefix(version, "2.1"):
		return all, &BrokenError{Reason: fmt.Sprintf("SARIF of version %q is not 2.1.0", cut(version, 40))}
	}
	return all, w.end()
}

// readRun reads the run that comes next, and then its results.
func readRun(w *walker, all *facts, emit func(remark)) error {
	from := w.offset()
	run := sarifRun{successful: true}
	if err := run.readFacts(w); err != nil {
		return err
	}
	if all.tool == "" {
		all.tool, all.version = run.tool.Name, run.tool.version()
	}
	if run.results == 0 && !run.successful && all.failed == "" {
		all.failed = run.failed
		if all.failed == "" {
			all.failed = "the report says that the linter did not succeed"
		}
	}
	again := walk(w.src, afterSeparators(w.src, from), w.offset())
	return again.object("a run", func(name string) (bool, error) {
		if name != "results" {
			return false, nil
		}
		return true, again.list("results", func() error {
			var result sarifResult
			if err := again.value(&result); err != nil {
				return err
			}
			if r, ok := run.remark(&result); ok {
				emit(r)
			}
			return nil
		})
	})
}

// afterSeparators is where the value behind an offset begins: a decoder stands
// before the comma.
func afterSeparators(src *source, at int64) int64 {
	var b [1]byte
	for ; at < src.size; at++ {
		if _, err := src.at.ReadAt(b[:], at); err != nil || !strings.ContainsRune(", \t\r\n", rune(b[0])) {
			break
		}
	}
	return at
}

func (run *sarifRun) readFacts(w *walker) error {
	return w.object("a run", func(name string) (bool, error) {
		switch name {
		case "tool":
			var tool struct {
				Driver     sarifComponent   `json:"driver"`
				Extensions []sarifComponent `json:"extensions"`
			}
			err := w.value(&tool)
			run.tool, run.extensions = tool.Driver.bounded(), tool.Extensions
			for i, e := range run.extensions {
				run.extensions[i] = e.bounded()
			}
			return true, err
		case "originalUriBaseIds":
			return true, w.value(&run.bases)
		case "artifacts":
			return true, w.list(name, func() error { return run.readArtifact(w) })
		case "invocations":
			return true, w.list(name, func() error { return run.readInvocation(w) })
		case "results":
			return true, w.list(name, func() error {
				run.results++
				return w.skip()
			})
		}
		return false, nil
	})
}

func (run *sarifRun) readArtifact(w *walker) error {
	var artifact struct {
		Location sarifLocation `json:"location"`
	}
	if err := w.value(&artifact); err != nil {
		return err
	}
	run.named += len(artifact.Location.URI)
	if len(run.artifacts) >= artifactsMax || run.named > namesBytes {
		return nil // a result that names it only by its number then names no file
	}
	artifact.Location.Index = nil
	run.artifacts = append(run.artifacts, artifact.Location)
	return nil
}

func (run *sarifRun) readInvocation(w *walker) error {
	var invocation struct {
		Successful    *bool               `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	if err := w.value(&invocation); err != nil {
		return err
	}
	if invocation.Successful == nil || *invocation.Successful {
		return nil
	}
	run.successful = false
	for _, n := range invocation.Notifications {
		if n.Level == "error" && run.failed == "" {
			run.failed = cutWord(n.Message.Text, messageMax)
		}
	}
	return nil
}

// remark is what a result says. A result that is no fault of the code is none.
func (run *sarifRun) remark(result *sarifResult) (remark, bool) {
	switch result.Kind {
	case "pass", "notApplicable":
		return remark{}, false
	}
	id, rule := run.rule(result)
	r := remark{
		message: cutWord(result.Message.text(rule), messageMax), rule: cut(id, nameMax), about: rule.about(),
		security: rule.isSecurity(), severity: result.severity(rule), withdrawn: result.withdrawn(),
	}
	if len(result.Locations) == 0 {
		return r, true
	}
	place := result.Locations[0].Physical
	r.files = run.files(place.Artifact)
	r.start, r.end = place.Region.lines()
	for i := range result.Fixes {
		if r.fix = run.fix(&result.Fixes[i], r.files); r.fix != nil {
			break
		}
	}
	return r, true
}

func (result *sarifResult) severity(rule *sarifRule) events.Severity {
	level := result.Level
	switch {
	case level != "":
	case result.Kind != "" && result.Kind != "fail":
		level = "none"
	default:
		level = rule.Configuration.Level
	}
	if s := severityOf(level); s != "" {
		return s
	}
	return events.SeveritySuggestion // "warning" is the default (SARIF 3.27.10)
}

// withdrawn says why the report does not stand by a result. (SARIF 3.27.23: one
// suppression under review or rejected, and it is not suppressed)
func (result *sarifResult) withdrawn() string {
	if result.Baseline == "absent" {
		return "the report says that it is gone"
	}
	reason := ""
	for _, s := range result.Suppressions {
		switch s.Status {
		case "underReview", "rejected":
			return ""
		}
		if reason == "" {
			reason = "suppressed in the linter's report"
			if text := strings.TrimSpace(s.Justification); text != "" {
				reason += ": " + cut(strings.Join(strings.Fields(text), " "), 200)
			}
		}
	}
	return reason
}

// fix is a fix that replaces whole lines of the result's file and nothing else.
func (run *sarifRun) fix(f *sarifFix, files []string) *fix {
	if len(f.Changes) != 1 || len(f.Changes[0].Replacements) != 1 || len(files) == 0 {
		return nil
	}
	names := run.files(f.Changes[0].Artifact)
	if len(names) == 0 || names[0] != files[0] {
		return nil
	}
	replacement := f.Changes[0].Replacements[0]
	region, text := replacement.Deleted, replacement.Inserted.Text
	if region.StartLine < 1 || region.StartColumn > 1 {
		return nil
	}
	switch start, end := region.lines(); {
	case region.EndLine > region.StartLine && region.EndColumn == 1:
		// up to the beginning of a line: the text brings its own newline
		if !strings.HasSuffix(text, "\n") {
			return nil
		}
		return newFix(start, end, text)
	case region.EndColumn == 0:
		return newFix(start, end, text)
	}
	return nil
}

// newFix is nil where nothing would be left: an empty suggestion says nothing.
func newFix(start, end int, text string) *fix {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	if strings.TrimSpace(text) == "" || len(text) > events.FindingSuggestionMax {
		return nil
	}
	return &fix{start: start, end: end, text: text}
}

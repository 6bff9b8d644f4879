package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// covers folds a run and returns its coverage in words.
func covers(payloads ...events.Payload) map[string]string {
	b := reportBuilder{lanes: map[events.LaneID]*laneReport{}}
	for i, p := range payloads {
		b.fold(&events.Event{Stream: "run-a", Version: events.Version(i), Time: time.Unix(int64(i), 0)}, p)
	}
	b.finish()
	got := map[string]string{}
	for _, c := range b.report.Coverage {
		got[c.File+c.FileBase64] += fmt.Sprintf("%s %v %s", c.Status, c.Lanes, c.Reason)
	}
	return got
}

// Each changed file is covered once: by what is known of it, then by the best of
// the lanes.
func TestCoverage(t *testing.T) {
	t.Parallel()
	files := []events.ChangedFile{
		{Path: "plain", Status: "M"}, {Path: "part", Status: "M"}, {Path: "gone", Status: "D"},
		{Path: "bin", Status: "A", Binary: true}, {Path: "big", Status: "A", TooLarge: "it is long"},
		{Path: "con", Status: "A", Unwritten: "no such name"},
		{Path: "gen", Status: "A", Excluded: events.ExcludedConfigured, Rule: "gen"},
		{Path: "go.sum", Status: "M", Excluded: events.ExcludedBuiltIn, Rule: "go.sum"},
		{Path: "\uFFFD", PathBase64: "/w==", Status: "M"}, {Path: "\uFFFD", PathBase64: "/g==", Status: "M"},
	}
	begun := []events.Payload{
		&events.WorkspaceRequested{Try: 1}, &events.WorkspaceListed{Try: 1, Page: 1, Files: files[:4]},
		&events.WorkspaceRequested{Try: 2}, &events.WorkspaceListed{Try: 2, Page: 1, Files: files[:7]},
		&events.WorkspaceReady{Try: 2, Pages: 1, Listed: 7, Files: files[7:]},
	}
	static := []events.Payload{
		&events.LaneRequested{Lane: "static"},
		&events.LaneCovered{Lane: "static", Skipped: []events.FileCoverage{
			{Path: "part", Status: events.CoveragePartial, Reason: "the first bytes"},
			{Path: "gone", Status: events.CoverageExcluded, Reason: "deleted by the change"},
			{Path: "go.sum", Status: events.CoverageExcluded, Reason: "the first bytes"},
		}},
		&events.LaneCompleted{Lane: "static", Skipped: []events.FileCoverage{
			{Path: "\uFFFD", PathBase64: "/w==", Status: events.CoveragePartial, Reason: "the first bytes"},
		}},
	}
	known := map[string]string{
		"bin": "binary [] git shows no text of it", "big": "too-large [] it is long", "gen": "excluded [] excluded_paths gen",
		"go.sum": "excluded [] vendored or generated: go.sum",
	}
	cases := []struct {
		name string
		more []events.Payload
		want map[string]string
	}{
		{"no lane", nil, map[string]string{
			"plain": "partial [] no lane reviewed it", "part": "partial [] no lane reviewed it", "gone": "partial [] no lane reviewed it",
			"con": "partial [] no lane reviewed it", "\uFFFD/w==": "partial [] no lane reviewed it", "\uFFFD/g==": "partial [] no lane reviewed it"}},
		{"one lane", static, map[string]string{
			"plain": "reviewed [static] ", "part": "partial [] the first bytes", "gone": "excluded [] deleted by the change",
			"con": "partial [static] the checkout has no such file: no such name", "go.sum": "excluded [] vendored or generated: go.sum; the first bytes",
			"\uFFFD/w==": "partial [] the first bytes", "\uFFFD/g==": "reviewed [static] "}},
		{"one lane over the limits", []events.Payload{&events.LaneSkipped{Lane: "tell", Cause: events.SkippedSize, Reason: "too much"}}, map[string]string{
			"plain": "too-large [] too much", "part": "too-large [] too much", "gone": "too-large [] too much", "con": "too-large [] too much",
			"\uFFFD/w==": "too-large [] too much", "\uFFFD/g==": "too-large [] too much"}},
		{"one lane, and one over the limits", append(static[:3:3], &events.LaneSkipped{Lane: "tell", Cause: events.SkippedSize, Reason: "too much"}), map[string]string{
			"plain": "partial [static] too much", "part": "partial [] the first bytes; too much", "gone": "excluded [] deleted by the change",
			"con": "partial [static] too much", "go.sum": "excluded [] vendored or generated: go.sum; the first bytes",
			"\uFFFD/w==": "partial [] the first bytes; too much", "\uFFFD/g==": "partial [static] too much"}},
		{"one lane, and one with nothing to do", append(static[:3:3], &events.LaneSkipped{Lane: "tell", Cause: events.SkippedEmpty, Reason: "w"}), map[string]string{
			"plain": "reviewed [static] ", "part": "partial [] the first bytes", "gone": "excluded [] deleted by the change",
			"con": "partial [static] the checkout has no such file: no such name", "go.sum": "excluded [] vendored or generated: go.sum; the first bytes",
			"\uFFFD/w==": "partial [] the first bytes", "\uFFFD/g==": "reviewed [static] "}},
	}
	for _, c := range cases {
		want := map[string]string{}
		for _, from := range []map[string]string{known, c.want} {
			for file, text := range from {
				want[file] = text
			}
		}
		if got := covers(append(append([]events.Payload{}, begun...), c.more...)...); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\n%q\nwant\n%q", c.name, got, want)
		}
	}
}

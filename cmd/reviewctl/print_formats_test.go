package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/reviewctl/reviewctl/events"
)

// formatSchema is the part of somebody else's format that we write, written down.
func formatSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "formats", name))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("format.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("format.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// awkwardReports are those that a format can go wrong with.
func awkwardReports() map[string]*ReviewReport {
	broken := reportSample()
	broken.Outcome, broken.Reason = events.OutcomePartial, "a lane failed"
	hostile := reportSample()
	hostile.Findings[0].File = "a b/c:d%2f\"\n\\\u00e9?#.go"
	hostile.Findings[0].LineEnd = 0
	hostile.Findings[1].File, hostile.Findings[1].FileBase64, hostile.Findings[1].Category = "", "", ""
	hostile.Withheld[0].File, hostile.Withheld[0].Rule = "", ""
	return map[string]*ReviewReport{
		"sample": reportSample(), "partial": broken, "hostile": hostile,
		"empty":   {Outcome: events.OutcomeNotRun, Reason: ReasonEmpty},
		"not run": {Outcome: events.OutcomeNotRun, Reason: "paused"},
	}
}

func printed(t *testing.T, r *ReviewReport, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := NewPrinter(&b, false, false).Review(r, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSARIFIsWhatOthersRead(t *testing.T) {
	t.Parallel()
	schema := formatSchema(t, "sarif.json")
	for name, report := range awkwardReports() {
		text := printed(t, report, "sarif")
		if err := validate(t, schema, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, secret := range []string{string(report.Run), "2026-", "input_tokens", "lanes"} {
			if secret != "" && strings.Contains(text, secret) {
				t.Errorf("%s: it carries %q", name, secret)
			}
		}
		var log sarifLog
		if err := json.Unmarshal([]byte(text), &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if len(run.Results) != len(report.Findings)+len(report.Withheld) {
			t.Errorf("%s: %d results of %d findings and %d withheld", name, len(run.Results), len(report.Findings), len(report.Withheld))
		}
		for i, result := range run.Results {
			if run.Tool.Driver.Rules[result.RuleIndex].ID != result.Rule {
				t.Errorf("%s: result %d has the index of another rule", name, i)
			}
			withheld := i >= len(report.Findings)
			if withheld != (len(result.Suppressions) == 1) {
				t.Errorf("%s: result %d: suppressed %v, withheld %v", name, i, result.Suppressions, withheld)
			}
		}
		if good := name != "partial" && name != "not run"; run.Invocations[0].Successful != good {
			t.Errorf("%s: successful is %v", name, !good)
		}
	}
}

func TestSARIFNamesFilesByteByByte(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, file64, want string }{
		{"a/b.go", "", "a/b.go"},
		{"a b/c:d%2f\"\n\\é?#.go", "", "a%20b/c%3Ad%252f%22%0A%5C%C3%A9%3F%23.go"},
		{"caf\uFFFD.go", "Y2Fm6S5nbw==", "caf%E9.go"},
	} {
		if got := fileURI(c.file, c.file64); got != c.want {
			t.Errorf("%q: got %s, want %s", c.file, got, c.want)
		}
	}
}

func TestRDJSONLIsWhatReviewdogReads(t *testing.T) {
	t.Parallel()
	schema := formatSchema(t, "rdjsonl.json")
	for name, report := range awkwardReports() {
		text := printed(t, report, "rdjsonl")
		if got := strings.Count(text, "\n"); got != len(report.Findings) {
			t.Errorf("%s: %d lines of %d findings", name, got, len(report.Findings))
		}
		for line := range strings.Lines(text) {
			if err := validate(t, schema, []byte(line)); err != nil {
				t.Errorf("%s: %s: %v", name, line, err)
			}
			if strings.Contains(line, string(report.Withheld[0].Fingerprint)) || strings.Contains(line, "static") {
				t.Errorf("%s: it carries what it must not: %s", name, line)
			}
		}
	}
}

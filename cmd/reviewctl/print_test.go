package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// reportSample has one of everything.
func reportSample() *ReviewReport {
	usage := events.Usage{InputTokens: 1200, OutputTokens: 300, CostUSD: 0.02, Confidence: events.ConfidenceExact}
	return &ReviewReport{
		Run: "5f0c9a7d1e2b3c4d", Repo: "local/reviewctl", Number: 3,
		Head: "9fceb02d0ae598e95dc970b74767f19372d61af8", Base: "1f7a7a472abf3dd9643fd615f6da379c4acb3e3a", MergeBase: "1f7a7a472abf3dd9643fd615f6da379c4acb3e3a",
		Outcome: events.OutcomeFindings, Reason: "two findings", Verdict: events.VerdictRequestChanges,
		Counts: events.Counts{Blocking: 1, Nitpick: 1}, BaseNote: "the base is the first parent: the head lies on the default branch",
		Findings: []ReportFinding{
			{
				Fingerprint: "0a1b2c3d4e5f", Number: 1, Severity: events.SeverityBlocking, Category: "security", Title: "A private key is added",
				File: "deploy/id_ed25519", LineStart: 1, LineEnd: 7, Placement: events.PlacementInline, Body: "Anyone who can read the repository can use it.\nRotate it.",
				Suggestion: "```\nremove it\n```", Sources: []string{"static"}, Rule: "private-key",
			},
			{
				Fingerprint: "5f4e3d2c1b0a", Number: 2, Severity: events.SeverityNitpick, Category: "general", Title: "A name with <!-- a marker --> and \x1b[31mcolour",
				File: "caf\uFFFD.go", FileBase64: "Y2Fm6S5nbw==", Placement: events.PlacementBody, PlacementReason: "it has no line",
				Suggestion: "\tcafe()", SuggestionReason: "it stands at no lines of the diff",
			},
		},
		Withheld: []ReportWithheld{{Fingerprint: "aaaaaaaaaaaa", Title: "Unused", File: "a.go", LineStart: 9, LineEnd: 9, Source: "lint", Reason: "outside the change", Severity: events.SeverityNitpick, Rule: "U1000"},
			{Fingerprint: "bbbbbbbbbbbb", Title: "A fixture", File: "b.go", LineStart: 3, LineEnd: 3, Source: "static", Reason: "dismissed: it is <one>", Number: 4, Severity: events.SeverityBlocking, Category: "security"}},
		Fixed: []ReportFixed{{Fingerprint: "cccccccccccc", Number: 3}, {Fingerprint: "dddddddddddd", Number: 5}},
		Coverage: []ReportCoverage{
			{File: "deploy/id_ed25519", Status: CoverageReviewed, Lanes: []string{"static"}},
			{File: "logo.png", Status: CoverageBinary, Reason: "git says that it is binary"},
		},
		Lanes: []ReportLane{
			{ID: "static", Kind: "static", Role: "reviewer", Phase: "preliminary", Engine: "static", Status: "completed", Usage: usage},
			{ID: "mine", Kind: "exec", Role: "reviewer", Phase: "preliminary", Engine: "mine", Model: "gpt-6", Status: "failed", Reason: "it timed out", Usage: usage},
		},
		Usage: usage, Timing: ReportTiming{TotalMS: 120, GitMS: 20, EnginesMS: 90, OwnMS: 10},
		Started: time.Date(2026, 11, 30, 12, 0, 0, 0, time.FixedZone("", 3600)), Finished: time.Date(2026, 11, 30, 12, 0, 1, 0, time.UTC),
	}
}

func TestReviewRenderings(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "markdown", "json", "sarif", "rdjsonl"} {
		var b bytes.Buffer
		if err := NewPrinter(&b, false, false).Review(reportSample(), format); err != nil {
			t.Fatal(err)
		}
		golden(t, "review."+format, b.Bytes())
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("..", "..", "testdata", "golden", "cli", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test ./cmd/reviewctl -update rewrites it):\n%s", name, got)
	}
}

func TestTextOfASecondRunIsTheSame(t *testing.T) {
	t.Parallel()
	other := reportSample()
	other.Run, other.Started, other.Finished = "ffffffffffffffff", time.Time{}, time.Time{}
	other.Usage, other.Timing = events.Usage{}, ReportTiming{}
	for i := range other.Lanes {
		other.Lanes[i].ID, other.Lanes[i].Usage = "another", events.Usage{}
	}
	for _, format := range []string{"text", "markdown"} {
		var a, b bytes.Buffer
		if err := errors.Join(NewPrinter(&a, false, true).Review(reportSample(), format), NewPrinter(&b, false, true).Review(other, format)); err != nil {
			t.Fatal(err)
		}
		if a.String() != b.String() {
			t.Errorf("%s differs between two runs", format)
		}
		if strings.ContainsAny(a.String(), "\x1b") || strings.Contains(a.String(), "<!--") && format == "markdown" {
			t.Errorf("%s lets an escape or a marker through", format)
		}
	}
}

func TestReviewExitCodes(t *testing.T) {
	t.Parallel()
	suggestion := []ReportFinding{{Severity: events.SeveritySuggestion}}
	for _, c := range []struct {
		name    string
		outcome events.Outcome
		reason  string
		found   []ReportFinding
		failOn  string
		want    Exit
	}{
		{"cancelled", events.OutcomeCancelled, "", nil, "blocking", ExitUnavailable},
		{"clean", events.OutcomeClean, "", nil, "nitpick", ExitGood},
		{"empty change", events.OutcomeNotRun, ReasonEmpty, nil, "blocking", ExitGood},
		{"failed", events.OutcomeFailed, "", suggestion, "nitpick", ExitUnavailable},
		{"finding at the bar", events.OutcomeFindings, "", suggestion, "suggestion", ExitNo},
		{"finding below the bar", events.OutcomeFindings, "", suggestion, "blocking", ExitGood},
		{"never", events.OutcomeFindings, "", suggestion, "never", ExitGood},
		{"not run", events.OutcomeNotRun, "paused", nil, "blocking", ExitUnavailable},
		{"partial above the bar", events.OutcomePartial, "", suggestion, "nitpick", ExitNo},
		{"partial below the bar", events.OutcomePartial, "", suggestion, "blocking", ExitUnavailable},
	} {
		r := &ReviewReport{Outcome: c.outcome, Reason: c.reason, Findings: c.found}
		if got := report(&bytes.Buffer{}, false, r.Result(c.failOn)); got != c.want {
			t.Errorf("%s: exit %d, want %d", c.name, got, c.want)
		}
	}
}

func TestRowsKeepTheOrderOfTheirKeys(t *testing.T) {
	t.Parallel()
	answer := &GetAnswer{Items: []json.RawMessage{json.RawMessage(`{"run":"0a","repo":"a/b","number":3,"until":null}`), json.RawMessage(`{"run":"0b","repo":"a/b","number":12}`)}}
	want := "RUN  REPO  NUMBER\n0a   a/b   3\n0b   a/b   12\n"
	if got := answer.text(nil); got != want {
		t.Errorf("got %q", got)
	}
}

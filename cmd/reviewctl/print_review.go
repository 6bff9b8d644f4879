package main

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// ReviewReport is what `review` prints. Its JSON is CLI.md's to the letter, and
// schemas/cli/review.json describes it.
type ReviewReport struct {
	Run       events.RunID     `json:"run"`
	Repo      events.RepoName  `json:"repo"`
	Number    int              `json:"number"`
	Head      events.Commit    `json:"head"`
	Base      events.Commit    `json:"base"`
	MergeBase events.Commit    `json:"merge_base"`
	Outcome   events.Outcome   `json:"outcome"`
	Reason    string           `json:"reason"`
	Verdict   events.Verdict   `json:"verdict,omitempty"` // absent where nothing was reviewed
	Counts    events.Counts    `json:"counts"`
	Findings  []ReportFinding  `json:"findings"`
	Withheld  []ReportWithheld `json:"withheld"`
	Fixed     []ReportFixed    `json:"fixed"` // gone since the last review of another head
	Coverage  []ReportCoverage `json:"coverage"`
	Lanes     []ReportLane     `json:"lanes"`
	Usage     events.Usage     `json:"usage"`
	Timing    ReportTiming     `json:"timing"`
	Started   time.Time        `json:"started"`
	Finished  time.Time        `json:"finished"`

	// BaseNote says why the base is not the usual one; for people.
	BaseNote string `json:"-"`
	// Uncommitted says how much of it is not committed; for people.
	Uncommitted string `json:"-"`
	// Until is when a run that did not run could; zero = unknown.
	Until time.Time `json:"-"`
}

// ReportFinding is one remark of the review.
type ReportFinding struct {
	Fingerprint      events.Fingerprint `json:"fingerprint"`
	Number           int                `json:"number"`
	Severity         events.Severity    `json:"severity"`
	Category         string             `json:"category"`
	Title            string             `json:"title"`
	File             string             `json:"file"`
	FileBase64       string             `json:"file_base64,omitempty"`
	LineStart        int                `json:"line_start"`
	LineEnd          int                `json:"line_end"`
	Placement        events.Placement   `json:"placement"`
	PlacementReason  string             `json:"placement_reason"`
	Body             string             `json:"body"`
	Suggestion       string             `json:"suggestion"`
	SuggestionReason string             `json:"suggestion_reason"` // why it is not for applying
	Sources          []string           `json:"sources"`           // the lanes that raised it

	Rule string `json:"-"` // the engine's id of the rule that fired; for SARIF and rdjsonl
}

// ReportFixed is a finding of an earlier review that is gone.
type ReportFixed struct {
	Fingerprint events.Fingerprint `json:"fingerprint"`
	Number      int                `json:"number"`
}

// ReportWithheld is a remark that is not part of the review.
type ReportWithheld struct {
	Fingerprint events.Fingerprint `json:"fingerprint"`
	Title       string             `json:"title"`
	File        string             `json:"file"`
	FileBase64  string             `json:"file_base64,omitempty"`
	LineStart   int                `json:"line_start"`
	LineEnd     int                `json:"line_end"`
	Source      string             `json:"source"`
	Reason      string             `json:"reason"`
	Number      int                `json:"number,omitempty"` // of a finding that was dismissed

	// For SARIF.
	Severity events.Severity `json:"-"`
	Category string          `json:"-"`
	Rule     string          `json:"-"`
}

// Coverage says what was done with a file.
type Coverage string

// The coverages.
const (
	CoverageReviewed Coverage = "reviewed"
	CoveragePartial  Coverage = "partial"
	CoverageExcluded Coverage = "excluded"
	CoverageTooLarge Coverage = "too-large"
	CoverageBinary   Coverage = "binary"
)

// AllCoverages lists them.
func AllCoverages() []Coverage {
	return []Coverage{CoverageReviewed, CoveragePartial, CoverageExcluded, CoverageTooLarge, CoverageBinary}
}

// ReportCoverage is a changed file, counted from git.
type ReportCoverage struct {
	File       string   `json:"file"`
	FileBase64 string   `json:"file_base64,omitempty"`
	Status     Coverage `json:"status"`
	Reason     string   `json:"reason"`
	Lanes      []string `json:"lanes"`
}

// ReportLane is an engine session.
type ReportLane struct {
	ID     string            `json:"id"`
	Kind   string            `json:"kind"`
	Role   string            `json:"role"`
	Phase  string            `json:"phase"`
	Engine events.EngineName `json:"engine"`
	Model  string            `json:"model"`
	Status string            `json:"status"`
	Reason string            `json:"reason"`
	Usage  events.Usage      `json:"usage"`
}

// ReportTiming is where the time went.
type ReportTiming struct {
	TotalMS   int64 `json:"total_ms"`
	GitMS     int64 `json:"git_ms"`
	EnginesMS int64 `json:"engines_ms"`
	OwnMS     int64 `json:"own_ms"`
}

// ReasonEmpty is the reason of a run over a change without files.
const ReasonEmpty = "empty"

// FailOnNever is the --fail-on that no finding reaches.
const FailOnNever = "never"

// normalise writes lists that are empty as [], as the contract says.
func (r *ReviewReport) normalise() {
	orEmpty(&r.Findings)
	orEmpty(&r.Withheld)
	orEmpty(&r.Fixed)
	orEmpty(&r.Coverage)
	orEmpty(&r.Lanes)
	for i := range r.Findings {
		orEmpty(&r.Findings[i].Sources)
	}
	for i := range r.Coverage {
		orEmpty(&r.Coverage[i].Lanes)
	}
	r.Started, r.Finished = r.Started.UTC(), r.Finished.UTC()
}

func orEmpty[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}

// reaches reports whether a finding is at or above failOn.
func (r *ReviewReport) reaches(failOn string) bool {
	least := events.Severity(failOn).Weight()
	if failOn == FailOnNever || least == 0 {
		return false
	}
	for i := range r.Findings {
		if r.Findings[i].Severity.Weight() >= least {
			return true
		}
	}
	return false
}

// Result returns what `review` answers once the report is printed: nil,
// ErrAnswerNo or ErrNotDone. (CLI.md, "Doing a review", Exit)
func (r *ReviewReport) Result(failOn string) error {
	switch r.Outcome {
	case events.OutcomeClean, events.OutcomeFindings, events.OutcomePartial:
		switch {
		case r.reaches(failOn):
			return ErrAnswerNo
		case r.Outcome == events.OutcomePartial:
			return ErrNotDone
		}
		return nil
	case events.OutcomeNotRun:
		if r.isEmpty() {
			return nil
		}
	}
	return ErrNotDone
}

// Review prints a report as text, markdown, json, sarif or rdjsonl.
func (p *Printer) Review(r *ReviewReport, format string) error {
	r.normalise()
	switch {
	case p.json || format == "json":
		return p.JSON(r)
	case format == "markdown":
		return p.Text(r.markdown())
	case format == "sarif":
		return p.JSON(r.sarif())
	case format == "rdjsonl":
		return p.rdjsonl(r)
	}
	return p.Text(r.text(p))
}

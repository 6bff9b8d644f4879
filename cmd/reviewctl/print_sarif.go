package main

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// SARIF 2.1.0, as far as a review needs it. (OASIS, "Static Analysis Results
// Interchange Format", sections in brackets.) Like text it carries no times, ids
// of runs and lanes, and usage. (CLI.md, "Doing a review")

const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
	sarifRoot    = "%SRCROOT%" // stands for the top of the repository (§3.14.14)
	toolName     = "reviewctl"
	toolAddress  = "https://github.com/reviewctl/reviewctl"

	// sarifFingerprint names our fingerprint and its version (§3.27.17).
	sarifFingerprint = "reviewctlFindingHash/v1"
	ruleUnnamed      = "general" // of a finding whose engine names neither rule nor category
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool                `json:"tool"`
	Invocations []sarifInvocation        `json:"invocations"`
	Bases       map[string]sarifLocation `json:"originalUriBaseIds"`
	Column      string                   `json:"columnKind"`
	Results     []sarifResult            `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Address string      `json:"informationUri"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
}

type sarifText struct {
	Text string `json:"text"`
}

// sarifInvocation says whether it ran: no results are not "clean" (§3.20).
type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifResult struct {
	Rule         string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifPlace       `json:"locations,omitempty"`
	Fingerprints map[string]string  `json:"partialFingerprints"`
	Suppressions []sarifSuppression `json:"suppressions"` // empty = it is not suppressed (§3.27.23)
	Fixes        []sarifFix         `json:"fixes,omitempty"`
	Properties   map[string]any     `json:"properties,omitempty"`
}

type sarifPlace struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifLocation `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifLocation struct {
	URI         string     `json:"uri,omitempty"`
	Base        string     `json:"uriBaseId,omitempty"`
	Description *sarifText `json:"description,omitempty"`
}

type sarifRegion struct {
	Start int `json:"startLine"`
	End   int `json:"endLine"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifLocation      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion `json:"deletedRegion"`
	Inserted sarifText   `json:"insertedContent"`
}

// sarif is the review as a SARIF log.
func (r *ReviewReport) sarif() *sarifLog {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: toolName, Address: toolAddress, Rules: r.sarifRules()}},
		Invocations: []sarifInvocation{r.sarifInvocation()},
		Bases:       map[string]sarifLocation{sarifRoot: {Description: &sarifText{"The top of the repository."}}},
		Column:      "unicodeCodePoints", Results: []sarifResult{},
	}
	rule := func(id string) int {
		return slices.IndexFunc(run.Tool.Driver.Rules, func(have sarifRule) bool { return have.ID == id })
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		result := sarifResult{
			Rule: f.rule(), RuleIndex: rule(f.rule()), Level: sarifLevel(f.Severity), Message: sarifText{messageOf(f.Title, f.Body)},
			Fingerprints: map[string]string{sarifFingerprint: string(f.Fingerprint)}, Suppressions: []sarifSuppression{},
			Locations:  sarifPlaces(f.File, f.FileBase64, f.LineStart, f.LineEnd),
			Properties: map[string]any{"number": f.Number, "severity": f.Severity, "category": f.Category, "placement": f.Placement},
		}
		if f.PlacementReason != "" {
			result.Properties["placementReason"] = f.PlacementReason
		}
		if len(result.Locations) > 0 {
			result.Fixes = sarifFixes(f, &result.Locations[0].Physical)
		}
		run.Results = append(run.Results, result)
	}
	for i := range r.Withheld {
		w := &r.Withheld[i]
		run.Results = append(run.Results, sarifResult{
			Rule: w.rule(), RuleIndex: rule(w.rule()), Level: sarifLevel(w.Severity), Message: sarifText{messageOf(w.Title, "")},
			Fingerprints: map[string]string{sarifFingerprint: string(w.Fingerprint)},
			Locations:    sarifPlaces(w.File, w.FileBase64, w.LineStart, w.LineEnd),
			Suppressions: []sarifSuppression{{Kind: "external", Status: "accepted", Justification: w.Reason}},
		})
	}
	return &sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{run}}
}

// sarifRules lists the rules that results name, sorted.
func (r *ReviewReport) sarifRules() []sarifRule {
	var ids []string
	for i := range r.Findings {
		ids = append(ids, r.Findings[i].rule())
	}
	for i := range r.Withheld {
		ids = append(ids, r.Withheld[i].rule())
	}
	slices.Sort(ids)
	rules := []sarifRule{}
	for _, id := range slices.Compact(ids) {
		rules = append(rules, sarifRule{ID: id, Short: sarifText{"Findings of the rule or category " + id + "."}})
	}
	return rules
}

func (r *ReviewReport) sarifInvocation() sarifInvocation {
	good := r.Outcome == events.OutcomeClean || r.Outcome == events.OutcomeFindings ||
		r.isEmpty()
	if good {
		return sarifInvocation{Successful: true}
	}
	return sarifInvocation{Notifications: []sarifNotification{{Level: "error", Message: sarifText{Plain(r.headline())}}}}
}

func (f *ReportFinding) rule() string  { return firstNamed(f.Rule, f.Category, ruleUnnamed) }
func (w *ReportWithheld) rule() string { return firstNamed(w.Rule, w.Category, ruleUnnamed) }

func firstNamed(words ...string) string {
	i := slices.IndexFunc(words, func(w string) bool { return w != "" })
	return words[i]
}

func sarifLevel(s events.Severity) string {
	switch s {
	case events.SeverityBlocking:
		return "error"
	case events.SeveritySuggestion:
		return "warning"
	}
	return "note"
}

// messageOf is a title, and a body below it.
func messageOf(title, body string) string {
	if body == "" {
		return Plain(title)
	}
	return Plain(title + "\n\n" + body)
}

func sarifPlaces(file, file64 string, first, last int) []sarifPlace {
	if file == "" {
		return nil
	}
	at := sarifPhysical{Artifact: sarifLocation{URI: fileURI(file, file64), Base: sarifRoot}}
	if first > 0 {
		at.Region = &sarifRegion{first, max(first, last)}
	}
	return []sarifPlace{{at}}
}

// fileURI is a relative URI reference of a file's name, byte by byte (§3.4.4).
func fileURI(file, file64 string) string {
	if raw, err := base64.StdEncoding.DecodeString(file64); err == nil && file64 != "" {
		file = string(raw)
	}
	parts := strings.Split(file, "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(part), ":", "%3A") // "a:b" would be of a scheme "a"
	}
	return strings.Join(parts, "/")
}

// sarifFixes is a suggestion: text that replaces the lines (§3.55).
func sarifFixes(f *ReportFinding, at *sarifPhysical) []sarifFix {
	if f.Suggestion == "" || f.SuggestionReason != "" || at.Region == nil {
		return nil
	}
	return []sarifFix{{
		Description: sarifText{"Replace these lines."},
		Changes: []sarifChange{{
			Artifact:     at.Artifact,
			Replacements: []sarifReplacement{{Deleted: *at.Region, Inserted: sarifText{strings.TrimRight(f.Suggestion, "\n")}}},
		}},
	}}
}

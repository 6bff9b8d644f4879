package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// Expected is what the engine was told and shall echo.
type Expected struct {
	Phase string
	Head  events.Commit
	Prior []session.Prior
}

// Reviewer is a reviewer's answer that meets its contract.
type Reviewer struct {
	Findings []events.Finding
	Summary  string
	Usage    events.Usage
	Prior    []Row    // what it says of earlier findings
	Notes    []string // what was put right
}

// EngineError says that the engine printed an error of its provider in the shape
// of a result. (case E09)
type EngineError struct {
	Message string
	Limit   bool // a usage limit or a rate limit, by the error's own fields
}

func (e *EngineError) Error() string { return e.Message }

// BrokenError lists what is wrong with an answer, for a correction turn.
type BrokenError struct{ Faults []string }

func (e *BrokenError) Error() string { return strings.Join(e.Faults, "; ") }

// headPrefixMin is the shortest abbreviation of a commit that counts as one.
const headPrefixMin = 7

// Parse reads a reviewer's answer. The error is a *BrokenError, whose faults the
// engine can be told, or an *EngineError.
func Parse(text string, want Expected) (*Reviewer, error) {
	set, err := extract(text)
	var failed *EngineError
	if errors.As(err, &failed) {
		return nil, failed
	}
	if err != nil {
		return nil, &BrokenError{Faults: []string{err.Error()}}
	}
	r := &reader{}
	top := fields{r: r, set: set}
	answer := &Reviewer{Summary: top.text("summary"), Usage: usage(set["usage"], r)}
	echo(top, want)
	prior := &priors{all: want.Prior}
	answer.Findings = findings(top, prior)
	prior.reconcile(top)
	answer.Prior = prior.rows
	if len(r.faults) > 0 {
		if r.dropped > 0 {
			r.faults = append(r.faults, fmt.Sprintf("and %d more", r.dropped))
		}
		return nil, &BrokenError{Faults: r.faults}
	}
	answer.Notes = r.notes
	return answer, nil
}

// echo checks the phase and the commit. (semantics 12.3 and 12.6, case E07)
func echo(top fields, want Expected) {
	if phase, _ := echoed(top, "review_phase"); phase != want.Phase {
		top.r.note("review_phase %q set to %q", Clip(phase, 40), want.Phase)
	}
	head, isText := echoed(top, "head_sha")
	low := strings.ToLower(head)
	switch {
	case !isText:
		top.r.fault("head_sha must be the string %q", want.Head)
	case low == string(want.Head):
	case head == "":
		top.r.note("head_sha filled in")
	case len(low) >= headPrefixMin && strings.HasPrefix(string(want.Head), low):
		top.r.note("head_sha %q completed", head)
	default:
		top.r.fault("head_sha %q is not the commit to review, %s", Clip(head, 80), want.Head)
	}
}

func echoed(top fields, key string) (text string, isText bool) {
	v := top.raw(key)
	if v == nil {
		return "", true
	}
	err := json.Unmarshal(v, &text)
	return strings.TrimSpace(text), err == nil
}

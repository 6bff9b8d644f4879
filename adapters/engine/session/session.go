// Package session holds what the kinds of engine share with the runner that
// starts them. It is part of adapters/engine.
//
// A session is one engine at work on one change: it gets an Input and ends with
// an Answer, a *Failure or a *Deferral. Its findings are raw: the runner checks,
// identifies, places and cuts them, the same for every kind.
package session

import (
	"context"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// Engine reviews changes. It is used by many sessions at once. When ctx ends it
// comes back soon, and leaves no process and no goroutine behind.
type Engine interface {
	Review(ctx context.Context, in *Input) (*Answer, error)
}

// Input is what a session gets.
type Input struct {
	Job    actors.LaneJob
	Change *actors.Change
	Diff   *diff.Change // of what the session is given
	Until  time.Time    // when ctx ends; zero = it does not by itself

	// Changed files by git's bytes. Excluded are not in Diff, each with why. TooLarge
	// are in it without their text. Guarded are excluded and in Diff all the same: what
	// counts there is only what threatens whoever merges them.
	Excluded, TooLarge map[string]string
	Guarded            map[string]bool
	Prior              []Prior // what this engine said before, and what is still open
}

// Prior is an open finding of an earlier review, that this engine raised.
type Prior struct {
	Fingerprint events.Fingerprint `json:"finding_hash"`
	Number      int                `json:"number"`
	Severity    events.Severity    `json:"severity"`
	Category    string             `json:"category"`
	Title       string             `json:"title"`
	File        string             `json:"file"`
	LineStart   int                `json:"line_start"` // as the newest review saw it
	LineEnd     int                `json:"line_end"`
}

// Answer is what a session found.
type Answer struct {
	Findings []events.Finding // title, file, lines, severity, category, body…; nothing derived
	Withheld []Withheld       // what the engine itself holds back
	More     int              // findings that it held back and does not list
	Usage    events.Usage
	Summary  string
	Notes    []string              // what was put right in the engine's answer
	Skipped  []events.FileCoverage // files that were not fully reviewed
	Engine   string                // its version
	Sandbox  string                // what held it
	Artifact events.Digest         // of the raw answer
}

// Withheld is a finding that is no part of the review, with the reason.
type Withheld struct {
	Finding  events.Finding
	Reason   string
	Unlisted int // findings of the file that this one stands for
}

// Failure ends a session without an answer that counts.
type Failure struct {
	Kind     events.FailureKind
	Message  string
	Usage    events.Usage
	Reset    time.Time // of a usage limit; zero = unknown
	Sandbox  string
	Artifact events.Digest
}

func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Message }

// Deferral ends a session because the engine has no capacity now.
type Deferral struct{ Reason string }

func (d *Deferral) Error() string { return "no capacity: " + d.Reason }

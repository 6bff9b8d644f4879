package events

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

// What one review of a pull request has to do with the one before it: numbers
// that stay, findings that went, dismissals, and the triggers that it answers.

// CodePrint is 16 hex digits that stand for a remark and the code beneath it, in
// whatever file and at whatever line: the same print, the same remark on the same
// code.
type CodePrint string

// PrintCode makes the print of a remark, by its category and title, and the code.
func PrintCode(category, title, code string) CodePrint {
	words := category + "\x00" + strings.TrimFunc(pythonLower(title), pythonSpace) + "\x00"
	sum := sha256.Sum256([]byte(words + code))
	return CodePrint(hex.EncodeToString(sum[:8]))
}

// FileKey stands for a file's name: the first 12 hex digits of its SHA-256. "" is
// no file. Names are long and a review may have thousands of findings.
type FileKey string

// KeyOfFile returns the key of a name as it is shown.
func KeyOfFile(name string) FileKey {
	if name == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(name))
	return FileKey(hex.EncodeToString(sum[:6]))
}

// Sighting is what a run saw of a finding.
type Sighting struct {
	Code    []CodePrint  `json:"code,omitempty"` // of each of its places, sorted; empty = not known
	File    FileKey      `json:"file,omitempty"`
	Engines []EngineName `json:"engines,omitempty"` // that raised it
}

// Within reports whether the code of the sighting is known and all of it is among
// the prints.
func (s *Sighting) Within(prints []CodePrint) bool {
	if s == nil || len(s.Code) == 0 {
		return false
	}
	return !slices.ContainsFunc(s.Code, func(c CodePrint) bool { return !slices.Contains(prints, c) })
}

// Look says where an engine looked, so that what it did not find there is gone.
type Look struct {
	Engine   EngineName    `json:"engine"`
	Done     bool          `json:"done"`               // it answered, and what it left out is listed here
	Skipped  []FileKey     `json:"skipped,omitempty"`  // files that it did not fully review
	Withheld []Fingerprint `json:"withheld,omitempty"` // seen, and not part of the review
}

// Dismissal is a person's word on a finding.
type Dismissal struct {
	Reason string `json:"reason"`
	Event  Ref    `json:"event"`          // the finding.dismissed
	Over   bool   `json:"over,omitempty"` // the code beneath has changed: the finding counts again
}

// Number is a finding's number on its pull request, never reused.
type Number struct {
	Fingerprint Fingerprint `json:"fingerprint"`
	Number      int         `json:"number"`
	New         bool        `json:"new"`
	Again       bool        `json:"again,omitempty"`     // it was fixed, and is back
	Was         Fingerprint `json:"was,omitempty"`       // of the same code before its file was renamed
	Seen        *Sighting   `json:"seen,omitempty"`      // what the run saw of it, as far as it said so
	Dismissal   *Dismissal  `json:"dismissal,omitempty"` // that holds, or is over with this review
}

// Dismissed reports whether the finding is withheld because a person dismissed it.
func (n *Number) Dismissed() bool { return n.Dismissal != nil && !n.Dismissal.Over }

// FindingsNumbered answers a run's numbers.requested. What it says of fixed
// findings and of dismissals that are over holds once the verdict is adopted.
type FindingsNumbered struct {
	Run     RunID    `json:"run"`
	Numbers []Number `json:"numbers"`
	Fixed   []Number `json:"fixed,omitempty"` // gone since the last review of another head
}

// Type is "findings.numbered".
func (FindingsNumbered) Type() Type { return "findings.numbered" }

// DismissReasonMax bounds the reason of a dismissal, in bytes.
const DismissReasonMax = 1000

// FindingDismissed: a person does not want to see this finding while the code
// beneath it is what it is. Who says so is in the envelope.
type FindingDismissed struct {
	Fingerprint Fingerprint `json:"fingerprint"`
	Number      int         `json:"number"`
	Reason      string      `json:"reason"`
	Code        []CodePrint `json:"code"`          // as the newest review saw it
	Said        time.Time   `json:"said,omitzero"` // when the person said so
}

// Type is "finding.dismissed".
func (FindingDismissed) Type() Type { return "finding.dismissed" }

// FindingReopened: the dismissal is taken back.
type FindingReopened struct {
	Fingerprint Fingerprint `json:"fingerprint"`
	Number      int         `json:"number"`
	Said        time.Time   `json:"said,omitzero"` // when the person said so
}

// Type is "finding.reopened".
func (FindingReopened) Type() Type { return "finding.reopened" }

// Asked is a trigger, by the event of the pull request's stream that it came with.
type Asked struct {
	Trigger Trigger `json:"trigger"`
	Version Version `json:"version"`
}

// TriggerNoted: a review was asked for while a run is under way. If that run still
// waits in the fleet's line it answers this; else another review follows it.
// (semantics 3.2, fold)
type TriggerNoted struct {
	Run      RunID    `json:"run"`
	Head     Commit   `json:"head"`
	Trigger  Trigger  `json:"trigger"`
	Priority Priority `json:"priority"`
}

// Type is "trigger.noted".
func (TriggerNoted) Type() Type { return "trigger.noted" }

// TriggersAnswered: these were noted before the run began, so that it answers them.
type TriggersAnswered struct {
	Run     RunID   `json:"run"`
	Answers []Asked `json:"answers"` // in the order of the stream
}

// Type is "triggers.answered".
func (TriggersAnswered) Type() Type { return "triggers.answered" }

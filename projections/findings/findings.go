// Package findings is the view of remarks: one row for each finding of a run,
// and one for each that was withheld, with the reason; and, for each number of a
// pull request, what stands of it since the newest review that counts: it is open,
// fixed or dismissed.
//
// A finding counts once the attempt that raised it has ended well. Until then it
// is a candidate; candidates of an attempt that ended otherwise disappear. The
// same finding of several lanes is one row with several sources, worded by the
// lane that takes it most seriously, among equals by the one that ended first.
package findings

import (
	"strconv"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Name is the view's.
const Name projections.ViewName = "findings"

const version = 2

// The kinds of rows. A finding's key is run/fingerprint, a withheld one's is
// run/~lane/attempt/serial, which sorts behind the findings.
const (
	kindFinding projections.Kind = "finding"
	kindAttempt projections.Kind = "attempt" // key: run/lane/attempt, until it has ended
	kindRun     projections.Kind = "run"     // key: run

	kindStanding  projections.Kind = "standing"  // key: pull request's stream#number
	kindDismissal projections.Kind = "dismissal" // the same, while it holds
	kindWord      projections.Kind = "word"      // key: inbox; a message about a finding that nobody has answered
	kindRound     projections.Kind = "round"     // key: run, until its verdict is adopted or its head settled
)

// State says whether a remark is part of the review.
type State string

// The states.
const (
	StatePending  State = "pending"  // its attempt has not ended
	StateRaised   State = "raised"   // it counts
	StateWithheld State = "withheld" // it does not, for the reason given

	StateOpen      State = "open"      // it stands on the pull request
	StateFixed     State = "fixed"     // it stood there
	StateDismissed State = "dismissed" // it would stand there, and a person does not want to see it
)

// Finding is one remark of a run: an item of `get findings`.
type Finding struct {
	Fingerprint     events.Fingerprint `json:"fingerprint"`
	Number          int                `json:"number"` // on its pull request; 0 = none yet
	New             bool               `json:"new"`    // the number was given by this run
	Severity        events.Severity    `json:"severity"`
	Category        string             `json:"category"`
	Title           string             `json:"title"`
	File            string             `json:"file"`
	FileBase64      string             `json:"file_base64,omitempty"`
	LineStart       int                `json:"line_start"`
	LineEnd         int                `json:"line_end"`
	Placement       events.Placement   `json:"placement"`
	PlacementReason string             `json:"placement_reason"`
	Body            string             `json:"body"`
	Suggestion      string             `json:"suggestion"`
	Rule            string             `json:"rule,omitempty"`
	Sources         []events.LaneID    `json:"sources"`
	State           State              `json:"state"`
	Reason          string             `json:"reason,omitempty"` // of a withheld or dismissed one
	Dismissal       *Dismissal         `json:"dismissal,omitempty"`
	Run             events.RunID       `json:"run"`
	Repo            events.RepoName    `json:"repo"`
	PR              int                `json:"pr"` // number of the pull request
	Head            events.Commit      `json:"head"`
	Stream          events.StreamName  `json:"stream"` // of the pull request
	Since           time.Time          `json:"since"`
	Updated         time.Time          `json:"updated"`
	Event           events.Ref         `json:"event"` // that raised or withheld it
	Events          []events.Ref       `json:"events"`
	Candidates      []candidate        `json:"candidates,omitempty"`
}

// candidate is the same remark of an attempt that has not ended.
type candidate struct {
	Lane    events.LaneID  `json:"lane"`
	Attempt int            `json:"attempt"`
	Finding events.Finding `json:"finding"`
	Event   events.Ref     `json:"event"`
}

// attempt lists what an attempt has said so far.
type attempt struct {
	Findings []events.Fingerprint `json:"findings"`
	Withheld int                  `json:"withheld"`
}

// run is what the rows of a run have in common.
type run struct {
	Stream events.StreamName `json:"stream"`
	Repo   events.RepoName   `json:"repo"`
	Number int               `json:"number"`
	Head   events.Commit     `json:"head"`
}

// View returns the view.
func View() projections.View {
	return projections.View{Name: Name, Version: version, Apply: apply}
}

func apply(tx *projections.Tx, e *events.Event, p events.Payload) error {
	switch p := p.(type) {
	case *events.RunStarted:
		projections.Put(tx, kindRun, e.Stream.Subject(), projections.Columns{Repo: string(p.Repo), At: e.Time},
			&run{Stream: p.PR, Repo: p.Repo, Number: p.Number, Head: p.Head})
	case *events.FindingRaised:
		return raise(tx, e, p)
	case *events.FindingWithheld:
		return withhold(tx, e, p)
	case *events.LaneCompleted:
		return endAttempt(tx, e, p.Lane, p.Attempt, true)
	case *events.LaneFailed:
		return endAttempt(tx, e, p.Lane, p.Attempt, false)
	case *events.LaneStopped:
		return endAttempt(tx, e, p.Lane, p.Attempt, false)
	case *events.LaneDeferred:
		return endAttempt(tx, e, p.Lane, p.Attempt, false)
	default:
		return applyPR(tx, e, p)
	}
	return nil
}

// applyPR takes the events of pull requests.
func applyPR(tx *projections.Tx, e *events.Event, p events.Payload) error {
	switch p := p.(type) {
	case *events.FindingsNumbered:
		projections.Put(tx, kindRound, string(p.Run), projections.Columns{At: e.Time}, p)
		return number(tx, e, p)
	case *events.VerdictAdopted:
		return adopt(tx, e, p)
	case *events.FindingDismissed:
		return setDismissal(tx, e, p.Number, &Dismissal{Reason: p.Reason, By: e.By, At: e.Time, Event: e.Ref()})
	case *events.FindingReopened:
		return setDismissal(tx, e, p.Number, nil)
	case *events.CommandReceived:
		noteWord(tx, e, p)
	case *events.CommandSettled:
		return dropWord(tx, e)
	case *events.HeadSuperseded:
		return drop(tx, p.Run)
	case *events.HeadCancelled:
		return drop(tx, p.Run)
	case *events.HeadClosed:
		return drop(tx, p.Run)
	case *events.HeadSettled:
		return drop(tx, p.Run)
	}
	return nil
}

// drop forgets what a run said whose verdict was not adopted.
func drop(tx *projections.Tx, run events.RunID) error {
	round, err := projections.Read[events.FindingsNumbered](tx, kindRound, string(run))
	if err == nil && round != nil {
		projections.Delete(tx, kindRound, string(run))
	}
	return err
}

func attemptKey(run string, lane events.LaneID, n int) string {
	return run + "/" + string(lane) + "/" + strconv.Itoa(n)
}

func findingKey(run string, f events.Fingerprint) string { return run + "/" + string(f) }

func withheldKey(run string, lane events.LaneID, attempt, serial int) string {
	return run + "/~" + string(lane) + "/" + strconv.Itoa(attempt) + "/" + strconv.Itoa(serial)
}

func put(tx *projections.Tx, key string, f *Finding) {
	projections.Put(tx, kindFinding, key, projections.Columns{
		Repo: string(f.Repo), State: string(f.State), At: f.Updated, Sort: events.FormatTime(f.Since) + "/" + key,
	}, f)
}

// row returns the finding of a key, with what it has in common with its run.
func row(tx *projections.Tx, e *events.Event, key string) (*Finding, error) {
	f, err := projections.Read[Finding](tx, kindFinding, key)
	if err != nil || f != nil {
		return f, err
	}
	r, err := projections.ReadOrNew[run](tx, kindRun, e.Stream.Subject())
	if err != nil {
		return nil, err
	}
	return &Finding{
		Run: events.RunID(e.Stream.Subject()), Stream: r.Stream, Repo: r.Repo, PR: r.Number, Head: r.Head,
		Since: e.Time, Sources: []events.LaneID{}, State: StatePending,
	}, nil
}

// word gives the row the words of a finding.
func (f *Finding) word(g *events.Finding, by events.Ref) {
	f.Fingerprint, f.Severity, f.Category, f.Title = g.Fingerprint, g.Severity, g.Category, g.Title
	f.File, f.FileBase64, f.LineStart, f.LineEnd = g.File, g.FileBase64, g.LineStart, g.LineEnd
	f.Placement, f.PlacementReason, f.Body, f.Suggestion, f.Rule = g.Placement, g.PlacementReason, g.Body, g.Suggestion, g.Rule
	f.Event = by
}

package run

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// State is what is known of one run.
type State struct {
	At        events.Ref          `json:"at"` // the newest event
	Started   *events.RunStarted  `json:"started,omitempty"`
	Workspace Workspace           `json:"workspace"`
	Lanes     []Lane              `json:"lanes,omitempty"` // in the order of their first request
	Stopping  *events.RunStopping `json:"stopping,omitempty"`
	Asked     bool                `json:"asked,omitempty"` // for the numbers of the findings
	Ended     bool                `json:"ended,omitempty"`
}

// Workspace is the state of the code on disk.
type Workspace struct {
	Try     int                    `json:"try,omitempty"`
	Owner   events.BootID          `json:"owner,omitempty"` // who prepares it now; "" = nobody
	Until   time.Time              `json:"until,omitzero"`
	Next    time.Time              `json:"next,omitzero"`   // of the next try
	Pages   int                    `json:"pages,omitempty"` // of the list of files, so far
	Size    Size                   `json:"size,omitzero"`   // of the files that are known so far
	Ready   *events.WorkspaceReady `json:"ready,omitempty"` // without its files
	ReadyAt events.Ref             `json:"ready_at"`

	// Changed files, where earlier findings may be fixed.
	Ungiven []events.FileKey `json:"ungiven,omitempty"` // to any engine
	Spared  []events.FileKey `json:"spared,omitempty"`  // to any but the embedded one
}

// LaneStatus is where a lane stands.
type LaneStatus string

// A lane that is waiting or deferred may still run; the last four have ended.
const (
	LaneWaiting   LaneStatus = "waiting" // for money or a slot
	LaneRunning   LaneStatus = "running"
	LaneStopping  LaneStatus = "stopping" // told to stop, not stopped yet
	LaneDeferred  LaneStatus = "deferred" // no capacity now
	LaneDone      LaneStatus = "done"
	LaneFailed    LaneStatus = "failed"
	LaneWithdrawn LaneStatus = "withdrawn"
	LaneSkipped   LaneStatus = "skipped" // never asked for
)

// Lane is one engine session with its tries.
type Lane struct {
	events.PlannedLane
	Step       int              `json:"step"`
	Attempt    int              `json:"attempt"`  // serial of the newest request
	Failures   int              `json:"failures"` // tries that counted
	Deferrals  int              `json:"deferrals,omitempty"`
	Status     LaneStatus       `json:"status"`
	Generation int64            `json:"generation,omitempty"` // of the newest grant that was answered
	Owner      events.BootID    `json:"owner,omitempty"`
	Began      time.Time        `json:"began,omitzero"`
	Deadline   time.Time        `json:"deadline,omitzero"`
	NextAt     time.Time        `json:"next_at,omitzero"`
	Until      time.Time        `json:"until,omitzero"`     // of its wait for money, as last heard
	Findings   []Found          `json:"findings,omitempty"` // of the newest attempt
	Withheld   int              `json:"withheld,omitempty"`
	Skipped    int              `json:"skipped,omitempty"` // files that were not fully reviewed
	Cause      events.SkipCause `json:"cause,omitempty"`   // of a lane that was never asked for

	// What it did not look at or does not show, where earlier findings may be fixed.
	Left     []events.FileKey     `json:"left,omitempty"`
	Hidden   []events.Fingerprint `json:"hidden,omitempty"`
	Unlisted int                  `json:"unlisted,omitempty"`

	End     events.Ref         `json:"end"` // the event that ended it
	Failure events.FailureKind `json:"failure,omitempty"`
	Why     string             `json:"why,omitempty"`
}

// Found is what the verdict needs of a finding.
type Found struct {
	Fingerprint events.Fingerprint `json:"fingerprint"`
	Severity    events.Severity    `json:"severity"`
	Version     events.Version     `json:"version"`
	Code        events.CodePrint   `json:"code,omitempty"`
	File        events.FileKey     `json:"file,omitempty"`
}

func (l *Lane) live() bool { return l.Status == LaneRunning || l.Status == LaneStopping }

func (l *Lane) ended() bool {
	return l.Status == LaneDone || l.Status == LaneFailed || l.Status == LaneWithdrawn || l.Status == LaneSkipped
}

// lane finds a lane by its id, or returns nil.
func (s *State) lane(id events.LaneID) *Lane {
	for i := range s.Lanes {
		if s.Lanes[i].Lane == id {
			return &s.Lanes[i]
		}
	}
	return nil
}

// Fold applies one recorded event.
func Fold(s *State, e *events.Event, p events.Payload) {
	s.At = e.Ref()
	switch p := p.(type) {
	case *events.RunStarted:
		s.Started = p
	case *events.WorkspaceRequested:
		s.Workspace = Workspace{Try: p.Try, Owner: p.Owner, Until: p.Until, Ready: s.Workspace.Ready}
	case *events.WorkspaceListed:
		s.Workspace.Pages, s.Workspace.Size = p.Page, s.Workspace.Size.plus(p.Files)
		if s.rounds() {
			s.Workspace.gate(p.Files)
		}
	case *events.WorkspaceReady:
		ready := *p
		ready.Files = nil
		s.Workspace = Workspace{
			Try: p.Try, Pages: s.Workspace.Pages, Size: s.Workspace.Size.plus(p.Files), Ready: &ready, ReadyAt: e.Ref(),
			Ungiven: s.Workspace.Ungiven, Spared: s.Workspace.Spared,
		}
		if s.rounds() {
			s.Workspace.gate(p.Files)
		}
	case *events.WorkspaceWaiting:
		s.Workspace = Workspace{Try: p.Try, Next: p.Next}
	case *events.WorkspaceFailed:
		s.Workspace = Workspace{Try: p.Try}
	case *events.RunStopping:
		s.Stopping = p
	case *events.NumbersRequested:
		s.Asked = true
	case *events.RunEnded:
		s.Ended = true
	default:
		s.foldLane(e, p)
	}
}

func (s *State) foldLane(e *events.Event, p events.Payload) {
	switch p := p.(type) {
	case *events.LaneRequested:
		s.foldRequested(p)
	case *events.LaneSkipped:
		l := s.planned(p.Lane)
		l.Cause = p.Cause
		l.end(e, LaneSkipped, "", p.Reason)
	case *events.LaneCovered:
		s.uncovered(s.lane(p.Lane), p.Skipped)
	case *events.LaneWaiting:
		s.lane(p.Lane).Until = p.Until
	case *events.LaneBegan:
		l := s.lane(p.Lane)
		l.Status, l.Generation, l.Owner, l.Deadline, l.Began = LaneRunning, p.Generation, p.Owner, p.Deadline, e.Time
	case *events.LaneDeclined:
		s.lane(p.Lane).Generation = p.Generation
	case *events.LaneStopRequested:
		s.lane(p.Lane).Status = LaneStopping
	case *events.FindingRaised:
		l := s.lane(p.Lane)
		l.Findings = append(l.Findings, Found{
			Fingerprint: p.Finding.Fingerprint, Severity: p.Finding.Severity, Version: e.Version,
			Code: p.Finding.Code, File: events.KeyOfFile(p.Finding.File),
		})
	case *events.FindingWithheld:
		l := s.lane(p.Lane)
		l.Withheld++
		if s.rounds() {
			l.hide(p)
		}
	case *events.LaneCompleted:
		l := s.lane(p.Lane)
		s.uncovered(l, p.Skipped)
		l.Unlisted = p.Unlisted
		l.end(e, LaneDone, "", "")
	case *events.LaneFailed:
		l := s.lane(p.Lane)
		if counts(p.Kind) {
			l.Failures++
		}
		l.end(e, LaneFailed, p.Kind, p.Message)
	case *events.LaneStopped:
		s.lane(p.Lane).end(e, LaneWithdrawn, "", p.Reason)
	case *events.LaneWithdrawn:
		s.lane(p.Lane).end(e, LaneWithdrawn, "", p.Reason)
	case *events.LaneDeferred:
		l := s.lane(p.Lane)
		l.end(e, LaneDeferred, "", p.Reason)
		l.Deferrals, l.NextAt = p.Deferrals, p.NextAt
	}
}

// counts reports whether a failure uses up a try. A scheduling condition never
// does. (semantics 0.5, axiom 1)
func counts(kind events.FailureKind) bool { return kind != events.FailureUsageLimit }

// planned finds a lane, and adds it where the run has only planned it so far.
func (s *State) planned(id events.LaneID) *Lane {
	l := s.lane(id)
	if l != nil {
		return l
	}
	for step := range s.Started.Steps {
		for _, plan := range s.Started.Steps[step].Lanes {
			if plan.Lane == id {
				s.Lanes = append(s.Lanes, Lane{PlannedLane: plan, Step: step})
				l = &s.Lanes[len(s.Lanes)-1]
			}
		}
	}
	return l
}

// uncovered counts the files that leave a review partial.
func (s *State) uncovered(l *Lane, files []events.FileCoverage) {
	if s.rounds() {
		l.left(files)
	}
	for i := range files {
		if files[i].Status == events.CoveragePartial || files[i].Status == events.CoverageTooLarge {
			l.Skipped++
		}
	}
}

func (s *State) foldRequested(p *events.LaneRequested) {
	l := s.planned(p.Lane)
	l.Attempt, l.Status, l.Owner = p.Attempt, LaneWaiting, ""
	l.NextAt, l.Until = time.Time{}, time.Time{}
	l.Findings, l.Withheld, l.Skipped = nil, 0, 0
	l.Left, l.Hidden, l.Unlisted = nil, nil, 0
}

func (l *Lane) end(e *events.Event, status LaneStatus, kind events.FailureKind, why string) {
	l.Status, l.Owner, l.Deadline, l.Failure, l.Why = status, "", time.Time{}, kind, why
	l.End = e.Ref()
}

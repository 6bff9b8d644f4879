package run

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Start: the fleet has admitted the run.
type Start struct {
	Ticket events.Ticket `json:"ticket"`
}

// Cancel: the run shall end as Outcome.
type Cancel struct {
	PR      events.StreamName `json:"pr"`
	Head    events.Commit     `json:"head"`
	Outcome events.Outcome    `json:"outcome"`
	Why     string            `json:"why"`
}

// NoteFiles: a page of the list of changed files. They count once NoteWorkspace
// of the same try has followed; an effect sends as many of these as it needs, in
// order, each of at most ListMaxBytes.
type NoteFiles struct {
	Try   int                  `json:"try"`
	Page  int                  `json:"page"` // from 1
	Files []events.ChangedFile `json:"files"`
}

// ListMaxBytes bounds the JSON of the files of one NoteFiles, and of one
// NoteWorkspace: a decision holds them twice and must stay below 512 KiB.
const ListMaxBytes = RaiseMaxBytes

// NoteWorkspace: the code is on disk.
type NoteWorkspace struct {
	Ready events.WorkspaceReady `json:"ready"`
}

// NoteWorkspaceTrouble: preparing did not work this time, but may later.
type NoteWorkspaceTrouble struct {
	Try    int    `json:"try"`
	Reason string `json:"reason"`
	Gone   bool   `json:"gone,omitempty"` // the forge does not have the head
}

// NoteWorkspaceFailure: preparing will not work.
type NoteWorkspaceFailure struct {
	Try     int                `json:"try"`
	Kind    events.FailureKind `json:"kind"`
	Message string             `json:"message"`
}

// NoteWait: the account has no room for a lane now, or never will.
type NoteWait struct {
	Lane    events.LaneID `json:"lane"`
	Attempt int           `json:"attempt"`
	Until   time.Time     `json:"until,omitzero"` // zero = never
	Reason  string        `json:"reason"`
}

// BeginLane: a slot is there for the lane.
type BeginLane struct {
	Lane       events.LaneID       `json:"lane"`
	Attempt    int                 `json:"attempt"`
	Slot       int                 `json:"slot"`
	Generation int64               `json:"generation"`
	Lease      time.Time           `json:"lease"`
	Breaker    events.BreakerState `json:"breaker"`
}

// Withheld is a finding that is not part of the review, with the reason.
type Withheld struct {
	Finding  events.Finding `json:"finding"`
	Reason   string         `json:"reason"`
	Unlisted int            `json:"unlisted,omitempty"` // remarks of the file that this one stands for
}

// RaiseFindings: some of a lane's findings, and of the files that it did not fully
// review. They count once CompleteLane has followed; an effect sends as many of
// these as it needs, each of at most RaiseMaxBytes.
type RaiseFindings struct {
	Lane       events.LaneID    `json:"lane"`
	Attempt    int              `json:"attempt"`
	Generation int64            `json:"generation"`
	Findings   []events.Finding `json:"findings,omitempty"`
	Withheld   []Withheld       `json:"withheld,omitempty"`

	Skipped []events.FileCoverage `json:"skipped,omitempty"`
}

// RaiseMaxBytes bounds the JSON of one RaiseFindings: its decision holds the
// findings twice and must stay below 512 KiB. (ARCHITECTURE, path 8)
const RaiseMaxBytes = 160 << 10

// CompleteLane: the engine answered well.
type CompleteLane struct {
	Lane       events.LaneID         `json:"lane"`
	Attempt    int                   `json:"attempt"`
	Generation int64                 `json:"generation"`
	Usage      events.Usage          `json:"usage"`
	Summary    string                `json:"summary,omitempty"`
	Skipped    []events.FileCoverage `json:"skipped,omitempty"`
	Engine     string                `json:"engine_version"`
	Sandbox    string                `json:"sandbox,omitempty"`
	Artifact   events.Digest         `json:"artifact,omitempty"`
	Unlisted   int                   `json:"unlisted,omitempty"` // remarks that were not raised one by one
}

// FailLane: the attempt ended without an answer that counts.
type FailLane struct {
	Lane       events.LaneID      `json:"lane"`
	Attempt    int                `json:"attempt"`
	Generation int64              `json:"generation"`
	Kind       events.FailureKind `json:"kind"`
	Message    string             `json:"message"`
	Usage      events.Usage       `json:"usage"`
	Reset      time.Time          `json:"reset,omitzero"`
	Sandbox    string             `json:"sandbox,omitempty"`
	Artifact   events.Digest      `json:"artifact,omitempty"`
}

// NoteLaneStopped: the engine was killed because we asked for it.
type NoteLaneStopped struct {
	Lane       events.LaneID `json:"lane"`
	Attempt    int           `json:"attempt"`
	Generation int64         `json:"generation"`
	Usage      events.Usage  `json:"usage"`
}

// DeferLane: the engine has no capacity now (exit 75).
type DeferLane struct {
	Lane       events.LaneID `json:"lane"`
	Attempt    int           `json:"attempt"`
	Generation int64         `json:"generation"`
	Reason     string        `json:"reason"`
}

// ReachVerdict: the findings have their numbers.
type ReachVerdict struct {
	Numbers []events.Number `json:"numbers"`
	Fixed   []events.Number `json:"fixed,omitempty"`
	From    events.Ref      `json:"from"` // the findings.numbered that says so
}

// Due: something that this run waits for may be overdue. PR names the pull
// request that asked for it, for a run that has not started.
type Due struct {
	PR events.StreamName `json:"pr,omitempty"`
}

// BootGone: this process is dead, and so is whatever it was doing.
type BootGone struct {
	Boot events.BootID     `json:"boot"`
	PR   events.StreamName `json:"pr,omitempty"`
}

// The stored names.
func (Start) Name() string                { return "run.start" }
func (Cancel) Name() string               { return "run.cancel" }
func (NoteFiles) Name() string            { return "run.note_files" }
func (NoteWorkspace) Name() string        { return "run.note_workspace" }
func (NoteWorkspaceTrouble) Name() string { return "run.note_workspace_trouble" }
func (NoteWorkspaceFailure) Name() string { return "run.note_workspace_failure" }
func (NoteWait) Name() string             { return "run.note_wait" }
func (BeginLane) Name() string            { return "run.begin_lane" }
func (RaiseFindings) Name() string        { return "run.raise_findings" }
func (CompleteLane) Name() string         { return "run.complete_lane" }
func (FailLane) Name() string             { return "run.fail_lane" }
func (NoteLaneStopped) Name() string      { return "run.note_lane_stopped" }
func (DeferLane) Name() string            { return "run.defer_lane" }
func (ReachVerdict) Name() string         { return "run.reach_verdict" }
func (Due) Name() string                  { return "run.due" }
func (BootGone) Name() string             { return "run.boot_gone" }

package actors

import (
	"context"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Answer takes an effect's outcome: commands for the actor that recorded the
// intent, in order, the last of them the one that ends the effect. It is called
// exactly once and never blocks.
type Answer func(cmds ...events.Command)

// LaneJob is one engine session, taken from a recorded lane.began.
type LaneJob struct {
	Key        events.LaneKey
	Generation int64
	Boot       events.BootID
	Kind       string
	Engine     events.EngineName
	Model      string
	Role       string
	Phase      string
	Deadline   time.Time
	Workspace  WorkspaceJob
	PR         events.StreamName
	Number     int
	MergeBase  events.Commit
	DiffPrint  events.Digest
}

// Engine runs engine sessions. Start returns at once; the answer comes later and
// ends with CompleteLane, FailLane, NoteLaneStopped or DeferLane of actors/run.
// Stop kills a session's process group; its answer still comes. A Stop for a
// session that does not run here does nothing.
type Engine interface {
	Start(job LaneJob, answer Answer)
	Stop(key events.LaneKey)
}

// WorkspaceJob names the code that a run needs on disk.
type WorkspaceJob struct {
	Run     events.RunID
	Try     int
	Repo    events.RepoName
	Ref     string
	BaseRef string
	Head    events.Commit
	Base    events.Commit
	Until   time.Time
}

// Change is a head beside its merge base, on disk.
type Change struct {
	Dir       string // a checkout of the head without .git, which nobody writes to
	Head      events.Commit
	Base      events.Commit
	MergeBase events.Commit
	BaseNote  string // why the base is not the usual one, in words; "" otherwise
	Files     []events.ChangedFile
	Lines     int
	Patch     []byte        // git's own diff of merge base and head, without what is excluded
	Aside     []byte        // the diff of excluded files that the embedded engine is given all the same
	Print     events.Digest // of what is reviewed
}

// Workspace puts code on disk. Prepare returns at once; the answer is
// NoteWorkspace, NoteWorkspaceTrouble or NoteWorkspaceFailure of actors/run.
// Open is for engines: it blocks, prepares again what is not there (any more),
// and may be called by many at once. Release forgets a run's checkout.
type Workspace interface {
	Prepare(job WorkspaceJob, answer Answer)
	Open(ctx context.Context, job WorkspaceJob) (*Change, error)
	Release(run events.RunID)
}

// PublishJob is one try of a publication, taken from verdict.adopted or
// publication.resumed.
type PublishJob struct {
	PR    events.StreamName
	Run   events.RunID
	Head  events.Commit
	Base  events.Commit
	Try   int
	Until time.Time
}

// LabelJob is one try to make a pull request carry the label of its verdict, and
// no other verdict's, taken from label.wanted.
type LabelJob struct {
	PR      events.StreamName
	Verdict events.Verdict // "" = none of our labels
	Try     int
	Until   time.Time
}

// Forge is where pull requests live. Both calls return at once and answer before
// job.Until: Publish with one of the NotePublish… commands of actors/pr, Label with
// NoteLabelSynced or NoteLabelFailed.
type Forge interface {
	Publish(job PublishJob, answer Answer)
	Label(job LabelJob, answer Answer)
}

// Clock is the only source of time in production; the virtual driver has its own.
type Clock interface {
	Now() time.Time
	// After calls f once, on a goroutine of its own, when d has passed, unless the
	// returned function was called before.
	After(d time.Duration, f func()) (cancel func())
}

// Boots knows which starts of processes are still alive.
type Boots interface {
	// Dead reports whether the boot is certainly gone, and its engine processes
	// with it.
	Dead(boot events.BootID) bool
}

package events

import (
	"strconv"
	"time"
)

// Deadline is something that an event makes wait, or, with a zero At, something
// that waits no more. Nothing else in the system waits: the sweeper's heap and
// the deadlines view are both built from these.
type Deadline struct {
	Stream StreamName // the actor that looks again
	Key    string     // unique within the stream
	At     time.Time  // zero = cleared
	Owner  BootID     // who minds it; "" = shared
	About  Ref        // the event that set or cleared it
}

// The keys. A lane's, lease's or reservation's key goes on with the lane.
const (
	DeadlineHead        = "head"        // debounce or back-off is over
	DeadlinePublication = "publication" // a try's lease has ended, or the next is due
	DeadlineLabel       = "label"       // the same of a label
	DeadlineRun         = "run"         // the run's time is up
	DeadlineJudged      = "judged/"     // on the pull request: its run must have reported
	DeadlineWorkspace   = "workspace"
	DeadlineLane        = "lane/"
	DeadlineLease       = "lease/"
	DeadlineReservation = "reservation/"
	DeadlinePlace       = "place/" // in an account's line: look again
	DeadlineAdmission   = "admission/"
)

// AdmissionGrace is how long after a run's deadline its place in the fleet, and
// after a reservation's, its money, is given back should nobody have done so.
const AdmissionGrace = time.Hour

// LaneGrace is how long after a lane's deadline its owner may take to kill the
// engine and say so, before the lane counts as lost.
const LaneGrace = time.Minute

func laneSuffix(lane LaneID, attempt int) string {
	return string(lane) + "/" + strconv.Itoa(attempt)
}

func runLaneSuffix(run RunID, lane LaneID, attempt int) string {
	return string(run) + "/" + laneSuffix(lane, attempt)
}

// judged clears what the pull request waits for from a run.
func judged(e *Event, run RunID) []Deadline {
	if run == "" {
		return nil
	}
	return []Deadline{{Stream: e.Stream, Key: DeadlineJudged + string(run), About: e.Ref()}}
}

// Deadlines says what an event sets and clears. It is a function of the event
// alone.
func Deadlines(e *Event, p Payload) []Deadline {
	here, none := deadlineOf(e), time.Time{}
	switch p := p.(type) {
	case *HeadQueued:
		return append(here(DeadlineHead, p.NotBefore, p.Owner), judged(e, p.After)...)
	case *RunRequested:
		return append(here(DeadlineHead, none, ""),
			Deadline{
				Stream: e.Stream, Key: DeadlineJudged + string(p.Run), At: p.Deadline.Add(AdmissionGrace),
				Owner: p.Owner, About: e.Ref(),
			},
			Deadline{Stream: RunStream(p.Run), Key: DeadlineRun, At: p.Deadline, Owner: p.Owner, About: e.Ref()})
	case *HeadSkipped:
		return append(here(DeadlineHead, none, ""), judged(e, p.Run)...)
	case *HeadSuperseded:
		return append(here(DeadlineHead, none, ""), judged(e, p.Run)...)
	case *HeadCancelled:
		return append(here(DeadlineHead, none, ""), judged(e, p.Run)...)
	case *HeadClosed:
		return append(here(DeadlineHead, none, ""), judged(e, p.Run)...)
	case *HeadSettled:
		return append(here(DeadlineHead, none, ""), judged(e, p.Run)...)
	case *WorkspaceRequested:
		return here(DeadlineWorkspace, p.Until, p.Owner)
	case *WorkspaceWaiting:
		return here(DeadlineWorkspace, p.Next, "")
	case *WorkspaceReady, *WorkspaceFailed:
		return here(DeadlineWorkspace, none, "")
	case *RunEnded:
		return append(here(DeadlineRun, none, ""), Deadline{Stream: e.Stream, Key: DeadlineWorkspace, About: e.Ref()})

	case *RunHeld:
		return here(DeadlineAdmission+string(p.Ticket.Run), p.Ticket.Deadline.Add(AdmissionGrace), p.Ticket.Owner)
	case *RunAdmitted:
		return here(DeadlineAdmission+string(p.Ticket.Run), p.Ticket.Deadline.Add(AdmissionGrace), p.Ticket.Owner)
	case *RunFreed:
		return here(DeadlineAdmission+string(p.Run), none, "")
	case *RunRefused: // it may have been held before
		return here(DeadlineAdmission+string(p.Run), none, "")
	}
	if at := forgeDeadlines(e, p); at != nil {
		return at
	}
	return laneDeadlines(e, p)
}

// forgeDeadlines are those of what is on its way to the forge.
func forgeDeadlines(e *Event, p Payload) []Deadline {
	here, none := deadlineOf(e), time.Time{}
	switch p := p.(type) {
	case *VerdictAdopted:
		if p.Target == TargetNone {
			return nil
		}
		return here(DeadlinePublication, p.PublishUntil, p.Owner)
	case *PublicationResumed:
		return here(DeadlinePublication, p.Until, p.Owner)
	case *PublicationFailed:
		return here(DeadlinePublication, p.NextAt, OwnerAny)
	case *PublicationUnknown:
		return here(DeadlinePublication, p.NextAt, OwnerAny)
	case *VerdictPublished, *PublicationAbandoned, *PublicationStuck:
		return here(DeadlinePublication, none, "")
	case *LabelWanted:
		if p.Owner == "" { // guard: a want without a try hides when the one under way ends
			return nil
		}
		return here(DeadlineLabel, p.Until, p.Owner)
	case *LabelFailed:
		return here(DeadlineLabel, p.NextAt, OwnerAny)
	case *LabelSynced:
		return here(DeadlineLabel, none, "")
	}
	return nil
}

// deadlineOf makes the one deadline, in its own stream, that most events set.
func deadlineOf(e *Event) func(key string, at time.Time, owner BootID) []Deadline {
	return func(key string, at time.Time, owner BootID) []Deadline {
		return []Deadline{{Stream: e.Stream, Key: key, At: at, Owner: owner, About: e.Ref()}}
	}
}

// laneDeadlines are those of a lane: in its run, its pool and its account.
func laneDeadlines(e *Event, p Payload) []Deadline {
	here, none := deadlineOf(e), time.Time{}
	switch p := p.(type) {
	case *LaneBegan:
		return here(DeadlineLane+laneSuffix(p.Lane, p.Attempt), p.Deadline.Add(LaneGrace), p.Owner)
	case *LaneDeferred:
		return here(DeadlineLane+laneSuffix(p.Lane, p.Attempt), p.NextAt, "")
	case *LaneRequested: // ends the wait of the attempt before, which was deferred
		return here(DeadlineLane+laneSuffix(p.Lane, p.Attempt-1), none, "")
	case *LaneCompleted:
		return here(DeadlineLane+laneSuffix(p.Lane, p.Attempt), none, "")
	case *LaneFailed:
		return here(DeadlineLane+laneSuffix(p.Lane, p.Attempt), none, "")
	case *LaneStopped:
		return here(DeadlineLane+laneSuffix(p.Lane, p.Attempt), none, "")
	case *LaneWithdrawn:
		return here(DeadlineLane+laneSuffix(p.Lane, p.Attempt), none, "")

	case *LaneGranted:
		return here(DeadlineLease+runLaneSuffix(p.Run, p.Lane, p.Attempt), p.Lease, "")
	case *LaneReleased:
		return here(DeadlineLease+runLaneSuffix(p.Run, p.Lane, p.Attempt), none, "")
	case *LaneExpired:
		return here(DeadlineLease+runLaneSuffix(p.Run, p.Lane, p.Attempt), none, "")

	case *BudgetReserved:
		suffix := runLaneSuffix(p.Run, p.Lane, p.Attempt)
		return append(here(DeadlineReservation+suffix, p.Lapses, ""),
			Deadline{Stream: e.Stream, Key: DeadlinePlace + suffix, About: e.Ref()})
	case *BudgetRefused:
		return here(DeadlinePlace+runLaneSuffix(p.Run, p.Lane, p.Attempt), p.Until, "")
	case *BudgetReleased:
		return here(DeadlinePlace+runLaneSuffix(p.Run, p.Lane, p.Attempt), none, "")
	case *BudgetSettled:
		return here(DeadlineReservation+runLaneSuffix(p.Run, p.Lane, p.Attempt), none, "")
	}
	return nil
}

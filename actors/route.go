package actors

import (
	"reflect"
	"time"

	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// Row is one line of the route table: when an event of type On is recorded, the
// command that Make makes of it goes to the stream that Make names. Make looks at
// the event alone, so that an audit can make the same command again. An empty
// stream means that this event has nobody to tell.
type Row struct {
	Name string // stored in the cause, for ever
	On   events.Type
	Make func(e *events.Event, p events.Payload) (events.StreamName, events.Command)
}

// rowMessage takes an operator's message to its target.
const rowMessage = "message"

// Routes is the whole traffic between actors, in the order of a head's life. The
// rows of one event are delivered in their order, each after the one before it
// was answered. (ARCHITECTURE, route table)
var Routes = []Row{
	row(rowMessage, func(e *events.Event, p *events.CommandReceived) (events.StreamName, events.Command) {
		cmd, err := readMessage(p)
		if err != nil {
			return e.Stream, nil // refused: see Router
		}
		return p.Target, cmd
	}),
	row("admit", func(e *events.Event, p *events.RunRequested) (events.StreamName, events.Command) {
		return events.FleetStream, fleet.Admit{Ticket: ticketOf(e, p)}
	}),
	row("start", func(_ *events.Event, p *events.RunAdmitted) (events.StreamName, events.Command) {
		return events.RunStream(p.Ticket.Run), run.Start{Ticket: p.Ticket}
	}),
	row("fold", func(e *events.Event, p *events.RunAdmitted) (events.StreamName, events.Command) {
		return p.Ticket.PR, pr.NoteAdmitted{Run: p.Ticket.Run, At: e.Time}
	}),
	row("lift", func(_ *events.Event, p *events.TriggerNoted) (events.StreamName, events.Command) {
		return events.FleetStream, fleet.Lift{Run: p.Run, Priority: p.Priority}
	}),
	row("refuse", func(_ *events.Event, p *events.RunRefused) (events.StreamName, events.Command) {
		return events.RunStream(p.Run), run.Cancel{PR: p.PR, Head: p.Head, Outcome: events.OutcomeNotRun, Why: p.Reason}
	}),
	row("supersede", func(e *events.Event, p *events.HeadSuperseded) (events.StreamName, events.Command) {
		return runStream(p.Run), run.Cancel{
			PR: e.Stream, Head: p.Head, Outcome: events.OutcomeSuperseded, Why: whySuperseded(p),
		}
	}),
	row("skip", func(e *events.Event, p *events.HeadSkipped) (events.StreamName, events.Command) {
		return runStream(p.Run), run.Cancel{PR: e.Stream, Head: p.Head, Outcome: events.OutcomeCancelled, Why: p.Why}
	}),
	row("close", func(e *events.Event, p *events.HeadClosed) (events.StreamName, events.Command) {
		return runStream(p.Run), run.Cancel{PR: e.Stream, Head: p.Head, Outcome: events.OutcomeCancelled, Why: p.Reason}
	}),
	row("cancel", func(e *events.Event, p *events.HeadCancelled) (events.StreamName, events.Command) {
		return runStream(p.Run), run.Cancel{PR: e.Stream, Head: p.Head, Outcome: events.OutcomeCancelled, Why: p.Reason}
	}),
	row("reserve", func(e *events.Event, p *events.LaneRequested) (events.StreamName, events.Command) {
		return events.AccountStream(p.Account), account.Reserve{
			Run: runID(e), Lane: p.Lane, Attempt: p.Attempt, Tokens: p.Estimate, Pool: p.Pool, Rank: p.Rank,
			Owner: p.Owner, Timeout: p.Timeout, Deadline: p.Deadline, MaxRunTokens: p.MaxRunTokens,
		}
	}),
	row("request", func(e *events.Event, p *events.BudgetReserved) (events.StreamName, events.Command) {
		return events.PoolStream(p.Pool), pool.Request{
			Run: p.Run, Lane: p.Lane, Attempt: p.Attempt, Rank: p.Rank, Owner: p.Owner, Timeout: p.Timeout,
			Breaker: p.Breaker, Account: events.AccountName(e.Stream.Subject()),
		}
	}),
	row("wait", func(_ *events.Event, p *events.BudgetRefused) (events.StreamName, events.Command) {
		return events.RunStream(p.Run), run.NoteWait{Lane: p.Lane, Attempt: p.Attempt, Until: p.Until, Reason: p.Reason}
	}),
	row("begin", func(_ *events.Event, p *events.LaneGranted) (events.StreamName, events.Command) {
		return events.RunStream(p.Run), run.BeginLane{
			Lane: p.Lane, Attempt: p.Attempt, Slot: p.Slot, Generation: p.Generation, Lease: p.Lease, Breaker: p.Breaker,
		}
	}),
	row("expire", func(_ *events.Event, p *events.LaneExpired) (events.StreamName, events.Command) {
		return events.RunStream(p.Run), run.FailLane{
			Lane: p.Lane, Attempt: p.Attempt, Generation: p.Generation, Kind: events.FailureLost,
			Message: "its lease on a slot ran out", Usage: events.Usage{Confidence: events.ConfidenceUnknown},
		}
	}),

	settle(func(p *events.LaneDeclined) (events.AccountName, account.Settle) {
		return p.Account, account.Settle{Lane: p.Lane, Attempt: p.Attempt, Reason: account.ReasonDeclined}
	}),
	release(func(p *events.LaneDeclined) (events.PoolName, events.LaneID, int, string) {
		return p.Pool, p.Lane, p.Attempt, "declined"
	}),
	settle(func(p *events.LaneWithdrawn) (events.AccountName, account.Settle) {
		return p.Account, account.Settle{Lane: p.Lane, Attempt: p.Attempt, Reason: account.ReasonWithdrawn}
	}),
	release(func(p *events.LaneWithdrawn) (events.PoolName, events.LaneID, int, string) {
		return p.Pool, p.Lane, p.Attempt, "withdrawn"
	}),
	settle(func(p *events.LaneCompleted) (events.AccountName, account.Settle) {
		return p.Account, account.Settle{
			Lane: p.Lane, Attempt: p.Attempt, Began: p.Began, Usage: p.Usage, Ran: true, Reason: "completed",
		}
	}),
	release(func(p *events.LaneCompleted) (events.PoolName, events.LaneID, int, string) {
		return p.Pool, p.Lane, p.Attempt, "completed"
	}),
	settle(func(p *events.LaneFailed) (events.AccountName, account.Settle) {
		return p.Account, settleFailed(p)
	}),
	release(func(p *events.LaneFailed) (events.PoolName, events.LaneID, int, string) {
		return p.Pool, p.Lane, p.Attempt, string(p.Kind)
	}),
	settle(func(p *events.LaneStopped) (events.AccountName, account.Settle) {
		return p.Account, account.Settle{
			Lane: p.Lane, Attempt: p.Attempt, Began: p.Began, Usage: p.Usage, Reason: "stopped",
		}
	}),
	release(func(p *events.LaneStopped) (events.PoolName, events.LaneID, int, string) {
		return p.Pool, p.Lane, p.Attempt, "stopped"
	}),
	settle(func(p *events.LaneDeferred) (events.AccountName, account.Settle) {
		return p.Account, account.Settle{Lane: p.Lane, Attempt: p.Attempt, Reason: account.ReasonDeferred}
	}),
	release(func(p *events.LaneDeferred) (events.PoolName, events.LaneID, int, string) {
		return p.Pool, p.Lane, p.Attempt, "deferred"
	}),

	row("number", func(e *events.Event, p *events.NumbersRequested) (events.StreamName, events.Command) {
		return p.PR, pr.NumberFindings{
			Run: runID(e), Head: p.Head, Fingerprints: p.Fingerprints, Seen: p.Seen, Looked: p.Looked,
		}
	}),
	row("numbered", func(e *events.Event, p *events.FindingsNumbered) (events.StreamName, events.Command) {
		return events.RunStream(p.Run), run.ReachVerdict{Numbers: p.Numbers, Fixed: p.Fixed, From: e.Ref()}
	}),
	row("adopt", func(e *events.Event, p *events.VerdictReached) (events.StreamName, events.Command) {
		return p.PR, pr.AdoptVerdict{
			Run: runID(e), Head: p.Head, Base: p.Base, Verdict: p.Verdict, Outcome: p.Outcome, Target: p.Target,
		}
	}),
	row("ended", func(e *events.Event, p *events.RunEnded) (events.StreamName, events.Command) {
		return p.PR, pr.NoteRunEnd{Run: runID(e), End: *p}
	}),
	row("free", func(e *events.Event, p *events.RunEnded) (events.StreamName, events.Command) {
		return events.FleetStream, fleet.Free{Run: runID(e), Reason: string(p.Outcome)}
	}),
}

// row makes a typed row; the event's type is the payload's.
func row[P any](name string, build func(*events.Event, *P) (events.StreamName, events.Command)) Row {
	return Row{
		Name: name, On: typeOf[P](),
		Make: func(e *events.Event, p events.Payload) (events.StreamName, events.Command) {
			return build(e, any(p).(*P))
		},
	}
}

func typeOf[P any]() events.Type {
	return reflect.New(reflect.TypeFor[P]()).Interface().(events.Payload).Type()
}

func settle[P any](of func(*P) (events.AccountName, account.Settle)) Row {
	return row("settle", func(e *events.Event, p *P) (events.StreamName, events.Command) {
		name, c := of(p)
		c.Run = runID(e)
		return events.AccountStream(name), c
	})
}

func release[P any](of func(*P) (events.PoolName, events.LaneID, int, string)) Row {
	return row("release", func(e *events.Event, p *P) (events.StreamName, events.Command) {
		name, lane, attempt, reason := of(p)
		return events.PoolStream(name), pool.Release{Run: runID(e), Lane: lane, Attempt: attempt, Reason: reason}
	})
}

// settleFailed: what is known not to have run costs nothing; what met the usage
// limit opens the breaker; what came back with a bad answer shows that the
// account works. (hard-parts §2, §5, §6)
func settleFailed(p *events.LaneFailed) account.Settle {
	c := account.Settle{
		Lane: p.Lane, Attempt: p.Attempt, Began: p.Began, Usage: p.Usage, Reason: string(p.Kind),
		Limit: p.Kind == events.FailureUsageLimit, Ran: p.Kind == events.FailureContract, Reset: p.Reset,
	}
	if p.Kind == events.FailureBefore {
		c.Began = time.Time{}
	}
	return c
}

func runID(e *events.Event) events.RunID { return events.RunID(e.Stream.Subject()) }

// whySuperseded says what took the head's place: another head, or another review
// of the same.
func whySuperseded(p *events.HeadSuperseded) string {
	if p.By == p.Head {
		return "another review of the same head took its place"
	}
	return "superseded by " + string(p.By)
}

// runStream names the run that a head was being judged by, or nobody.
func runStream(id events.RunID) events.StreamName {
	if id == "" {
		return ""
	}
	return events.RunStream(id)
}

func ticketOf(e *events.Event, p *events.RunRequested) events.Ticket {
	return events.Ticket{
		Run: p.Run, PR: e.Stream, Repo: p.Repo, Number: p.Number, Ref: p.Ref, BaseRef: p.BaseRef,
		Head: p.Head, Base: p.Base, Trigger: p.Trigger, Priority: p.Priority, QueuedAt: p.QueuedAt,
		Owner: p.Owner, Attempt: p.Attempt, Deadline: p.Deadline, Settings: p.Settings, Prior: p.Prior,
	}
}

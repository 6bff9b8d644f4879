package actors

import (
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

// Ports are what a process offers to effects. A nil Forge publishes nothing.
type Ports struct {
	Engine    Engine
	Workspace Workspace
	Forge     Forge
}

// Effect is work outside the log, started because an intent was recorded. The
// boot that the intent names starts it, and only once.
type Effect struct {
	On    events.Type
	Owner func(p events.Payload) events.BootID // nil = every process
	Start func(ports Ports, e *events.Event, p events.Payload, answer Answer)
}

// Effects is the whole work outside the log. Answers go to the actor that
// recorded the intent. (ARCHITECTURE, effects)
var Effects = []Effect{
	effect(func(p *events.WorkspaceRequested) events.BootID { return p.Owner },
		func(ports Ports, e *events.Event, p *events.WorkspaceRequested, answer Answer) {
			ports.Workspace.Prepare(WorkspaceJob{
				Run: runID(e), Try: p.Try, Repo: p.Repo, Ref: p.Ref, BaseRef: p.BaseRef, Head: p.Head,
				Base: p.Base, Until: p.Until,
			}, answer)
		}),
	effect(func(p *events.LaneBegan) events.BootID { return p.Owner },
		func(ports Ports, e *events.Event, p *events.LaneBegan, answer Answer) {
			ports.Engine.Start(LaneJob{
				Key:        events.LaneKey{Run: runID(e), Lane: p.Lane, Attempt: p.Attempt},
				Generation: p.Generation, Boot: p.Owner, Kind: p.Kind, Engine: p.Engine, Model: p.Model,
				Role: p.Role, Phase: p.Phase, Deadline: p.Deadline, PR: p.PR, Number: p.Number,
				MergeBase: p.MergeBase, DiffPrint: p.DiffPrint,
				Workspace: WorkspaceJob{
					Run: runID(e), Repo: p.Repo, Ref: p.Ref, BaseRef: p.BaseRef, Head: p.Head, Base: p.Base,
					Until: p.Deadline,
				},
			}, answer)
		}),
	effect(func(p *events.LaneStopRequested) events.BootID { return p.Owner },
		func(ports Ports, e *events.Event, p *events.LaneStopRequested, _ Answer) {
			ports.Engine.Stop(events.LaneKey{Run: runID(e), Lane: p.Lane, Attempt: p.Attempt})
		}),
	effect(func(p *events.VerdictAdopted) events.BootID { return p.Owner },
		func(ports Ports, e *events.Event, p *events.VerdictAdopted, answer Answer) {
			ports.publish(PublishJob{
				PR: e.Stream, Run: p.Run, Head: p.Head, Base: p.Base, Try: p.Try, Until: p.PublishUntil,
			}, answer)
		}),
	effect(func(p *events.PublicationResumed) events.BootID { return p.Owner },
		func(ports Ports, e *events.Event, p *events.PublicationResumed, answer Answer) {
			ports.publish(PublishJob{
				PR: e.Stream, Run: p.Run, Head: p.Head, Base: p.Base, Try: p.Try, Until: p.Until,
			}, answer)
		}),
	effect(func(p *events.LabelWanted) events.BootID { return p.Owner },
		func(ports Ports, e *events.Event, p *events.LabelWanted, answer Answer) {
			ports.label(LabelJob{PR: e.Stream, Verdict: p.Verdict, Try: p.Try, Until: p.Until}, answer)
		}),
	// A lane is given up as lost by the clock. Whoever still runs it, stops.
	effect(nil, func(ports Ports, e *events.Event, p *events.LaneFailed, _ Answer) {
		if p.Kind == events.FailureLost { // guard: a lost lane runs on beside its second try
			ports.Engine.Stop(events.LaneKey{Run: runID(e), Lane: p.Lane, Attempt: p.Attempt})
		}
	}),
	effect(nil, func(ports Ports, e *events.Event, _ *events.RunEnded, _ Answer) {
		ports.Workspace.Release(runID(e))
	}),
}

func (ports Ports) publish(job PublishJob, answer Answer) {
	if ports.Forge != nil {
		ports.Forge.Publish(job, answer)
	}
}

// label answers at once where this process does not write to a forge, so that one
// which does takes its turn.
func (ports Ports) label(job LabelJob, answer Answer) {
	if ports.Forge == nil { // guard: a label waits out the lease of a process that sets none
		answer(pr.NoteLabelFailed{
			Try: job.Try, Verdict: job.Verdict, Kind: events.FailureInfra, Message: "this process does not write to the forge",
		})
		return
	}
	ports.Forge.Label(job, answer)
}

// effect makes a typed effect; a nil owner is every process.
func effect[P any](owner func(*P) events.BootID, start func(Ports, *events.Event, *P, Answer)) Effect {
	made := Effect{
		On: typeOf[P](),
		Start: func(ports Ports, e *events.Event, p events.Payload, answer Answer) {
			start(ports, e, any(p).(*P), answer)
		},
	}
	if owner != nil {
		made.Owner = func(p events.Payload) events.BootID { return owner(any(p).(*P)) }
	}
	return made
}

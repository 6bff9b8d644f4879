package run

import "github.com/reviewctl/reviewctl/events"

// requestWorkspace is the intent to put the code on disk, by the boot that
// decides this.
func (d *draft) requestWorkspace(try int) {
	r := d.s.Started
	d.emit(&events.WorkspaceRequested{
		Try: try, Repo: r.Repo, Head: r.Head, Base: r.Base, Ref: r.Ref, BaseRef: r.BaseRef,
		Owner: d.given.Boot, Until: after(d.given.At, d.WorkspaceTimeout),
	})
}

// preparing reports whether this try is the one that is under way.
func (d *draft) preparing(try int) bool {
	w := d.s.Workspace
	return d.s.Stopping == nil && w.Owner != "" && w.Try == try
}

// noteWorkspace goes on to the first step; an empty change ends the run.
func (d *draft) noteWorkspace(c NoteWorkspace) {
	if !d.preparing(c.Ready.Try) { // guard: the answer to an old try counts
		return
	}
	ready := c.Ready
	d.emit(&ready)
	if len(ready.Files) == 0 { // guard: an empty change is reviewed
		d.stop(events.RunStopping{Outcome: events.OutcomeNotRun, Why: WhyEmpty})
		return
	}
	if len(d.s.Lanes) == 0 {
		d.requestStep(0)
	}
}

// WhyEmpty is why a run of a change without files did not run.
const WhyEmpty = "empty"

// workspaceTrouble tries again later, a bounded number of times.
func (d *draft) workspaceTrouble(try int, reason string) {
	if !d.preparing(try) {
		return
	}
	if try > len(d.WorkspaceDelays) { // guard: a workspace is tried without bound
		d.workspaceFailure(NoteWorkspaceFailure{Try: try, Kind: events.FailureInfra, Message: reason})
		return
	}
	d.emit(&events.WorkspaceWaiting{Try: try, Reason: reason, Next: after(d.given.At, d.WorkspaceDelays[try-1])})
}

func (d *draft) workspaceFailure(c NoteWorkspaceFailure) {
	if !d.preparing(c.Try) { // guard: the failure of an old try counts
		return
	}
	d.emit(&events.WorkspaceFailed{Try: c.Try, Kind: c.Kind, Message: c.Message})
	d.stop(events.RunStopping{Outcome: events.OutcomeFailed, Why: "the code could not be prepared: " + c.Message, Kind: c.Kind})
}

package run

import (
	"fmt"

	"github.com/reviewctl/reviewctl/events"
)

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

// noteFiles takes the next page of the list.
func (d *draft) noteFiles(c NoteFiles) {
	if !d.preparing(c.Try) { // guard: a page of an old try counts
		return
	}
	if c.Page != d.s.Workspace.Pages+1 { // guard: a page of the list counts twice
		return
	}
	d.emit(&events.WorkspaceListed{Try: c.Try, Page: c.Page, Files: c.Files})
}

// noteWorkspace goes on to the first step; an empty change ends the run.
func (d *draft) noteWorkspace(c NoteWorkspace) {
	if !d.preparing(c.Ready.Try) { // guard: the answer to an old try counts
		return
	}
	if pages := d.s.Workspace.Pages; pages != c.Ready.Pages { // guard: a list of files with a hole is reviewed
		d.workspaceTrouble(c.Ready.Try, fmt.Sprintf("%d of %d pages of the list of files arrived", pages, c.Ready.Pages))
		return
	}
	ready := c.Ready
	d.emit(&ready)
	if d.s.Workspace.Size.Files == 0 { // guard: an empty change is reviewed
		d.stop(events.RunStopping{Outcome: events.OutcomeNotRun, Why: WhyEmpty})
		return
	}
	if len(d.s.Lanes) == 0 {
		d.requestStep(0)
	}
}

// WhyEmpty is why a run of a change without files did not run.
const WhyEmpty = "empty"

// goneDelays, in milliseconds, come before the 2nd, 3rd, … try where the forge does
// not have the head. They outlast a few looks of the poller, which ends the run as
// superseded or closed, so that a head that was pushed away is no failure. Where the
// forge goes on to name this head, the failure is one of its own. (hard-parts §2)
var goneDelays = []int64{1000, 30_000, 120_000, 300_000}

// workspaceTrouble tries again later, a bounded number of times.
func (d *draft) workspaceTrouble(try int, reason string) {
	d.workspaceAgain(try, reason, d.WorkspaceDelays)
}

func (d *draft) workspaceAgain(try int, reason string, delays []int64) {
	if !d.preparing(try) {
		return
	}
	if try > len(delays) { // guard: a workspace is tried without bound
		d.workspaceFailure(NoteWorkspaceFailure{Try: try, Kind: events.FailureInfra, Message: reason})
		return
	}
	d.emit(&events.WorkspaceWaiting{Try: try, Reason: reason, Next: after(d.given.At, delays[try-1])})
}

// noteTrouble gives the poller time to say what became of a head that is gone.
func (d *draft) noteTrouble(c NoteWorkspaceTrouble) {
	if c.Gone { // guard: a head that was pushed away counts as a failure
		d.workspaceAgain(c.Try, c.Reason, goneDelays)
		return
	}
	d.workspaceTrouble(c.Try, c.Reason)
}

func (d *draft) workspaceFailure(c NoteWorkspaceFailure) {
	if !d.preparing(c.Try) { // guard: the failure of an old try counts
		return
	}
	d.emit(&events.WorkspaceFailed{Try: c.Try, Kind: c.Kind, Message: c.Message})
	d.stop(events.RunStopping{Outcome: events.OutcomeFailed, Why: "the code could not be prepared: " + c.Message, Kind: c.Kind})
}

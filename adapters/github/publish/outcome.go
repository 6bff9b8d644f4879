package publish

import (
	"context"
	"errors"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// faultOf finds the fault in an error. The outcome of what is none is not known, if
// it was a write.
func faultOf(err error) *api.Fault {
	var f *api.Fault
	if errors.As(err, &f) {
		return f
	}
	return &api.Fault{Kind: api.KindUnexpected, Message: err.Error(), Unknown: true}
}

// kindOf sorts a fault by whether another try may help without anybody's doing.
// (cases G33, G58)
func kindOf(f *api.Fault) events.FailureKind {
	switch {
	case f.Kind == api.KindPermission && f.Sub != "", f.Kind == api.KindBlocked, f.Kind == api.KindGone, f.Kind == api.KindValidation:
		return events.FailureFatal
	}
	return events.FailureInfra // what forbids without a reason that we know may be a passing wall
}

// readFault ends the try: nothing was submitted. A new name is followed once.
func (a *attempt) readFault(what string, err error) (step, events.Command) {
	f := faultOf(err)
	if next, ok := a.follow(f); ok {
		return next, nil
	}
	return nil, a.notStored(what, f)
}

// writeFault ends the try as what nobody knows, or as not stored.
func (a *attempt) writeFault(what string, err error) (step, events.Command) {
	f := faultOf(err)
	if f.Unknown { // guard: a write whose answer was lost counts as not done (case G24)
		return nil, a.unsure(what + ": " + f.Error())
	}
	return a.readFault(what, err)
}

// follow takes up a repository's new name and looks there first. (case G35)
func (a *attempt) follow(f *api.Fault) (step, bool) {
	if f.Moved == "" || f.Moved == a.name || a.moved {
		return nil, false
	}
	a.log.Info("repository has a new name", "from", a.name, "to", f.Moved)
	a.name, a.moved = f.Moved, true
	return a.look, true
}

func (a *attempt) notStored(what string, f *api.Fault) events.Command {
	return pr.NotePublishFailed{
		Run: a.job.Run, Try: a.job.Try, Kind: kindOf(f), Message: what + ": " + f.Error(), NotBefore: f.RetryAt,
	}
}

func (a *attempt) failed(kind events.FailureKind, message string) events.Command {
	return pr.NotePublishFailed{Run: a.job.Run, Try: a.job.Try, Kind: kind, Message: message}
}

func (a *attempt) unsure(reason string) events.Command {
	return pr.NotePublishUnknown{Run: a.job.Run, Try: a.job.Try, Reason: reason}
}

func (a *attempt) abandoned(cause events.AbandonCause, why string) events.Command {
	return pr.NotePublishAbandoned{Run: a.job.Run, Try: a.job.Try, Cause: cause, Why: why}
}

func (a *attempt) published(r *api.Review, existing bool) events.Command {
	return pr.NotePublished{Run: a.job.Run, Try: a.job.Try, Receipt: receipt(r.ID), URL: r.URL, Existing: existing}
}

// deleteFault: who else deleted or submitted the pending review got there first. A
// look shows that, and what became of a deletion whose answer was lost.
func (a *attempt) deleteFault(err error) (step, events.Command) {
	f := faultOf(err)
	if f.Unknown || f.Kind == api.KindNotFound || f.Kind == api.KindValidation {
		a.pending = 0
		return a.again("what became of a pending review that was to be deleted is not known: " + f.Error())
	}
	return a.readFault("delete a pending review", err)
}

// anew throws our pending review away and begins again with another text.
func (a *attempt) anew(ctx context.Context, why string) (step, events.Command) {
	if a.pending != 0 {
		if end := a.mayWrite(ctx); end != nil {
			return nil, end
		}
		if err := a.deletePending(ctx, a.pending); err != nil {
			return a.deleteFault(err)
		}
	}
	return a.again(why)
}

// same reports whether two accounts are one.
func same(a, b api.User) bool { return a.ID != 0 && a.ID == b.ID }

// short is a commit in a sentence.
func short(c events.Commit) string { return string(c[:min(len(c), 7)]) }

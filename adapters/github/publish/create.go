package publish

import (
	"context"
	"fmt"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// create is the third step: the review, pending, with its marker. The commit is
// always the one that was reviewed, so that a head that moves in between leaves
// outdated comments and no misplaced ones. (case G26)
func (a *attempt) create(ctx context.Context) (step, events.Command) {
	end, err := a.post(ctx, len(a.text.Comments))
	switch {
	case end != nil:
		return nil, end
	case err != nil:
		return a.createFault(ctx, err)
	}
	return a.confirm, nil
}

// post creates our pending review with the first n of its comments.
func (a *attempt) post(ctx context.Context, n int) (end events.Command, err error) {
	if end := a.mayWrite(ctx); end != nil {
		return end, nil
	}
	call, cancel := a.call(ctx, a.job.Until)
	defer cancel()
	review, err := a.Hub.CreatePending(call, a.name, a.number, api.Draft{
		Commit: a.job.Head, Body: a.text.Body, Comments: a.text.Comments[:n],
	})
	if err != nil {
		return nil, err
	}
	if review.ID == 0 || review.State != api.StatePending { // guard: an empty answer counts as a review (case G35)
		return a.unsure("the answer to the pending review does not show it"), nil
	}
	a.pending = review.ID
	return nil, nil
}

func (a *attempt) createFault(ctx context.Context, err error) (step, events.Command) {
	f := faultOf(err)
	if f.Unknown || f.Kind != api.KindValidation {
		return a.writeFault("create the pending review", err)
	}
	switch {
	case f.Sub == api.SubPendingExists:
		return a.blocked(ctx)
	case f.Sub == api.SubCommitGone:
		return nil, a.abandoned(events.AbandonHead, "the head moved: the reviewed commit is not part of the pull request any more") // (case G27)
	case f.Sub == api.SubTooLong:
		if a.shorter { // guard: a body that is refused for ever is rendered for ever
			return nil, a.notStored("create the pending review", f)
		}
		a.shorter = true
		return a.compose, nil
	case len(a.text.Comments) == 0:
		return nil, a.notStored("create the pending review", f)
	case f.Inline():
		return a.sift(ctx, f)
	}
	return a.unexplained(ctx, f)
}

// unexplained takes up a refusal of which nothing is known, half of an answer
// perhaps: if no pending review is in the way, the review may be taken without
// comments.
func (a *attempt) unexplained(ctx context.Context, f *api.Fault) (step, events.Command) {
	s, err := a.list(ctx)
	if err != nil {
		return a.readFault("read the reviews", err)
	}
	if next, end := a.settled(ctx, s); next != nil || end != nil {
		return next, end
	}
	if s.foreign != nil {
		return nil, a.failed(events.FailureInfra, a.inTheWay(s.foreign))
	}
	a.refuseRest(f)
	return a.compose, nil
}

// blocked looks for the pending review that GitHub says there is. (case G14)
func (a *attempt) blocked(ctx context.Context) (step, events.Command) {
	for _, wait := range staleWaits {
		s, err := a.list(ctx)
		if err != nil {
			return a.readFault("read the reviews", err)
		}
		if next, end := a.settled(ctx, s); next != nil || end != nil {
			return next, end
		}
		if s.foreign != nil {
			return nil, a.failed(events.FailureInfra, a.inTheWay(s.foreign))
		}
		if wait > 0 && !pause(ctx, a.Clock, wait) {
			break
		}
	}
	return nil, a.failed(events.FailureInfra, "GitHub says that there is a pending review, and its list does not show one")
}

// inTheWay says what to do about a pending review without a marker of ours: it is a
// person's, and is never touched.
func (a *attempt) inTheWay(r *api.Review) string {
	return fmt.Sprintf("a pending review of %s that is not ours (%s) is in the way, because GitHub allows one for each account: submit or discard it", a.viewer.Login, r.URL)
}

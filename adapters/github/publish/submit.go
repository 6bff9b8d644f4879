package publish

import (
	"context"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// staleWaits are the pauses between lists that do not show our pending review yet:
// a list may come from a replica that is behind.
var staleWaits = []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 0}

// confirm is the fourth step: a list that shows our pending review also shows
// whatever was submitted before it. Of pending ones settled leaves none but ours.
func (a *attempt) confirm(ctx context.Context) (step, events.Command) {
	for _, wait := range staleWaits {
		s, err := a.list(ctx)
		if err != nil {
			return a.readFault("read the reviews again", err)
		}
		if next, end := a.settled(ctx, s); next != nil || end != nil {
			return next, end
		}
		if len(s.ours) > 0 { // guard: a list that is behind hides that the review stands
			return a.submit, nil
		}
		if s.foreign != nil { // ours is gone, and a person began a review
			a.pending = 0
			return a.again("our pending review was discarded")
		}
		if wait > 0 && !pause(ctx, a.Clock, wait) {
			break
		}
	}
	return nil, a.failed(events.FailureInfra, "the list of reviews does not show our pending review")
}

// submit is the fifth step.
func (a *attempt) submit(ctx context.Context) (step, events.Command) {
	if end := a.mayWrite(ctx); end != nil {
		return nil, end
	}
	call, cancel := a.call(ctx, a.job.Until)
	defer cancel()
	review, err := a.Hub.Submit(call, a.name, a.number, a.pending, a.text.Event)
	if err != nil {
		return a.submitFault(ctx, err)
	}
	if review.ID == 0 || review.State == api.StatePending || review.State == "" { // guard: an empty answer counts as a review (case G35)
		return nil, a.unsure("the answer to the submitted review does not show it")
	}
	a.pending = 0
	return nil, a.published(review, false)
}

func (a *attempt) submitFault(ctx context.Context, err error) (step, events.Command) {
	f := faultOf(err)
	switch {
	case f.Unknown:
		return nil, a.unsure("submit the review: " + f.Error())
	case f.Kind == api.KindValidation && f.Sub == api.SubOwnPull:
		a.own = true // GitHub takes nothing but a comment there, and its body says the verdict (case G13)
		return a.anew(ctx, "the pull request is our own")
	case f.Kind == api.KindNotFound, f.Kind == api.KindValidation:
		a.pending = 0 // the race is lost, or somebody discarded it
		return a.again(fmt.Sprintf("the pending review could not be submitted (%s)", f.Error()))
	}
	return a.writeFault("submit the review", err)
}

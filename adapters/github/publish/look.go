package publish

import (
	"context"
	"fmt"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/marker"
	"github.com/reviewctl/reviewctl/events"
)

// seen is what a list of reviews shows of this publication.
type seen struct {
	posted  *api.Review  // submitted, with our marker: it stands, dismissed or not
	ours    []api.Review // pending, with a marker of ours
	foreign *api.Review  // pending, without one: a person's
}

// list reads the reviews. A list is complete or an error.
func (a *attempt) list(ctx context.Context) (seen, error) {
	ctx, cancel := a.call(ctx, a.job.Until)
	defer cancel()
	reviews, err := a.Hub.Reviews(ctx, a.name, a.number)
	if err != nil {
		return seen{}, err
	}
	return a.sort(reviews), nil
}

// sort looks at the reviews of our own account alone: anybody can write a marker.
func (a *attempt) sort(reviews []api.Review) seen {
	var s seen
	for i := range reviews {
		r := &reviews[i]
		if r.Author.ID != a.viewer.ID { // guard: somebody else's text counts as our review
			continue
		}
		switch {
		case r.State == api.StatePending && a.ours(r.Body):
			s.ours = append(s.ours, *r)
		case r.State == api.StatePending:
			s.foreign = r
		case a.marked(r.Body) && s.posted == nil:
			s.posted = r
		}
	}
	return s
}

// look is the first step: does the review stand already?
func (a *attempt) look(ctx context.Context) (step, events.Command) {
	s, err := a.list(ctx)
	if err != nil {
		return a.readFault("read the reviews", err)
	}
	if next, end := a.settled(ctx, s); next != nil || end != nil {
		return next, end
	}
	a.foreign = ""
	if s.foreign != nil {
		a.foreign = a.inTheWay(s.foreign)
	}
	return a.check, nil
}

// settled deals with what of ours a list shows beside the pending review of this
// try: one that stands ends the try, pending ones are deleted.
func (a *attempt) settled(ctx context.Context, s seen) (step, events.Command) {
	for _, r := range s.ours {
		if r.ID == a.pending {
			continue
		}
		if end := a.mayWrite(ctx); end != nil && s.posted == nil {
			return nil, end
		} else if end != nil {
			break
		}
		err := a.deletePending(ctx, r.ID)
		switch {
		case s.posted != nil: // it stands, whatever became of the other
		case err != nil:
			return a.deleteFault(err)
		default:
			a.pending = 0 // an account has one, so that ours is gone
			return a.again(fmt.Sprintf("pending review %d was not of this try", r.ID))
		}
	}
	if s.posted != nil {
		return nil, a.published(s.posted, true)
	}
	return nil, nil
}

// check is the second step: is the review still wanted?
func (a *attempt) check(ctx context.Context) (step, events.Command) {
	pull, err := a.pull(ctx)
	if err != nil {
		return a.readFault("read the pull request", err)
	}
	if end := a.stale(pull); end != nil {
		return nil, end
	}
	a.own, a.changed = a.own || same(pull.Author, a.viewer), pull.Files
	switch {
	case pull.Locked:
		return nil, a.failed(events.FailureFatal, "the conversation of the pull request is locked")
	case a.foreign != "":
		return nil, a.failed(events.FailureInfra, a.foreign)
	case a.pending != 0: // it was created before the repository's name changed
		return a.confirm, nil
	}
	return a.compose, nil
}

func (a *attempt) pull(ctx context.Context) (*api.Pull, error) {
	ctx, cancel := a.call(ctx, a.job.Until)
	defer cancel()
	return a.Hub.Pull(ctx, a.name, a.number)
}

// stale ends the try if the pull request needs this review no more.
func (a *attempt) stale(pull *api.Pull) events.Command {
	switch {
	case pull.Merged:
		return a.abandoned(events.AbandonClosed, "the pull request is merged")
	case pull.Closed:
		return a.abandoned(events.AbandonClosed, "the pull request is closed")
	case pull.Head != a.job.Head: // guard: a review of what is no longer the head is posted (case G26)
		return a.abandoned(events.AbandonHead, fmt.Sprintf(
			"the head moved: %s was reviewed, %s is the head", short(a.job.Head), short(pull.Head)))
	case a.review.BaseRef != "" && pull.BaseRef != a.review.BaseRef: // guard: a review against another base branch is posted
		return pr.NotePublishAbandoned{
			Run: a.job.Run, Try: a.job.Try, Cause: events.AbandonBase, BaseRef: pull.BaseRef, Base: pull.Base,
			Why: fmt.Sprintf("the base moved: it was %s and is %s", a.review.BaseRef, pull.BaseRef),
		}
	}
	return nil
}

// key is what the marker of this review says.
func (a *attempt) key() marker.Key {
	return marker.Key{Repo: a.repoID, Number: a.number, Head: a.job.Head, Kind: marker.KindReview}
}

// marked reports whether a body is the review of this very head. The commit that
// GitHub shows beside it is a hint alone. (case D37)
func (a *attempt) marked(body string) bool {
	return marker.Matches(body, a.key()) || a.Legacy(a.name) && marker.MatchesLegacy(body, a.key())
}

// ours reports whether a body is a review by us of this pull request, whichever
// head it is of.
func (a *attempt) ours(body string) bool {
	m, ok := marker.Find(body)
	return ok && m.Kind == marker.KindReview && m.Repo == a.repoID && m.Number == a.number
}

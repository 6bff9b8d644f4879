package publish

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/render"
	"github.com/reviewctl/reviewctl/events"
)

const (
	// RoundsMax bounds how often one try walks through the protocol.
	RoundsMax = 5
	// TidyMax bounds the deletion of what is left pending.
	TidyMax = AnswerMargin - time.Second
)

// attempt is one try of a publication on its way.
type attempt struct {
	*Publisher
	place

	job    actors.PublishJob
	log    *slog.Logger
	viewer api.User
	review *render.Review

	rounds  int
	pending int64  // our pending review of this try; 0 = none that we know of
	moved   bool   // the repository's new name was followed once
	foreign string // why a person's pending review is in the way
	own     bool   // the pull request is our own (case G13)

	changed int // files, as the pull request says
	listed  bool
	diff    render.Diff
	refused map[events.Fingerprint]string // findings that GitHub does not take inline, and why
	sifting sifting
	shorter bool           // a body was refused as too long
	text    *render.Output // as it is posted
}

// step is a part of the protocol. It names the next one, or ends the try.
type step func(ctx context.Context) (step, events.Command)

func (p *Publisher) attempt(job actors.PublishJob, at place) *attempt {
	return &attempt{
		Publisher: p, place: at, job: job, refused: map[events.Fingerprint]string{},
		log: p.Log.With("pr", job.PR, "run", job.Run, "try", job.Try),
	}
}

// run takes step after step until one ends the try.
func (a *attempt) run(ctx context.Context) events.Command {
	next, end := a.prepare(ctx)
	for end == nil {
		next, end = next(ctx)
	}
	a.tidy(end)
	switch end.(type) {
	case pr.NotePublishFailed, pr.NotePublishUnknown:
		a.forget() // the token may be another account's by now
	}
	a.log.Info("publication ended", "end", end.Name())
	return end
}

// prepare gets what does not change between rounds.
func (a *attempt) prepare(ctx context.Context) (step, events.Command) {
	review, err := a.Content(ctx, a.job)
	if err != nil {
		return nil, a.failed(events.FailureInfra, fmt.Sprintf("the review could not be read from the log: %v", err))
	}
	a.review = review
	call, cancel := a.call(ctx, a.job.Until)
	defer cancel()
	if a.viewer, err = a.self(call); err != nil {
		return a.readFault("ask who we are", err)
	}
	return a.look, nil
}

// again begins another round, if there may be one.
func (a *attempt) again(why string) (step, events.Command) {
	if a.rounds++; a.rounds >= RoundsMax { // guard: two publishers delete each other's work for ever
		return nil, a.failed(events.FailureInfra, fmt.Sprintf("gave up after %d rounds, the last because %s", a.rounds, why))
	}
	a.log.Info("publication begins again", "why", why)
	return a.look, nil
}

// mayWrite ends the try of whoever does not hold the lease, or not for long enough.
func (a *attempt) mayWrite(ctx context.Context) events.Command {
	if left := a.job.Until.Sub(a.Clock.Now()); left < WriteMargin { // guard: a process that was frozen writes when another holds the lease
		return a.failed(events.FailureInfra, "too little of its lease was left for another write")
	}
	if err := a.Owns(ctx, a.job); err != nil { // guard: whoever lost the lease before its time writes
		return a.failed(events.FailureInfra, fmt.Sprintf("it does not hold the publication's lease: %v", err))
	}
	return nil
}

// tidy deletes what is left pending of a try that is over, because it is in the way
// of whoever writes reviews with this account. It undoes what this try did and can
// make nothing visible, so that it needs no lease. What stays all the same is
// deleted by the next try; what may be submitted by now is left alone.
func (a *attempt) tidy(end events.Command) {
	if _, unknown := end.(pr.NotePublishUnknown); unknown || a.pending == 0 {
		return
	}
	ctx, cancel := until(a.root, a.Clock, a.Clock.Now().Add(TidyMax))
	defer cancel()
	if err := a.Hub.DeletePending(ctx, a.name, a.number, a.pending); err != nil {
		a.log.Info("pending review is left for the next try", "review", a.pending, "err", err)
	}
}

// deletePending deletes a pending review, and remembers if it was ours.
func (a *attempt) deletePending(ctx context.Context, id int64) error {
	call, cancel := a.call(ctx, a.job.Until)
	defer cancel()
	err := a.Hub.DeletePending(call, a.name, a.number, id)
	if err == nil && id == a.pending {
		a.pending = 0
	}
	return err
}

// receipt is GitHub's id of a review.
func receipt(id int64) string { return strconv.FormatInt(id, 10) }

package main

import (
	"context"
	"sync"

	"github.com/reviewctl/reviewctl/events"
)

// posting follows the publication of the review that was asked for.
type posting struct {
	mu    sync.Mutex
	ended map[events.RunID]posted
	more  chan struct{} // closed and replaced at each end
}

// posted is how a publication ended in this process.
type posted struct {
	url      string
	existing bool
	err      *CLIError // nil = the review stands there
}

func newPosting() *posting {
	return &posting{ended: map[events.RunID]posted{}, more: make(chan struct{})}
}

// observe is told of every event, in order; it does not block.
func (p *posting) observe(payload events.Payload) {
	switch e := payload.(type) {
	case *events.VerdictPublished:
		p.end(e.Run, posted{url: e.URL, existing: e.Existing})
	case *events.PublicationAbandoned:
		p.end(e.Run, notPosted("the review is not wanted any more, and was not posted", e.Why, "review it again, if it still shall be"))
	case *events.PublicationStuck:
		p.end(e.Run, notPosted("the review could not be posted", e.Why, "reviewctl doctor, then reviewctl retry PR with a daemon, or call again"))
	case *events.PublicationFailed:
		p.end(e.Run, notPosted("the review could not be posted", e.Message, "reviewctl doctor, then call again; a daemon on this log tries again by itself"))
	case *events.PublicationUnknown:
		p.end(e.Run, notPosted("nobody knows whether the review was posted", e.Reason, "call again: what is there is found, and not posted twice"))
	}
}

func notPosted(what, why, remedy string) posted {
	return posted{err: &CLIError{Code: CodeUnavailable, What: what, Subject: Plain(why), Remedy: remedy}}
}

// end keeps the first end of a publication: what comes later is a daemon's.
func (p *posting) end(run events.RunID, how posted) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.ended[run]; known {
		return
	}
	p.ended[run] = how
	close(p.more)
	p.more = make(chan struct{})
}

// await waits until the run's publication has ended.
func (p *posting) await(ctx context.Context, run events.RunID, failed <-chan error) (posted, error) {
	for {
		p.mu.Lock()
		how, ended := p.ended[run]
		more := p.more
		p.mu.Unlock()
		if ended {
			return how, nil
		}
		select {
		case <-more:
		case err := <-failed:
			return posted{}, err
		case <-ctx.Done():
			return posted{}, ErrInterrupted
		}
	}
}

// postsTo is where the review goes; nil = it is printed alone.
func (j *reviewJob) postsTo() *hub {
	if j.change.forge == nil || !j.change.forge.publish {
		return nil
	}
	return j.change.forge.hub
}

// post waits until the review stands on the forge, and says where.
func (j *reviewJob) post(app *App, s *Station, p *posting, stream events.StreamName, id events.RunID) error {
	if j.postsTo() == nil {
		return nil
	}
	adopted := false
	if err := eachPayload(app.Context, s.Log, stream, func(_ *events.Event, payload events.Payload) {
		a, ok := payload.(*events.VerdictAdopted)
		adopted = adopted || ok && a.Run == id && a.Target == events.TargetForge
	}); err != nil {
		return err
	}
	if !adopted {
		return &CLIError{Code: CodeNotRun, What: "nothing was posted", Subject: "the run came to no verdict that holds", Remedy: "reviewctl explain " + string(id)}
	}
	how, err := p.await(app.Context, id, s.Process.Failed())
	switch {
	case err != nil:
		return err
	case how.err != nil:
		return how.err
	case how.existing:
		app.Progress("a review of this commit stands there already: " + Plain(how.url))
	default:
		app.Progress("posted: " + Plain(how.url))
	}
	return nil
}

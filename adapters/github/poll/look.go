package poll

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// lookAt reads one repository and asks the actors for what follows. What could not
// be asked for is due again in the next look; one pull request's trouble holds up
// no other.
func (p *Poller) lookAt(ctx context.Context, w *watched) error {
	reading, stop := p.reading(ctx)
	defer stop()
	var asked []error
	err := p.identify(reading, ctx, w)
	if err == nil {
		var scan []listed
		if scan, err = p.scan(reading, ctx, w); err == nil {
			asked, err = p.follow(reading, ctx, w, scan)
		}
	}
	if errors.Is(context.Cause(reading), errSlow) && err != nil {
		err = errSlow
	}
	p.hold(err)
	return errors.Join(append(asked, err, p.note(ctx, w, err))...)
}

// scan reads the whole list of open pull requests. A list of another repository,
// or one that names it otherwise, makes sure who it is and reads again. (case G35)
func (p *Poller) scan(reading, ctx context.Context, w *watched) ([]listed, error) {
	pulls, err := p.list(reading, w)
	if err == nil && !w.unsure {
		return p.sights(w, pulls), nil
	}
	if err != nil && !moved(err) {
		w.unsure = w.unsure || vanished(err)
		return nil, err
	}
	w.unsure = true
	if err := p.identify(reading, ctx, w); err != nil {
		return nil, err
	}
	if pulls, err = p.list(reading, w); err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(pulls, func(pull api.Pull) bool { return !w.is(&pull) }); at >= 0 { // else another repository's pull requests are taken for this one's
		return nil, fmt.Errorf("the list of %s is of another repository", w.name)
	}
	return p.sights(w, pulls), nil
}

func (p *Poller) list(reading context.Context, w *watched) ([]api.Pull, error) {
	pulls, _, err := p.Forge.OpenPulls(reading, w.name)
	for i := range pulls {
		w.unsure = w.unsure || !w.is(&pulls[i]) || !w.calls(&pulls[i])
	}
	return pulls, err
}

// calls reports whether a pull request's repository is called as it was.
func (w *watched) calls(pull *api.Pull) bool {
	return pull.BaseName == "" || pull.BaseName == w.name
}

// is reports whether a pull request is one of this repository: the name may have
// gone over to another one.
func (w *watched) is(pull *api.Pull) bool {
	return pull.BaseRepo == 0 || fmt.Sprint(pull.BaseRepo) == w.id
}

// sights are what a list says. Nobody can be told of some pull requests; they are
// there all the same.
func (p *Poller) sights(w *watched, pulls []api.Pull) []listed {
	scan := make([]listed, 0, len(pulls))
	for i := range pulls {
		pull := &pulls[i]
		why := unusable(pull)
		if why != "" && w.odd[pull.Number] != why {
			p.Log.Error("pull request cannot be reviewed", "repo", w.name, "number", pull.Number, "why", why)
			w.odd[pull.Number] = why
		}
		scan = append(scan, listed{sight: p.terms.see(w.name, pull), pull: pull, bad: why != ""})
	}
	return scan
}

// follow carries out what follows from a scan. Where live reads fail, what needs
// none goes on.
func (p *Poller) follow(reading, ctx context.Context, w *watched, scan []listed) (asked []error, fault error) {
	if w.memory == nil {
		open, err := p.Open(ctx, w.id)
		if err != nil {
			return []error{fmt.Errorf("read what is open on record: %w", err)}, nil
		}
		w.memory = newMemory(open)
	}
	for _, s := range decide(scan, w.memory) {
		if ctx.Err() != nil {
			return asked, nil //nolint:nilerr // whoever stops a look is no trouble of it
		}
		var err error
		switch {
		case !s.confirm:
			err = p.tell(ctx, w, s.scanned.sight, s.scanned.pull)
		case fault == nil:
			if err = p.confirm(reading, ctx, w, s.number); reads(err) {
				err, fault = nil, fmt.Errorf("pull request %d: %w", s.number, err)
			}
		}
		if err != nil {
			asked = append(asked, fmt.Errorf("pull request %d: %w", s.number, err))
		}
	}
	return asked, fault
}

// tell shows the actors a pull request and remembers that it did.
func (p *Poller) tell(ctx context.Context, w *watched, s sight, pull *api.Pull) error {
	err := p.ask(ctx, events.PRStream(p.Host, w.id, pull.Number), pr.Observe{
		Host: p.Host, RepoID: w.id, Repo: s.name, Number: pull.Number, Ref: refOf(pull.Number), BaseRef: s.base,
		Title: s.title, Author: s.author, Head: s.head, Base: pull.Base,
		Priority: w.conf.Priority, Owner: events.OwnerAny, Settings: w.conf.Settings, Facts: s.facts(),
	})
	if err == nil {
		w.memory.tell(pull.Number, s)
	}
	return err
}

// Why a pull request is closed.
const (
	reasonMerged = "merged"
	reasonClosed = "closed"
	reasonGone   = "gone"
)

// confirm reads a pull request live and tells what it finds. One that is not there
// is gone if its repository is the one that we know. (cases G34 and G53)
func (p *Poller) confirm(reading, ctx context.Context, w *watched, number int) error {
	pull, err := p.Forge.Pull(reading, w.name, number)
	if vanished(err) || err == nil && !w.is(pull) {
		id := w.id
		w.unsure = true
		if err := p.identify(reading, ctx, w); err != nil {
			return err
		}
		if w.id != id {
			return fmt.Errorf("%s is another repository by now", w.name)
		}
		return p.close(ctx, w, number, reasonGone)
	}
	switch {
	case err != nil:
		return err
	case pull.Merged:
		return p.close(ctx, w, number, reasonMerged)
	case pull.Closed:
		return p.close(ctx, w, number, reasonClosed)
	}
	if why := unusable(pull); why != "" {
		return nil // the scan says so
	}
	s := p.terms.see(w.name, pull)
	if told, known := w.memory.told[number]; known && told == s { // else a stale list is told as news
		return nil
	}
	return p.tell(ctx, w, s, pull)
}

func (p *Poller) close(ctx context.Context, w *watched, number int, reason string) error {
	err := p.ask(ctx, events.PRStream(p.Host, w.id, number), pr.Close{Reason: reason})
	if err == nil {
		w.memory.close(number)
		delete(w.odd, number)
	}
	return err
}

// ask sends a command to an actor. A refusal is an answer: the same command would
// be refused again.
func (p *Poller) ask(ctx context.Context, stream events.StreamName, cmd events.Command) error {
	err := p.Ask(ctx, stream, cmd)
	var refusal *events.Refusal
	if errors.As(err, &refusal) {
		p.Log.Warn("command refused", "stream", stream, "command", cmd.Name(), "reason", refusal.Reason)
		return nil
	}
	if err != nil {
		return &askError{err: err}
	}
	return nil
}

// askError is a command that was not carried out: GitHub has no part in it.
type askError struct{ err error }

func (e *askError) Error() string { return e.err.Error() }
func (e *askError) Unwrap() error { return e.err }

// reads reports whether an error is of reading GitHub.
func reads(err error) bool {
	var ask *askError
	return err != nil && !errors.As(err, &ask)
}

// served is the repository that is looked at under an id, or nil. The caller holds
// the lock.
func (p *Poller) served(id string) *watched {
	at := slices.IndexFunc(p.watched, func(w *watched) bool { return w.id == id })
	if at < 0 {
		return nil
	}
	return p.watched[at]
}

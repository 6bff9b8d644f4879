package poll

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/events"
)

// SureFor is how long a repository is taken to be called what it was called. A sign
// that it is not (an error, a list of another one) ends it earlier.
const SureFor = time.Hour

// identify makes sure which repository the configured name stands for, and puts it
// on record. It asks GitHub only where that is not sure. (case G35)
func (p *Poller) identify(reading, ctx context.Context, w *watched) error {
	if w.name != "" && !w.unsure && p.Clock.Now().Sub(w.asOf) < SureFor {
		return nil
	}
	is, err := p.Forge.Repo(reading, w.conf.Name)
	if to := movedTo(err); to != "" {
		is, err = p.Forge.Repo(reading, to)
	}
	if err != nil {
		w.unsure = true
		return err
	}
	if is.ID <= 0 || is.FullName == "" {
		return fmt.Errorf("GitHub names no repository as %s", w.conf.Name)
	}
	if err := p.assign(w, strconv.FormatInt(is.ID, 10)); err != nil {
		return err
	}
	if p.Learn != nil {
		p.Learn(w.conf.Name, *is)
	}
	if is.FullName != w.name {
		if err := p.register(ctx, w, is.FullName); err != nil {
			return err
		}
	}
	w.name, w.asOf, w.unsure = is.FullName, p.Clock.Now(), is.Archived || is.Disabled
	switch {
	case is.Disabled:
		return errDisabled
	case is.Archived:
		return errArchived
	}
	return nil
}

var (
	errArchived = errors.New("the repository is archived: nothing can be posted there") // case G58
	errDisabled = errors.New("GitHub has disabled the repository")
)

// assign says which repository this is from now on. Another one under the old name
// has a history of its own.
func (p *Poller) assign(w *watched, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if other := p.served(id); other != nil && other != w {
		return &askError{err: fmt.Errorf("it is the same repository as %s, which is configured too", other.conf.Name)}
	}
	if w.id == id {
		return nil
	}
	if w.id != "" {
		p.Log.Warn("another repository has taken the name", "repo", w.conf.Name, "was", w.id, "is", id)
		p.untidy = true
	}
	w.id, w.name, w.memory, w.noted, w.reason = id, "", nil, false, ""
	clear(w.odd)
	return nil
}

// register puts on record that the repository is reviewed, and under which name.
func (p *Poller) register(ctx context.Context, w *watched, name events.RepoName) error {
	if err := p.load(ctx); err != nil {
		return err
	}
	stream := events.RepoStream(p.Host, w.id)
	before := p.records.of(w.id)
	now := Recorded{ID: w.id, Repo: name, Base: w.conf.Base, Enabled: true, Engines: w.conf.Settings.Engines}
	if err := p.ask(ctx, stream, repo.Configure{
		Repo: w.conf.Name, Base: now.Base, Enabled: true, Engines: now.Engines,
	}); err != nil {
		return err
	}
	if name != w.conf.Name || before.Repo != "" && before.Repo != name { // else a repository's new name is not on record
		if before.Repo != name {
			p.Log.Warn("repository is called otherwise", "configured", w.conf.Name, "was", before.Repo, "is", name)
		}
		if err := p.ask(ctx, stream, repo.Rename{To: name}); err != nil {
			return err
		}
	}
	p.records.put(now)
	return nil
}

// records are the repositories of this host on record, read once.
type records struct {
	mu    sync.Mutex
	known map[string]Recorded // nil = not read yet
}

func (p *Poller) load(ctx context.Context) error {
	p.records.mu.Lock()
	defer p.records.mu.Unlock()
	if p.records.known != nil {
		return nil
	}
	all, err := p.Recorded(ctx)
	if err != nil {
		return &askError{err: fmt.Errorf("read the repositories on record: %w", err)}
	}
	p.records.known = map[string]Recorded{}
	for _, r := range all {
		p.records.known[r.ID] = r
	}
	return nil
}

func (r *records) of(id string) Recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[id]
}

func (r *records) put(now Recorded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[now.ID] = now
}

// named is the repository that is on record as enabled under a name: whose trouble
// it is that GitHub knows none of that name.
func (r *records) named(name events.RepoName) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := ""
	for id, known := range r.known {
		if known.Enabled && fold(known.Repo) == fold(name) && (found == "" || id < found) {
			found = id
		}
	}
	return found
}

// Why what waits in a repository on record waits no more.
const (
	reasonTaken = "its repository's name belongs to another repository now"
	reasonLeft  = "its repository is disabled, or not configured any more"
)

// tidy closes what is open in repositories on record that nobody looks at any more,
// and records that they are disabled: in this order, so that one that was closed in
// part is closed in full after a crash. While a configured repository cannot be
// found, any on record may be that one, so that nothing is closed but what lost its
// name to another one.
func (p *Poller) tidy(ctx context.Context, looked *watched) error {
	p.tidying.Lock()
	defer p.tidying.Unlock()
	if err := p.load(ctx); err != nil {
		return err
	}
	lost, last := p.lost(looked)
	for _, l := range lost {
		if err := p.retire(ctx, l); err != nil {
			return fmt.Errorf("disable repository %s: %w", l.Repo, err)
		}
	}
	if last {
		p.mu.Lock()
		p.untidy = false
		p.mu.Unlock()
	}
	return nil
}

// lostRepo is a repository on record that nobody looks at, and why.
type lostRepo struct {
	Recorded

	why string
}

// lost lists what is to be retired, and whether that will be all. Every repository
// must have been looked at first, the one that was looked at now included.
func (p *Poller) lost(looked *watched) (lost []lostRepo, last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.untidy {
		return nil, false
	}
	p.records.mu.Lock()
	defer p.records.mu.Unlock()
	taken, unknown := map[string]bool{}, false
	for _, w := range p.watched {
		if !w.tried && w != looked {
			return nil, false
		}
		unknown = unknown || w.id == ""
		taken[fold(w.conf.Name)] = w.id != ""
	}
	for id, known := range p.records.known {
		switch {
		case !known.Enabled || p.served(id) != nil:
		case taken[fold(known.Repo)]: // else the heads of a repository whose name was taken stay open
			lost = append(lost, lostRepo{known, reasonTaken})
		case !unknown: // else an unreachable repository's heads are closed
			lost = append(lost, lostRepo{known, reasonLeft})
		}
	}
	return lost, !unknown
}

func (p *Poller) retire(ctx context.Context, l lostRepo) error {
	open, err := p.Open(ctx, l.ID)
	if err != nil {
		return err
	}
	p.Log.Warn("repository is not looked at any more", "repo", l.Repo, "id", l.ID, "why", l.why)
	for _, number := range open {
		if err := p.ask(ctx, events.PRStream(p.Host, l.ID, number), pr.Close{Reason: l.why}); err != nil {
			return err
		}
	}
	l.Enabled = false
	off := repo.Configure{Repo: l.Repo, Base: l.Base, Enabled: false, Engines: l.Engines}
	if err := p.ask(ctx, events.RepoStream(p.Host, l.ID), off); err != nil {
		return err
	}
	p.records.put(l.Recorded)
	return nil
}

package mirror

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// round serves all who wait.
func (m *mirror) round(ctx context.Context) {
	held, err := acquire(ctx, m.lockPath())
	if err != nil {
		m.end(ctx, fmt.Errorf("wait for the mirror's lock: %w", err), m.take()...)
		return
	}
	defer held.release()
	batch := m.take()
	repo, empty, err := m.open(held)
	if err != nil {
		m.end(ctx, err, batch...)
		return
	}
	missing := batch
	if !empty {
		if missing, err = m.serveFromHere(ctx, held, repo, batch); err != nil {
			m.end(ctx, err, missing...)
			return
		}
	}
	if len(missing) == 0 {
		return
	}
	m.gather(ctx)
	m.fetch(ctx, held, repo, append(missing, m.take()...))
	if m.prune {
		m.pruneBranches(ctx, held, repo)
	}
}

// open makes the mirror where there is none, and puts right what somebody else
// did to it. empty: it has nothing yet.
func (m *mirror) open(held *lock) (repo *git.Repo, empty bool, err error) {
	if err := m.ownership(); err != nil {
		return nil, false, err
	}
	m.mu.Lock()
	suspect := m.suspect
	m.suspect = false
	m.mu.Unlock()
	if suspect {
		m.store.Log.Warn("a mirror has lost objects and is made anew", "mirror", m.name)
		if err := m.store.discard(m.name); err != nil {
			return nil, false, err
		}
	}
	touch(m.lockPath(), m.store.Clock.Now())
	if _, err := os.Lstat(m.dir); errors.Is(err, os.ErrNotExist) {
		empty = true
		if err := git.MakeBare(m.dir, m.format); err != nil {
			return nil, false, sorted(err)
		}
	}
	repaired, err := git.RestoreBare(m.dir, m.format)
	if err != nil {
		return nil, false, sorted(err)
	}
	if len(repaired) > 0 {
		m.store.Log.Warn("a mirror was changed by somebody else and is put right", "mirror", m.name, "parts", strings.Join(repaired, " "))
	}
	if !m.looked && !empty {
		removeLeftovers(m.dir, held.exclusive())
	}
	m.looked = true
	return git.OpenBare(m.dir, m.format), empty, nil
}

// serveFromHere pins what is here already, answers those who want it, and returns
// the others.
func (m *mirror) serveFromHere(ctx context.Context, held *lock, repo *git.Repo, batch []*waiter) (missing []*waiter, err error) {
	here, err := present(ctx, repo, batch)
	if err != nil { // not a repository that git can read: make it anew
		if ctx.Err() != nil {
			return batch, err
		}
		m.store.Log.Warn("a mirror cannot be read and is made anew", "mirror", m.name, "error", err)
		if err := m.store.discard(m.name); err != nil {
			return batch, err
		}
		return batch, sorted(git.MakeBare(m.dir, m.format))
	}
	var ready []*waiter
	for _, w := range batch {
		if w.want.Newest || !has(here, w.want.Commits) {
			missing = append(missing, w)
		} else {
			ready = append(ready, w)
		}
	}
	if err := m.pin(ctx, held, repo, ready); err != nil {
		return batch, err
	}
	m.end(ctx, nil, ready...)
	return missing, nil
}

// present asks git once which of the wanted commits are here.
func present(ctx context.Context, repo *git.Repo, batch []*waiter) (map[events.Commit]bool, error) {
	var asked []string
	seen := map[events.Commit]bool{}
	for _, w := range batch {
		for _, c := range w.want.Commits {
			if !seen[c] {
				seen[c] = true
				asked = append(asked, string(c))
			}
		}
	}
	found, err := repo.ResolveCommits(ctx, asked...)
	if err != nil {
		return nil, err
	}
	for i, c := range found {
		seen[events.Commit(asked[i])] = c != ""
	}
	return seen, nil
}

func has(here map[events.Commit]bool, all []events.Commit) bool {
	for _, c := range all {
		if !here[c] {
			return false
		}
	}
	return true
}

// gather waits a moment for others who need a fetch.
func (m *mirror) gather(ctx context.Context) {
	if m.store.Gather <= 0 {
		return
	}
	over := make(chan struct{})
	defer m.store.Clock.After(m.store.Gather, func() { close(over) })()
	select {
	case <-over:
	case <-ctx.Done():
	}
}

func (m *mirror) lockPath() string { return m.dir[:len(m.dir)-len(dirSuffix)] + lockSuffix }

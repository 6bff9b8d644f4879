package mirror

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/reviewctl/reviewctl/adapters/git"
)

// What is fetched besides the commits themselves. The refspecs are full and
// forced: a push that rewrites a branch must not break the reviews of it.
// (semantics 30.1, case W08)
const (
	allBranches = "+refs/heads/*:refs/heads/*"
	allTags     = "+refs/tags/*:refs/tags/*"
)

// fetch brings what the waiters want: all branches and each wanted commit, in one
// git process. What spoils it for one of them (a commit that is gone, an object
// that is not sound) is found out by asking for each alone.
func (m *mirror) fetch(ctx context.Context, held *lock, repo *git.Repo, batch []*waiter) {
	specs := []string{allBranches}
	for _, w := range batch {
		if w.want.Tags {
			specs = append(specs, allTags)
			break
		}
	}
	for _, w := range batch {
		specs = append(specs, w.pins()...)
	}
	err := m.ask(ctx, held, repo, specs...)
	switch {
	case errors.Is(err, git.ErrSomeRefs):
		m.prune = true
		m.fetchEach(ctx, held, repo, batch)
	case errors.Is(err, git.ErrUnadvertised):
		m.fetchRefs(ctx, held, repo, batch)
	case errors.Is(err, git.ErrMissingObject), errors.Is(err, git.ErrBadObject):
		m.fetchEach(ctx, held, repo, batch)
	default:
		m.end(ctx, err, batch...)
	}
}

// fetchEach answers each waiter by itself. Where a wanted commit is here already
// nothing is asked of the source.
func (m *mirror) fetchEach(ctx context.Context, held *lock, repo *git.Repo, batch []*waiter) {
	for _, w := range batch {
		m.end(ctx, m.ask(ctx, held, repo, w.pins()...), w)
	}
}

// fetchRefs answers waiters by the names that the source has for what they want,
// and pins what has come. A ref may have moved on since: then its commit is missing,
// as one that is gone is.
func (m *mirror) fetchRefs(ctx context.Context, held *lock, repo *git.Repo, batch []*waiter) {
	for _, w := range batch {
		specs := []string{allBranches}
		if w.want.Ref != "" {
			tip := w.refs[0] + refSuffix
			w.refs = append(w.refs, tip) // goes with the pins
			specs = append(specs, "+"+w.want.Ref+":"+tip)
		}
		err := m.ask(ctx, held, repo, specs...)
		if err == nil {
			err = m.pinHere(ctx, held, repo, w)
		}
		m.end(ctx, err, w)
	}
}

// refSuffix is behind the name of a pin that keeps what a ref stood at.
const refSuffix = "-ref"

// pinHere pins what a waiter wants, or says that it is not here.
func (m *mirror) pinHere(ctx context.Context, held *lock, repo *git.Repo, w *waiter) error {
	here, err := present(ctx, repo, []*waiter{w})
	switch {
	case err != nil:
		return err
	case !has(here, w.want.Commits):
		return fmt.Errorf("%w: the source gives commits by a ref alone, and %q does not have it", git.ErrMissingObject, w.want.Ref)
	}
	return m.pin(ctx, held, repo, []*waiter{w})
}

// ask is one fetch, and a second one where only a lock file of a dead process was
// in the way. (case W05)
func (m *mirror) ask(ctx context.Context, held *lock, repo *git.Repo, specs ...string) error {
	m.mu.Lock()
	f := git.Fetch{From: m.src.From, Env: m.src.Env, Credential: m.src.Credential, Refspecs: specs, Held: held.file()}
	m.copying = f.From.Local()
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.copying = false
	}()
	err := repo.Fetch(ctx, f)
	if errors.Is(err, git.ErrLocked) && removeLeftovers(m.dir, held.exclusive()) > 0 {
		err = repo.Fetch(ctx, f)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// pruneBranches removes branches that the source has no more and that stand in the
// way of others ("a" of "a/b"). It is a fetch of its own. (case W08)
func (m *mirror) pruneBranches(ctx context.Context, held *lock, repo *git.Repo) {
	m.mu.Lock()
	f := git.Fetch{From: m.src.From, Env: m.src.Env, Credential: m.src.Credential, Refspecs: []string{allBranches}, Prune: true, Held: held.file()}
	m.mu.Unlock()
	if err := repo.Fetch(ctx, f); err != nil {
		m.store.Log.Warn("old branches stay in a mirror", "mirror", m.name, "error", err)
		return
	}
	m.prune = false
}

// pins are the refspecs that fetch the wanted commits and pin them.
func (w *waiter) pins() []string {
	specs := make([]string, len(w.want.Commits))
	for i, commit := range w.want.Commits {
		specs[i] = "+" + string(commit) + ":" + w.refs[i]
	}
	return specs
}

// sorted says of an error of the file system what git would say of it.
func sorted(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", git.ErrNoSpace, err)
	}
	return err
}

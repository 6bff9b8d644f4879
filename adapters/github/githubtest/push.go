package githubtest

import (
	"fmt"

	"github.com/reviewctl/reviewctl/events"
)

// Push makes one commit with these files (Gone takes one away) on a branch, on top
// of what is there. A branch that is not there begins at the default branch, or at
// the parents when some are named. Open pull requests of the branch move.
func (r *Repo) Push(branch string, files Files, parents ...events.Commit) events.Commit {
	r.s.t.Helper()
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if at := r.branches[branch]; at != "" && len(parents) == 0 {
		parents = []events.Commit{at}
	}
	return r.commit(branch, parents, files)
}

// Force makes the branch anew: one commit on the parents, or on the default branch.
func (r *Repo) Force(branch string, files Files, parents ...events.Commit) events.Commit {
	r.s.t.Helper()
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.commit(branch, parents, files)
}

// Reset makes the branch point at a commit that is there already.
func (r *Repo) Reset(branch string, at events.Commit) {
	r.s.t.Helper()
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.must(r.store.point(r.ref(branch), at))
	r.moved(branch, at)
}

// Head is the commit of a branch, or "".
func (r *Repo) Head(branch string) events.Commit {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.branches[branch]
}

// Orphan makes a branch with a history of its own.
func (r *Repo) Orphan(branch string, files Files) events.Commit {
	r.s.t.Helper()
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.commitOn(branch, nil, files)
}

func (r *Repo) commit(branch string, parents []events.Commit, files Files) events.Commit {
	if len(parents) == 0 {
		root := r
		if r.parent != nil && r.branches[defaultBranch] == "" {
			root = r.parent
		}
		if at := root.branches[defaultBranch]; at != "" {
			parents = []events.Commit{at}
		}
	}
	return r.commitOn(branch, parents, files)
}

func (r *Repo) commitOn(branch string, parents []events.Commit, files Files) events.Commit {
	at, err := r.store.commit(r.ref(branch), parents, files)
	r.must(err)
	r.moved(branch, at)
	return at
}

// moved records where a branch is and moves the pull requests that have it.
func (r *Repo) moved(branch string, at events.Commit) {
	r.branches[branch], r.pushed = at, r.s.now()
	r.version++
	root := r
	if r.parent != nil {
		root = r.parent
	}
	for _, p := range root.pulls {
		if p.cur.headRepo == r && p.cur.headRef == branch && !p.cur.closed {
			p.moveHead(at)
		}
	}
}

// must ends the test where a step of the test itself went wrong.
func (r *Repo) must(err error) {
	r.s.t.Helper()
	if err != nil {
		r.s.t.Fatalf("githubtest: %s: %v", r.full(), err)
	}
}

// fork is the repository of the same name of another owner; its objects are in the
// one that it was forked from.
func (r *Repo) fork(owner string) *Repo {
	full := owner + "/" + r.name
	for _, other := range r.s.repos {
		if other.parent == r && other.owner == owner && !other.deleted {
			return other
		}
	}
	f := r.s.newRepo(full)
	f.parent, f.store = r, r.store
	return f
}

func pullRef(number int) string { return fmt.Sprintf("refs/pull/%d/head", number) }

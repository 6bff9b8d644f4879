package githubtest

import (
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Push adds a commit to the pull request's branch.
func (p *PullRequest) Push(files Files) events.Commit {
	p.s.t.Helper()
	repo, branch := p.source()
	return repo.Push(branch, files)
}

// ForcePush makes the branch anew: one commit on the base branch.
func (p *PullRequest) ForcePush(files Files, parents ...events.Commit) events.Commit {
	p.s.t.Helper()
	if len(parents) == 0 {
		parents = []events.Commit{p.repo.Head(p.BaseRef())}
	}
	repo, branch := p.source()
	return repo.Force(branch, files, parents...)
}

// Reset makes the branch point at an earlier commit.
func (p *PullRequest) Reset(at events.Commit) {
	p.s.t.Helper()
	repo, branch := p.source()
	repo.Reset(branch, at)
}

func (p *PullRequest) source() (*Repo, string) {
	p.s.t.Helper()
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.cur.headRepo == nil {
		p.s.t.Fatalf("githubtest: cannot push to #%d: its fork is gone", p.Number)
	}
	return p.cur.headRepo, p.cur.headRef
}

// Head is the head as it is now.
func (p *PullRequest) Head() events.Commit {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.cur.head
}

// BaseRef is the base branch.
func (p *PullRequest) BaseRef() string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.cur.baseRef
}

// Close closes it without merging.
func (p *PullRequest) Close() {
	p.edit(func(st *state) { st.closed, st.closedAt = true, p.s.now() })
}

// Reopen opens it again.
func (p *PullRequest) Reopen() { p.edit(func(st *state) { st.closed = false }) }

// Merge merges it into its base branch and closes it.
func (p *PullRequest) Merge() {
	p.s.t.Helper()
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	r, st := p.repo, p.cur
	onto, err := r.store.mergeBase(r.branches[st.baseRef], st.head)
	r.must(err)
	changes, err := r.store.diff(onto, st.head)
	r.must(err)
	files := Files{}
	for _, c := range changes {
		if c.status == "renamed" {
			files[c.previous] = Gone
		}
		content, there, err := r.store.content(st.head, c.path)
		r.must(err)
		files[c.path] = content
		if !there {
			files[c.path] = Gone
		}
	}
	p.change(func(st *state) {
		st.closed, st.merged, st.closedAt, st.updated = true, true, p.s.now(), p.s.now()
		st.mergeCommit = r.commitOn(st.baseRef, []events.Commit{r.branches[st.baseRef], st.head}, files)
	})
}

// Ready takes the draft mark away.
func (p *PullRequest) Ready() { p.SetDraft(false) }

// SetDraft makes it a draft, or ready.
func (p *PullRequest) SetDraft(draft bool) { p.edit(func(st *state) { st.draft = draft }) }

// Lock locks its conversation. This server then refuses reviews of everybody.
func (p *PullRequest) Lock(locked bool) { p.edit(func(st *state) { st.locked = locked }) }

// Retitle gives it another title.
func (p *PullRequest) Retitle(title string) { p.edit(func(st *state) { st.title = title }) }

// Retarget gives it another base branch.
func (p *PullRequest) Retarget(branch string) {
	p.s.t.Helper()
	p.edit(func(st *state) {
		at := p.repo.branches[branch]
		if at == "" {
			p.s.t.Fatalf("githubtest: cannot retarget #%d: there is no branch %q", p.Number, branch)
		}
		st.baseRef, st.base, st.looked = branch, at, false
		p.anchor()
	})
}

// DeleteFork takes the head's repository away; refs/pull/N/head stays.
func (p *PullRequest) DeleteFork() {
	p.edit(func(st *state) {
		if st.headRepo != nil && st.headRepo != p.repo {
			st.headRepo.deleted = true
		}
		st.headRepo = nil
	})
}

// Label gives it labels, as a person does; those that the repository does not have
// are made.
func (p *PullRequest) Label(names ...string) {
	p.edit(func(st *state) {
		for _, name := range names {
			if l := p.repo.label(name); !slices.Contains(st.labels, l) {
				st.labels = append(st.labels, l)
			}
		}
	})
}

// Unlabel takes labels away.
func (p *PullRequest) Unlabel(names ...string) {
	p.edit(func(st *state) {
		st.labels = slices.DeleteFunc(st.labels, func(l *label) bool {
			return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, l.name) })
		})
	})
}

// LabelNames are the names of its labels, sorted.
func (p *PullRequest) LabelNames() []string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	names := make([]string, 0, len(p.cur.labels))
	for _, l := range p.cur.labels {
		names = append(names, l.name)
	}
	slices.Sort(names)
	return names
}

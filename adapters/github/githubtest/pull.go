package githubtest

import (
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Pull is what a pull request is opened with.
type Pull struct {
	Title  string
	Body   string
	Author string // Ghost = a deleted account; "" = ann
	Head   string // the branch; it must be there
	Base   string // "" = main
	Draft  bool
	Labels []string
	Fork   bool // the branch is in the author's fork
}

// PullRequest is an open or closed pull request.
type PullRequest struct {
	Number int
	ID     int64

	s      *Server
	repo   *Repo
	author *user
	cur    *state
	past   []*state // older states, where stale reads are asked for; nil = not there yet
	files  []File   // what the test says instead of the store
}

// state is what changes of a pull request. It is copied before it changes when
// stale reads are asked for.
type state struct {
	title, body    string
	draft          bool
	closed, merged bool
	locked         bool
	head           events.Commit
	headRef        string
	headRepo       *Repo // nil: the fork is gone (case G31)
	base           events.Commit
	baseRef        string
	mergeCommit    events.Commit
	labels         []*label
	reviews        []*Review
	created        time.Time
	updated        time.Time
	closedAt       time.Time
	looked         bool // somebody asked whether it can be merged since it moved (case G55)
}

func (st *state) clone() *state {
	c := *st
	c.labels = slices.Clone(st.labels)
	c.reviews = make([]*Review, len(st.reviews))
	for i, r := range st.reviews {
		c.reviews[i] = r.clone()
	}
	return &c
}

// Open opens a pull request.
func (r *Repo) Open(in Pull) *PullRequest {
	r.s.t.Helper()
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if in.Author == "" {
		in.Author = "ann"
	}
	if in.Base == "" {
		in.Base = defaultBranch
	}
	if in.Title == "" {
		in.Title = "Change " + in.Head
	}
	source := r
	if in.Fork {
		owner := in.Author
		if owner == Ghost {
			owner = "somebody"
		}
		source = r.fork(owner)
		if source.branches[in.Head] == "" && r.branches[in.Head] != "" { // the branch was made here: it is moved there
			at := r.branches[in.Head]
			r.must(r.store.point(source.ref(in.Head), at))
			r.must(r.store.point(r.ref(in.Head), ""))
			source.branches[in.Head] = at
			delete(r.branches, in.Head)
		}
	}
	at, base := source.branches[in.Head], r.branches[in.Base]
	if at == "" || base == "" {
		r.s.t.Fatalf("githubtest: cannot open a pull request of %s: there is no branch %q or no branch %q", r.full(), in.Head, in.Base)
	}
	r.serial++
	now := r.s.now()
	p := &PullRequest{Number: r.serial, ID: r.s.next("pull"), s: r.s, repo: r, author: r.s.user(in.Author)}
	p.cur = &state{
		title: in.Title, body: in.Body, draft: in.Draft, head: at, headRef: in.Head, headRepo: source,
		base: base, baseRef: in.Base, created: now, updated: now,
	}
	for _, name := range in.Labels {
		p.cur.labels = append(p.cur.labels, r.label(name))
	}
	if r.s.keeping {
		p.past = []*state{nil}
	}
	r.must(r.store.point(pullRef(p.Number), at))
	r.pulls = append(r.pulls, p)
	r.version++
	return p
}

// Pull is the pull request of a number, or nil.
func (r *Repo) Pull(number int) *PullRequest {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.pull(number)
}

func (r *Repo) pull(number int) *PullRequest {
	for _, p := range r.pulls {
		if p.Number == number {
			return p
		}
	}
	return nil
}

// change changes what requests see. The server is locked.
func (p *PullRequest) change(f func(*state)) {
	if p.s.keeping {
		p.past = append(p.past, p.cur)
		p.cur = p.cur.clone()
	}
	f(p.cur)
	p.repo.version++
}

// edit is a change by a person: it is seen as an update.
func (p *PullRequest) edit(f func(*state)) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.change(func(st *state) {
		f(st)
		st.updated = p.s.now()
	})
}

// moveHead is a push to the pull request's branch.
func (p *PullRequest) moveHead(at events.Commit) {
	if p.cur.head == at {
		return
	}
	p.repo.must(p.repo.store.point(pullRef(p.Number), at))
	p.change(func(st *state) {
		st.head, st.base, st.updated, st.looked = at, p.repo.branches[st.baseRef], p.s.now(), false
		p.files = nil
	})
	p.anchor()
}

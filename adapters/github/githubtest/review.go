package githubtest

import (
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Review is a review as the server keeps it.
type Review struct {
	ID        int64
	Author    string // login
	State     string // APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, PENDING
	Body      string
	Commit    events.Commit // as GitHub says it now; it may have moved (case D37)
	Original  events.Commit // as it was created
	Created   time.Time
	Submitted time.Time // zero while pending
	Comments  []*Comment
	Ours      bool // it came over the API, not from a step of the test

	by *user
}

// Comment is an inline comment.
type Comment struct {
	ID             int64
	Path           string
	Body           string
	Side           Side
	StartSide      Side
	Line           int // 0 = outdated (case D36)
	StartLine      int // 0 = one line, or outdated
	Position       int // 0 = outdated
	Commit         events.Commit
	OriginalCommit events.Commit
	OriginalLine   int
	OriginalStart  int
	OriginalAt     int // position
	Hunk           string
	Created        time.Time
}

// Outdated reports whether the code that the comment stood on has changed.
func (c *Comment) Outdated() bool { return c.Position == 0 }

func (r *Review) clone() *Review {
	c := *r
	c.Comments = make([]*Comment, len(r.Comments))
	for i, comment := range r.Comments {
		copied := *comment
		c.Comments[i] = &copied
	}
	return &c
}

// Reviews are all reviews, pending ones of everybody too, oldest first.
func (p *PullRequest) Reviews() []Review {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	list := make([]Review, len(p.cur.reviews))
	for i, r := range p.cur.reviews {
		list[i] = *r.clone()
	}
	return list
}

// Submitted are the reviews that everybody sees.
func (p *PullRequest) Submitted() []Review {
	return slices.DeleteFunc(p.Reviews(), func(r Review) bool { return r.State == pending })
}

// Review adds a review as a person does on the page, without the rules of the API:
// State PENDING gives one that only its author sees. It returns the id.
func (p *PullRequest) Review(in Review) int64 {
	var id int64
	p.edit(func(st *state) {
		r := in.clone()
		r.by, r.Created, id = p.s.user(in.Author), p.s.now(), p.s.next("review")
		r.ID, r.Ours = id, false
		if r.Commit == "" {
			r.Commit = st.head
		}
		r.Original = r.Commit
		if r.State != pending {
			r.Submitted = p.s.now()
		}
		for _, c := range r.Comments {
			c.ID, c.Created = p.s.next("comment"), p.s.now()
			c.Commit, c.OriginalCommit, c.OriginalLine, c.OriginalStart, c.OriginalAt = r.Commit, r.Commit, c.Line, c.StartLine, c.Position
		}
		st.reviews = append(st.reviews, r)
	})
	return id
}

// Dismiss dismisses a review.
func (p *PullRequest) Dismiss(id int64) {
	p.edit(func(st *state) {
		if r := st.review(id); r != nil {
			r.State = dismissed
		}
	})
}

// Discard takes a review away, as its author does with a pending one on the page.
func (p *PullRequest) Discard(id int64) {
	p.edit(func(st *state) {
		st.reviews = slices.DeleteFunc(slices.Clone(st.reviews), func(r *Review) bool { return r.ID == id })
	})
}

// EditBody is what a maintainer may do to anybody's review.
func (p *PullRequest) EditBody(id int64, body string) {
	p.edit(func(st *state) {
		if r := st.review(id); r != nil {
			r.Body = body
		}
	})
}

// The states of reviews, as REST says them. (case G16)
const (
	pending   = "PENDING"
	dismissed = "DISMISSED"
)

// stateOf is the state that an event leads to.
var stateOf = map[string]string{"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}

func (st *state) review(id int64) *Review {
	for _, r := range st.reviews {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// pendingOf is the pending review of an account, or nil.
func (st *state) pendingOf(u *user) *Review {
	for _, r := range st.reviews {
		if r.State == pending && r.by == u {
			return r
		}
	}
	return nil
}

// visible are the reviews that an account sees: of the pending ones its own alone.
func (st *state) visible(u *user) []*Review {
	var list []*Review
	for _, r := range st.reviews {
		if r.State != pending || r.by == u {
			list = append(list, r)
		}
	}
	return list
}

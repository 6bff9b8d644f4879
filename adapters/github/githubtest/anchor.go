package githubtest

import "github.com/reviewctl/reviewctl/events"

// anchor moves the comments to a new head: commit_id becomes the head, line and
// position become null where the code changed, and what is original stays. The
// commit of reviews is left or moved, as the mode says. (github.md §5.4, case D37)
func (p *PullRequest) anchor() {
	st := p.cur
	for _, r := range st.reviews {
		if p.s.params.Modes.ReviewsMove {
			r.Commit = st.head
		}
		for _, c := range r.Comments {
			p.anchorComment(c)
		}
	}
}

func (p *PullRequest) anchorComment(c *Comment) {
	if !p.s.params.Modes.CommentsFrozen {
		c.Commit = p.cur.head
	}
	c.Line, c.StartLine, c.Position = 0, 0, 0
	line, path := p.follow(c.OriginalCommit, c.Path, c.Side, c.OriginalLine)
	start := 0
	if c.OriginalStart > 0 {
		if start, _ = p.follow(c.OriginalCommit, c.Path, c.StartSide, c.OriginalStart); start == 0 {
			return
		}
	}
	if line == 0 {
		return
	}
	f := p.find(p.cur.head, path)
	if f == nil {
		return
	}
	if at := find(parsePatch(f.patch), c.Side, line); at != nil {
		c.Line, c.StartLine, c.Position = line, start, at.position
	}
}

// follow is where a line of a commit is in the head: 0 = nowhere. A line of the
// old side is where it was as long as the merge base is the same text there.
func (p *PullRequest) follow(from events.Commit, path string, side Side, line int) (int, string) {
	a, b := from, p.cur.head
	if side == Left {
		a, b = p.mergeBase(from), p.mergeBase(p.cur.head)
	}
	changes, err := p.repo.store.diff(a, b)
	if err != nil {
		p.s.t.Errorf("githubtest: #%d: %v", p.Number, err)
		return 0, path
	}
	for _, c := range changes {
		was := c.path
		if c.previous != "" {
			was = c.previous
		}
		if was != path {
			continue
		}
		if c.status == "removed" || c.patch == "" && c.status != "renamed" {
			return 0, path
		}
		return shift(parsePatch(c.patch), line), c.path
	}
	return line, path
}

// shift is the new number of an old line: 0 where it was changed.
func shift(rows []row, line int) int {
	moved := 0
	for _, r := range rows {
		switch {
		case r.kind == ' ' && r.old == line:
			return r.new
		case r.kind == '-' && r.old == line:
			return 0
		case r.kind == '-' && r.old < line:
			moved--
		case r.kind == '+' && before(rows, r, line):
			moved++
		}
	}
	return line + moved
}

// before reports whether an added row stands above the old line.
func before(rows []row, added row, line int) bool {
	for _, r := range rows {
		if r.position > added.position && r.old > 0 {
			return r.old <= line
		}
	}
	last := 0 // nothing of the old side follows: what matters is what is above
	for _, r := range rows {
		if r.position < added.position && r.old > 0 {
			last = r.old
		}
	}
	return last < line
}

// mergeBase is where the pull request's base and a commit part.
func (p *PullRequest) mergeBase(at events.Commit) events.Commit {
	base, err := p.repo.store.mergeBase(p.repo.branches[p.cur.baseRef], at)
	if err != nil {
		p.s.t.Errorf("githubtest: #%d: %v", p.Number, err)
	}
	return base
}

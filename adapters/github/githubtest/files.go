package githubtest

import (
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// File is a changed file as the test gives it, instead of what the store says.
type File struct {
	Path     string
	Previous string
	Status   string // "" = modified
	Patch    string // hunks; "" = GitHub shows none
}

// DiffLimits are where GitHub stops showing a diff. Zero is GitHub's own limit.
type DiffLimits struct {
	Files int // changed files that are listed at all
	Rows  int // of one file's patch; above, there is none
	Bytes int // likewise
	Cut   int // rows that a patch is cut off after, in spite of its header; 0 = never (case D27)
}

// GitHub's limits. (github.md §3; files of pull requests: REST documentation)
const (
	filesMax      = 3000
	patchRowsMax  = 20_000
	patchBytesMax = 500_000
)

func (l *DiffLimits) settle() {
	for _, of := range []struct {
		field *int
		value int
	}{{&l.Files, filesMax}, {&l.Rows, patchRowsMax}, {&l.Bytes, patchBytesMax}} {
		if *of.field == 0 {
			*of.field = of.value
		}
	}
}

// SetFiles gives the list of changed files, until the head moves.
func (p *PullRequest) SetFiles(files ...File) {
	p.edit(func(*state) { p.files = slices.Clone(files) })
}

// changes are the changed files between the merge base and a commit, as the files
// call shows them, but not cut off at the number of files.
func (p *PullRequest) changes(at events.Commit) []change {
	if p.files != nil && at == p.cur.head {
		return p.given()
	}
	list, err := p.repo.store.diff(p.mergeBase(at), at)
	if err != nil {
		p.s.t.Errorf("githubtest: #%d: %v", p.Number, err)
	}
	list = slices.Clone(list)
	for i := range list {
		p.s.params.Diff.apply(&list[i])
	}
	return list
}

func (p *PullRequest) given() []change {
	list := make([]change, len(p.files))
	for i, f := range p.files {
		c := change{path: f.Path, previous: f.Previous, status: f.Status, blob: madeID("blob", f.Path+f.Patch)}
		if c.status == "" {
			c.status = "modified"
		}
		c.take(strings.Split(f.Patch, "\n"))
		p.s.params.Diff.apply(&c)
		list[i] = c
	}
	return list
}

// apply takes away what GitHub does not show of a patch.
func (l DiffLimits) apply(c *change) {
	rows := strings.Count(c.patch, "\n") + 1
	switch {
	case c.patch == "":
	case rows > l.Rows || len(c.patch) > l.Bytes:
		c.patch = ""
	case l.Cut > 0 && rows > l.Cut:
		c.patch = strings.Join(strings.Split(c.patch, "\n")[:l.Cut], "\n")
		c.cut = true
	}
}

// find is one changed file of a commit, by its new name; nil where it is none.
func (p *PullRequest) find(at events.Commit, path string) *change {
	for _, c := range p.changes(at) {
		if c.path == path {
			return &c
		}
	}
	return nil
}

// has reports whether a commit is one of the pull request's.
func (p *PullRequest) has(at events.Commit) bool {
	if at == p.cur.head {
		return true
	}
	list, err := p.repo.store.commits(p.repo.branches[p.cur.baseRef], p.cur.head)
	if err != nil {
		p.s.t.Errorf("githubtest: #%d: %v", p.Number, err)
	}
	return slices.Contains(list, at)
}

package render

import (
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// Why a finding does not stand inline.
const (
	whyWhole     = "about the change as a whole"
	whyWholeFile = "about the file as a whole"
	whyNotListed = "GitHub does not list the file among the changed ones"
	whyNotAll    = "GitHub lists no more than 3,000 changed files, without this one"
	whyNoPatch   = "GitHub shows no diff of the file"
	whyPatch     = "GitHub's diff of the file cannot be read"
	whyRemoved   = "the change deletes the file"
	whyCut       = "GitHub shows only a part of the file's diff, without line %d"
	whyOutside   = "line %d is outside the diff that GitHub shows"
	whyName      = "the file's name is not UTF-8"
	whySecret    = "the file's name holds what looks like a secret"
	whyMany      = "over the cap of %d inline comments"
	whySaid      = "it stands at no lines of the diff"
)

// Why a suggestion is shown and cannot be applied.
const (
	whyMoved       = "GitHub's diff shows only a part of the lines that it replaces"
	whyInterleaved = "the change deletes lines between those that it replaces"
	whyChanged     = "it holds what is not posted as it is"
	whyLong        = "it is too long"
)

// statusRemoved is GitHub's word for a file that is deleted.
const statusRemoved = "removed"

// patchHeader makes a whole patch of the hunks of one file, as adapters/diff reads it.
const patchHeader = "diff --git a/f b/f\n--- a/f\n+++ b/f\n"

// places finds lines in GitHub's diff. A file's patch is read when somebody asks.
type places struct {
	diff   *Diff
	byName map[string]int
	read   map[string]*diff.File // nil = it cannot be read
}

func newPlaces(d *Diff) *places {
	p := &places{diff: d, byName: make(map[string]int, len(d.Files)), read: map[string]*diff.File{}}
	for i := range d.Files {
		p.byName[d.Files[i].Name] = i
	}
	return p
}

// spot is where a comment stands, on the new side.
type spot struct {
	start, line int
	moved       bool // the start, into the hunk of the line
	cut         bool // the change deletes lines in between
}

// find returns where a finding stands inline, or why it does not. Lines are of the
// file as it is called now. (semantics 14.2)
func (p *places) find(f *events.Finding) (s spot, why string) {
	switch {
	case f.File == "":
		return s, whyWhole
	case p.diff.None != "":
		return s, p.diff.None
	case f.Placement == events.PlacementBody:
		if f.PlacementReason != "" {
			return s, f.PlacementReason
		}
		return s, whySaid
	case f.LineEnd <= 0:
		return s, whyWholeFile
	case f.FileBase64 != "":
		return s, whyName
	}
	file, why := p.file(f.File)
	if why != "" {
		return s, why
	}
	for i := range file.Hunks {
		if h := &file.Hunks[i]; h.New.Contains(f.LineEnd, f.LineEnd) {
			return stand(h, f), ""
		}
	}
	if file.Truncated {
		return s, fmt.Sprintf(whyCut, f.LineEnd)
	}
	return s, fmt.Sprintf(whyOutside, f.LineEnd)
}

// stand is the spot in the hunk that holds the finding's last line: its first line
// is in the same hunk.
func stand(h *diff.Hunk, f *events.Finding) spot {
	s := spot{start: f.LineStart, line: f.LineEnd}
	if s.start <= 0 || s.start > s.line {
		s.start = s.line
	}
	if s.start < h.New.Start {
		s.start, s.moved = h.New.Start, true
	}
	if f.Suggestion == "" || s.start == s.line {
		return s
	}
	inside := false
	for row := range h.Rows() {
		switch {
		case row.NewLine == s.start:
			inside = true
		case row.NewLine == s.line:
			return s
		case inside && row.Op == diff.OpRemove:
			s.cut = true
		}
	}
	return s
}

// gone reports whether the change deletes the file, as far as GitHub says so.
func (p *places) gone(name string) bool {
	i, listed := p.byName[name]
	return listed && p.diff.Files[i].Status == statusRemoved
}

// file reads the patch of a file, or says why there is none.
func (p *places) file(name string) (*diff.File, string) {
	i, listed := p.byName[name]
	if !listed {
		if p.diff.Partial {
			return nil, whyNotAll
		}
		return nil, whyNotListed
	}
	f := &p.diff.Files[i]
	switch {
	case f.Status == statusRemoved:
		return nil, whyRemoved
	case !f.HasPatch || f.Patch == "":
		return nil, whyNoPatch
	}
	file, known := p.read[name]
	if !known {
		file = readPatch(f)
		p.read[name] = file
	}
	if file == nil {
		return nil, whyPatch
	}
	return file, ""
}

func readPatch(f *api.File) *diff.File {
	patch := make([]byte, 0, len(patchHeader)+len(f.Patch)+1)
	patch = append(append(append(patch, patchHeader...), strings.TrimSuffix(f.Patch, "\n")...), '\n')
	change, err := diff.Parse(patch)
	if err != nil || len(change.Files) != 1 {
		return nil
	}
	return &change.Files[0]
}

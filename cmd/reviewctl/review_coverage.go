package main

import (
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// changedFiles folds the list of a change: the pages of one preparation and what
// came with its end. Pages of an earlier try are void.
type changedFiles struct {
	files []events.ChangedFile
	ready bool
}

func (c *changedFiles) fold(p events.Payload) {
	switch p := p.(type) {
	case *events.WorkspaceRequested:
		if !c.ready {
			c.files = nil
		}
	case *events.WorkspaceListed:
		c.files = append(c.files, p.Files...)
	case *events.WorkspaceReady:
		c.files, c.ready = append(c.files, p.Files...), true
	}
}

// fileKey names a file in what a lane says of it.
type fileKey struct{ path, exact string }

// skips are the files that a lane did not fully review.
type skips map[fileKey]events.FileCoverage

func (s *skips) add(files []events.FileCoverage) {
	if *s == nil {
		*s = skips{}
	}
	for _, f := range files {
		(*s)[fileKey{f.Path, f.PathBase64}] = f
	}
}

// of finds what is said of a file, by its bytes where the lane gives them.
func (s skips) of(f *events.ChangedFile) (events.FileCoverage, bool) {
	said, ok := s[fileKey{f.Path, f.PathBase64}]
	if !ok && f.PathBase64 != "" {
		said, ok = s[fileKey{f.Path, ""}]
	}
	return said, ok
}

const reasonNoLane = "no lane reviewed it"

// coverage lists every changed file once, as git counts them.
func (b *reportBuilder) coverage() {
	if !b.changed.ready {
		return
	}
	b.report.Coverage = make([]ReportCoverage, len(b.changed.files))
	for i := range b.changed.files {
		b.report.Coverage[i] = b.covered(&b.changed.files[i])
	}
}

// covered says how far a file was reviewed: what is known of the file itself first,
// then what the best of the lanes did with it.
func (b *reportBuilder) covered(f *events.ChangedFile) ReportCoverage {
	c := ReportCoverage{File: f.Path, FileBase64: f.PathBase64}
	switch {
	case f.Excluded != "":
		c.Status, c.Reason = CoverageExcluded, f.WhyExcluded()
		if note := b.noted(f); note != "" {
			c.Reason += "; " + note
		}
		return c
	case f.TooLarge != "":
		c.Status, c.Reason = CoverageTooLarge, f.TooLarge
		return c
	}
	c.Status, c.Reason = CoveragePartial, reasonNoLane
	for _, id := range b.order {
		l := b.lanes[id]
		if !l.done {
			continue
		}
		said, left := l.skipped.of(f)
		if !left {
			c.Status, c.Reason = CoverageReviewed, ""
			c.Lanes = append(c.Lanes, string(id))
			continue
		}
		if len(c.Lanes) == 0 {
			c.Status, c.Reason = Coverage(said.Status), said.Reason
		}
	}
	if f.Binary && f.Status != "D" {
		return ReportCoverage{File: f.Path, FileBase64: f.PathBase64, Status: CoverageBinary, Reason: "git shows no text of it"}
	}
	if over := b.overLimits(); over != "" {
		c.limit(over)
	}
	if f.Unwritten != "" && c.Status == CoverageReviewed {
		c.Status, c.Reason = CoveragePartial, "the checkout has no such file: "+f.Unwritten
	}
	return c
}

// limit says that a lane was not asked for because the change is too large. What
// another lane looked at is reviewed in part.
func (c *ReportCoverage) limit(why string) {
	switch {
	case len(c.Lanes) > 0:
		c.Status, c.Reason = CoveragePartial, why
	case c.Reason == reasonNoLane:
		c.Status, c.Reason = CoverageTooLarge, why
	case c.Status == CoveragePartial:
		c.Reason += "; " + why
	}
}

// overLimits is the sentence for a lane that the size of the change kept away.
func (b *reportBuilder) overLimits() string {
	for _, id := range b.order {
		if l := b.lanes[id]; l.cause == events.SkippedSize {
			return l.Reason
		}
	}
	return ""
}

// noted is what a lane says of an excluded file beside that.
func (b *reportBuilder) noted(f *events.ChangedFile) string {
	if f.TooLarge != "" {
		return f.TooLarge
	}
	for _, id := range b.order {
		if said, ok := b.lanes[id].skipped.of(f); ok && b.lanes[id].done && said.Status == events.CoverageExcluded && f.Status != "D" {
			return said.Reason
		}
	}
	return ""
}

// isEmpty reports whether there was nothing to review: no file was changed, or
// every one that was is excluded.
func (r *ReviewReport) isEmpty() bool {
	return r.Outcome == events.OutcomeNotRun && (r.Reason == ReasonEmpty || strings.HasPrefix(r.Reason, ReasonEmpty+": "))
}

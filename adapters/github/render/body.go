package render

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of what the head of a body names.
const (
	fixedMax      = 20
	fixedTitleMax = 200 // bytes
	missedMax     = 10  // files, and engines
	shownDigits   = 7   // of a commit (hard-parts §4)
)

// body is the review's text. (semantics 14.4)
func (w *writer) body(first string, blocks []*block) string {
	head := []string{first + "\n" + w.title()}
	add := func(parts ...string) {
		for _, part := range parts {
			if part != "" {
				head = append(head, part)
			}
		}
	}
	add(w.notReviewed(), w.nothing(), w.counts(), w.fixed(), w.scope())
	var sections []section
	for _, s := range []section{w.moved(blocks), w.withheld(), w.coverage(), w.provenance(), w.prompt(blocks)} {
		if len(s.items) > 0 {
			sections = append(sections, s)
		}
	}
	most := bodyMax
	if w.r.BodyMax > 0 {
		most = min(most, w.r.BodyMax)
	}
	return compose(strings.Join(head, "\n\n"), sections, w.ownNote(), most, w.leftOut)
}

// leftOut says what there was no room for, and who has it.
func (w *writer) leftOut(names []string) string {
	return fmt.Sprintf("_GitHub takes no more than 65,536 characters, so this is shortened or left out: %s._ `%s` and `%s` show all of it.",
		strings.Join(names, ", "), w.command("get findings"), w.command("explain"))
}

// short names a commit for people.
func short(c events.Commit) string { return "`" + string(c[:min(len(c), shownDigits)]) + "`" }

// title says the outcome and which head it is of.
func (w *writer) title() string {
	r := w.r
	title := "Comments on"
	switch {
	case r.Outcome == events.OutcomePartial && r.Verdict != events.VerdictRequestChanges:
		title = "Partial review of"
	case r.Verdict == events.VerdictRequestChanges:
		title = "Changes requested at"
	case r.event() == api.EventApprove:
		title = "Approved at"
	case len(r.Findings) == 0:
		title = "No findings at"
	}
	if r.Again {
		title = "Re-review — " + title
	}
	return "## " + title + " " + short(r.Head)
}

// notReviewed says first what a partial review is without.
func (w *writer) notReviewed() string {
	if w.r.Outcome != events.OutcomePartial {
		return ""
	}
	line := "⚠️ **Not everything was reviewed.**"
	if missed := w.missed(); len(missed) > 0 {
		line += fmt.Sprintf(" Of %s, %d not or not fully: %s.", quantity(len(w.r.Coverage), "changed file"), len(missed), listed(missed, missedMax))
	}
	for _, why := range w.unfinished() {
		line += "\n- " + why
	}
	return line
}

// missed names the files that were not fully reviewed although they should have been.
func (w *writer) missed() []string {
	var names []string
	for i := range w.r.Coverage {
		if c := &w.r.Coverage[i]; c.Status != coverageReviewed && c.Status != coverageExcluded {
			names = append(names, w.name(c.File))
		}
	}
	return names
}

// unfinished names the engines that came to no good end.
func (w *writer) unfinished() []string {
	var lines []string
	for i := range w.r.Lanes {
		if l := &w.r.Lanes[i]; l.Status != laneCompleted {
			lines = append(lines, w.engine(l.ID)+" "+w.line(l.Status, wordMax)+inBrackets(w.line(l.Reason, lineMax)))
		}
	}
	return lines[:min(len(lines), missedMax)]
}

// nothing is what a review without findings says: what was looked at, and no more.
func (w *writer) nothing() string {
	r := w.r
	reviewed := w.reviewed()
	switch all := len(r.Coverage); {
	case len(r.Findings) > 0:
		return ""
	case r.Outcome == events.OutcomePartial:
		return "Nothing to remark in what was reviewed."
	case all > 0 && reviewed == 0:
		return "No file was reviewed: the coverage below says why."
	case all == reviewed && all > 0:
		return "✅ Nothing to remark in " + quantity(all, "changed file") + "." + w.noApproval()
	case all > 0:
		return fmt.Sprintf("✅ Nothing to remark in %d of %s. The others were not looked at: the coverage below says why.%s",
			reviewed, quantity(all, "changed file"), w.noApproval())
	}
	return "✅ Nothing to remark." + w.noApproval()
}

// noApproval keeps a clean review from being taken for an approval.
func (w *writer) noApproval() string {
	if w.r.Own || w.r.event() == api.EventApprove {
		return ""
	}
	return " This is a comment and not an approval."
}

func (w *writer) reviewed() (n int) {
	for i := range w.r.Coverage {
		if w.r.Coverage[i].Status == coverageReviewed {
			n++
		}
	}
	return n
}

// counts leave zeros out, except where an earlier review may have had more.
func (w *writer) counts() string {
	r := w.r
	if len(r.Findings) == 0 && !r.Again {
		return ""
	}
	var parts []string
	for _, c := range []struct {
		n    int
		text string
	}{
		{r.Counts.Blocking, fmt.Sprintf("🔴 %d blocking", r.Counts.Blocking)},
		{r.Counts.Suggestion, "🟡 " + quantity(r.Counts.Suggestion, "suggestion")},
		{r.Counts.Nitpick, "💬 " + quantity(r.Counts.Nitpick, "nitpick")},
	} {
		if c.n > 0 || r.Again {
			parts = append(parts, c.text)
		}
	}
	return strings.Join(parts, " | ")
}

// fixed names what is gone since the last review.
func (w *writer) fixed() string {
	if len(w.r.Fixed) == 0 {
		return ""
	}
	names := make([]string, 0, len(w.r.Fixed))
	for _, f := range w.r.Fixed {
		name := fmt.Sprintf("`#%d`", f.Number)
		if title := w.line(f.Title, fixedTitleMax); title != "" {
			name += " " + title
		}
		names = append(names, name)
	}
	if len(names) > fixedMax {
		names = append(names[:fixedMax], fmt.Sprintf("and %d more", len(names)-fixedMax))
	}
	return "✅ Fixed since the last review: " + strings.Join(names, "; ") + "."
}

// scope says which commits were compared, and how much of it was looked at.
func (w *writer) scope() string {
	line := "Reviewed " + short(w.r.Head)
	if w.r.MergeBase != "" {
		line += " against " + short(w.r.MergeBase)
	}
	line += inBrackets(w.line(w.r.BaseNote, lineMax))
	if all := len(w.r.Coverage); all > 0 {
		line += fmt.Sprintf(": %d of %s", w.reviewed(), quantity(all, "changed file"))
	}
	return line + "."
}

// ownNote says the verdict where GitHub takes only comments.
func (w *writer) ownNote() string {
	if !w.r.Own {
		return ""
	}
	return fmt.Sprintf("_The account that reviews is the author of this pull request, and GitHub takes only comments from it. The verdict is %s._",
		w.word(string(w.r.Verdict)))
}

// moved are the findings that are not inline, in full. Where all have one reason,
// the title has it.
func (w *writer) moved(blocks []*block) section {
	var here []*block
	for _, b := range blocks {
		if b.why != "" {
			here = append(here, b)
		}
	}
	if len(here) == 0 {
		return section{}
	}
	why, same := here[0].why, !slices.ContainsFunc(here, func(b *block) bool { return b.why != here[0].why })
	title := quantity(len(here), "finding") + " not shown inline"
	if same {
		title += " (" + w.line(why, lineMax) + ")"
	}
	s := section{name: "findings not shown inline", open: "### " + title + "\n\n", between: "\n\n", rest: func(n int) string {
		return fmt.Sprintf("… and %s: `%s` lists all.", quantity(n, "more finding"), w.command("get findings"))
	}}
	for _, b := range here {
		place := w.link(&b.f.Finding)
		if !same {
			place = strings.TrimSpace(place + inBrackets(w.line(b.why, lineMax)))
		}
		s.items = append(s.items, item{whole: w.block(b, place), short: strings.TrimSpace(w.headline(b) + " " + place)})
	}
	return s
}

// link is the place of a finding, as a link to those lines of the head where the
// repository's address is known.
func (w *writer) link(f *events.Finding) string {
	if f.File == "" {
		return ""
	}
	at := w.at(f.File, f.LineStart, f.LineEnd)
	if w.r.Web == "" || w.places.gone(f.File) {
		return at
	}
	name := diff.ExactPath(f.File, f.FileBase64)
	if w.masker.mask(name) != name {
		return at
	}
	target := w.r.Web + "/blob/" + string(w.r.Head) + "/" + strings.ReplaceAll(url.PathEscape(name), "%2F", "/")
	if f.LineStart > 0 {
		target += fmt.Sprintf("#L%d", f.LineStart)
		if f.LineEnd > f.LineStart {
			target += fmt.Sprintf("-L%d", f.LineEnd)
		}
	}
	return "[" + at + "](" + target + ")"
}

// block is a finding in the body.
func (w *writer) block(b *block, place string) string {
	parts := []string{strings.TrimSpace(w.headline(b) + "\n" + place)}
	if b.body == "" {
		parts = append(parts, "_no details_")
	} else {
		parts = append(parts, quoted(b.body))
	}
	if s := w.suggestion(b); s != "" {
		parts = append(parts, s)
	}
	return strings.Join(append(parts, w.source(b)), "\n\n")
}

// command is what shows all of it on the command line.
func (w *writer) command(verb string) string {
	return fmt.Sprintf("reviewctl %s %s#%d", verb, w.bare(string(w.r.Repo), nameMax), w.r.Number)
}

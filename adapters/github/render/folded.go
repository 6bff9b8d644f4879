package render

import (
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of the lists that are closed until somebody opens them.
const (
	withheldMax = 100
	namedMax    = 30 // files of one reason
	reasonsMax  = 50
)

// Statuses of files and lanes that say nothing went wrong.
const (
	coverageExcluded = "excluded"
	laneCompleted    = "completed"
)

// withheld are remarks that are not part of the review.
func (w *writer) withheld() section {
	all := w.r.Withheld
	s := fold("withheld remarks", quantity(len(all), "remark")+" withheld")
	s.rest = func(n int) string { return fmt.Sprintf("- … and %d more", n) }
	for i := range all[:min(len(all), withheldMax)] {
		h := &all[i]
		line := "- " + w.at(h.File, h.LineStart, h.LineEnd) + ": " + w.line(h.Title, titleMax) + numbered(h.Number)
		s.items = append(s.items, item{whole: line + inBrackets(w.line(h.Reason, lineMax))})
	}
	if n := len(all) - withheldMax; n > 0 {
		s.items = append(s.items, item{whole: s.rest(n)})
	}
	return s
}

// coverage says what was looked at, the rest by reason.
func (w *writer) coverage() section {
	type group struct {
		status, reason string
		names          []string
		n              int
	}
	var groups []*group
	at := map[[2]string]*group{}
	reviewed := w.reviewed()
	for i := range w.r.Coverage {
		c := &w.r.Coverage[i]
		if c.Status == coverageReviewed {
			continue
		}
		g := at[[2]string{c.Status, c.Reason}]
		if g == nil {
			g = &group{status: c.Status, reason: c.Reason}
			at[[2]string{c.Status, c.Reason}] = g
			groups = append(groups, g)
		}
		if g.n++; g.n <= namedMax {
			g.names = append(g.names, w.name(c.File))
		}
	}
	if len(w.r.Coverage) == 0 {
		return section{}
	}
	s := fold("coverage", fmt.Sprintf("Coverage: %d of %s reviewed", reviewed, quantity(len(w.r.Coverage), "changed file")))
	s.rest = func(n int) string { return fmt.Sprintf("- … and %d more reasons", n) }
	if reviewed > 0 {
		s.items = append(s.items, item{whole: fmt.Sprintf("- reviewed: %s", quantity(reviewed, "file"))})
	}
	for i, g := range groups {
		if i == reasonsMax {
			s.items = append(s.items, item{whole: s.rest(len(groups) - i)})
			break
		}
		short := fmt.Sprintf("- %s%s: %s", w.line(g.status, wordMax), inBrackets(w.line(g.reason, lineMax)), quantity(g.n, "file"))
		whole := short + ": " + strings.Join(g.names, ", ")
		if g.n > len(g.names) {
			whole += fmt.Sprintf(" and %d more", g.n-len(g.names))
		}
		s.items = append(s.items, item{whole: whole, short: short})
	}
	return s
}

// engine names a lane's engine, and its model where it has one.
func (w *writer) engine(id string) string {
	l := w.lanes[id]
	if l == nil {
		return w.word(id)
	}
	name := w.word(string(l.Engine))
	if l.Model != "" {
		name += " with " + w.word(l.Model)
	}
	return name
}

// provenance says who reviewed, by which rules, and how to ask why. The order of
// its lines is fixed. (semantics 14.4)
func (w *writer) provenance() section {
	s := fold("provenance", "Review provenance")
	s.rest = func(n int) string { return fmt.Sprintf("- … and %d more lines", n) }
	add := func(line string) { s.items = append(s.items, item{whole: line, short: line}) }
	add("- run " + w.word(string(w.r.Run)) + ", head `" + string(w.r.Head) + "`, base `" + string(w.r.Base) + "`")
	reviewers := 0
	for i := range w.r.Lanes {
		l := &w.r.Lanes[i]
		who := w.line(l.Role, wordMax)
		if l.Role == "reviewer" {
			reviewers++
			who = fmt.Sprintf("reviewer %d", reviewers)
		}
		line := "- " + who + ": " + w.engine(l.ID) + inBrackets(w.line(l.Kind, wordMax)) + ", " + w.line(l.Status, wordMax)
		if reason := w.line(l.Reason, lineMax); reason != "" {
			line += ": " + reason
		}
		add(line + spent(l.Usage))
	}
	if w.r.Rules != "" {
		add("- rules `" + string(w.r.Rules[:min(len(w.r.Rules), 12)]) + "`")
	}
	add("- verdict " + w.word(string(w.r.Verdict)) + inBrackets(w.line(w.r.Reason, lineMax)) + ": `" + w.command("explain") + "` shows why")
	if len(w.r.Findings) > 0 {
		add("- `" + w.command("dismiss") + " NUMBER --reason TEXT` keeps a finding away until the code beneath it changes")
	}
	return s
}

func spent(u events.Usage) string {
	if u.Total() == 0 {
		return ""
	}
	line := fmt.Sprintf(", %d tokens", u.Total())
	if u.CostUSD > 0 {
		line += fmt.Sprintf(", $%.2f", u.CostUSD)
	}
	if u.Confidence != events.ConfidenceExact {
		line += fmt.Sprintf(" (%s)", u.Confidence)
	}
	return line
}

// prompt is a text for a coding agent, by file.
func (w *writer) prompt(blocks []*block) section {
	s := fold("prompt", "🤖 Prompt for all review comments with AI agents")
	if len(blocks) == 0 {
		return section{}
	}
	var files []string
	byFile := map[string][]*block{}
	for _, b := range blocks {
		if _, known := byFile[b.f.File]; !known {
			files = append(files, b.f.File)
		}
		byFile[b.f.File] = append(byFile[b.f.File], b)
	}
	longest := ""
	for _, file := range files {
		where := "In " + w.bare(file, nameMax) + ":"
		if file == "" {
			where = "In the change as a whole:"
		}
		for i, b := range byFile[file] {
			text := w.task(b)
			if i == 0 {
				text = where + "\n" + text
			}
			s.items = append(s.items, item{whole: text})
			if fence := fenceFor(text); len(fence) > len(longest) {
				longest = fence
			}
		}
	}
	s.open += longest + "text\nVerify each finding against the current code and fix it only if needed. Keep each change small.\n\n"
	s.close = "\n" + longest + s.close
	s.rest = func(n int) string {
		return fmt.Sprintf("… and %s: %s lists all.", quantity(n, "more finding"), w.command("get findings"))
	}
	return s
}

// task is a finding for an agent.
func (w *writer) task(b *block) string {
	text := fmt.Sprintf("- [%s] ", strings.ToUpper(string(b.f.Severity)))
	if b.f.File != "" {
		text += w.bare(b.f.File, nameMax) + lines(b.f.LineStart, b.f.LineEnd) + ": "
	}
	text += b.codeTitle
	if b.codeBody != "" {
		text += "\n  " + strings.ReplaceAll(b.codeBody, "\n", "\n  ")
	}
	return text
}

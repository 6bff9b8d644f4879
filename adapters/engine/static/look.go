package static

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of what is said of one file.
const (
	// PerRuleMax is how many findings of one rule a file gets; the last of them
	// counts the rest.
	PerRuleMax = 5
	// SecretsPerFileMax is the same for secrets, each of which has to be revoked.
	SecretsPerFileMax = 100
	// moreListed bounds the lines that are named of the rest.
	moreListed = 20
	// spotsMax bounds the places of one rule in a file that are kept; the rest are
	// counted. They come in the order of lines, so the first are kept.
	spotsMax = 100
	// rowsMax bounds the added lines of a file that the cheap rules look at.
	rowsMax = 2_000_000
)

// look is one file under the rules.
type look struct {
	survey  *survey
	file    *diff.File
	old     *oldSide
	guarded bool           // only what threatens is reported
	added   map[int]string // the text of each added line, by its number
	masked  func(line int) string
	known   *strings.Replacer // the secrets of the added lines; nil = none
	spots   []spot
	fired   map[string]int // how often each rule did, by its id
	notes   []string       // what was not looked at

	withheld []session.Withheld
}

// spot is a place where a rule fires.
type spot struct {
	rule       *Rule
	id         string // of the member of a family; "" = the rule's own
	start, end int    // lines of the head; 0 = the file as a whole
	what       string // what fired, beside the rule's title; nothing secret
	said       string // the sentence of the finding
	severity   events.Severity
}

// ruleID is what the finding is filed under.
func (s *spot) ruleID() string { return cmp.Or(s.id, s.rule.ID) }

// at notes that the rule fires on an added line. What the old side had on a line
// of its own is not the change's doing.
func (l *look) at(r *Rule, line int, what, said string) {
	if l.old.hasLine(l.added[line]) {
		return
	}
	l.keep(spot{rule: r, start: line, end: line, what: what, said: said})
}

// keep takes a place up, within the bound.
func (l *look) keep(s spot) {
	if l.fired == nil {
		l.fired = map[string]int{}
	}
	id := s.ruleID()
	if l.fired[id]++; l.fired[id] <= spotsMax {
		l.spots = append(l.spots, s)
	}
}

// whole notes that the rule fires on the file and on no line of it.
func (l *look) whole(r *Rule, what, said string) {
	l.keep(spot{rule: r, what: what, said: said})
}

func (l *look) note(format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

// touched is the added line that a fault at the given line is reported at: the
// line itself, or the nearest before it, or the first. It is 0 where the change
// only removes lines.
func (l *look) touched(line int) int {
	nearest, first := 0, 0
	for n := range l.added {
		if n <= line {
			nearest = max(nearest, n)
		}
		if first == 0 || n < first {
			first = n
		}
	}
	return cmp.Or(nearest, first)
}

// findings turns the spots into findings, by line and rule.
func (l *look) findings() []events.Finding {
	slices.SortStableFunc(l.spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.ruleID(), b.ruleID()), cmp.Compare(a.what, b.what), cmp.Compare(a.said, b.said))
	})
	all := map[string][]spot{}
	for _, s := range l.spots {
		all[s.ruleID()] = append(all[s.ruleID()], s)
	}
	given, places := map[string]int{}, map[string]int{}
	var found []events.Finding
	for i := range l.spots {
		s := &l.spots[i]
		id := s.ruleID()
		if given[id]++; given[id] > PerRuleMax {
			continue
		}
		finding := l.finding(s, places)
		if rest := all[id][given[id]:]; given[id] == PerRuleMax && len(rest) > 0 {
			over := l.fired[id] - PerRuleMax
			finding.Body += "\n\n" + more(rest, over)
			l.over(finding, s.rule.title, over, PerRuleMax)
		}
		found = append(found, finding)
	}
	return found
}

// over says how many more there are of what is over a cap.
func (l *look) over(last events.Finding, title string, rest, most int) {
	last.Title = fmt.Sprintf("%s: %d more in the file", title, rest)
	last.Body = ""
	l.withheld = append(l.withheld, session.Withheld{
		Finding: last, Reason: fmt.Sprintf("over the cap of %d findings of one rule in a file", most), Unlisted: rest,
	})
}

// finding is the spot in words. Its title holds a place, so that it stays the
// same finding when lines move and differs from others of its rule. (§2.3)
func (l *look) finding(s *spot, places map[string]int) events.Finding {
	finding := about(l.file)
	finding.Rule = s.ruleID()
	finding.Severity = cmp.Or(s.severity, s.rule.Severity)
	finding.Category = s.rule.Category
	finding.LineStart, finding.LineEnd = s.start, s.end
	finding.Title = s.rule.title
	if s.what != "" {
		finding.Title += ": " + s.what
	}
	if s.start > 0 && s.rule != &syntaxRule {
		place := placeOf(s.ruleID(), s.what+"\n"+l.masked(s.start))
		places[place]++
		if n := places[place]; n > 1 {
			place = fmt.Sprintf("%s.%d", place, n)
		}
		finding.Title += " (place " + place + ")"
	}
	finding.Body = s.said + "\n\n" + s.rule.Doc
	return finding
}

// more says that the rule fires n times more, and where.
func more(rest []spot, n int) string {
	var where []string
	for _, s := range rest[:min(len(rest), moreListed+1)] {
		where = append(where, fmt.Sprintf("%d", s.start))
	}
	return fmt.Sprintf("The same rule fires here and %d more %s in this file: at line %s.",
		n, plural(n, "time"), listed(where, n))
}

// listed joins places of which there are n, and counts those that are too many to
// name.
func listed(where []string, n int) string {
	if more := n - moreListed; more > 0 {
		return strings.Join(where[:moreListed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(where, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// about returns a finding that names the file.
func about(f *diff.File) events.Finding {
	shown, exact := diff.ShowPath(f.Path())
	return events.Finding{File: shown, FileBase64: exact}
}

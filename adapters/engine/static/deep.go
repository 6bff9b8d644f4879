package static

import (
	"context"
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// Deep looks at the changed files with tools that need the whole tree. It runs
// programs, so it is a package of its own: gocheck.
type Deep interface {
	// Check reports what the tools say of the head and did not say of the old side.
	// An error is the session's.
	Check(ctx context.Context, in *session.Input) (*Checked, error)
	// Version names the tools, because other tools find other things.
	Version() string
}

// Checked is what Deep found, by the exact path of the file in the head.
type Checked struct {
	Faults  map[string][]Fault
	Notes   map[string][]string // what was not looked at, and why
	Sandbox string              // what held the tools
}

// Fault is one thing that a tool says of a line of the head.
type Fault struct {
	Line, End int
	Rule      string // "go-vet:printf", "staticcheck:SA4006", "go-compile"
	Message   string // may quote the file
	Withheld  string // why it is not part of the review; "" = it is
}

// The rules that Deep has beside those of static.
var (
	goVetRule = Rule{
		ID: "go-vet:*", title: "go vet", version: 1,
		Severity: events.SeveritySuggestion, Category: categoryBug,
		Doc: "Found by go vet in the tree of the change. It reports what compiles and is probably not meant.",
	}
	staticcheckRule = Rule{
		ID: "staticcheck:*", title: "staticcheck", version: 1,
		Severity: events.SeveritySuggestion, Category: categoryBug,
		Doc: "Found by staticcheck in the tree of the change, with its own default checks.",
	}
	compileRule = Rule{
		ID: "go-compile", title: "Go code that does not compile", version: 1,
		Severity: events.SeveritySuggestion, Category: categoryBug,
		Doc: "Seen from a machine without cgo and with its own system's build tags: make sure that the package compiles where it is built.",
	}
)

// ruleOf is the rule, or the family, that a fault belongs to; what names it beside
// the rule's title.
func ruleOf(id string) (r *Rule, what string) {
	prefix, member, _ := strings.Cut(id, ":")
	switch prefix + family {
	case goVetRule.ID:
		return &goVetRule, member
	case staticcheckRule.ID:
		return &staticcheckRule, member
	}
	return &compileRule, ""
}

// deep takes up what was found in the file, on added lines alone.
func (l *look) deep(ctx context.Context, all *Checked) {
	if all == nil {
		return
	}
	for _, note := range all.Notes[l.file.New] {
		l.note("%s", l.survey.quoted(ctx, note))
	}
	for _, f := range all.Faults[l.file.New] {
		row, ok := l.added[f.Line]
		if !ok || l.old.hasLine(row) {
			continue
		}
		r, what := ruleOf(f.Rule)
		message := l.quoted(ctx, f.Line, f.Message)
		if f.Withheld != "" {
			l.withhold(r, f.Rule, f.Line, what, f.Withheld)
			continue
		}
		end := f.Line
		if _, ok := l.added[f.End]; ok && f.End > f.Line {
			end = f.End
		}
		l.keep(spot{
			rule: r, id: f.Rule, start: f.Line, end: end, what: what, said: fmt.Sprintf("The tool says: %s.", strings.TrimSuffix(message, ".")),
		})
	}
}

// withhold notes a finding that is no part of the review.
func (l *look) withhold(r *Rule, id string, line int, what, reason string) {
	f := about(l.file)
	f.Rule, f.Severity, f.Category = id, r.Severity, r.Category
	f.LineStart, f.LineEnd = line, line
	f.Title = r.title
	if what != "" {
		f.Title += ": " + what
	}
	l.withheld = append(l.withheld, session.Withheld{Finding: f, Reason: reason})
}

package linter

import (
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// collector sorts the remarks of one report.
type collector struct {
	gate            *gate
	inside, outside heap
	seen, passed    int
	unread          map[string]bool
	skipped         []events.FileCoverage
}

func newCollector(in *session.Input) *collector {
	return &collector{
		gate: newGate(in), unread: map[string]bool{},
		inside: heap{most: InsideMax}, outside: heap{most: OutsideMax},
	}
}

func (c *collector) take(r remark) {
	c.seen++
	f, reason := c.gate.pass(&r)
	switch {
	case r.unread:
		c.skip(&r)
	case reason != "":
		f.Body, f.Suggestion = "", ""
		c.outside.add(f, reason)
	default:
		c.passed++
		c.inside.add(f, "")
	}
}

// skip records a file of the change that the linter could not look at.
func (c *collector) skip(r *remark) {
	name, _ := c.gate.name(r.files)
	entry := c.gate.patch.File(name)
	if entry == nil || c.unread[name] || len(c.unread) >= unreadMax {
		return
	}
	c.unread[name] = true
	shown, _ := diff.ShowPath(name)
	c.skipped = append(c.skipped, events.FileCoverage{Path: shown, Status: "partial", Reason: "the linter could not look at it"})
}

// answer is what was collected.
func (c *collector) answer() *session.Answer {
	c.inside.settle()
	c.outside.settle()
	answer := &session.Answer{Skipped: c.skipped, More: c.inside.more + c.outside.more}
	for _, e := range c.inside.kept {
		answer.Findings = append(answer.Findings, e.finding)
		if e.times > 1 {
			answer.Withheld = append(answer.Withheld, session.Withheld{
				Finding: e.finding, Reason: fmt.Sprintf("said %d times in one report", e.times),
			})
		}
	}
	for _, e := range c.outside.kept {
		reason := e.reason
		if e.times > 1 {
			reason = fmt.Sprintf("%s (said %d times)", reason, e.times)
		}
		answer.Withheld = append(answer.Withheld, session.Withheld{Finding: e.finding, Reason: reason})
	}
	return answer
}

// summary says what the report held.
func (c *collector) summary(f facts) string {
	who := strings.TrimSpace(f.tool + " " + f.version)
	if who == "" {
		who = "The linter"
	}
	text := fmt.Sprintf("%s reported %s, %d of them about the change.", cut(who, 200), count(c.seen, "remark"), c.passed)
	if f.unmatched > 0 {
		text += fmt.Sprintf(" %s of its report matched no format.", count(f.unmatched, "line"))
	}
	return text
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

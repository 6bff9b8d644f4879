package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Text and Markdown carry no run id, no times of this run, no lane ids and no
// measured usage: a second run over the same change prints the same.
// (CLI.md, "Doing a review")

// shownMax is how many files that were not fully reviewed are named without -v.
const shownMax = 10

// shortCommit is how a commit is named for people.
func shortCommit(c events.Commit) string { return string(c[:min(len(c), 7)]) }

func (r *ReviewReport) text(p *Printer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s..%s\n", p.bold(Plain(PRRef{r.Repo, r.Number}.String())), shortCommit(r.MergeBase), shortCommit(r.Head))
	for _, note := range r.notes() {
		fmt.Fprintf(&b, "%s\n", p.wrap("", Plain(note)))
	}
	fmt.Fprintf(&b, "%s\n", p.bold(p.wrap("", r.headline())))
	if line := r.fixedLine("#%d"); line != "" {
		fmt.Fprintf(&b, "%s\n", p.wrap("", line))
	}
	for _, group := range r.byFile() {
		fmt.Fprintf(&b, "\n%s\n", p.bold(Plain(orWhole(group[0].File))))
		for _, f := range group {
			f.text(&b, p)
		}
	}
	r.textRest(&b, p)
	return b.String()
}

// notes say which range it is, where it is not the usual one.
func (r *ReviewReport) notes() []string {
	return slices.DeleteFunc([]string{r.Uncommitted, r.BaseNote}, func(note string) bool { return note == "" })
}

// byFile groups the findings by file, the file with the heaviest first, and keeps
// their order otherwise.
func (r *ReviewReport) byFile() [][]*ReportFinding {
	var groups [][]*ReportFinding
	at := map[string]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		key := f.File + "\x00" + f.FileBase64
		n, known := at[key]
		if !known {
			n = len(groups)
			at[key] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], f)
	}
	heaviest := func(group []*ReportFinding) (w int) {
		for _, f := range group {
			w = max(w, f.Severity.Weight())
		}
		return w
	}
	slices.SortStableFunc(groups, func(x, y []*ReportFinding) int { return heaviest(y) - heaviest(x) })
	return groups
}

func (f *ReportFinding) text(b *strings.Builder, p *Printer) {
	fmt.Fprintf(b, "  %s %s %s\n", p.severity(f.Severity, fmt.Sprintf("#%d %s", f.Number, f.Severity)),
		Plain(oneLine(f.Title)), p.dim("["+string(f.Fingerprint)+"]"))
	at := place(f.File, f.LineStart, f.LineEnd)
	if f.Placement == events.PlacementBody {
		at = strings.TrimLeft(at+inBrackets(f.PlacementReason), " ")
	}
	if at != "" {
		fmt.Fprintf(b, "    %s\n", Plain(oneLine(at)))
	}
	if f.Body != "" {
		fmt.Fprintf(b, "%s\n", p.wrap("    ", Plain(strings.TrimSpace(f.Body))))
	}
	if f.Suggestion != "" {
		fmt.Fprintf(b, "    suggestion%s:\n%s\n", inBrackets(Plain(f.SuggestionReason)),
			p.paint("32", indent("    + ", Plain(f.Suggestion))))
	}
}

func (r *ReviewReport) textRest(b *strings.Builder, p *Printer) {
	if len(r.Withheld) > 0 {
		fmt.Fprintf(b, "\n%s\n", p.wrap("", fmt.Sprintf("withheld: %d (%s)%s", len(r.Withheld), Plain(r.whyWithheld()), p.more())))
	}
	if p.verbose {
		for i := range r.Withheld {
			w := &r.Withheld[i]
			fmt.Fprintf(b, "  %s: %s%s\n", Plain(orWhole(place(w.File, w.LineStart, w.LineEnd))), Plain(oneLine(w.Title)), inBrackets(Plain(oneLine(w.Reason))))
		}
	}
	if line := r.coverageLine(); line != "" {
		fmt.Fprintf(b, "\n%s\n", line)
	}
	rest := r.notReviewed()
	for i, c := range rest {
		if i == shownMax && !p.verbose {
			fmt.Fprintf(b, "  … and %d more%s\n", len(rest)-i, p.more())
			break
		}
		fmt.Fprintf(b, "  %s: %s%s\n", Plain(oneLine(c.File)), c.Status, inBrackets(Plain(oneLine(c.Reason))))
	}
	for i := range r.Lanes {
		if l := &r.Lanes[i]; l.Reason != "" {
			fmt.Fprintf(b, "\n%s\n", p.wrap("", fmt.Sprintf("%s %s: %s", l.Engine, l.Status, Plain(l.Reason))))
		}
	}
}

// more says how to see all, to whoever does not.
func (p *Printer) more() string {
	if p.verbose {
		return ""
	}
	return "; -v lists them"
}

// whyWithheld counts the reasons, the most frequent first.
func (r *ReviewReport) whyWithheld() string {
	counts := map[string]int{}
	var reasons []string
	for i := range r.Withheld {
		reason := oneLine(r.Withheld[i].Reason)
		if counts[reason]++; counts[reason] == 1 {
			reasons = append(reasons, reason)
		}
	}
	slices.SortStableFunc(reasons, func(x, y string) int { return counts[y] - counts[x] })
	for i, reason := range reasons {
		reasons[i] = fmt.Sprintf("%d: %s", counts[reason], reason)
	}
	if len(reasons) == 1 {
		_, reason, _ := strings.Cut(reasons[0], ": ")
		return reason
	}
	return strings.Join(reasons, "; ")
}

// coverageLine says how much of the change was looked at.
func (r *ReviewReport) coverageLine() string {
	if len(r.Coverage) == 0 {
		return ""
	}
	counts := map[Coverage]int{}
	for i := range r.Coverage {
		counts[r.Coverage[i].Status]++
	}
	if counts[CoverageReviewed] == len(r.Coverage) {
		return "coverage: " + quantity(len(r.Coverage), "file") + " reviewed"
	}
	var rest []string
	for _, c := range AllCoverages() {
		if n := counts[c]; n > 0 && c != CoverageReviewed {
			rest = append(rest, fmt.Sprintf("%d %s", n, c))
		}
	}
	return fmt.Sprintf("coverage: %d of %s reviewed, %s", counts[CoverageReviewed], quantity(len(r.Coverage), "file"), strings.Join(rest, ", "))
}

// fixedLine names what is gone, in one line, each number as the format says.
func (r *ReviewReport) fixedLine(format string) string {
	if len(r.Fixed) == 0 {
		return ""
	}
	numbers := make([]string, 0, len(r.Fixed))
	for i := range r.Fixed {
		numbers = append(numbers, fmt.Sprintf(format, r.Fixed[i].Number))
	}
	return "fixed since the last review: " + strings.Join(numbers, ", ")
}

// headline is the outcome in one line.
func (r *ReviewReport) headline() string {
	line := string(r.Outcome)
	if r.Verdict != "" {
		line = fmt.Sprintf("%s, %s: %d blocking, %s, %s", r.Verdict, r.Outcome,
			r.Counts.Blocking, quantity(r.Counts.Suggestion, "suggestion"), quantity(r.Counts.Nitpick, "nitpick"))
	}
	if r.Reason != "" && !(r.Verdict != "" && r.Outcome != events.OutcomePartial) {
		line += ": " + Plain(oneLine(r.Reason))
	}
	if !r.Until.IsZero() {
		line += " (it could run at " + r.Until.UTC().Format(time.RFC3339) + ")"
	}
	return line
}

func (r *ReviewReport) notReviewed() []ReportCoverage {
	var rest []ReportCoverage
	for _, c := range r.Coverage {
		if c.Status != CoverageReviewed {
			rest = append(rest, c)
		}
	}
	return rest
}

// place is file:line, or file:first-last, or "" for the change as a whole.
func place(file string, first, last int) string {
	switch {
	case file == "":
		return ""
	case first == 0:
		return file
	case last <= first:
		return fmt.Sprintf("%s:%d", file, first)
	}
	return fmt.Sprintf("%s:%d-%d", file, first, last)
}

func orWhole(at string) string {
	if at == "" {
		return "the change"
	}
	return at
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

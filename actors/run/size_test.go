package run_test

import (
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// bounded is a run of an embedded engine and one that spends, within limits.
func bounded(files, lines int) *events.RunStarted {
	s := started(events.OwnerAny, "one", "two")
	s.MaxFiles, s.MaxLines = files, lines
	s.Steps[0].Lanes[0].Kind, s.Steps[0].Lanes[0].Bounded = "static", false
	s.Steps[0].Lanes[1].Bounded = true
	return s
}

func static(lane events.LaneID) *events.LaneRequested {
	w := wanted(lane, 1, events.OwnerAny)
	w.Kind = "static"
	return w
}

func skippedLane(lane events.LaneID, kind string, cause events.SkipCause, why string) *events.LaneSkipped {
	return &events.LaneSkipped{
		Lane: lane, Step: "review", Phase: "preliminary", Role: "reviewer", Kind: kind, Engine: events.EngineName(lane),
		Model: "gpt-6", Cause: cause, Reason: why,
	}
}

func readyWith(files ...events.ChangedFile) *events.WorkspaceReady {
	r := ready(1)
	r.Files = files
	return r
}

func file(path string, lines int) events.ChangedFile {
	return events.ChangedFile{Path: path, Status: "M", Added: lines}
}

func excluded(path string, by events.Exclusion) events.ChangedFile {
	return events.ChangedFile{Path: path, Status: "M", Added: 9000, Excluded: by, Rule: "*"}
}

const advice = ": review a smaller range, exclude paths, or raise the limits"

// The size gate bounds lanes that spend, on what is left of the change.
// (semantics 30.1)
func TestSizeGate(t *testing.T) {
	t.Parallel()
	prepared := func(files, lines int) recorded { return recorded{bounded(files, lines), code(1, 0)} }
	one := readyWith(file("a.go", 10), file("b.go", 5))
	mixed := readyWith(file("a.go", 10), excluded("go.sum", events.ExcludedBuiltIn), excluded("gen.go", events.ExcludedConfigured))
	both := recorded{static("one"), wanted("two", 1, events.OwnerAny)}
	gate := func(why string) recorded {
		return recorded{skippedLane("two", "exec", events.SkippedSize, why+advice), static("one")}
	}
	rows := []row{
		{name: "at both limits", given: prepared(2, 15), when: run.NoteWorkspace{Ready: *one}, then: plus(recorded{one}, both...)},
		{name: "without limits", given: prepared(0, 0), when: run.NoteWorkspace{Ready: *one}, then: plus(recorded{one}, both...)},
		{name: "excluded files do not count", given: prepared(1, 10), when: run.NoteWorkspace{Ready: *mixed}, then: plus(recorded{mixed}, both...)},
	}
	over := []struct {
		name         string
		files, lines int
		why          string
	}{
		{"over the files", 1, 15, "2 files and 15 lines are more than max_changed_files 1"},
		{"over the lines", 2, 14, "2 files and 15 lines are more than max_changed_lines 14"},
		{"over both", 1, 1, "2 files and 15 lines are more than max_changed_files 1 and max_changed_lines 1"},
		{"over the lines, files off", 0, 14, "2 files and 15 lines are more than max_changed_lines 14"},
	}
	for _, c := range over {
		then := gate(c.why)
		rows = append(rows, row{
			name: c.name, given: prepared(c.files, c.lines), when: run.NoteWorkspace{Ready: *one},
			then: recorded{one, then[1], then[0]},
		})
	}
	table(t, rules(), rows)
}

// A run of which no lane is left did not run, and says why.
func TestSizeGateLeavesNothing(t *testing.T) {
	t.Parallel()
	alone := started(events.OwnerAny, "one")
	alone.MaxFiles, alone.MaxLines = 100, 5000
	alone.Steps[0].Lanes[0].Bounded = true
	page := &events.WorkspaceListed{Try: 1, Page: 1}
	for range 612 {
		page.Files = append(page.Files, file("a.go", 65))
	}
	last := readyWith(file("b.go", 1430))
	last.Pages, last.Listed = 1, 612
	why := "613 files and 41,210 lines are more than max_changed_files 100 and max_changed_lines 5,000" + advice
	skip := skippedLane("one", "exec", events.SkippedSize, why)
	gone := readyWith(excluded("gen.go", events.ExcludedConfigured))
	empty := run.WhyEmpty + ": 1 changed file, all of them excluded"
	nothing := skippedLane("one", "exec", events.SkippedEmpty, empty)
	guarded := readyWith(excluded("go.sum", events.ExcludedGenerated))
	static1 := bounded(1, 1)
	table(t, rules(), []row{
		{name: "too large", given: recorded{alone, code(1, 0), page}, when: run.NoteWorkspace{Ready: *last}, then: recorded{
			last, skip, stopping(events.OutcomeNotRun, "", why), ended(events.OutcomeNotRun, "", why)}},
		{name: "all excluded by the configuration", given: recorded{alone, code(1, 0)}, when: run.NoteWorkspace{Ready: *gone}, then: recorded{
			gone, nothing, stopping(events.OutcomeNotRun, "", empty), ended(events.OutcomeNotRun, "", empty)}},
		{name: "all excluded otherwise: the embedded engine looks", given: recorded{static1, code(1, 0)},
			when: run.NoteWorkspace{Ready: *guarded}, then: recorded{guarded, static("one"), skippedLane("two", "exec", events.SkippedEmpty, empty)}},
	})
}

// Pages of the list count in order, once, and for their try alone.
func TestPagesOfFiles(t *testing.T) {
	t.Parallel()
	note := func(try, page int) run.NoteFiles {
		return run.NoteFiles{Try: try, Page: page, Files: []events.ChangedFile{file("a.go", 1)}}
	}
	listed := func(try, page int) *events.WorkspaceListed {
		return &events.WorkspaceListed{Try: try, Page: page, Files: []events.ChangedFile{file("a.go", 1)}}
	}
	paged := func(try, pages int) *events.WorkspaceReady {
		r := readyWith()
		r.Files, r.Try, r.Pages, r.Listed = []events.ChangedFile{}, try, pages, pages
		return r
	}
	second := plus(asked, listed(1, 1), &events.WorkspaceWaiting{Try: 1, Reason: "busy", Next: t0.Add(1e9)}, code(2, 0))
	table(t, rules(), []row{
		{name: "the first page", given: asked, when: note(1, 1), then: recorded{listed(1, 1)}},
		{name: "the second page", given: plus(asked, listed(1, 1)), when: note(1, 2), then: recorded{listed(1, 2)}},
		{name: "a page again", given: plus(asked, listed(1, 1)), when: note(1, 1)},
		{name: "a page too early", given: asked, when: note(1, 2)},
		{name: "a page of an older try", given: second, when: note(1, 2)},
		{name: "a page of an older try that has the next number", given: second, when: note(1, 1)},
		{name: "a page after the list", given: waiting, when: note(1, 1)},
		{name: "ready with its pages alone", given: plus(asked, listed(1, 1)), when: run.NoteWorkspace{Ready: *paged(1, 1)},
			then: recorded{paged(1, 1), wanted("one", 1, events.OwnerAny)}},
		{name: "ready without a page of its own", given: second, when: run.NoteWorkspace{Ready: *paged(2, 1)}, then: recorded{
			&events.WorkspaceWaiting{Try: 2, Reason: "0 of 1 pages of the list of files arrived", Next: t0.Add(30e9)}}},
		{name: "ready for pages of another try", given: plus(asked, listed(1, 1)), when: run.NoteWorkspace{Ready: *paged(1, 0)}, then: recorded{
			&events.WorkspaceWaiting{Try: 1, Reason: "1 of 0 pages of the list of files arrived", Next: t0.Add(1e9)}}},
	})
}

// What nobody could look at leaves a review partial; what was left out on purpose
// does not, and is not approved by itself.
func TestVerdictOfWhatIsLeft(t *testing.T) {
	t.Parallel()
	large, unwritten := file("big.sql", 0), file("con", 1)
	large.TooLarge, unwritten.Unwritten = "it has 104,857,600 bytes", "the file system does not take the name"
	covered := &events.LaneCovered{Lane: "one", Attempt: 1, Skipped: []events.FileCoverage{{Path: "a.go", Status: events.CoveragePartial}}}
	none := []events.ChangedFile{excluded("go.sum", events.ExcludedBuiltIn)}
	cases := []struct {
		name    string
		files   []events.ChangedFile
		more    recorded
		skip    events.SkipCause
		outcome events.Outcome
		verdict events.Verdict
		rule    string
	}{
		{"a plain file", []events.ChangedFile{file("a.go", 1)}, nil, "", events.OutcomeClean, events.VerdictApprove, "approve"},
		{"a file that is too large", []events.ChangedFile{large}, nil, "", events.OutcomePartial, events.VerdictComment, "partial"},
		{"a file that was not written", []events.ChangedFile{unwritten}, nil, "", events.OutcomePartial, events.VerdictComment, "partial"},
		{"a file that the lane left", []events.ChangedFile{file("a.go", 1)}, recorded{covered}, "", events.OutcomePartial, events.VerdictComment, "partial"},
		{"an excluded file beside another", append(none, file("a.go", 1)), nil, "", events.OutcomeClean, events.VerdictApprove, "approve"},
		{"excluded files alone", none, nil, events.SkippedEmpty, events.OutcomeClean, events.VerdictComment, "excluded"},
		{"a lane over the limits", []events.ChangedFile{file("a.go", 1)}, nil, events.SkippedSize, events.OutcomePartial, events.VerdictComment, "partial"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			names := []events.EngineName{"one"}
			if c.skip != "" {
				names = append(names, "two")
			}
			begin := started(events.OwnerAny, names...)
			begin.Approve, begin.Steps[0].Lanes[0].Kind = true, "static"
			given := recorded{begin, code(1, 0), readyWith(c.files...), static("one")}
			if c.skip != "" {
				given = append(given, skippedLane("two", "exec", c.skip, "w"))
			}
			given = append(append(given, began("one", 1, 7, 0)), c.more...)
			var s run.State
			for i, p := range given {
				run.Fold(&s, &events.Event{Stream: stream, Version: events.Version(i)}, p)
			}
			out, err := rules().Decide(&s, events.Given{At: t0}, run.CompleteLane{Lane: "one", Attempt: 1, Generation: 7, Usage: used})
			if err != nil || len(out) != 3 {
				t.Fatalf("decided %v, %v", out, err)
			}
			v, ok := out[1].(*events.VerdictReached)
			if !ok || v.Outcome != c.outcome || v.Verdict != c.verdict || v.Why.Rule != c.rule {
				t.Errorf("reached %+v, want %s %s by %s", out[1], c.outcome, c.verdict, c.rule)
			}
		})
	}
}

// A file list stays in the log and out of the state.
func TestStateHoldsNoFiles(t *testing.T) {
	t.Parallel()
	var s run.State
	r := ready(1)
	run.Fold(&s, &events.Event{Stream: stream}, r)
	if s.Workspace.Ready.Files != nil || len(r.Files) != 1 || s.Workspace.Size.Files != 1 {
		t.Errorf("state %+v of %+v", s.Workspace, r)
	}
}

func TestRaiseSkipped(t *testing.T) {
	t.Parallel()
	skipped := []events.FileCoverage{{Path: "a.go", Status: events.CoverageBinary, Reason: "w"}}
	table(t, rules(), []row{
		{name: "files that were not fully reviewed", given: running, again: true,
			when: run.RaiseFindings{Lane: "one", Attempt: 1, Generation: 7, Skipped: skipped},
			then: recorded{&events.LaneCovered{Lane: "one", Attempt: 1, Skipped: skipped}}},
		{name: "of an older attempt", given: running, when: run.RaiseFindings{Lane: "one", Attempt: 1, Generation: 6, Skipped: skipped}},
	})
}

func TestBoundsFitTheDecision(t *testing.T) {
	t.Parallel()
	if 2*run.ListMaxBytes+64<<10 > events.EventMaxBytes {
		t.Errorf("a page of %d bytes does not fit twice into %d", run.ListMaxBytes, events.EventMaxBytes)
	}
	if !strings.HasPrefix(run.WhyEmpty, "empty") {
		t.Error("the reason of an empty change is on record as empty")
	}
}

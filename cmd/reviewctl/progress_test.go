package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// terminal is one that understands what a screen writes.
type terminal struct {
	mu         sync.Mutex
	columns    int
	rows       int
	lines      []string // from the top; the last is where the cursor is
	cursor     int
	writes     int
	wrapped    bool // a line was wider than the terminal
	beyondLine bool // the cursor left the screen
}

func newTerminal(columns, rows int) *terminal {
	return &terminal{columns: columns, rows: rows, lines: []string{""}}
}

func (t *terminal) size() (int, int) { return t.columns, t.rows }

func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writes++
	for text := string(p); text != ""; {
		var up int
		switch {
		case strings.HasPrefix(text, clearLine):
			text = text[len(clearLine):]
			continue
		case strings.HasPrefix(text, clearRest):
			t.lines = t.lines[:t.cursor+1]
			t.lines[t.cursor] = ""
			text = text[len(clearRest):]
			continue
		case strings.HasPrefix(text, "\x1b["):
			if _, err := fmt.Sscanf(text, upLines, &up); err != nil {
				return 0, err
			}
			t.cursor -= up
			t.beyondLine = t.beyondLine || t.cursor < 0 || len(t.lines)-t.cursor > t.rows
			text = text[strings.IndexByte(text, 'A')+1:]
			continue
		case text[0] == '\r':
			text = text[1:]
			continue
		}
		at := strings.IndexAny(text, "\n\x1b\r")
		if at < 0 {
			at = len(text)
		}
		if at > 0 {
			t.lines[t.cursor] = text[:at]
			t.wrapped = t.wrapped || cells(text[:at]) >= t.columns
		}
		text = text[at:]
		if strings.HasPrefix(text, "\n") {
			text = text[1:]
			if t.cursor++; t.cursor == len(t.lines) {
				t.lines = append(t.lines, "")
			}
		}
	}
	return len(p), nil
}

// shows is what stands there.
func (t *terminal) shows() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimRight(strings.Join(t.lines, "\n"), "\n")
}

func TestScreenDrawsOverItselfAndGoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		term := newTerminal(40, 24)
		began := time.Now()
		s := newScreen(term, term.size, func(now time.Time) []string {
			return []string{"reviewing", fmt.Sprintf("  static  running %s", elapsed(began, time.Time{}, now)), "  " + strings.Repeat("wide 界 ", 20)}
		})
		time.Sleep(1100 * time.Millisecond) // of the virtual clock
		synctest.Wait()
		shown := term.shows()
		if !strings.HasPrefix(shown, "reviewing\n  static  running 0:01\n  wide 界") || strings.Count(shown, "\n") != 2 {
			t.Errorf("it shows %q", shown)
		}
		if term.writes != 2 { // one for each second
			t.Errorf("%d writes within a second", term.writes)
		}
		_, _ = io.WriteString(s, "a warning\n")
		if shown := term.shows(); !strings.HasPrefix(shown, "a warning\nreviewing\n") {
			t.Errorf("it shows %q", shown)
		}
		s.end()
		if shown := term.shows(); shown != "a warning" {
			t.Errorf("at the end it shows %q", shown)
		}
		_, _ = io.WriteString(s, "an error\n")
		if shown := term.shows(); shown != "a warning\nan error" {
			t.Errorf("afterwards it shows %q", shown)
		}
		if term.wrapped || term.beyondLine {
			t.Error("it left its lines")
		}
	})
}

func TestScreenFitsASmallTerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		term := newTerminal(12, 4)
		s := newScreen(term, term.size, func(time.Time) []string {
			return []string{"one", "two\x1b[31m\nthree", "a very long line", "four", "five"}
		})
		time.Sleep(time.Second)
		synctest.Wait()
		if shown := term.shows(); shown != "one\ntwo\uFFFD[31m t…\n  … and 3 …" {
			t.Errorf("it shows %q", shown)
		}
		s.end()
		if shown := term.shows(); shown != "" {
			t.Errorf("at the end it shows %q", shown)
		}
	})
}

// fiveLanes is a run with one lane of each kind of end.
func fiveLanes() (list []events.Payload) {
	list = append(list,
		&events.RunStarted{Repo: "a/b", Number: 3, Head: "9fceb02d0ae598e95dc970b74767f19372d61af8"},
		&events.WorkspaceRequested{},
		&events.WorkspaceReady{Files: []events.ChangedFile{{Path: "a"}}, Lines: 12},
	)
	for _, id := range []events.LaneID{"static", "mine", "hang", "slow", "late"} {
		list = append(list, &events.LaneRequested{Lane: id, Engine: events.EngineName(id)}, &events.LaneQueued{Lane: id})
	}
	return append(list,
		&events.LaneBegan{Lane: "static"}, &events.FindingRaised{Lane: "static"}, &events.LaneCompleted{Lane: "static", Findings: 1},
		&events.LaneBegan{Lane: "mine"}, &events.LaneFailed{Lane: "mine", Kind: events.FailureTimeout, Message: "it took too long"},
		&events.LaneBegan{Lane: "hang"}, &events.FindingRaised{Lane: "hang"}, &events.FindingRaised{Lane: "hang"},
		&events.LaneBegan{Lane: "slow"}, &events.LaneDeferred{Lane: "slow", Reason: "exit 75"},
	)
}

func TestBoardTellsEachLane(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	var b board
	var said []string
	for _, p := range fiveLanes() {
		if line := b.fold(at, p); line != "" {
			said = append(said, line)
		}
		at = at.Add(time.Second)
	}
	said = append(said, b.place("late", 2, "gpt"))
	got := strings.Join(b.lines(at), "\n")
	golden(t, "progress.board", []byte(got+"\n"))
	golden(t, "progress.lines", []byte(strings.Join(said, "\n")+"\n"))
	b.fold(at, &events.RunStopping{Why: "interrupted"})
	if got := b.lines(at)[0]; !strings.HasSuffix(got, "  stopping: interrupted") {
		t.Errorf("got %q", got)
	}
}

func TestTimingMakesUpTheWhole(t *testing.T) {
	t.Parallel()
	at := func(ms int) time.Time { return time.UnixMilli(int64(1_000_000 + ms)) }
	type step struct {
		at int
		p  events.Payload
	}
	for name, c := range map[string]struct {
		steps []step
		end   int
		want  ReportTiming
	}{
		"one lane": {[]step{{1, &events.WorkspaceRequested{}}, {31, &events.WorkspaceReady{}}, {33, &events.LaneBegan{Lane: "a"}},
			{93, &events.LaneCompleted{Lane: "a"}}}, 100, ReportTiming{100, 30, 60, 10}},
		"lanes side by side": {[]step{{0, &events.LaneBegan{Lane: "a"}}, {10, &events.LaneBegan{Lane: "b"}}, {50, &events.LaneFailed{Lane: "a"}},
			{90, &events.LaneStopped{Lane: "b"}}}, 100, ReportTiming{100, 0, 90, 10}},
		"the code is read again beside a lane": {[]step{{0, &events.LaneBegan{Lane: "a"}}, {20, &events.WorkspaceRequested{}}, {60, &events.WorkspaceWaiting{}},
			{80, &events.LaneDeferred{Lane: "a"}}}, 100, ReportTiming{100, 40, 80, 20}},
		"a clock that was set back": {[]step{{50, &events.WorkspaceRequested{}}, {20, &events.WorkspaceFailed{}}}, -10, ReportTiming{0, 0, 0, 0}},
		"an end after the run's":    {[]step{{90, &events.LaneBegan{Lane: "a"}}, {150, &events.LaneStopped{Lane: "a"}}}, 100, ReportTiming{100, 0, 10, 90}},
		"never begun":               {[]step{{90, &events.LaneStopped{Lane: "a"}}}, 100, ReportTiming{100, 0, 0, 100}},
	} {
		var timing timing
		for _, s := range c.steps {
			timing.fold(at(s.at), s.p)
		}
		if got := timing.report(at(0), at(c.end)); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// The whole matrix of exit codes: outcome, heaviest finding, threshold.
// (CLI.md, "Doing a review", Exit)
func TestFailOnMatrix(t *testing.T) {
	t.Parallel()
	severities := []events.Severity{"", events.SeverityNitpick, events.SeveritySuggestion, events.SeverityBlocking} // by weight
	thresholds := []string{"nitpick", "suggestion", "blocking", FailOnNever}
	for _, c := range []struct {
		outcome     events.Outcome
		reason      string
		below, from Exit // the threshold
	}{
		{events.OutcomeClean, "", ExitGood, ExitNo},
		{events.OutcomeFindings, "", ExitGood, ExitNo},
		{events.OutcomePartial, "", ExitUnavailable, ExitNo},
		{events.OutcomeFailed, "", ExitUnavailable, ExitUnavailable},
		{events.OutcomeNotRun, "paused", ExitUnavailable, ExitUnavailable},
		{events.OutcomeNotRun, ReasonEmpty, ExitGood, ExitGood},
		{events.OutcomeCancelled, "", ExitUnavailable, ExitUnavailable},
		{events.OutcomeSuperseded, "", ExitUnavailable, ExitUnavailable},
	} {
		for heaviest, severity := range severities {
			r := &ReviewReport{Outcome: c.outcome, Reason: c.reason}
			if severity != "" {
				r.Findings = []ReportFinding{{Severity: events.SeverityNitpick}, {Severity: severity}}
			}
			for i, threshold := range thresholds {
				want := c.below
				if heaviest > i {
					want = c.from
				}
				if got := report(io.Discard, false, r.Result(threshold)); got != want {
					t.Errorf("%s %q with a %q and --fail-on %s: exit %d, want %d", c.outcome, c.reason, severity, threshold, got, want)
				}
			}
		}
	}
}

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// board is how far a run is, for people: one line for the run, one for the code,
// one for each lane. It folds the run's events and decides nothing.
type board struct {
	subject string // what is reviewed; "" = not known yet
	held    string // why it has not started, or why it is ending
	code    string // what became of the code
	began   time.Time
	ended   time.Time
	coded   time.Time // the code was ready
	lanes   []*boardLane
	alone   bool // no daemon runs, who would free what a killed one holds
}

// aloneWords say what somebody waits for where no daemon runs: another review, or
// slots and places of a daemon that was killed.
const aloneWords = "no daemon is running: what a killed one holds is free when `reviewctl serve` starts, or when its lease ends (`reviewctl queue`)"

// boardLane is a lane's line.
type boardLane struct {
	id          events.LaneID
	engine      events.EngineName
	state       string
	note        string
	from, until time.Time // of the state; until is zero while it lasts
	findings    int
}

// fold takes an event of the run, and returns it in a few words, or nothing.
func (b *board) fold(at time.Time, p events.Payload) string {
	switch p := p.(type) {
	case *events.RunHeld:
		b.held = "waiting to start: " + p.Reason
		return b.held
	case *events.RunStarted:
		b.held, b.subject, b.began = "", fmt.Sprintf("%s#%d %s", p.Repo, p.Number, short(p.Head)), at
		return fmt.Sprintf("reviewing %s %s", p.Repo, short(p.Head))
	case *events.WorkspaceRequested:
		b.code = "reading the change"
	case *events.WorkspaceReady:
		b.code, b.coded = fmt.Sprintf("%s, %s changed", quantity(p.Count(), "file"), quantity(p.Lines, "line")), at
		return b.code
	case *events.WorkspaceWaiting:
		b.code = "not ready: " + p.Reason
		return "the code is not ready: " + p.Reason
	case *events.WorkspaceFailed:
		b.code, b.coded = "failed: "+p.Message, at
	case *events.RunStopping:
		b.held = "stopping: " + p.Why
		return b.held
	case *events.RunEnded:
		b.ended = at
	default:
		return b.foldLane(at, p)
	}
	return ""
}

func (b *board) foldLane(at time.Time, p events.Payload) string {
	switch p := p.(type) {
	case *events.LaneRequested:
		b.lane(p.Lane).engine = p.Engine
		b.lane(p.Lane).turn("asked for", "", at)
	case *events.LaneWaiting:
		b.lane(p.Lane).turn("waiting", p.Reason, at)
	case *events.LaneQueued:
		b.lane(p.Lane).turn("waiting", "for a slot", at)
		return fmt.Sprintf("%s: waiting for a slot", p.Lane)
	case *events.LaneBegan:
		b.lane(p.Lane).turn("running", "", at)
		return fmt.Sprintf("%s: running", p.Lane)
	case *events.FindingRaised:
		b.lane(p.Lane).findings++
	case *events.LaneCompleted:
		b.lane(p.Lane).end("done", "", at)
		return fmt.Sprintf("%s: done, %s", p.Lane, quantity(p.Findings, "finding"))
	case *events.LaneFailed:
		b.lane(p.Lane).end("failed", string(p.Kind)+": "+p.Message, at)
		return fmt.Sprintf("%s: failed (%s): %s", p.Lane, p.Kind, p.Message)
	case *events.LaneStopped:
		b.lane(p.Lane).end("stopped", p.Reason, at)
	case *events.LaneWithdrawn:
		b.lane(p.Lane).end("withdrawn", p.Reason, at)
	case *events.LaneDeferred:
		b.lane(p.Lane).end("deferred", p.Reason, at)
		return fmt.Sprintf("%s: no capacity now: %s", p.Lane, p.Reason)
	}
	return ""
}

func (b *board) lane(id events.LaneID) *boardLane {
	for _, l := range b.lanes {
		if l.id == id {
			return l
		}
	}
	l := &boardLane{id: id}
	b.lanes = append(b.lanes, l)
	return l
}

// turn begins a state; a lane that begins anew has found nothing yet.
func (l *boardLane) turn(state, note string, at time.Time) {
	if l.state == state && l.note == note {
		return
	}
	if state == "running" {
		l.findings = 0
	}
	l.state, l.note, l.from, l.until = state, note, at, time.Time{}
}

func (l *boardLane) end(state, note string, at time.Time) {
	from := l.from
	l.state, l.note, l.from, l.until = state, note, from, at
}

// place is told at which place of a line a lane waits.
func (b *board) place(id events.LaneID, place int, line string) string {
	if l := b.lane(id); l.state == "waiting" {
		l.note = fmt.Sprintf("place %d in the line of %s", place, line)
	}
	return fmt.Sprintf("%s: place %d in the line of %s", id, place, line)
}

// lines draws the board.
func (b *board) lines(now time.Time) []string {
	first := "preparing"
	if b.subject != "" {
		first = "reviewing " + b.subject + "  " + elapsed(b.began, b.ended, now)
	}
	if b.held != "" {
		first += "  " + b.held
	}
	lines := []string{first}
	wide := len("code")
	for _, l := range b.lanes {
		wide = max(wide, len(l.id))
	}
	if b.code != "" {
		lines = append(lines, boardLine(wide, "code", "", elapsed(b.began, b.coded, now), b.code))
	}
	waits := b.held != ""
	for _, l := range b.lanes {
		lines = append(lines, l.line(wide, now))
		waits = waits || l.state == "waiting"
	}
	if waits && b.alone {
		lines = append(lines, "  "+aloneWords)
	}
	return lines
}

func (l *boardLane) line(wide int, now time.Time) string {
	var notes []string
	if l.engine != "" && string(l.engine) != string(l.id) {
		notes = append(notes, "on "+string(l.engine))
	}
	if l.state == "running" || l.state == "done" {
		notes = append(notes, quantity(l.findings, "finding"))
	}
	if l.note != "" {
		notes = append(notes, l.note)
	}
	return boardLine(wide, string(l.id), l.state, elapsed(l.from, l.until, now), strings.Join(notes, ", "))
}

func boardLine(wide int, name, state, took, note string) string {
	return strings.TrimRight(fmt.Sprintf("  %-*s  %-9s %6s  %s", wide, name, state, took, note), " ")
}

// elapsed is a time in whole seconds, "1:05".
func elapsed(from, until, now time.Time) string {
	if from.IsZero() {
		return ""
	}
	if until.IsZero() {
		until = now
	}
	s := int(max(0, until.Sub(from)) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	running "github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// dayOutside are a workspace and engines of which nothing is there but the time
// that they take and what they say. All luck is drawn from the key of the work, so
// that no order of goroutines changes it.
type dayOutside struct {
	seed  uint64
	clock actors.Clock

	mu       sync.Mutex
	changes  map[events.Commit]dayChange // by head
	sessions map[events.LaneKey]*daySession
}

// dayChange is what one head changes.
type dayChange struct {
	file  string
	lines int
}

type daySession struct {
	cancel func()
	close  func(cmds ...events.Command)
	lane   running.NoteLaneStopped
}

func newDayOutside(seed uint64, clock actors.Clock) *dayOutside {
	return &dayOutside{seed: seed, clock: clock, changes: map[events.Commit]dayChange{}, sessions: map[events.LaneKey]*daySession{}}
}

// pushed says what a head changes, before anybody hears of it.
func (o *dayOutside) pushed(head events.Commit, c dayChange) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.changes[head] = c
}

func (o *dayOutside) change(head events.Commit) dayChange {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.changes[head]
}

func (o *dayOutside) luck(key ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, key...)
	return rand.New(rand.NewPCG(o.seed, h.Sum64()))
}

// about is a time around a median, with a long tail.
func about(luck *rand.Rand, median, most time.Duration) time.Duration {
	return min(time.Duration(float64(median)*math.Exp(luck.NormFloat64()*0.7)), most)
}

// Prepare takes a few seconds: the fetch of a mirror that is there, and a checkout.
func (o *dayOutside) Prepare(job actors.WorkspaceJob, answer actors.Answer) {
	luck := o.luck("workspace", job.Run, job.Try)
	o.clock.After(about(luck, 4*time.Second, time.Minute), func() {
		c := o.change(job.Head)
		answer(running.NoteWorkspace{Ready: events.WorkspaceReady{
			Try: job.Try, MergeBase: job.Base, Lines: c.lines, DiffPrint: events.DigestOf([]byte(job.Head)),
			Files: []events.ChangedFile{{Path: c.file, Status: "A", Added: c.lines}},
		}})
	})
}

// Open is for engines, and these read nothing.
func (o *dayOutside) Open(context.Context, actors.WorkspaceJob) (*actors.Change, error) {
	return nil, errors.New("there is no code in a simulated day")
}

// Release forgets nothing, for nothing was kept.
func (o *dayOutside) Release(events.RunID) {}

// Start begins a session: the embedded engine takes seconds, the other minutes.
func (o *dayOutside) Start(job actors.LaneJob, answer actors.Answer) {
	luck := o.luck("engine", job.Key.Run, job.Key.Lane, job.Key.Attempt)
	took := about(luck, 2*time.Second, 20*time.Second)
	usage := events.Usage{Confidence: events.ConfidenceExact}
	if job.Engine != running.StaticEngine {
		took = about(luck, 3*time.Minute, 20*time.Minute)
		usage.InputTokens, usage.OutputTokens = 5000+luck.Int64N(60_000), 500+luck.Int64N(4000)
	}
	done := running.CompleteLane{
		Lane: job.Key.Lane, Attempt: job.Key.Attempt, Generation: job.Generation, Engine: string(job.Engine) + "/day",
		Usage: usage, Summary: "Looked at it.",
	}
	s := &daySession{lane: running.NoteLaneStopped{Lane: job.Key.Lane, Attempt: job.Key.Attempt, Generation: job.Generation, Usage: usage}}
	var once sync.Once
	s.close = func(cmds ...events.Command) {
		once.Do(func() {
			o.mu.Lock()
			delete(o.sessions, job.Key)
			o.mu.Unlock()
			answer(cmds...)
		})
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sessions[job.Key] = s
	s.cancel = o.clock.After(took, func() {
		var said []events.Command
		if found := o.findings(luck, job); len(found) > 0 {
			said = append(said, running.RaiseFindings{
				Lane: job.Key.Lane, Attempt: job.Key.Attempt, Generation: job.Generation, Findings: found,
			})
		}
		s.close(append(said, done)...)
	})
}

// findings are none for most heads, and else up to four.
func (o *dayOutside) findings(luck *rand.Rand, job actors.LaneJob) (found []events.Finding) {
	c := o.change(job.Workspace.Head)
	if luck.IntN(5) < 3 {
		return nil
	}
	for range 1 + luck.IntN(4) {
		f := events.Finding{
			Severity: events.AllSeverities()[luck.IntN(3)], Category: "bug", Title: fmt.Sprintf("Remark %d", luck.IntN(1000)),
			File: c.file, LineStart: 1 + luck.IntN(max(1, c.lines)), Placement: events.PlacementInline, Body: "It can fail.",
		}
		f.LineEnd = f.LineStart
		f.Identify()
		f.Code = events.PrintCode(f.Category, f.Title, fmt.Sprint(f.LineStart))
		found = append(found, f)
	}
	return found
}

// Stop kills a session; that takes a second.
func (o *dayOutside) Stop(key events.LaneKey) {
	o.mu.Lock()
	s := o.sessions[key]
	o.mu.Unlock()
	if s == nil {
		return
	}
	s.cancel()
	o.clock.After(time.Second, func() { s.close(s.lane) })
}

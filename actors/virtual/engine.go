package virtual

import (
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// engine is the Engine port of one process.
type engine struct{ process *process }

// sessions are the engine processes of the machine. They outlive the boot that
// started them.
type sessions struct {
	world   *World
	started map[events.LaneKey]int
	open    []*session
}

type session struct {
	job     actors.LaneJob
	process *process
	answer  actors.Answer // nil once it was called
	stopped bool          // it was told to stop
}

// Start begins a session and draws how it will go.
func (e *engine) Start(job actors.LaneJob, answer actors.Answer) {
	p, w := e.process, e.process.world
	w.sessions.begin(job, p)
	s := &session{job: job, process: p, answer: answer}
	w.sessions.open = append(w.sessions.open, s)
	profile := w.scenario.engine(job.Engine)
	left := max(0, job.Deadline.Sub(w.wall()))
	p.later(left, func() { s.fail(events.FailureTimeout, "it did not answer in time", time.Time{}) })
	took := min(w.between(profile.Least, profile.Most), left)
	way := profile.draw(w)
	if n := w.sessioned[job.Engine]; n < len(profile.First) {
		way = profile.First[n]
	}
	w.sessioned[job.Engine]++
	w.count("engine." + string(way))
	if way == WayRefused {
		took = 0
	}
	p.later(took, func() { s.end(way) })
}

// end lets a session end in its way. One that hangs is killed at its deadline;
// one that vanishes says nothing at all.
func (s *session) end(way Way) {
	w := s.process.world
	if s.answer == nil {
		return
	}
	switch way {
	case WaySucceeds:
		s.succeed()
	case WayInfra:
		s.fail(events.FailureInfra, "it could not reach its provider", time.Time{})
	case WayContract:
		s.fail(events.FailureContract, "its answer is not what was asked for", time.Time{})
	case WayFatal:
		s.fail(events.FailureFatal, "it is not installed", time.Time{})
	case WayRefused:
		s.fail(events.FailureBefore, "it was not started", time.Time{})
	case WayLimit:
		reset := time.Time{}
		if w.luck.IntN(2) == 0 {
			reset = w.wall().Add(w.between(-time.Hour, 3*time.Hour))
		}
		s.fail(events.FailureUsageLimit, "the account's limit is reached", reset)
	case WayDefers:
		s.close(run.DeferLane{
			Lane: s.job.Key.Lane, Attempt: s.job.Key.Attempt, Generation: s.job.Generation, Reason: "no capacity now",
		})
	case WayVanishes:
		w.sessions.remove(s)
		s.answer = nil
	case WayHangs:
	}
}

func (s *session) fail(kind events.FailureKind, message string, reset time.Time) {
	failed := run.FailLane{
		Lane: s.job.Key.Lane, Attempt: s.job.Key.Attempt, Generation: s.job.Generation, Kind: kind,
		Message: message, Usage: s.usage(), Reset: reset,
	}
	if kind == events.FailureContract || kind == events.FailureTimeout {
		s.close(s.chunk(2), failed) // what it said so far, and it does not count
		return
	}
	s.close(failed)
}

func (s *session) chunk(n int) run.RaiseFindings {
	c := run.RaiseFindings{Lane: s.job.Key.Lane, Attempt: s.job.Key.Attempt, Generation: s.job.Generation}
	w := s.process.world
	for range n {
		f := events.Finding{
			Severity: events.AllSeverities()[w.luck.IntN(3)], Category: "bug",
			Title: fmt.Sprintf("Remark %d", w.luck.IntN(12)), File: fmt.Sprintf("file%d.go", w.luck.IntN(3)),
			LineStart: 1 + w.luck.IntN(90), Placement: events.PlacementInline, Body: "It can fail.",
		}
		f.LineEnd = f.LineStart
		f.Identify()
		f.Code = events.PrintCode(f.Category, f.Title, fmt.Sprint(w.luck.IntN(2)))
		if w.luck.IntN(6) == 0 {
			c.Withheld = append(c.Withheld, run.Withheld{Finding: f, Reason: "outside the change"})
			continue
		}
		c.Findings = append(c.Findings, f)
	}
	return c
}

// always is the same remark on the same code in every session.
func (s *session) always(title string) run.RaiseFindings {
	f := events.Finding{
		Severity: events.SeverityBlocking, Category: "bug", Title: title, File: "file0.go", LineStart: 7, LineEnd: 7,
		Placement: events.PlacementInline, Body: "It can fail.",
	}
	f.Identify()
	f.Code = events.PrintCode(f.Category, f.Title, "always")
	return run.RaiseFindings{
		Lane: s.job.Key.Lane, Attempt: s.job.Key.Attempt, Generation: s.job.Generation, Findings: []events.Finding{f},
	}
}

func (s *session) succeed() {
	w := s.process.world
	done := run.CompleteLane{
		Lane: s.job.Key.Lane, Attempt: s.job.Key.Attempt, Generation: s.job.Generation, Usage: s.usage(),
		Summary: "looked at it", Engine: string(s.job.Engine) + "/1",
	}
	if w.luck.IntN(8) == 0 {
		file := fmt.Sprintf("file%d.go", w.luck.IntN(4))
		done.Skipped = []events.FileCoverage{{Path: file, Status: events.CoverageTooLarge, Reason: "too large"}}
	}
	if w.luck.IntN(12) == 0 {
		done.Unlisted = 1
	}
	var said []events.Command
	if title := w.scenario.engine(s.job.Engine).Always; title != "" {
		said = append(said, s.always(title))
	}
	for range w.luck.IntN(3) {
		said = append(said, s.chunk(1+w.luck.IntN(4)))
	}
	s.close(append(said, done)...)
}

func (s *session) usage() events.Usage {
	w := s.process.world
	switch w.luck.IntN(3) {
	case 0:
		return events.Usage{Confidence: events.ConfidenceUnknown}
	case 1:
		return events.Usage{InputTokens: w.luck.Int64N(20_000), OutputTokens: w.luck.Int64N(2000), Confidence: events.ConfidenceEstimate}
	}
	return events.Usage{InputTokens: w.luck.Int64N(20_000), OutputTokens: w.luck.Int64N(2000), Confidence: events.ConfidenceExact}
}

func (s *session) close(cmds ...events.Command) {
	if s.answer == nil {
		return
	}
	answer := s.answer
	s.answer = nil
	s.process.world.sessions.remove(s)
	answer(cmds...)
}

// Stop kills a session that runs here; what it was just about to say may come
// all the same.
func (e *engine) Stop(key events.LaneKey) {
	w := e.process.world
	for _, s := range w.sessions.open {
		if s.job.Key == key && s.process == e.process {
			s.stopped = true
			e.process.later(w.between(0, 3*time.Second), func() {
				s.close(run.NoteLaneStopped{Lane: key.Lane, Attempt: key.Attempt, Generation: s.job.Generation, Usage: s.usage()})
			})
		}
	}
}

// begin checks what must hold when an engine starts: its intent is in the log
// and names this boot, it was not started before, and no earlier try of the lane
// still runs.
func (s *sessions) begin(job actors.LaneJob, p *process) {
	w := s.world
	w.count("engine.start")
	ref := events.Ref{Stream: events.RunStream(job.Key.Run)}
	if s.started[job.Key]++; s.started[job.Key] > 1 {
		w.check.fail(ref, "engine started twice for %v", job.Key)
	}
	if job.Boot != p.boot {
		w.check.fail(ref, "engine of %s started by %s", job.Boot, p.boot)
	}
	if !w.check.intended(job) {
		w.check.fail(ref, "engine started without lane.began for %v", job.Key)
	}
	for _, o := range s.open {
		if o.job.Key.Run != job.Key.Run || o.job.Key.Lane != job.Key.Lane {
			continue
		}
		// Another living process may not have heard yet, and one that died a moment
		// ago may have lived when the lane was given up.
		w.count("engine.overlap")
		if !o.process.alive && w.now.Sub(o.process.died) > time.Minute || o.process == p && !o.stopped {
			w.check.fail(ref, "engine of %v started while %v still runs", job.Key, o.job.Key)
		}
	}
}

func (s *sessions) remove(gone *session) {
	for i := range s.open {
		if s.open[i] == gone {
			s.open = append(s.open[:i], s.open[i+1:]...)
			return
		}
	}
}

// killOrphans kills the engine processes of dead boots. (hard-parts §2)
func (s *sessions) killOrphans() {
	var kept []*session
	for _, o := range s.open {
		if o.process.alive {
			kept = append(kept, o)
			continue
		}
		s.world.count("engine.orphan")
	}
	s.open = kept
}

package virtual

import (
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

// forge is where the pull requests of a world live: its one truth. An author has
// at most one pending review on a pull request, which is the fence that makes
// publishing once possible. (hard-parts §4)
type forge struct {
	world *World
	pulls []*pull
	tries map[tryKey]int
}

type tryKey struct {
	run events.RunID
	try int
}

// pull is a pull request on the forge.
type pull struct {
	number  int
	repo    events.RepoName
	repoID  string
	stream  events.StreamName
	head    events.Commit
	base    events.Commit
	baseRef string
	title   string
	closed  bool
	draft   bool
	skip    string // the skip label, where it is set
	ignored bool   // its author is a bot
	before  []events.Commit

	pending   *review
	submitted []review
	labels    []events.Verdict // whose labels it carries
}

// review carries its marker: the head, and who is at work on it.
type review struct {
	head events.Commit
	work tryKey
	id   int
}

func newForge(w *World) *forge {
	return &forge{world: w, tries: map[tryKey]int{}}
}

func (f *forge) add(repo events.RepoName, repoID string, number int) *pull {
	p := &pull{
		number: number, repo: repo, repoID: repoID, stream: events.PRStream("github.com", repoID, number),
		head: events.Commit(f.world.hex(40)), base: events.Commit(f.world.hex(40)), baseRef: "main",
		title: "A change",
	}
	p.ignored = f.world.lucky(f.world.scenario.Forge.Ignored)
	f.pulls = append(f.pulls, p)
	return p
}

func (f *forge) find(stream events.StreamName) *pull {
	for _, p := range f.pulls {
		if p.stream == stream {
			return p
		}
	}
	return nil
}

func (p *pull) marked(head events.Commit) bool {
	for _, r := range p.submitted {
		if r.head == head {
			return true
		}
	}
	return false
}

// publisher is the Forge port of one process; nil where nothing is published.
func (w *World) publisher(p *process) actors.Forge {
	if w.scenario.Target != events.TargetForge {
		return nil
	}
	return &publisher{p}
}

type publisher struct{ process *process }

// publication is one try on its way through the steps of hard-parts §4.
type publication struct {
	process *process
	job     actors.PublishJob
	pull    *pull
	answer  actors.Answer
	rounds  int
}

// Publish begins a try.
func (v *publisher) Publish(job actors.PublishJob, answer actors.Answer) {
	w := v.process.world
	key := tryKey{job.Run, job.Try}
	if w.forge.tries[key]++; w.forge.tries[key] > 1 {
		w.count("publish.try_repeated") // after `retry`, which begins to count anew
	}
	w.count("publish.try")
	p := &publication{process: v.process, job: job, pull: w.forge.find(job.PR), answer: answer}
	p.next(p.look)
}

// next does a step a little later, or, frozen, much later. It looks at its
// deadline before, as a process does.
func (p *publication) next(step func()) {
	w := p.process.world
	if !w.wall().Before(p.job.Until) {
		p.unknown("its time was up")
		return
	}
	delay := w.between(100*time.Millisecond, 3*time.Second)
	if w.lucky(w.scenario.Faults.Freeze) {
		w.count("publish.frozen")
		delay = w.between(time.Minute, time.Hour)
	}
	p.process.later(delay, step)
}

func (p *publication) unknown(why string) {
	p.answer(pr.NotePublishUnknown{Run: p.job.Run, Try: p.job.Try, Reason: why})
}

func (p *publication) failed(why string) {
	p.answer(pr.NotePublishFailed{Run: p.job.Run, Try: p.job.Try, Kind: events.FailureInfra, Message: why})
}

// look: is the marker there already, and is the head still the head?
func (p *publication) look() {
	w := p.process.world
	switch {
	case w.lucky(w.scenario.Forge.ListUnknown):
		p.unknown("the list of reviews could not be read")
	case p.pull.marked(p.job.Head):
		p.answer(pr.NotePublished{Run: p.job.Run, Try: p.job.Try, Receipt: "found", Existing: true})
	case p.moved():
	default:
		p.next(p.create)
	}
}

// moved gives the review up where it is not wanted any more.
func (p *publication) moved() bool {
	gone := pr.NotePublishAbandoned{Run: p.job.Run, Try: p.job.Try, Why: "it moved on the forge"}
	switch {
	case p.pull.closed:
		gone.Cause = events.AbandonClosed
	case p.pull.head != p.job.Head:
		gone.Cause = events.AbandonHead
	case p.pull.base != p.job.Base:
		gone.Cause, gone.BaseRef, gone.Base = events.AbandonBase, p.pull.baseRef, p.pull.base
	default:
		return false
	}
	p.process.world.count("publish.abandoned." + string(gone.Cause))
	p.answer(gone)
	return true
}

// create makes the pending review. One that is not this try's is deleted, and
// everything begins again.
func (p *publication) create() {
	w := p.process.world
	if p.pull.pending != nil {
		w.count("publish.pending_deleted")
		p.pull.pending = nil
		if p.rounds++; p.rounds > 5 {
			p.failed("others keep publishing")
			return
		}
		p.next(p.look)
		return
	}
	p.pull.pending = &review{head: p.job.Head, work: tryKey{p.job.Run, p.job.Try}, id: w.steps}
	id := w.steps
	if w.lucky(w.scenario.Forge.CreateLost) {
		p.unknown("no answer to the pending review")
		return
	}
	p.next(func() { p.list(id) })
}

// list looks again while the fence stands. Whatever the list holds, its own
// pending review must be the one.
func (p *publication) list(id int) {
	switch {
	case p.pull.pending == nil || p.pull.pending.id != id:
		p.next(p.look)
	case p.pull.marked(p.job.Head):
		p.pull.pending = nil
		p.answer(pr.NotePublished{Run: p.job.Run, Try: p.job.Try, Receipt: "found", Existing: true})
	case p.moved():
		p.pull.pending = nil
	default:
		seen := p.pull.head
		p.next(func() { p.submit(id, seen) })
	}
}

func (p *publication) submit(id int, seen events.Commit) {
	w := p.process.world
	if p.pull.pending == nil || p.pull.pending.id != id { // 404: the race is lost
		p.next(p.look)
		return
	}
	if w.lucky(w.scenario.Forge.SubmitFails) {
		p.failed("the forge answered 502 and stored nothing")
		return
	}
	r := *p.pull.pending
	p.pull.pending = nil
	w.check.submitted(p.pull, r, seen)
	p.pull.submitted = append(p.pull.submitted, r)
	w.count("publish.submitted")
	if w.lucky(w.scenario.Forge.SubmitLost) {
		p.unknown("no answer to the submit")
		return
	}
	p.answer(pr.NotePublished{Run: p.job.Run, Try: p.job.Try, Receipt: fmt.Sprint(id)})
}

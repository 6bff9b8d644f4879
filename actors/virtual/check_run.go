package virtual

import (
	"github.com/reviewctl/reviewctl/events"
)

// pullModel: one run counts at a time, and only the newest head's verdict stands.
type pullModel struct {
	head    events.Commit // the newest that was queued
	run     events.RunID  // that counts now
	open    bool          // the newest head's business is not over
	queued  *events.HeadQueued
	adopted map[events.RunID]bool
	active  *events.RunID // whose publication is under way
	lease   events.BootID // who holds it
	stuck   bool
	starts  map[events.Commit]*waste
	rounds  *roundModel
	forge   *forgeModel
}

// waste is what was spent on a head, and what allows it.
type waste struct {
	runs    int // run.requested
	asked   int // by a push, a person, or a run that could not run: each allows a run
	retries int // after a failure: at most RetryInfra for each that was asked
}

func (c *checker) pull(e *events.Event, p events.Payload) {
	m := c.pulls[e.Stream]
	if m == nil {
		m = &pullModel{adopted: map[events.RunID]bool{}, starts: map[events.Commit]*waste{}, rounds: newRoundModel(), forge: newForgeModel()}
		c.pulls[e.Stream] = m
	}
	c.round(m.rounds, e, p)
	c.forge(m, e, p)
	switch p := p.(type) {
	case *events.HeadQueued:
		m.head, m.run, m.open, m.queued = p.Head, "", true, p
		w := m.starts[p.Head]
		if w == nil {
			w = &waste{}
			m.starts[p.Head] = w
		}
		if p.Attempt > 0 {
			w.retries++
		} else {
			w.asked++
		}
	case *events.RunRequested:
		if m.run != "" || !m.open || m.queued == nil || p.Head != m.head {
			c.fail(e.Ref(), "run %s of %s is requested beside run %q of %s", p.Run, p.Head, m.run, m.head)
		}
		m.run, m.queued = p.Run, nil
		if c.runs[p.Run] != nil {
			c.fail(e.Ref(), "run %s is requested twice", p.Run)
		}
		c.runs[p.Run] = newRunModel(p, e.Stream)
		w := m.starts[p.Head]
		if w.runs++; w.runs > w.asked+w.retries {
			c.fail(e.Ref(), "run %d of head %s, which was queued %d times", w.runs, p.Head, w.asked+w.retries)
		}
		if most := w.asked * (1 + c.world.scenario.Rules.PR.RetryInfra); w.runs > most {
			c.fail(e.Ref(), "run %d of head %s; %d are allowed", w.runs, p.Head, most)
		}
	case *events.HeadSkipped:
		m.head, m.open, m.run, m.queued = p.Head, false, "", nil
	case *events.HeadSuperseded, *events.HeadCancelled, *events.HeadClosed, *events.HeadSettled:
		m.open, m.run, m.queued = false, "", nil
	case *events.VerdictAdopted:
		c.adopted(m, e, p)
	default:
		c.publication(m, e, p)
	}
}

func (c *checker) adopted(m *pullModel, e *events.Event, p *events.VerdictAdopted) {
	r := c.runs[p.Run]
	switch {
	case m.adopted[p.Run]:
		c.fail(e.Ref(), "the verdict of run %s is adopted twice", p.Run)
	case p.Head != m.head || p.Run != m.run:
		c.fail(e.Ref(), "the verdict of run %s about %s is adopted; the head is %s, the run %s", p.Run, p.Head, m.head, m.run)
	case r == nil || r.verdict != p.Verdict || r.head != p.Head:
		c.fail(e.Ref(), "the verdict of run %s is adopted, which it did not reach", p.Run)
	}
	m.adopted[p.Run] = true
	if p.Target != events.TargetNone {
		m.grant(c, e, p.Run, p.Owner)
	}
}

// grant: one publication at a time, one holder of its lease at a time.
func (m *pullModel) grant(c *checker, e *events.Event, run events.RunID, owner events.BootID) {
	if m.lease != "" {
		c.fail(e.Ref(), "%s may publish while %s may", owner, m.lease)
	}
	if m.active != nil && *m.active != run {
		c.fail(e.Ref(), "run %s is published beside run %s", run, *m.active)
	}
	m.active, m.lease, m.stuck = &run, owner, false
}

func (c *checker) publication(m *pullModel, e *events.Event, p events.Payload) {
	switch p := p.(type) {
	case *events.PublicationResumed:
		if p.Head != m.head {
			c.fail(e.Ref(), "a publication of %s is resumed; the head is %s", p.Head, m.head)
		}
		m.grant(c, e, p.Run, p.Owner)
	case *events.PublicationFailed, *events.PublicationUnknown:
		m.lease = ""
	case *events.PublicationStuck:
		m.lease, m.stuck = "", true
	case *events.VerdictPublished:
		m.lease, m.active = "", nil
		if f := c.world.forge.find(e.Stream); !f.marked(p.Head) {
			c.fail(e.Ref(), "%s is published, and the forge does not have it", p.Head)
		}
	case *events.PublicationAbandoned:
		m.lease, m.active = "", nil
	}
}

// runModel: one end, after all lanes; findings count after a good end alone.
type runModel struct {
	pr       events.StreamName
	head     events.Commit
	owner    events.BootID
	trigger  events.Trigger
	lanes    map[events.LaneID]*laneModel
	verdict  events.Verdict
	ended    bool
	appends  int
	requests int
	findings int
	waits    int
	listed   int // files on the pages of this try
	skipped  map[events.LaneID]bool

	dismissed map[events.Fingerprint]bool // by a person, as of when it was numbered
}

type laneModel struct {
	attempt  int
	live     bool
	done     bool // the newest attempt came to a good end
	down     bool // the newest attempt was stopped
	found    map[events.Fingerprint]events.Severity
	began    map[int]int64 // generation by attempt
	owner    map[int]events.BootID
	failures int
	excused  int // requests that no failure used up: usage limits, deferrals

	engine   events.EngineName
	sights   map[events.Fingerprint]*sightModel
	left     map[string]bool             // files that it did not fully review
	hidden   map[events.Fingerprint]bool // seen, and withheld
	unlisted bool
}

func newRunModel(p *events.RunRequested, stream events.StreamName) *runModel {
	return &runModel{pr: stream, head: p.Head, owner: p.Owner, trigger: p.Trigger, lanes: map[events.LaneID]*laneModel{}, skipped: map[events.LaneID]bool{}, dismissed: map[events.Fingerprint]bool{}}
}

// Bounds of what one run may write: so much for itself, and so much for each time
// that a lane is asked for. Findings are counted apart.
const (
	appendsOfRun  = 20
	appendsOfLane = 8
)

func (c *checker) run(e *events.Event, p events.Payload) {
	r := c.runs[events.RunID(e.Stream.Subject())]
	if r == nil {
		c.fail(e.Ref(), "nobody requested this run")
		return
	}
	if r.ended {
		c.fail(e.Ref(), "%s after run.ended", e.Type)
	}
	if _, wait := p.(*events.LaneWaiting); wait {
		r.waits++
		c.waits(r, e)
		return
	}
	if r.appends++; r.appends > appendsOfRun+appendsOfLane*r.requests+r.findings {
		c.fail(e.Ref(), "%d events for %d requests and %d findings", r.appends, r.requests, r.findings)
	}
	switch p := p.(type) {
	case *events.WorkspaceRequested:
		r.listed = 0
	case *events.WorkspaceListed:
		r.listed += len(p.Files)
	case *events.WorkspaceReady:
		if p.Listed != r.listed {
			c.fail(e.Ref(), "the list has %d files on its pages, and %d are on record", p.Listed, r.listed)
		}
	case *events.LaneSkipped:
		if r.skipped[p.Lane] || r.lanes[p.Lane] != nil {
			c.fail(e.Ref(), "lane %s is skipped, and was asked for or skipped before", p.Lane)
		}
		r.skipped[p.Lane] = true
	case *events.VerdictReached:
		c.reached(r, e, p)
	case *events.RunEnded:
		r.ended = true
		for id, l := range r.lanes {
			if l.live {
				c.fail(e.Ref(), "run.ended while lane %s runs", id)
			}
		}
	default:
		c.lane(r, e, p)
	}
}

// waits: an account looks again at least so often, as long as the run lasts, and
// whenever its limits are changed.
func (c *checker) waits(r *runModel, e *events.Event) {
	rules := c.world.scenario.Rules
	looks := int(rules.PR.RunDeadline/rules.Account.ProbeLookMS) + 1 + 10*c.world.scenario.Stimuli.Limits
	if r.waits > looks*r.requests {
		c.fail(e.Ref(), "a lane is told %d times to wait", r.waits)
	}
}

func (c *checker) lane(r *runModel, e *events.Event, p events.Payload) {
	end := func(id events.LaneID, attempt int, good bool) *laneModel {
		l := r.lanes[id]
		if l == nil || !l.live || l.attempt != attempt {
			c.fail(e.Ref(), "%s of attempt %d of lane %s, which does not run", e.Type, attempt, id)
			return &laneModel{left: map[string]bool{}}
		}
		l.live, l.done = false, good
		return l
	}
	switch p := p.(type) {
	case *events.LaneRequested:
		c.requested(r, e, p)
	case *events.LaneBegan:
		l := r.lanes[p.Lane]
		if l == nil || l.live || l.attempt != p.Attempt || l.began[p.Attempt] != 0 {
			c.fail(e.Ref(), "attempt %d of lane %s begins", p.Attempt, p.Lane)
			return
		}
		l.live, l.began[p.Attempt], l.owner[p.Attempt] = true, p.Generation, p.Owner
	case *events.FindingRaised:
		r.findings++
		l := r.lanes[p.Lane]
		if l == nil || !l.live || l.attempt != p.Attempt {
			c.fail(e.Ref(), "a finding of attempt %d of lane %s, which does not run", p.Attempt, p.Lane)
			return
		}
		if p.Finding.Severity.Weight() > l.found[p.Finding.Fingerprint].Weight() {
			l.found[p.Finding.Fingerprint] = p.Finding.Severity
		}
		l.sight(p)
	case *events.FindingWithheld:
		r.findings++
		r.lanes[p.Lane].sight(p)
	case *events.LaneCovered:
		r.lanes[p.Lane].sight(p)
	case *events.LaneCompleted:
		end(p.Lane, p.Attempt, true).sight(p)
	case *events.LaneFailed:
		l := end(p.Lane, p.Attempt, false)
		if p.Kind == events.FailureUsageLimit {
			l.excused++
			l.down = p.Account == events.AccountUnmetered // and waits for the reset
		} else {
			l.failures++
		}
	case *events.LaneStopped:
		end(p.Lane, p.Attempt, false).down = true
	case *events.LaneDeferred: // or, after a stop that nobody asked for or at a limit, wanted again
		if l := r.lanes[p.Lane]; l != nil && l.down && l.attempt == p.Attempt {
			l.down = false
			l.excused++
			return
		}
		end(p.Lane, p.Attempt, false).excused++
	}
}

// requested holds each request against the bound: the lane's tries, and one more
// for each that was not the lane's fault.
func (c *checker) requested(r *runModel, e *events.Event, p *events.LaneRequested) {
	r.requests++
	l := r.lanes[p.Lane]
	if l == nil {
		l = &laneModel{began: map[int]int64{}, owner: map[int]events.BootID{}}
		r.lanes[p.Lane] = l
	}
	if r.skipped[p.Lane] {
		c.fail(e.Ref(), "lane %s is requested, and was skipped", p.Lane)
	}
	if l.live || p.Attempt != l.attempt+1 {
		c.fail(e.Ref(), "attempt %d of lane %s is requested after %d", p.Attempt, p.Lane, l.attempt)
	}
	rules := c.world.scenario.Rules.Run
	if p.Attempt > rules.LaneTries+l.excused || p.Attempt > rules.LaneRequestsMax+1 {
		c.fail(e.Ref(), "request %d of lane %s after %d failures and %d excuses", p.Attempt, p.Lane, l.failures, l.excused)
	}
	l.attempt, l.done, l.down, l.found = p.Attempt, false, false, map[events.Fingerprint]events.Severity{}
	l.sight(p)
}

// reached computes the counts anew, of lanes with a good end alone.
func (c *checker) reached(r *runModel, e *events.Event, p *events.VerdictReached) {
	worst := map[events.Fingerprint]events.Severity{}
	for id, l := range r.lanes {
		if l.live {
			c.fail(e.Ref(), "a verdict while lane %s runs", id)
		}
		if !l.done {
			continue
		}
		for f, s := range l.found {
			if s.Weight() > worst[f].Weight() {
				worst[f] = s
			}
		}
	}
	var counts events.Counts
	for f, s := range worst {
		if r.dismissed[f] {
			continue
		}
		switch s {
		case events.SeverityBlocking:
			counts.Blocking++
		case events.SeveritySuggestion:
			counts.Suggestion++
		case events.SeverityNitpick:
			counts.Nitpick++
		}
	}
	if counts != p.Counts || len(p.Numbers) != len(worst) {
		c.fail(e.Ref(), "the verdict counts %+v and %d numbers; the good lanes found %+v", p.Counts, len(p.Numbers), counts)
	}
	for _, n := range p.Numbers {
		if worst[n.Fingerprint] == "" {
			c.fail(e.Ref(), "number %d is of %s, which no good lane found", n.Number, n.Fingerprint)
		}
	}
	r.verdict = p.Verdict
}

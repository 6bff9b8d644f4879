package virtual

import (
	"fmt"
	"slices"

	"github.com/reviewctl/reviewctl/events"
)

// forgeModel: a head that is held back is judged only when a person asks, what is
// wanted of the label follows from the head and its published review, and what is
// asked for is called by the newest names.
type forgeModel struct {
	repo    events.RepoName
	title   string
	baseRef string
	closed  bool

	held     *events.HeadSkipped // what stands of the newest
	asked    bool                // by a person, since then
	ended    events.Payload      // how the newest head's business ended
	runBase  map[events.RunID]string
	verdicts map[events.RunID]events.Verdict
	reviews  []reviewModel
	wanted   *events.LabelWanted // the newest
	failed   *events.LabelFailed // the newest try, where it failed
}

type reviewModel struct {
	head    events.Commit
	baseRef string
	verdict events.Verdict
}

func newForgeModel() *forgeModel {
	return &forgeModel{runBase: map[events.RunID]string{}, verdicts: map[events.RunID]events.Verdict{}}
}

func (c *checker) forge(m *pullModel, e *events.Event, p events.Payload) {
	f := m.forge
	switch p := p.(type) {
	case *events.PROpened:
		f.repo, f.title = p.Repo, p.Title
	case *events.PRDescribed:
		if f.repo == p.Repo && f.title == p.Title {
			c.fail(e.Ref(), "nothing is called otherwise")
		}
		f.repo, f.title = p.Repo, p.Title
	case *events.HeadSkipped:
		c.skipped(m, e, p)
	case *events.HeadQueued:
		f.baseRef, f.closed, f.ended = p.BaseRef, false, nil
		if p.Trigger == events.TriggerManual || p.Trigger == events.TriggerRetry {
			f.asked = f.asked || p.Trigger == events.TriggerManual || p.Why == ""
		} else {
			f.held, f.asked = nil, false
		}
	case *events.RunRequested:
		f.runBase[p.Run] = p.BaseRef
		if p.Repo != f.repo {
			c.fail(e.Ref(), "the run is of %s, which is called %s", p.Repo, f.repo)
		}
		if f.held != nil && f.held.Head == p.Head && !f.asked {
			c.fail(e.Ref(), "a run of %s is requested, which is held back (%s)", p.Head, f.held.Cause)
		}
	case *events.HeadClosed:
		f.closed, f.held, f.asked, f.ended = true, nil, false, p
	case *events.HeadCancelled:
		f.held, f.asked, f.ended = nil, false, p
	case *events.HeadSettled:
		f.ended = p
	case *events.VerdictAdopted:
		f.verdicts[p.Run] = p.Verdict
	case *events.VerdictPublished:
		f.reviews = append(f.reviews, reviewModel{p.Head, f.runBase[p.Run], f.verdicts[p.Run]})
	default:
		c.label(f, e, p)
	}
}

// skipped: once for each head and cause, and never what a person asked for.
func (c *checker) skipped(m *pullModel, e *events.Event, p *events.HeadSkipped) {
	f := m.forge
	c.world.count("skipped." + string(p.Cause))
	if p.Run != "" {
		c.world.count("skipped.run")
		if p.Run != m.run || m.asked(c) {
			c.fail(e.Ref(), "run %s is taken from whom asked for it, or is not %s", p.Run, m.run)
		}
	}
	if k := f.held; k != nil && !f.asked && k.Head == p.Head && k.Cause == p.Cause && k.BaseRef == p.BaseRef && m.head == p.Head {
		c.fail(e.Ref(), "%s is held back twice as %s", p.Head, p.Cause)
	}
	if p.Cause == events.HoldReviewed && !slices.ContainsFunc(f.reviews, func(r reviewModel) bool {
		return r.head == p.Head && r.baseRef == p.BaseRef
	}) {
		c.fail(e.Ref(), "%s was never reviewed", p.Head)
	}
	f.held, f.asked, f.baseRef, f.closed, f.ended = p, false, p.BaseRef, false, p
	clear(m.rounds.noted)
}

// asked reports whether a person asked for the run that counts.
func (m *pullModel) asked(c *checker) bool {
	r := c.runs[m.run]
	return r != nil && (r.owner != events.OwnerAny || r.trigger == events.TriggerManual) || len(m.rounds.noted) > 0
}

func (c *checker) label(f *forgeModel, e *events.Event, p events.Payload) {
	switch p := p.(type) {
	case *events.LabelWanted:
		if p.Verdict != f.want(e, c) {
			c.fail(e.Ref(), "label %q is wanted, and should be %q", p.Verdict, f.want(e, c))
		}
		f.wanted, f.failed = p, nil
	case *events.LabelFailed:
		f.failed = p
		if p.NextAt.IsZero() {
			c.world.count("label.rests")
		}
	case *events.LabelSynced:
		f.failed = nil
	}
}

// want is the label that the log asks for.
func (f *forgeModel) want(e *events.Event, c *checker) events.Verdict {
	for _, r := range slices.Backward(f.reviews) {
		if !f.closed && r.head == c.pulls[e.Stream].head && r.baseRef == f.baseRef {
			return r.verdict
		}
	}
	return ""
}

// labelled: after an append to a pull request the newest want is the right one.
func (c *checker) labelled(at events.Ref) {
	m := c.pulls[at.Stream]
	if m == nil || c.world.scenario.Rules.PR.LabelLease == 0 {
		return
	}
	var was events.Verdict
	if m.forge.wanted != nil {
		was = m.forge.wanted.Verdict
	}
	if want := m.forge.want(&events.Event{Stream: at.Stream}, c); want != was {
		c.fail(at, "label %q is wanted, and should be %q", was, want)
	}
}

// forgeAtRest: what the forge shows is what the log says, and nothing that could
// be judged was forgotten.
func (c *checker) forgeAtRest(p *pull, m *pullModel) {
	at, f := events.Ref{Stream: p.stream}, m.forge
	if rests := f.failed != nil && f.failed.NextAt.IsZero(); !rests && !c.world.scenario.Forge.NoLabels {
		want := []events.Verdict{}
		if v := f.want(&events.Event{Stream: p.stream}, c); v != "" {
			want = append(want, v)
		}
		if fmt.Sprint(want) != fmt.Sprint(p.labels) {
			c.fail(at, "it carries the labels %v, and should %v", p.labels, want)
		}
	}
	if p.closed || c.world.scenario.Local {
		return
	}
	if f.repo != p.repo || f.title != p.title {
		c.fail(at, "it is %s %q, and on record as %s %q", p.repo, p.title, f.repo, f.title)
	}
	switch end := f.ended.(type) {
	case *events.HeadSkipped:
		if end.Cause != events.HoldReviewed && !p.held() {
			c.fail(at, "%s is held back (%s), and nothing holds it", end.Head, end.Cause)
		}
	case *events.HeadSettled:
		if c.world.scenario.Target == events.TargetForge && end.Outcome.Reviewed() && !m.stuck && !p.held() && !p.marked(p.head) {
			c.fail(at, "%s was reviewed, and nobody can see it", end.Head)
		}
	}
}

package virtual

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// roundModel: a number is never given twice, a dismissed finding counts only on
// other code, a fixed one was looked for, and no trigger is lost.
type roundModel struct {
	numbers    map[events.Fingerprint]int
	highest    int
	seen       map[int]*seenModel // by number, of the newest run
	open       map[int]bool
	fixed      map[int]events.Commit // the head at which it was gone
	dismissals map[int]*dismissalModel
	pending    *events.FindingsNumbered
	lifted     map[int]*dismissalModel // by pending
	noted      map[events.Version]time.Time
}

type seenModel struct {
	file    string
	engines map[events.EngineName]bool
}

type dismissalModel struct {
	reason string
	code   map[events.CodePrint]bool
}

// sightModel is what a lane said of one finding.
type sightModel struct {
	file string
	code map[events.CodePrint]bool
}

func newRoundModel() *roundModel {
	return &roundModel{
		numbers: map[events.Fingerprint]int{}, seen: map[int]*seenModel{}, open: map[int]bool{},
		fixed: map[int]events.Commit{}, dismissals: map[int]*dismissalModel{}, noted: map[events.Version]time.Time{},
	}
}

// round holds the events of a pull request against its rounds.
func (c *checker) round(m *roundModel, e *events.Event, p events.Payload) {
	switch p := p.(type) {
	case *events.FindingsNumbered:
		c.numbered(m, e, p)
	case *events.VerdictAdopted:
		m.adopt(p)
	case *events.FindingDismissed:
		c.world.count("dismissed")
		d := &dismissalModel{reason: p.Reason, code: map[events.CodePrint]bool{}}
		for _, code := range p.Code {
			d.code[code] = true
		}
		if m.numbers[p.Fingerprint] != p.Number || len(d.code) == 0 {
			c.fail(e.Ref(), "#%d is dismissed as %s, with %d prints", p.Number, p.Fingerprint, len(d.code))
		}
		m.dismissals[p.Number] = d
	case *events.FindingReopened:
		c.world.count("reopened")
		if m.dismissals[p.Number] == nil {
			c.fail(e.Ref(), "#%d is reopened, and was not dismissed", p.Number)
		}
		delete(m.dismissals, p.Number)
	case *events.TriggerNoted:
		m.noted[e.Version] = e.Time
	case *events.TriggersAnswered:
		for _, a := range p.Answers {
			at, waits := m.noted[a.Version]
			if !waits || at.After(c.fleet.admitted[p.Run]) {
				c.fail(e.Ref(), "run %s, admitted at %s, answers what was asked for at %s", p.Run, c.fleet.admitted[p.Run], at)
			}
			c.world.count("trigger.folded")
			delete(m.noted, a.Version)
		}
	case *events.HeadQueued:
		if p.Owner == events.OwnerAny {
			clear(m.noted)
		}
	case *events.HeadCancelled, *events.HeadClosed:
		clear(m.noted)
	}
}

// numbered computes the answer to a run anew, from what its lanes said.
func (c *checker) numbered(m *roundModel, e *events.Event, p *events.FindingsNumbered) {
	r := c.runs[p.Run]
	taken := map[int]bool{}
	m.lifted = map[int]*dismissalModel{}
	for i := range p.Numbers {
		n := &p.Numbers[i]
		switch {
		case taken[n.Number]:
			c.fail(e.Ref(), "number %d is given to two findings", n.Number)
		case n.New && n.Number != m.highest+1:
			c.fail(e.Ref(), "the new number %d follows %d", n.Number, m.highest)
		case n.Was != "" && (m.numbers[n.Was] != n.Number || m.numbers[n.Fingerprint] != 0):
			c.fail(e.Ref(), "number %d of %s becomes that of %s", m.numbers[n.Was], n.Was, n.Fingerprint)
		case !n.New && n.Was == "" && m.numbers[n.Fingerprint] != n.Number:
			c.fail(e.Ref(), "%s had number %d, and has %d", n.Fingerprint, m.numbers[n.Fingerprint], n.Number)
		}
		if n.Was != "" {
			c.world.count("finding.moved")
			delete(m.numbers, n.Was)
		}
		taken[n.Number] = true
		m.numbers[n.Fingerprint] = n.Number
		m.highest = max(m.highest, n.Number)
		c.withheld(m, e, r, n)
		m.seen[n.Number] = r.seen(n.Fingerprint)
	}
	for i := range p.Fixed {
		c.world.count("finding.fixed")
		n := &p.Fixed[i]
		if taken[n.Number] || m.numbers[n.Fingerprint] != n.Number || !m.open[n.Number] && m.fixed[n.Number] != r.head {
			c.fail(e.Ref(), "#%d of %s is fixed, which was not open", n.Number, n.Fingerprint)
		}
		if !r.lookedFor(m.seen[n.Number], n.Fingerprint) {
			c.fail(e.Ref(), "#%d is fixed, and nobody looked for it", n.Number)
		}
	}
	m.pending = p
}

// withheld: a dismissal holds if and only if all the code is what was dismissed.
func (c *checker) withheld(m *roundModel, e *events.Event, r *runModel, n *events.Number) {
	d := m.dismissals[n.Number]
	same := d != nil
	for code := range r.code(n.Fingerprint) {
		same = same && d.code[code]
	}
	if same != n.Dismissed() {
		c.fail(e.Ref(), "#%d is dismissed: %t; its code is what was dismissed: %t", n.Number, n.Dismissed(), same)
	}
	if same {
		c.world.count("finding.withheld_by_word")
		r.dismissed[n.Fingerprint] = true
	}
	if d != nil && !same {
		m.lifted[n.Number] = d
	}
}

func (m *roundModel) adopt(p *events.VerdictAdopted) {
	if m.pending == nil || m.pending.Run != p.Run {
		return
	}
	for _, n := range m.pending.Numbers {
		m.open[n.Number] = true
		delete(m.fixed, n.Number)
		if m.dismissals[n.Number] != nil && m.dismissals[n.Number] == m.lifted[n.Number] {
			delete(m.dismissals, n.Number)
		}
	}
	for _, n := range m.pending.Fixed {
		delete(m.open, n.Number)
		m.fixed[n.Number] = p.Head
	}
	m.pending = nil
}

// code is of every place where a good lane saw the finding.
func (r *runModel) code(f events.Fingerprint) map[events.CodePrint]bool {
	all := map[events.CodePrint]bool{}
	for _, l := range r.lanes {
		if s := l.sights[f]; s != nil && l.done {
			for code := range s.code {
				all[code] = true
			}
		}
	}
	return all
}

func (r *runModel) seen(f events.Fingerprint) *seenModel {
	seen := &seenModel{engines: map[events.EngineName]bool{}}
	for _, l := range r.lanes {
		if s := l.sights[f]; s != nil && l.done {
			seen.file = s.file
			seen.engines[l.engine] = true
		}
	}
	return seen
}

// lookedFor reports whether an engine that raised the finding looked at its file
// again, and each of those that were asked did.
func (r *runModel) lookedFor(s *seenModel, f events.Fingerprint) bool {
	looked := false
	for _, l := range r.lanes {
		if !s.engines[l.engine] {
			continue
		}
		if !l.done || l.unlisted || l.left[s.file] || l.hidden[f] || l.sights[f] != nil {
			return false
		}
		looked = true
	}
	return looked
}

// sight notes what a lane said of a finding, or of files.
func (l *laneModel) sight(p events.Payload) {
	switch p := p.(type) {
	case *events.FindingRaised:
		s := l.sights[p.Finding.Fingerprint]
		if s == nil {
			s = &sightModel{file: p.Finding.File, code: map[events.CodePrint]bool{}}
			l.sights[p.Finding.Fingerprint] = s
		}
		s.code[p.Finding.Code] = true
	case *events.FindingWithheld:
		l.hidden[p.Finding.Fingerprint] = true
	case *events.LaneCovered:
		l.leave(p.Skipped)
	case *events.LaneCompleted:
		l.leave(p.Skipped)
		l.unlisted = p.Unlisted > 0
	case *events.LaneRequested:
		l.engine, l.unlisted = p.Engine, false
		l.sights, l.left, l.hidden = map[events.Fingerprint]*sightModel{}, map[string]bool{}, map[events.Fingerprint]bool{}
	}
}

func (l *laneModel) leave(files []events.FileCoverage) {
	for _, f := range files {
		l.left[f.Path] = true
	}
}

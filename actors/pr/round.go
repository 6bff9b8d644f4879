package pr

import (
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of one answer to a run, so that it stays an event of an ordinary size. What
// is fixed beyond them the next review says; a reason beyond them is in its event.
const (
	FixedMax   = 1000
	ReasonsMax = 100 << 10 // bytes of all reasons of dismissals
)

// Known is what is known of a numbered finding.
type Known struct {
	Seen      events.Sighting `json:"seen"`            // as the newest run saw it
	Open      bool            `json:"open,omitempty"`  // an adopted review has it, and none since has missed it
	Fixed     events.Commit   `json:"fixed,omitempty"` // the head at which it was gone
	Dismissal *Dismissal      `json:"dismissal,omitempty"`
	Said      time.Time       `json:"said,omitzero"` // of the newest word on it, or when one ended: older ones are void
}

// Dismissal is a person's word on a finding, and the code that it is about.
type Dismissal struct {
	Reason string             `json:"reason"`
	Code   []events.CodePrint `json:"code"`
	Event  events.Ref         `json:"event"`
}

// number gives each finding of the run its number: the old one where the pull
// request knows its fingerprint, or the same remark on the same code in a file that
// is no more, else the next, in the order they come in. It says which dismissals
// hold, and what has gone. (semantics 13.1, 13.3, 13.4)
func number(s *State, c NumberFindings) []events.Payload {
	if s.Run == nil || s.Run.Run != c.Run || s.Named { // guard: a run is numbered twice, or one that does not count
		return nil
	}
	r := round{s: s, c: c, next: s.Next, here: map[events.Fingerprint]bool{}}
	for _, f := range c.Fingerprints {
		r.here[f] = true
	}
	numbered := events.FindingsNumbered{Run: c.Run, Numbers: make([]events.Number, 0, len(c.Fingerprints))}
	for i, f := range c.Fingerprints {
		n := r.numberOf(f, r.seen(i))
		r.here[n.Was] = true
		numbered.Numbers = append(numbered.Numbers, n)
	}
	numbered.Fixed = r.fixed()
	return []events.Payload{&numbered}
}

// round is one review's findings held against those of the reviews before.
type round struct {
	s    *State
	c    NumberFindings
	next int
	said int                         // bytes of reasons
	here map[events.Fingerprint]bool // found by this run, or known to be one of those
}

func (r *round) seen(i int) *events.Sighting {
	if i < len(r.c.Seen) {
		return &r.c.Seen[i]
	}
	return nil
}

func (r *round) numberOf(f events.Fingerprint, seen *events.Sighting) events.Number {
	n := events.Number{Fingerprint: f, Number: r.s.Numbers[f], Seen: seen}
	known := r.s.Known[f]
	if n.Number == 0 {
		if n.Was = r.moved(seen); n.Was != "" {
			n.Number, known = r.s.Numbers[n.Was], r.s.Known[n.Was]
		} else {
			r.next++
			n.Number, n.New = r.next, true
		}
	}
	if known == nil {
		return n
	}
	n.Again = known.Fixed != ""
	if d := known.Dismissal; d != nil && seen != nil && len(seen.Code) > 0 {
		n.Dismissal = r.word(d)
		n.Dismissal.Over = !seen.Within(d.Code)
	}
	return n
}

// word repeats a dismissal.
func (r *round) word(d *Dismissal) *events.Dismissal {
	reason := d.Reason
	if r.said += len(reason); r.said > ReasonsMax { // guard: the reasons of a round are no event's size
		reason = "see " + d.Event.String()
	}
	return &events.Dismissal{Reason: reason, Event: d.Event}
}

// moved finds the finding that this one was before its file was renamed, or its
// code moved to another file: the same remark on the same code, which was in
// another file and is seen there no more. Of several it is the one with the lowest
// number.
func (r *round) moved(seen *events.Sighting) events.Fingerprint {
	if seen == nil || len(seen.Code) == 0 {
		return ""
	}
	for _, f := range r.s.byNumber() {
		known := r.s.Known[f]
		if r.here[f] || r.withheld(f) || known.Seen.File == seen.File { // guard: a finding that is still there gives its number away
			continue
		}
		if slices.ContainsFunc(seen.Code, func(c events.CodePrint) bool { return slices.Contains(known.Seen.Code, c) }) {
			return f
		}
	}
	return ""
}

func (r *round) withheld(f events.Fingerprint) bool {
	return slices.ContainsFunc(r.c.Looked, func(l events.Look) bool { return slices.Contains(l.Withheld, f) })
}

// fixed lists what has gone since the last review of another head: a second review
// of the same head says the same.
func (r *round) fixed() []events.Number {
	var gone []events.Number
	for _, f := range r.s.byNumber() {
		known := r.s.Known[f]
		if r.here[f] || !r.s.prior(known, r.c.Head) || !r.looked(f, known) {
			continue
		}
		n := events.Number{Fingerprint: f, Number: r.s.Numbers[f]}
		if d := known.Dismissal; d != nil {
			n.Dismissal = r.word(d)
		}
		if gone = append(gone, n); len(gone) == FixedMax { // guard: what is fixed in a round is no event's size
			break
		}
	}
	return gone
}

// looked reports whether the finding was looked for and not found. At least one of
// the engines that raised it must have looked at its file to the end, and none of
// those that were asked may have failed to.
func (r *round) looked(f events.Fingerprint, known *Known) bool {
	looked := false
	for i := range r.c.Looked {
		l := &r.c.Looked[i]
		if !slices.Contains(known.Seen.Engines, l.Engine) { // guard: another engine says that a finding is fixed
			continue
		}
		if !l.Done || slices.Contains(l.Skipped, known.Seen.File) || slices.Contains(l.Withheld, f) { // guard: a finding that nobody looked for is fixed
			return false
		}
		looked = true
	}
	return looked
}

// prior reports whether a review of the head may say that the finding is fixed.
func (s *State) prior(k *Known, head events.Commit) bool {
	return k.Open || k.Fixed == head && head != ""
}

// priors counts those findings. Where there are none, a run that finds nothing
// need not ask.
func (s *State) priors(head events.Commit) int {
	n := 0
	for _, k := range s.Known {
		if s.prior(k, head) {
			n++
		}
	}
	return n
}

// byNumber lists the known fingerprints in the order of their numbers.
func (s *State) byNumber() []events.Fingerprint {
	all := make([]events.Fingerprint, 0, len(s.Known))
	for f := range s.Known {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b events.Fingerprint) int { return s.Numbers[a] - s.Numbers[b] })
	return all
}

func (s *State) foldNumbers(p *events.FindingsNumbered) {
	s.Named, s.Round = true, p
	for i := range p.Numbers {
		n := &p.Numbers[i]
		if s.Numbers == nil {
			s.Numbers = make(map[events.Fingerprint]int, len(p.Numbers))
		}
		s.Numbers[n.Fingerprint] = n.Number
		s.Next = max(s.Next, n.Number)
		if n.Was != "" { // guard: two findings have one number
			s.Known[n.Fingerprint] = s.Known[n.Was]
			delete(s.Known, n.Was)
			delete(s.Numbers, n.Was)
		}
		if n.Seen != nil {
			s.know(n.Fingerprint).Seen = *n.Seen
		}
	}
}

func (s *State) know(f events.Fingerprint) *Known {
	k := s.Known[f]
	if k == nil {
		if s.Known == nil {
			s.Known = map[events.Fingerprint]*Known{}
		}
		k = &Known{}
		s.Known[f] = k
	}
	return k
}

// foldRound makes what a run said of earlier findings hold: its verdict stands.
func (s *State) foldRound(at time.Time, p *events.VerdictAdopted) {
	round := s.Round
	s.Round = nil
	if round == nil || round.Run != p.Run {
		return
	}
	for i := range round.Numbers {
		n := &round.Numbers[i]
		k := s.Known[n.Fingerprint]
		if k == nil {
			continue
		}
		k.Open, k.Fixed = true, ""
		if d := n.Dismissal; d != nil && d.Over && k.Dismissal != nil && k.Dismissal.Event == d.Event { // guard: a new dismissal ends with the old
			k.Dismissal, k.Said = nil, at
		}
	}
	for i := range round.Fixed {
		if k := s.Known[round.Fixed[i].Fingerprint]; k != nil {
			k.Open, k.Fixed = false, p.Head
		}
	}
}

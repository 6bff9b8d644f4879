package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of what numbers.requested says beside the fingerprints, so that the answer
// stays an event of an ordinary size. A finding without a sighting is numbered, and
// nothing more is known of it; an engine with longer lists has not looked.
const (
	SightingsMax = 1000 // findings of one run
	PrintsMax    = 64   // places of one finding
	LookFilesMax = 500  // files that one lane left out
)

// askNumbers asks the pull request for the numbers of the findings that count, and
// tells it what became of those of earlier reviews.
func (d *draft) askNumbers(found []Found) {
	asked := events.NumbersRequested{
		PR: d.s.Started.PR, Head: d.s.Started.Head, Fingerprints: make([]events.Fingerprint, 0, len(found)),
	}
	known := false
	for _, f := range found {
		asked.Fingerprints = append(asked.Fingerprints, f.Fingerprint)
		if len(asked.Seen) < SightingsMax { // guard: the sightings of a run are no event's size
			sighting := d.sighting(f.Fingerprint)
			known = known || len(sighting.Code) > 0
			asked.Seen = append(asked.Seen, sighting)
		}
	}
	if !known {
		asked.Seen = nil
	}
	if d.s.Started.Prior > 0 {
		asked.Looked = d.looks()
	}
	d.emit(&asked)
}

// sighting gathers where the lanes that came to a good end saw a finding.
func (d *draft) sighting(f events.Fingerprint) events.Sighting {
	var s events.Sighting
	for i := range d.s.Lanes {
		l := &d.s.Lanes[i]
		if l.Status != LaneDone {
			continue
		}
		for _, found := range l.Findings {
			if found.Fingerprint != f || found.Code == "" {
				continue
			}
			s.File = found.File
			if !slices.Contains(s.Code, found.Code) {
				s.Code = append(s.Code, found.Code)
			}
			if !slices.Contains(s.Engines, l.Engine) {
				s.Engines = append(s.Engines, l.Engine)
			}
		}
	}
	slices.Sort(s.Code)
	if len(s.Code) > PrintsMax { // guard: the places of one finding are no event's size
		var all strings.Builder
		for _, c := range s.Code {
			all.WriteString(string(c))
		}
		s.Code = []events.CodePrint{events.PrintCode("", "", all.String())}
	}
	return s
}

// looks says for each lane whether it may say that something is gone: it came to a
// good end, and all that it left out and withheld is listed.
func (d *draft) looks() []events.Look {
	looks := make([]events.Look, 0, len(d.s.Lanes))
	for i := range d.s.Lanes {
		l := &d.s.Lanes[i]
		look := events.Look{Engine: l.Engine}
		skipped := slices.Concat(l.Left, d.s.Workspace.Ungiven)
		if l.Kind != string(StaticEngine) {
			skipped = append(skipped, d.s.Workspace.Spared...)
		}
		slices.Sort(skipped)
		skipped = slices.Compact(skipped)
		if l.Status == LaneDone && l.Unlisted == 0 && len(skipped) <= LookFilesMax { // guard: a lane that did not look says that findings are gone
			look.Done, look.Skipped, look.Withheld = true, skipped, slices.Clone(l.Hidden)
			slices.Sort(look.Withheld)
			look.Withheld = slices.Compact(look.Withheld)
		}
		looks = append(looks, look)
	}
	return looks
}

// rounds reports whether earlier findings may be fixed, so that what is left out has
// to be remembered.
func (s *State) rounds() bool { return s.Started != nil && s.Started.Prior > 0 }

// hide notes a finding that was seen and withheld. One that stands for others of its
// file hides them all.
func (l *Lane) hide(p *events.FindingWithheld) {
	l.Hidden = append(l.Hidden, p.Finding.Fingerprint)
	if p.Unlisted > 0 { // guard: what is only counted is fixed
		l.Left = append(l.Left, events.KeyOfFile(p.Finding.File))
	}
}

// left notes the files that a lane did not fully review, for whatever reason.
func (l *Lane) left(files []events.FileCoverage) {
	for i := range files {
		l.Left = append(l.Left, events.KeyOfFile(files[i].Path))
	}
}

// gate notes the changed files that no engine is given, and those that only the
// embedded one is.
func (w *Workspace) gate(files []events.ChangedFile) {
	for i := range files {
		switch f := &files[i]; {
		case f.Excluded == events.ExcludedConfigured, f.TooLarge != "", f.Unwritten != "":
			w.Ungiven = append(w.Ungiven, events.KeyOfFile(f.Path))
		case f.Excluded != "":
			w.Spared = append(w.Spared, events.KeyOfFile(f.Path))
		}
	}
}

// counting are the findings that no dismissal withholds.
func counting(found []Found, c *ReachVerdict) []Found {
	if c == nil {
		return found
	}
	dismissed := map[events.Fingerprint]bool{}
	for i := range c.Numbers {
		if n := &c.Numbers[i]; n.Dismissed() { // guard: a dismissed finding counts
			dismissed[n.Fingerprint] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(found), func(f Found) bool { return dismissed[f.Fingerprint] })
}

// numbersOf are the numbers as the verdict repeats them: without what was seen.
func numbersOf(all []events.Number) []events.Number {
	numbers := slices.Clone(all)
	for i := range numbers {
		numbers[i].Seen = nil
	}
	return numbers
}

// DismissedMax bounds the dismissals that a verdict's tree repeats one by one.
const DismissedMax = 50

// roundReasons say what this review has to do with the ones before it.
func roundReasons(c *ReachVerdict) []events.Reason {
	reasons := []events.Reason{{
		Rule: "numbers", Text: fmt.Sprintf("%d findings have their numbers", len(c.Numbers)),
		Outcome: "numbered", Events: []events.Ref{c.From},
	}}
	more := 0
	for i := range c.Numbers {
		n := &c.Numbers[i]
		switch {
		case n.Dismissal == nil:
		case len(reasons) > DismissedMax: // guard: the reasons of a verdict are no event's size
			more++
		default:
			reasons = append(reasons, dismissedReason(n))
		}
	}
	if more > 0 {
		reasons = append(reasons, events.Reason{
			Rule: "dismissed", Text: fmt.Sprintf("%d more were dismissed", more), Outcome: "withheld", Events: []events.Ref{c.From},
		})
	}
	if len(c.Fixed) > 0 {
		reasons = append(reasons, events.Reason{
			Rule: "fixed", Text: fmt.Sprintf("%d findings of earlier reviews are fixed", len(c.Fixed)),
			Outcome: "fixed", Events: []events.Ref{c.From},
		})
	}
	return reasons
}

func dismissedReason(n *events.Number) events.Reason {
	why := events.Reason{
		Rule: "dismissed", Text: fmt.Sprintf("#%d is dismissed: %s", n.Number, n.Dismissal.Reason),
		Outcome: "withheld", Events: []events.Ref{n.Dismissal.Event},
	}
	if n.Dismissal.Over {
		why.Text, why.Outcome = fmt.Sprintf("#%d was dismissed, and the code beneath it has changed", n.Number), "open"
	}
	return why
}

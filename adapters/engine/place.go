package engine

import (
	"fmt"
	"os"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// placer decides where findings of one change can stand. What it says of a finding
// hangs on that finding and the change alone.
type placer struct {
	dirs    []string          // the checkout, as it is named and as it is
	root    *os.Root          // the checkout; nil where it cannot be read
	diff    *diff.Change      //
	shown   map[string]string // a name as it is shown → its bytes, where they differ
	renamed map[string]string // a former name → the name at the head
	exact   bool              // a program counted the lines: its suggestions mean them alone
	folded  map[string]string // a name in lower case → the one that is spelled so; "" = several

	file headText // of the file that was looked at last
	rows newRows  // of the entry that was looked at last
}

func newPlacer(change *actors.Change, patch *diff.Change) *placer {
	p := &placer{
		dirs: foldersOf(change.Dir), diff: patch,
		shown: map[string]string{}, renamed: map[string]string{}, folded: map[string]string{},
	}
	if root, err := os.OpenRoot(change.Dir); err == nil {
		p.root = root
	}
	for i := range patch.Files {
		p.learn(&patch.Files[i])
	}
	return p
}

func (p *placer) close() {
	if p.root != nil {
		_ = p.root.Close()
	}
}

// place spells the finding's file as the change does, sets its lines and its
// placement, and says whether its suggestion can be applied there; or it returns
// why the finding is withheld.
func (p *placer) place(f *events.Finding) (withheld string) {
	f.LineStart, f.LineEnd = max(f.LineStart, 0), max(f.LineEnd, 0)
	if f.LineStart == 0 || f.LineEnd < f.LineStart {
		f.LineStart = f.LineEnd
	}
	withheld = p.stand(f)
	if withheld != "" {
		f.Placement = events.PlacementBody
	}
	p.suggest(f)
	return withheld
}

// stand goes down the ladder: the file, whether the change has it, the lines, and
// what is quoted of them. (semantics 14.2; cases D13, D22, D32)
func (p *placer) stand(f *events.Finding) (withheld string) {
	name := p.name(f)
	if name == "" {
		f.File, f.FileBase64 = "", ""
		f.LineStart, f.LineEnd = 0, 0
		return p.body(f, reasonWholeChange)
	}
	f.File, f.FileBase64 = diff.ShowPath(name)
	f.File = shorten(f.File, fileMax)
	entry := p.diff.File(name)
	switch {
	case entry != nil && entry.New == "": // the lines are of a file that is no more
		f.LineStart, f.LineEnd = 0, 0
		return p.body(f, reasonDeleted)
	case upwards(name):
		return reasonUpwards
	case entry == nil && !p.exists(name):
		return reasonNoFile
	}
	p.find(f, name, entry)
	if f.Placement == "" {
		p.within(f, name, entry)
	}
	return ""
}

// find puts the lines right: those that the file does not have, and those of which
// the finding quotes something else. It ends the finding's way in the body where
// they stay wrong. (cases D32 and D33)
func (p *placer) find(f *events.Finding, name string, entry *diff.File) {
	start, end := f.LineStart, f.LineEnd
	most, known := p.count(name)
	if quote := quoteLines(f.Quote); len(quote) > 0 && entry != nil && !entry.Binary {
		switch at, verdict := p.quoted(quote, f, name, entry); {
		case verdict == proofMoved:
			p.move(f, at, reasonMoved)
		case verdict == proofThere && f.Suggestion != "" && at.start <= start && at.end >= end:
			// The quote is the old text, and a suggestion replaces all of it. (case D31)
			p.move(f, at, reasonReplaces)
		case verdict == proofWrong && start > 0 && !(known && end > most):
			p.body(f, fmt.Sprintf(reasonNotQuoted, span(start, end)))
			return
		}
	}
	if !known || f.LineEnd <= most {
		return
	}
	f.PlacementReason = fmt.Sprintf(reasonFileEnds, span(start, end), most)
	if f.LineStart <= most && most > 0 {
		f.LineEnd = most
		return
	}
	f.LineStart, f.LineEnd = 0, 0
	p.body(f, f.PlacementReason)
}

// move takes the finding to other lines than it named, and says so.
func (p *placer) move(f *events.Finding, to lineRange, reason string) {
	if to.start == f.LineStart && to.end == f.LineEnd {
		return
	}
	if f.LineStart == 0 {
		f.PlacementReason = fmt.Sprintf(reasonNamesNone, span(to.start, to.end))
	} else {
		f.PlacementReason = fmt.Sprintf(reason, span(f.LineStart, f.LineEnd), span(to.start, to.end))
	}
	f.LineStart, f.LineEnd = to.start, to.end
}

// within places a finding whose file and lines are there. Where only the last line
// lies in a hunk, or the first one in another, the comment begins at the hunk.
// (semantics 14.2)
func (p *placer) within(f *events.Finding, name string, entry *diff.File) {
	switch {
	case entry == nil:
		p.body(f, reasonNotChanged)
		return
	case f.LineEnd == 0:
		p.body(f, reasonWholeFile)
		return
	}
	for i := range entry.Hunks {
		hunk := entry.Hunks[i].New
		if !hunk.Contains(f.LineEnd, f.LineEnd) {
			continue
		}
		f.Placement = events.PlacementInline
		if f.LineStart < hunk.Start {
			f.PlacementReason = fmt.Sprintf(reasonHunkBegins, span(f.LineStart, f.LineEnd), hunk.Start)
			f.LineStart = hunk.Start
			if f.Suggestion != "" && f.SuggestionReason == "" {
				f.SuggestionReason = reasonNotAllShown
			}
		}
		return
	}
	switch {
	case entry.Binary:
		p.body(f, reasonBinary)
	case p.submodule(name, entry):
		f.LineStart, f.LineEnd = 0, 0
		p.body(f, reasonSubmodule)
	case entry.Truncated: // (case D27)
		p.body(f, fmt.Sprintf(reasonNotShown, span(f.LineStart, f.LineEnd)))
	default:
		p.body(f, fmt.Sprintf(reasonOutside, are(f.LineStart, f.LineEnd)))
	}
}

// body puts the finding into the review's body. What was said before of its lines
// stays on record with the reason.
func (p *placer) body(f *events.Finding, reason string) string {
	if before := f.PlacementReason; before != "" && before != reason {
		reason = before + "; " + reason
	}
	f.Placement, f.PlacementReason = events.PlacementBody, reason
	return ""
}

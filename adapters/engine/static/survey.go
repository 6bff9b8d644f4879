package static

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// survey is one review of one change: what its files share.
type survey struct {
	engine *Engine
	scan   *scan
	change *diff.Change
	root   *os.Root // the checkout; nil where it cannot be read
	pairs  *lockPairs
	links  map[string]string

	secretsLeft, rowsLeft, syntaxLeft int // bytes that may still be looked at
}

func newSurvey(e *Engine, scan *scan, in *session.Input) *survey {
	s := &survey{
		engine: e, scan: scan, change: in.Diff, pairs: newLockPairs(in.Diff),
		secretsLeft: e.totalMax, rowsLeft: e.rowsMax, syntaxLeft: SyntaxTotalBytesMax,
	}
	if root, err := os.OpenRoot(in.Change.Dir); err == nil {
		s.root = root
	}
	return s
}

func (s *survey) close() {
	if s.root != nil {
		_ = s.root.Close()
	}
}

// linkTargets are the symlinks that the change sets.
func (s *survey) linkTargets() map[string]string {
	if s.links == nil {
		s.links = linksOf(s.change)
	}
	return s.links
}

// look applies the rules to one file. The notes say what was not looked at.
func (s *survey) look(ctx context.Context, f *diff.File) (all []events.Finding, notes []string) {
	if f.Status == diff.Deleted {
		return nil, nil
	}
	l := &look{survey: s, file: f, old: &oldSide{root: s.root, file: f}, masked: func(int) string { return "" }}
	l.credentialName()
	l.mode()
	l.size()
	switch {
	case f.Binary:
	case f.Submodule:
		l.gather(s.rowsLeft)
		l.submodule()
	default:
		all = s.text(ctx, l)
	}
	all = append(all, l.findings()...)
	slices.SortStableFunc(all, func(a, b events.Finding) int {
		return cmp.Or(cmp.Compare(a.LineStart, b.LineStart), strings.Compare(a.Rule, b.Rule))
	})
	return all, l.notes
}

// text applies the rules that read lines: secrets first, because the others must
// not quote one.
func (s *survey) text(ctx context.Context, l *look) []events.Finding {
	conflicted := conflicts(l.file, l.old)
	t := newText(l.file)
	if most := max(min(s.engine.fileMax, s.secretsLeft), 0); t.size() > most {
		l.note("only the first %d of %d added bytes were searched for secrets", most, t.size())
		t.cut(most)
	}
	s.secretsLeft -= t.size()
	found := s.scan.search(ctx, l.file.Path(), t)
	l.masked = found.maskedLine
	secrets, note := found.secrets(l.file, l.old)
	if note != "" {
		l.note("%s", note)
	}
	all := slices.Concat(conflicted, secrets)
	l.gather(s.rowsLeft)
	l.link()
	if l.file.NewMode != modeSymlink {
		l.lines(found.holds)
		l.lineEndings()
		l.locked()
		if len(conflicted) == 0 { // whose markers are no syntax either: one fault, one finding
			l.syntax(ctx)
			l.workflow(ctx)
		}
	}
	if l.file.Truncated {
		l.note("git's patch of the file is cut off")
	}
	return all
}

// gather takes the added lines of the file, within the bound of bytes.
func (l *look) gather(most int) {
	l.added = map[int]string{}
	size, left := 0, false
	for line := range l.file.AddedLines() {
		if size += len(line.Text) + 1; size > most {
			left = true
			break
		}
		l.added[line.Number] = line.Text
	}
	l.survey.rowsLeft -= min(size, most)
	if left {
		l.note("only the first %d bytes of its added lines were looked at", most)
	}
}

// lines applies the rules that need one line each.
func (l *look) lines(secret func(line int) bool) {
	lang, shapes := shapes(l.file.New)
	for line := range l.file.AddedLines() {
		row, ok := l.added[line.Number]
		if !ok {
			return // the bound of bytes
		}
		l.hiddenRunes(line.Number, row)
		l.keyArmor(line.Number, row, secret)
		l.submoduleAddress(line.Number, row)
		if lang != nil {
			l.leftover(line.Number, row, lang, shapes)
		}
	}
}

// messageMax bounds what is taken from a library's message.
const messageMax = 300

// quoted is a library's message, which may quote the file, without secrets.
func (s *survey) quoted(ctx context.Context, message string) string {
	message = strings.Join(strings.Fields(message), " ")
	if len(message) > messageMax {
		message = strings.ToValidUTF8(message[:messageMax], "") + "…"
	}
	for _, h := range slices.Backward(s.scan.find(ctx, "", message)) {
		message = fmt.Sprintf("%s[secret: %s]%s", message[:h.start], h.rule, message[h.end:])
	}
	return message
}

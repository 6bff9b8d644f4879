package static

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// survey is one review of one change: what its files share.
type survey struct {
	engine  *Engine
	scan    *scan
	change  *diff.Change
	root    *os.Root // the checkout; nil where it cannot be read
	pairs   *lockPairs
	links   map[string]string
	guarded map[string]bool // files that are excluded but for what threatens (session.Input)
	deep    *Checked        // nil = it was not asked

	secretsLeft, rowsLeft, syntaxLeft int // bytes that may still be looked at
}

func newSurvey(e *Engine, scan *scan, in *session.Input) *survey {
	s := &survey{
		engine: e, scan: scan, change: in.Diff, pairs: newLockPairs(in.Change.Files, in.Diff), guarded: in.Guarded,
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
		s.links = s.linksOf()
	}
	return s.links
}

// look applies the rules to one file.
func (s *survey) look(ctx context.Context, f *diff.File) (l *look, all []events.Finding) {
	l = &look{survey: s, file: f, old: &oldSide{root: s.root, file: f}, guarded: s.guarded[f.Path()], masked: func(int) string { return "" }}
	if f.Status == diff.Deleted {
		return l, nil
	}
	l.credentialName()
	l.secretName(ctx)
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
	if l.guarded {
		all = slices.DeleteFunc(all, func(f events.Finding) bool { return !threatens(&f) })
	}
	slices.SortStableFunc(all, func(a, b events.Finding) int {
		return cmp.Or(cmp.Compare(a.LineStart, b.LineStart), strings.Compare(a.Rule, b.Rule))
	})
	return l, all
}

// text applies the rules that read lines: secrets first, because the others must
// not quote one.
func (s *survey) text(ctx context.Context, l *look) []events.Finding {
	conflicted := conflicts(l.file, l.old)
	found, secrets := s.secrets(ctx, l)
	all := slices.Concat(conflicted, secrets)
	l.gather(s.rowsLeft)
	l.link()
	if l.file.NewMode != modeSymlink {
		l.lines(found.holds)
		l.lineEndings()
		l.locked()
		if l.guarded {
			l.workflow(ctx)
		} else if len(conflicted) == 0 || s.engine.switches.silent(conflictRule.ID) { // markers are no syntax either: one fault, one finding
			l.syntax(ctx)
			l.workflow(ctx)
			l.deep(ctx, s.deep)
		}
	}
	if l.file.Truncated {
		l.note("git's patch of the file is cut off")
	}
	return all
}

// secrets searches the added lines for secrets, within the bounds of bytes.
func (s *survey) secrets(ctx context.Context, l *look) (*found, []events.Finding) {
	most := max(min(s.engine.fileMax, s.secretsLeft), 0)
	if s.engine.switches.silent(secretRule.ID) {
		most = 0
	}
	t, size := newText(l.file, most)
	if size > most && !s.engine.switches.silent(secretRule.ID) {
		l.note("only the first %d of %d added bytes were searched for secrets", most, size)
	}
	s.secretsLeft -= min(size, most)
	found := s.scan.search(ctx, l.file.Path(), t)
	l.masked, l.known = found.maskedLine, found.replacer()
	secrets, rest, note := found.secrets(l.file, l.old)
	if rest > 0 {
		l.over(secrets[len(secrets)-1], secretRule.title, rest, SecretsPerFileMax)
	}
	if note != "" {
		l.note("%s", note)
	}
	return found, secrets
}

// gather takes the added lines of the file, within the bound of bytes.
func (l *look) gather(most int) {
	l.added = map[int]string{}
	size, left := 0, false
	for line := range l.file.AddedLines() {
		if size += len(line.Text) + 1; size > most || len(l.added) == rowsMax {
			left = true
			break
		}
		l.added[line.Number] = line.Text
	}
	l.survey.rowsLeft -= min(size, most)
	if left {
		l.note("only its first %d added lines were looked at", len(l.added))
	}
}

// lines applies the rules that need one line each.
func (l *look) lines(secret func(line int) bool) {
	lang, shapes := shapes(l.file.New)
	var read func(string) string
	if l.survey.engine.spelling {
		read = prose(l.file.New)
	}
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
		if read != nil {
			l.spell(line.Number, row, read)
		}
	}
}

package linter

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// knownMax bounds the names whose files were looked for.
const knownMax = 10_000

// gate tells the remarks on what the change added from all others.
type gate struct {
	patch *diff.Change
	left  *session.Input
	dirs  []string // the checkout, as it is named and as it is
	root  *os.Root // nil where it cannot be read
	shown map[string]string
	known map[string]bool  // a name → whether the tree has it
	added map[string][]int // a file → its added lines, in order
}

func newGate(in *session.Input) *gate {
	g := &gate{
		patch: in.Diff, left: in, dirs: []string{filepath.Clean(in.Change.Dir)},
		shown: map[string]string{}, known: map[string]bool{}, added: map[string][]int{},
	}
	if real, err := filepath.EvalSymlinks(in.Change.Dir); err == nil && real != g.dirs[0] {
		g.dirs = append(g.dirs, real)
	}
	if root, err := os.OpenRoot(in.Change.Dir); err == nil {
		g.root = root
	}
	for i := range in.Diff.Files {
		f := &in.Diff.Files[i]
		if shown, exact := diff.ShowPath(f.Path()); exact != "" {
			g.shown[shown] = f.Path()
		}
	}
	return g
}

func (g *gate) close() {
	if g.root != nil {
		_ = g.root.Close()
	}
}

// pass makes a finding of the remark, with the reason if it is withheld.
func (g *gate) pass(r *remark) (f events.Finding, withheld string) {
	f = r.finding()
	f.LineStart = max(0, f.LineStart)
	f.LineEnd = max(f.LineStart, f.LineEnd)
	if f.LineStart == 0 {
		f.LineEnd = 0
	}
	name, known := g.name(r.files)
	f.File, f.FileBase64 = diff.ShowPath(name)
	entry := g.patch.File(name)
	switch {
	case r.withdrawn != "":
		return f, r.withdrawn
	case name == "":
		return f, "the report names no file"
	case g.left.Excluded[name] != "":
		return f, g.left.Excluded[name]
	case g.left.TooLarge[name] != "":
		return f, "nothing tells the changed lines of the file: " + g.left.TooLarge[name]
	case entry != nil && entry.New == "":
		return f, "the change deletes the file"
	case entry == nil && known:
		return f, "the file is not part of the change"
	case entry == nil && path.IsAbs(name):
		return f, "the file lies outside of the checkout"
	case entry == nil:
		return f, "neither the change nor the tree has the file"
	case f.LineStart == 0 && entry.Status != diff.Added:
		return f, "about the whole of a file that was there before the change"
	case f.LineStart == 0:
		return f, ""
	}
	return f, g.lines(&f, entry, r.fix)
}

// lines wants an added line among those of the finding. It is shortened to the
// hunk of the first of them, so that it can stand there.
func (g *gate) lines(f *events.Finding, entry *diff.File, fix *fix) string {
	added := g.addedOf(entry)
	i, _ := slices.BinarySearch(added, f.LineStart)
	if i == len(added) || added[i] > f.LineEnd {
		if f.LineStart == f.LineEnd {
			return fmt.Sprintf("line %d was not changed", f.LineStart)
		}
		return fmt.Sprintf("lines %d to %d were not changed", f.LineStart, f.LineEnd)
	}
	for j := range entry.Hunks {
		hunk := entry.Hunks[j].New
		if !hunk.Contains(added[i], added[i]) {
			continue
		}
		start, end := max(f.LineStart, hunk.Start), min(f.LineEnd, hunk.Start+hunk.Count-1)
		if start != f.LineStart || end != f.LineEnd {
			f.Body = strings.TrimSpace(f.Body + fmt.Sprintf("\n\nThe linter means lines %d to %d.", f.LineStart, f.LineEnd))
			f.LineStart, f.LineEnd = start, end
		}
		// A suggestion replaces the lines at which it stands.
		if fix != nil && fix.start <= f.LineEnd && f.LineStart <= fix.end && hunk.Contains(fix.start, fix.end) {
			f.LineStart, f.LineEnd, f.Suggestion = fix.start, fix.end, fix.text
		}
		return ""
	}
	return ""
}

func (g *gate) addedOf(entry *diff.File) []int {
	lines, ok := g.added[entry.Path()]
	if !ok {
		for line := range entry.AddedLines() {
			lines = append(lines, line.Number)
		}
		g.added[entry.Path()] = lines
	}
	return lines
}

// name is the file that the first spelling means which means one. Where none
// does it is the first, for the reader.
func (g *gate) name(spellings []string) (name string, known bool) {
	first := ""
	for _, spelling := range spellings {
		for _, name := range g.readings(spelling) {
			if first == "" {
				first = name
			}
			if g.patch.File(name) != nil || g.exists(name) {
				return name, true
			}
			if exact, ok := g.shown[name]; ok {
				return exact, true
			}
		}
	}
	return first, false
}

// readings are what a spelling may mean: itself, the path of a file's URI, without
// what leads to the checkout, and with slashes for backslashes. (case D35)
func (g *gate) readings(spelling string) []string {
	spelling = strings.ReplaceAll(spelling, "\x00", "\uFFFD")
	if strings.TrimSpace(spelling) == "" {
		return nil
	}
	names := []string{}
	meant := []string{spelling, strings.ReplaceAll(spelling, `\`, "/")}
	if _, ok := cutPrefixFold(spelling, "file:"); ok {
		meant = append([]string{unescaped(spelling), filePath(spelling)}, meant...)
	}
	for _, s := range meant {
		for _, dir := range g.dirs {
			if rest, ok := strings.CutPrefix(s, dir+"/"); ok {
				s = rest
			}
		}
		clean := path.Clean(s)
		for _, dir := range g.dirs { // a/../b may lead into the checkout
			clean = strings.TrimPrefix(clean, dir+"/")
		}
		if clean != "." && !slices.Contains(names, clean) {
			names = append(names, clean)
		}
	}
	return names
}

// exists asks the checkout, and never through a link that leads out of it.
func (g *gate) exists(name string) bool {
	if known, ok := g.known[name]; ok {
		return known
	}
	known := false
	if g.root != nil && filepath.IsLocal(name) {
		_, err := g.root.Lstat(name)
		known = err == nil
	}
	if len(g.known) >= knownMax {
		clear(g.known)
	}
	g.known[name] = known
	return known
}

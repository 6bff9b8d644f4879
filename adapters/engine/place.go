package engine

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// linesBytesMax bounds the file whose lines are counted; a bigger one is taken
// to be long enough.
const linesBytesMax = 16 << 20

// placer decides where findings of one change can stand.
type placer struct {
	dir     string
	root    *os.Root          // the checkout; nil where it cannot be read
	diff    *diff.Change      //
	shown   map[string]string // a name as it is shown → its bytes, where they differ
	renamed map[string]string // a former name → the name at the head
	lines   map[string]int    // of files that were counted
}

func newPlacer(change *actors.Change, patch *diff.Change) *placer {
	p := &placer{
		dir: change.Dir, diff: patch,
		shown: map[string]string{}, renamed: map[string]string{}, lines: map[string]int{},
	}
	if root, err := os.OpenRoot(change.Dir); err == nil {
		p.root = root
	}
	for i := range patch.Files {
		f := &patch.Files[i]
		if shown, exact := diff.ShowPath(f.Path()); exact != "" {
			p.shown[shown] = f.Path()
		}
		// A former name stands for the new one unless the change reuses it.
		// (semantics 14.1)
		if f.Status == diff.Renamed && patch.File(f.Old) == nil {
			p.renamed[f.Old] = f.New
		}
	}
	return p
}

func (p *placer) close() {
	if p.root != nil {
		_ = p.root.Close()
	}
}

// place spells the finding's file as the change does and sets its placement, or
// returns why it is withheld.
func (p *placer) place(f *events.Finding) (withheld string) {
	name := p.name(f)
	if name == "" {
		f.File, f.FileBase64 = "", ""
		f.LineStart, f.LineEnd = 0, 0
		return p.body(f, "about the change as a whole")
	}
	f.File, f.FileBase64 = diff.ShowPath(name)
	f.File = shorten(f.File, fileMax)
	entry := p.diff.File(name)
	switch {
	case entry != nil && entry.New == "":
		f.LineStart, f.LineEnd = 0, 0
		return p.body(f, "the change deletes the file")
	case p.exists(name):
	case entry == nil:
		f.Placement = events.PlacementBody
		return "neither the change nor the tree has the file"
	}
	if most, known := p.count(name); known && f.LineEnd > most {
		f.Placement = events.PlacementBody
		return fmt.Sprintf("line %d is beyond the file's end at line %d", f.LineEnd, most)
	}
	return p.within(f, name, entry)
}

// within places a finding whose file and lines are there. Where only the last
// line lies in a hunk the comment begins at the hunk. (semantics 14.2)
func (p *placer) within(f *events.Finding, name string, entry *diff.File) string {
	switch {
	case entry == nil:
		return p.body(f, "the file is not part of the change")
	case f.LineEnd == 0:
		return p.body(f, "about the file as a whole")
	case entry.Binary:
		return p.body(f, "the file is binary")
	case p.diff.Contains(name, f.LineEnd, f.LineEnd):
		f.Placement = events.PlacementInline
		return ""
	case f.LineStart == f.LineEnd:
		return p.body(f, fmt.Sprintf("line %d is outside the diff", f.LineEnd))
	}
	return p.body(f, fmt.Sprintf("lines %d to %d are outside the diff", f.LineStart, f.LineEnd))
}

func (p *placer) body(f *events.Finding, reason string) string {
	f.Placement, f.PlacementReason = events.PlacementBody, reason
	return ""
}

// name is the bytes of the file that the finding means: its own spelling where
// that is a file, else what people write for one. "" is no file.
func (p *placer) name(f *events.Finding) string {
	name := diff.ExactPath(f.File, f.FileBase64)
	if exact, ok := p.shown[name]; ok {
		return exact
	}
	if strings.TrimSpace(name) == "" {
		return ""
	}
	if p.diff.File(name) != nil {
		return name
	}
	name = strings.TrimPrefix(name, strings.TrimSuffix(p.dir, "/")+"/")
	name = strings.TrimPrefix(path.Clean(name), "/")
	if name == "." {
		return ""
	}
	if now, ok := p.renamed[name]; ok {
		return now
	}
	for _, prefix := range []string{"a/", "b/"} { // as a patch spells it
		if rest, ok := strings.CutPrefix(name, prefix); ok && !p.known(name) && p.known(rest) {
			return rest
		}
	}
	return name
}

func (p *placer) known(name string) bool { return p.diff.File(name) != nil || p.exists(name) }

// exists asks the checkout, and never through a link that leads out of it.
func (p *placer) exists(name string) bool {
	if p.root == nil {
		return false
	}
	_, err := p.root.Lstat(name)
	return err == nil
}

// count returns the number of lines of a regular file of a readable size.
func (p *placer) count(name string) (int, bool) {
	if n, ok := p.lines[name]; ok {
		return n, n >= 0
	}
	n := p.countNow(name)
	p.lines[name] = n
	return n, n >= 0
}

func (p *placer) countNow(name string) int {
	const unknown = -1
	if p.root == nil {
		return unknown
	}
	st, err := p.root.Lstat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > linesBytesMax {
		return unknown
	}
	f, err := p.root.Open(name)
	if err != nil {
		return unknown
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, linesBytesMax))
	if err != nil {
		return unknown
	}
	n := bytes.Count(body, []byte("\n"))
	if len(body) > 0 && body[len(body)-1] != '\n' {
		n++
	}
	return n
}

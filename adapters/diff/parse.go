package diff

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrCombined says that the text is the combined diff of a merge, whose rows have
// more than one old side. (case D15)
var ErrCombined = errors.New("combined diff")

// SyntaxError says where the text stops being a patch of git.
type SyntaxError struct {
	Line int // of the patch, from 1
	What string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("patch line %d: %s", e.Line, e.What)
}

const (
	headerFile      = "diff --git "
	modeSubmodule   = "160000"
	nameDevNull     = "/dev/null"
	binaryPatch     = "GIT binary patch"
	binarySentences = "Binary files "
)

// parser walks over a text once. Its memory is that text, and a fixed amount for
// each file and hunk; rows are cut out when somebody asks.
type parser struct {
	rest string // from the current line on
	line int    // number of the current line
}

// Parse reads a patch. An empty patch is a change without files. It holds one copy
// of the patch, which whoever reads it from git bounds (adapters/git/patch.go).
func Parse(patch []byte) (*Change, error) {
	p := &parser{rest: string(patch), line: 1}
	change := &Change{byPath: map[string]int{}}
	for p.rest != "" {
		start := p.line
		file, err := p.file()
		if err == nil {
			err = change.add(file, start)
		}
		if err != nil {
			return nil, fmt.Errorf("parse diff: %w", err)
		}
	}
	return change, nil
}

// add appends the file, or merges it into the one before.
func (c *Change) add(f *File, line int) error {
	if n := len(c.Files); n > 0 && c.Files[n-1].merge(f) {
		return nil
	}
	if _, known := c.byPath[f.Path()]; known { // two entries of one file: neither says what happened to it
		return &SyntaxError{Line: line, What: fmt.Sprintf("a second entry for %q", clip(f.Path()))}
	}
	c.byPath[f.Path()] = len(c.Files)
	c.Files = append(c.Files, *f)
	return nil
}

// merge adds the second half of a change of type: git prints the removal and the
// addition of one path after the other, the old side and the new side. (case D12)
func (f *File) merge(half *File) bool {
	if f.Status != Deleted || half.Status != Added || f.Old != half.New {
		return false
	}
	f.New, f.NewMode = half.New, half.NewMode
	f.Status = TypeChanged
	f.Binary = f.Binary || half.Binary
	f.Submodule = f.Submodule || half.Submodule
	f.Truncated = f.Truncated || half.Truncated
	f.Hunks = append(f.Hunks, half.Hunks...)
	f.Added += half.Added
	f.Removed += half.Removed
	return true
}

// peek returns the current line without its newline.
func (p *parser) peek() string {
	line, _, _ := strings.Cut(p.rest, "\n")
	return line
}

// next goes past the current line.
func (p *parser) next() {
	_, p.rest, _ = strings.Cut(p.rest, "\n")
	p.line++
}

func (p *parser) wrong(format string, args ...any) error {
	return &SyntaxError{Line: p.line, What: fmt.Sprintf(format, args...)}
}

// file reads one entry.
func (p *parser) file() (*File, error) {
	header := p.peek()
	if strings.HasPrefix(header, "diff --cc ") || strings.HasPrefix(header, "diff --combined ") {
		return nil, ErrCombined
	}
	names, ok := strings.CutPrefix(header, headerFile)
	if !ok {
		return nil, p.wrong("want %q, got %q", headerFile, clip(header))
	}
	f := &File{Status: Modified}
	start := p.line
	p.next()
	if err := p.headers(f); err != nil {
		return nil, err
	}
	if err := p.hunks(f); err != nil {
		return nil, err
	}
	if f.Old == "" && f.New == "" {
		name, ok := sameNames(names)
		if !ok {
			return nil, &SyntaxError{Line: start, What: fmt.Sprintf("no name in %q", clip(header))}
		}
		f.Old, f.New = name, name
	}
	switch {
	case f.Status == Added:
		f.Old = ""
	case f.Status == Deleted:
		f.New = ""
	case f.Old == "" || f.New == "":
		return nil, &SyntaxError{Line: start, What: fmt.Sprintf("one name too few for %q", clip(header))}
	}
	if f.Path() == "" {
		return nil, &SyntaxError{Line: start, What: fmt.Sprintf("no name for %q", clip(header))}
	}
	f.Submodule = f.OldMode == modeSubmodule || f.NewMode == modeSubmodule
	return f, nil
}

// headers reads the lines between "diff --git" and the first hunk.
func (p *parser) headers(f *File) error {
	for p.rest != "" {
		line := p.peek()
		if strings.HasPrefix(line, headerFile) || strings.HasPrefix(line, "@@") {
			return nil
		}
		switch {
		case line == binaryPatch:
			f.Binary = true
			p.skipBinary()
			return nil
		case strings.HasPrefix(line, binarySentences):
			f.Binary = true
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
			if err := p.side(f, line); err != nil {
				return err
			}
		default:
			if err := p.extended(f, line); err != nil {
				return err
			}
		}
		p.next()
	}
	return nil
}

// skipBinary goes past the base-85 text, whose lines hold no spaces but for the
// word that begins a block, and so never look like the next entry's header.
func (p *parser) skipBinary() {
	for p.rest != "" && !strings.HasPrefix(p.rest, headerFile) {
		p.next()
	}
}

// side reads a "--- " or "+++ " line. Names in "rename from" win over it.
func (p *parser) side(f *File, line string) error {
	prefix, into := "a/", &f.Old
	if line[0] == '+' {
		prefix, into = "b/", &f.New
	}
	name := line[len("--- "):]
	// git ends a name that holds a space with one tab, outside the quotes where
	// there are some. (case D06)
	name = strings.TrimSuffix(name, "\t")
	if quoted, rest, ok := unquote(name); ok && rest == "" {
		name = quoted
	}
	if name == nameDevNull {
		return nil
	}
	name, ok := strings.CutPrefix(name, prefix)
	if !ok || name == "" {
		return p.wrong("want a name with %q in %q", prefix, clip(line))
	}
	if *into == "" {
		*into = name
	}
	return nil
}

// extended reads one of git's extended header lines.
func (p *parser) extended(f *File, line string) error {
	for _, h := range extendedHeaders {
		value, ok := strings.CutPrefix(line, h.prefix)
		if !ok {
			continue
		}
		if !h.take(f, value) {
			return p.wrong("bad header %q", clip(line))
		}
		return nil
	}
	return p.wrong("unknown header %q", clip(line))
}

// extendedHeaders are the lines of "git help diff-format" that git prints between
// two blobs.
var extendedHeaders = []struct {
	prefix string
	take   func(f *File, value string) bool
}{
	{"old mode ", func(f *File, v string) bool { f.OldMode = v; return octal(v) }},
	{"new mode ", func(f *File, v string) bool { f.NewMode = v; return octal(v) }},
	{"deleted file mode ", func(f *File, v string) bool {
		f.OldMode, f.Status = v, Deleted
		return octal(v)
	}},
	{"new file mode ", func(f *File, v string) bool {
		f.NewMode, f.Status = v, Added
		return octal(v)
	}},
	{"copy from ", func(f *File, v string) bool { return takeName(&f.Old, f, v, Copied) }},
	{"copy to ", func(f *File, v string) bool { return takeName(&f.New, f, v, Copied) }},
	{"rename from ", func(f *File, v string) bool { return takeName(&f.Old, f, v, Renamed) }},
	{"rename to ", func(f *File, v string) bool { return takeName(&f.New, f, v, Renamed) }},
	{"similarity index ", func(f *File, v string) bool {
		n, err := strconv.Atoi(strings.TrimSuffix(v, "%"))
		f.Similarity = n
		return err == nil && n >= 0 && n <= 100
	}},
	{"dissimilarity index ", func(*File, string) bool { return true }},
	{"index ", func(f *File, v string) bool {
		if _, mode, ok := strings.Cut(v, " "); ok {
			f.OldMode, f.NewMode = mode, mode
			return octal(mode)
		}
		return true
	}},
}

// takeName sets one of the names of a renamed or copied file.
func takeName(into *string, f *File, value string, status Status) bool {
	if strings.HasPrefix(value, `"`) {
		name, rest, ok := unquote(value)
		if !ok || rest != "" {
			return false
		}
		value = name
	}
	f.Status = status
	*into = value
	return value != ""
}

// sameNames reads the names of a "diff --git" line whose two sides are equal: the
// only line that names a file whose mode alone has changed, or that is empty or
// binary. A name may hold " b/", so the line is cut in the middle. (case D09)
func sameNames(names string) (string, bool) {
	if left, rest, ok := unquote(names); ok {
		right, rest, ok := unquote(strings.TrimPrefix(rest, " "))
		if !ok || rest != "" {
			return "", false
		}
		names = left + " " + right
	}
	middle := len(names) / 2
	if len(names)%2 == 0 || names[middle] != ' ' {
		return "", false
	}
	left, okLeft := strings.CutPrefix(names[:middle], "a/")
	right, okRight := strings.CutPrefix(names[middle+1:], "b/")
	return left, okLeft && okRight && left == right && left != ""
}

func octal(mode string) bool {
	if len(mode) != 6 {
		return false
	}
	for i := range len(mode) {
		if mode[i] < '0' || mode[i] > '7' {
			return false
		}
	}
	return true
}

// clip shortens a line for a message.
func clip(line string) string {
	const most = 80
	if len(line) > most {
		return line[:most] + "…"
	}
	return line
}

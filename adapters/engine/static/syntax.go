package static

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of the text that is parsed, of each side.
const (
	SyntaxFileBytesMax  = 1 << 20
	SyntaxTotalBytesMax = 32 << 20
	TOMLBytesMax        = 64 << 10
)

var syntaxRule = Rule{
	ID: "syntax", title: "Syntax error", version: 1,
	Severity: events.SeverityBlocking, Category: categoryBug,
	Doc: "Put the syntax right: nothing can read the file as it is.",
}

// fault is where and why a parser stops.
type fault struct {
	line    int    // 0 = the parser does not say
	message string // may quote the file
}

// grammar is a kind of file that can be parsed in memory, without the tree.
type grammar struct {
	name     string
	ends     []string
	bytesMax int                      // of each side; the parser of TOML looks up each key among all others
	parse    func(body []byte) *fault // nil = it parses, or nobody can say
}

var grammars = []grammar{
	{"Go", []string{".go"}, SyntaxFileBytesMax, parseGo},
	{"JSON", []string{".json"}, SyntaxFileBytesMax, parseJSON},
	{"YAML", []string{".yaml", ".yml"}, SyntaxFileBytesMax, parseYAML},
	{"TOML", []string{".toml"}, TOMLBytesMax, parseTOML},
	{"XML", []string{".xml", ".svg", ".xsd", ".csproj", ".plist"}, SyntaxFileBytesMax, parseXML},
}

// syntax finds a file that parsed before the change and does not any more; that
// blocks. A file that is new may be meant not to parse, so that is only said.
func (l *look) syntax(ctx context.Context) {
	f := l.file
	g := grammarOf(f.New)
	if g == nil || f.Truncated || f.NewMode == modeSymlink || len(f.Hunks) == 0 {
		return
	}
	size := l.old.headSize()
	if size > int64(min(g.bytesMax, l.survey.syntaxLeft)) {
		l.note("its %s syntax was not looked at: %d bytes are over the bound", g.name, size)
		return
	}
	l.survey.syntaxLeft -= int(size)
	head := l.old.headBytes()
	if head == nil {
		return
	}
	now, ok := l.try(g, head)
	if now == nil || !ok {
		return
	}
	s := spot{rule: &syntaxRule, what: g.name}
	if f.Status == diff.Added {
		if isTemplate(head) || g.name == "JSON" && hasComments(head) {
			return
		}
		s.severity = events.SeveritySuggestion
		s.said = fmt.Sprintf("The new file is no valid %s.", g.name)
	} else {
		before := []byte(strings.Join(l.old.rows(), "\n") + "\n")
		if len(before) > g.bytesMax {
			l.note("whether its %s syntax was right before was not looked at: %d bytes are over the bound", g.name, len(before))
			return
		}
		if was, ok := l.try(g, before); was != nil || !ok {
			return
		}
		s.said = fmt.Sprintf("The file was valid %s before the change and is not any more.", g.name)
	}
	s.start = l.touched(now.line)
	s.end = s.start
	where := ""
	if now.line > 0 {
		where = fmt.Sprintf(" stops at line %d and", now.line)
	}
	s.said += fmt.Sprintf(" The parser%s says: %s.", where, l.quoted(ctx, now.line, now.message))
	l.keep(s)
}

func grammarOf(name string) *grammar {
	for i := range grammars {
		if hasEnd(name, grammars[i].ends) && !strings.HasPrefix(path.Base(name), "tsconfig") {
			return &grammars[i]
		}
	}
	return nil
}

var errPanicked = errors.New("the parser panicked")

// try parses a text that an enemy may have written: the nesting is bounded first,
// because a stack that overflows ends the process, and a panic is no answer.
func (l *look) try(g *grammar, body []byte) (f *fault, ok bool) {
	if tooDeep(body) {
		l.note("its %s syntax was not looked at: it is nested too deep", g.name)
		return nil, false
	}
	f, err := parsed(g, body)
	if err != nil {
		l.note("its %s syntax was not looked at: %v", g.name, err)
		return nil, false
	}
	return f, true
}

func parsed(g *grammar, body []byte) (f *fault, err error) {
	defer func() {
		if recover() != nil {
			f, err = nil, errPanicked
		}
	}()
	return g.parse(body), nil
}

// Bounds of nesting: of brackets, of a line's indentation, and of the indicators
// that nest YAML on one line.
const (
	bracketsMax   = 500
	indentMax     = 1000
	indicatorsMax = 100
)

// tooDeep bounds what a parser can recurse into, without parsing. It takes text
// within strings for structure, which only makes it more careful.
func tooDeep(body []byte) bool {
	depth, lead, marks, leading := 0, 0, 0, true
	for _, c := range body {
		switch c {
		case '(', '[', '{':
			if depth++; depth > bracketsMax {
				return true
			}
		case ')', ']', '}':
			depth = max(depth-1, 0)
		case '\n':
			lead, marks, leading = 0, 0, true
			continue
		}
		if !leading {
			continue
		}
		switch c {
		case ' ', '\t':
			lead++
		case '-', '?', ':', '!', '&', '*', '+', '^':
			marks++
		default:
			leading = false
		}
		if lead > indentMax || marks > indicatorsMax {
			return true
		}
	}
	return false
}

// isTemplate reports whether a text is filled in before anything parses it.
func isTemplate(body []byte) bool {
	return containsAny(string(body), []string{"{{", "{%", "<%", "${{"})
}

// hasComments reports whether a text is the JSON with comments of many tools.
func hasComments(body []byte) bool {
	for row := range strings.Lines(string(body)) {
		row = strings.TrimSpace(row)
		if strings.HasPrefix(row, "//") || strings.HasPrefix(row, "/*") || strings.Contains(row, ", //") {
			return true
		}
	}
	return false
}

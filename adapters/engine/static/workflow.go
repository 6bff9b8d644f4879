package static

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v4"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of a workflow, and of its nodes with every alias written out.
const (
	WorkflowBytesMax = 256 << 10
	workflowNodesMax = 50_000
)

var workflowRule = Rule{
	ID: "workflow", title: "Workflow", version: 1,
	Severity: events.SeveritySuggestion, Category: categoryBug,
	Doc: "Found by actionlint, without its configuration in the repository, shellcheck and pyflakes.",
}

// workflow runs actionlint and the rules of workflow_rules.go over a changed
// workflow. Only what is on added lines is reported.
func (l *look) workflow(ctx context.Context) {
	if !isWorkflow(l.file.New) || l.file.Truncated || l.file.NewMode == modeSymlink || len(l.added) == 0 {
		return
	}
	if size := l.old.headSize(); size > WorkflowBytesMax {
		l.note("it was not looked at as a workflow: %d bytes are over the bound", size)
		return
	}
	body := l.old.headBytes()
	if body == nil {
		return
	}
	if tooDeep(body) || tooWide(body) {
		l.note("it was not looked at as a workflow: it is nested too deep, or its aliases stand for too much")
		return
	}
	spots, fired := l.spots, maps.Clone(l.fired)
	defer func() {
		// An enemy may have written the file; what actionlint cannot take is no
		// reason to end the review.
		if recover() != nil {
			l.spots, l.fired = spots, fired
			l.note("it was not looked at as a workflow: actionlint panicked")
		}
	}()
	w, _ := actionlint.Parse(slices.Clone(body))
	scripts := scriptsOf(w, strings.Split(string(body), "\n"))
	l.injections(scripts)
	l.actionlint(ctx, body, scripts)
	if w != nil {
		l.ownWorkflowRules(w)
	}
}

// isWorkflow reports whether GitHub would run the file.
func isWorkflow(name string) bool {
	ext := path.Ext(name)
	return path.Dir(name) == ".github/workflows" && (ext == ".yml" || ext == ".yaml")
}

// actionlint reports what the library finds. It gets no path, so that it looks
// for no project, no configuration and no local action: they are the change's.
func (l *look) actionlint(ctx context.Context, body []byte, scripts []script) {
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{Oneline: true, WorkingDir: "/"})
	if err != nil {
		l.note("it was not looked at as a workflow: %v", err)
		return
	}
	faults, err := linter.Lint("<stdin>", body, nil)
	if err != nil {
		l.note("it was not looked at as a workflow: %v", err)
		return
	}
	slices.SortFunc(faults, func(a, b *actionlint.Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	for _, f := range faults {
		if strings.Contains(f.Message, untrusted) {
			continue // injections finds them, each at its line
		}
		line := f.Line
		if f.Kind == "expression" {
			line = l.expressionLine(line, scripts)
		}
		if _, ok := l.added[line]; ok {
			l.at(&workflowRule, line, f.Kind, l.quoted(ctx, f.Line, f.Message))
		}
	}
}

// expressionLine is where an expression of a script stands: actionlint gives the
// script's first line for all of them. It is that line, or else the first added
// one with an expression.
func (l *look) expressionLine(line int, scripts []script) int {
	if _, ok := l.added[line]; ok {
		return line
	}
	for _, s := range scripts {
		if s.first != line {
			continue
		}
		for i, row := range s.rows {
			if _, ok := l.added[s.first+i]; ok && strings.Contains(row, "${{") {
				return s.first + i
			}
		}
	}
	return line
}

var errTooWide = errors.New("the aliases stand for too many nodes")

// tooWide reports whether the file has more nodes than the bound once its aliases
// are written out: actionlint walks all of them. A file that is no YAML has none.
func tooWide(body []byte) bool {
	var root yaml.Node
	if yaml.Unmarshal(body, &root) != nil {
		return false
	}
	_, err := weigh(&root, map[*yaml.Node]int{})
	return err != nil
}

// weigh counts the nodes. One that is being counted holds itself.
func weigh(n *yaml.Node, known map[*yaml.Node]int) (int, error) {
	const counting = -1
	if w, ok := known[n]; ok {
		if w == counting {
			return 0, errTooWide
		}
		return w, nil
	}
	known[n] = counting
	w := 1
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		inner, err := weigh(n.Alias, known)
		if err != nil {
			return 0, err
		}
		w += inner
	}
	for _, c := range n.Content {
		inner, err := weigh(c, known)
		if err != nil {
			return 0, err
		}
		if w += inner; w > workflowNodesMax {
			return 0, errTooWide
		}
	}
	known[n] = w
	return w, nil
}

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// packages hold the guards.
var packages = []string{
	"actors/shell", "actors/pr", "actors/run", "actors/pool", "actors/account", "actors/repo", "actors/fleet",
	"actors/line", "actors", "adapters/github/api", "adapters/github/poll", "adapters/github/publish",
}

const mark = "// guard:"

// guard is one marked `if` or `case`, and its file without it.
type guard struct {
	pkg     string
	file    string
	line    int
	text    string
	without []byte
}

func (g *guard) place() string { return fmt.Sprintf("%s:%d", g.file, g.line) }

// find reads all guards that match, by place.
func find(match *regexp.Regexp) ([]guard, error) {
	var all []guard
	for _, pkg := range packages {
		files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", pkg, err)
		}
		sort.Strings(files)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			guards, err := read(pkg, file)
			if err != nil {
				return nil, err
			}
			for _, g := range guards {
				if match.MatchString(g.place() + " " + g.text) {
					all = append(all, g)
				}
			}
		}
	}
	return all, nil
}

// read finds the marked statements of one file.
func read(pkg, file string) ([]guard, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read guards: %w", err)
	}
	if !bytes.Contains(src, []byte(mark)) {
		return nil, nil
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("read guards: %w", err)
	}
	marks := map[int]string{}
	for _, group := range tree.Comments {
		for _, c := range group.List {
			if text, ok := strings.CutPrefix(c.Text, mark); ok {
				marks[fset.Position(c.Pos()).Line] = strings.TrimSpace(text)
			}
		}
	}
	var guards []guard
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			return true
		}
		text, marked := marks[fset.Position(n.Pos()).Line]
		if !marked {
			return true
		}
		without := neutralise(fset, src, n)
		if without == nil {
			return true
		}
		line := fset.Position(n.Pos()).Line
		delete(marks, line)
		guards = append(guards, guard{pkg: pkg, file: file, line: line, text: text, without: without})
		return true
	})
	for line, text := range marks {
		return nil, fmt.Errorf("%s:%d: the mark %q is not on the line of an if or a case", file, line, text)
	}
	return guards, nil
}

// neutralise returns the source with a statement that never takes its branch, or
// nil where the node is no guard. A case of values or types is cut out.
func neutralise(fset *token.FileSet, src []byte, n ast.Node) []byte {
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	replace := func(from, to int, by string) []byte {
		out := append([]byte(nil), src[:from]...)
		out = append(out, by...)
		return append(out, src[to:]...)
	}
	never := func(e ast.Expr) []byte {
		from, to := at(e.Pos()), at(e.End())
		return replace(from, to, "false && ("+string(src[from:to])+")")
	}
	switch n := n.(type) {
	case *ast.IfStmt:
		return never(n.Cond)
	case *ast.CaseClause:
		if len(n.List) == 0 {
			return nil
		}
		if condition(n.List[0]) {
			from, to := at(n.List[0].Pos()), at(n.List[len(n.List)-1].End())
			var parts []string
			for _, e := range n.List {
				parts = append(parts, "("+string(src[at(e.Pos()):at(e.End())])+")")
			}
			return replace(from, to, "false && ("+strings.Join(parts, " || ")+")")
		}
		return replace(at(n.Pos()), at(n.End()), "")
	}
	return nil
}

// condition reports whether a case holds a condition and not a value or a type.
func condition(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.CallExpr:
		return true
	case *ast.Ident:
		return e.Obj != nil && e.Obj.Kind == ast.Var
	case *ast.ParenExpr:
		return condition(e.X)
	}
	return false
}

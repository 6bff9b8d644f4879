// Command guards removes each guard of the deciders and of the shell in turn,
// runs the tests, and shows which one fails. A guard that nothing tests is
// decoration. (ARCHITECTURE, rule 11)
//
//	go run ./.ci/guards [-v] [package…]
//
// A guard is an if without else, or a case of a switch over conditions, whose
// body ends in a return, continue, break or panic. Its condition is replaced by false for one run, with go's -overlay: no
// file of the tree is changed. First the package's own tests run, and where they
// pass, those of actors with a short simulation. Exit 1: a guard survived.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// packages are those whose guards count.
var packages = []string{
	"actors/pr", "actors/run", "actors/pool", "actors/account", "actors/repo", "actors/fleet", "actors/line", "actors/shell", "actors",
}

// timeout ends a test that a missing guard sends round in circles.
const timeout = "120s"

// waived marks a guard that only saves work: without it the answer is the same.
// It stands in a comment on the guard's line or the line before, with the reason.
const waived = "guard: saves work"

// guard is one condition.
type guard struct {
	file       string
	line       int
	text       string // the condition
	start, end int    // its bytes in the file
	waived     bool
}

func main() {
	verbose := flag.Bool("v", false, "show the guards that are tested as well")
	list := flag.Bool("list", false, "list the guards and stop")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	chosen := packages
	if flag.NArg() > 0 {
		chosen = flag.Args()
	}
	survivors, total := 0, 0
	for _, folder := range chosen {
		guards, err := guardsOf(strings.TrimPrefix(filepath.ToSlash(folder), "./"))
		if err != nil {
			fail(err)
		}
		for _, g := range guards {
			total++
			if *list {
				fmt.Printf("%s:%d  %s\n", g.file, g.line, g.text)
				continue
			}
			survived, err := try(ctx, g, *verbose)
			if err != nil {
				fail(err)
			}
			if survived {
				survivors++
			}
		}
	}
	fmt.Printf("guards: %d, not tested: %d\n", total, survivors)
	if survivors > 0 {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "guards:", err)
	os.Exit(3)
}

// guardsOf reads a package's guards.
func guardsOf(folder string) ([]guard, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	var guards []guard
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, condition := range conditions(parsed) {
			start, end := set.Position(condition.Pos()), set.Position(condition.End())
			words := string(text[start.Offset:end.Offset])
			if words == "err != nil" {
				continue // passing an error on is not a decision
			}
			guards = append(guards, guard{
				file: filepath.ToSlash(file), line: start.Line, text: strings.Join(strings.Fields(words), " "),
				start: start.Offset, end: end.Offset, waived: isWaived(string(text), start.Line),
			})
		}
	}
	return guards, nil
}

// conditions returns those of a file's guards, in order.
func conditions(file *ast.File) []ast.Expr {
	var found []ast.Expr
	ast.Inspect(file, func(n ast.Node) bool {
		switch statement := n.(type) {
		case *ast.IfStmt:
			if statement.Else == nil && leaves(statement.Body.List) {
				found = append(found, statement.Cond)
			}
		case *ast.SwitchStmt:
			if statement.Tag != nil {
				return true
			}
			for _, clause := range statement.Body.List {
				if clause := clause.(*ast.CaseClause); leaves(clause.Body) {
					found = append(found, clause.List...)
				}
			}
		}
		return true
	})
	return found
}

// isWaived looks for the mark on a line, and on the one before.
func isWaived(text string, line int) bool {
	lines := strings.Split(text, "\n")
	return strings.Contains(lines[line-1], waived) || line > 1 && strings.Contains(lines[line-2], waived)
}

// leaves reports whether a block ends in going elsewhere.
func leaves(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch last := body[len(body)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := last.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		name, ok := call.Fun.(*ast.Ident)
		return ok && name.Name == "panic"
	}
	return false
}

// try runs the tests without one guard.
func try(ctx context.Context, g guard, verbose bool) (survived bool, err error) {
	if g.waived {
		if verbose {
			fmt.Printf("waived    %s:%d  %s\n", g.file, g.line, g.text)
		}
		return false, nil
	}
	scratch, err := os.MkdirTemp("", "guards")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(scratch)
	overlay, err := without(g, scratch)
	if err != nil {
		return false, err
	}
	for _, args := range [][]string{
		{"./" + filepath.ToSlash(filepath.Dir(g.file))},
		{"./actors/...", "-short"},
	} {
		caught, err := fails(ctx, overlay, args)
		if err != nil {
			return false, err
		}
		if caught != "" {
			fmt.Printf("tested    %s:%d  %s\n          by %s\n", g.file, g.line, g.text, caught)
			return false, nil
		}
	}
	fmt.Printf("SURVIVED  %s:%d  %s\n", g.file, g.line, g.text)
	return true, nil
}

// without writes the file without its guard, and the overlay that names it. The
// condition stays in the code, so that what it uses is still used.
func without(g guard, scratch string) (overlay string, err error) {
	text, err := os.ReadFile(g.file)
	if err != nil {
		return "", err
	}
	var changed bytes.Buffer
	changed.Write(text[:g.start])
	changed.WriteString("(")
	changed.Write(text[g.start:g.end])
	changed.WriteString(") && false")
	changed.Write(text[g.end:])
	instead := filepath.Join(scratch, "file.go")
	if err := os.WriteFile(instead, changed.Bytes(), 0o600); err != nil {
		return "", err
	}
	original, err := filepath.Abs(g.file)
	if err != nil {
		return "", err
	}
	names, err := json.Marshal(map[string]map[string]string{"Replace": {original: instead}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(scratch, "overlay.json")
	return overlay, os.WriteFile(overlay, names, 0o600)
}

var failing = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(panic: .*)|^(FAIL\s.*)`)

// fails runs tests and returns the first that fails, or "".
func fails(ctx context.Context, overlay string, args []string) (string, error) {
	command := exec.CommandContext(ctx, "go", slices.Concat([]string{"test", "-vet=off", "-failfast", "-timeout", timeout, "-overlay", overlay}, args)...)
	out, err := command.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
		return "", nil
	case bytes.Contains(out, []byte("[build failed]")), bytes.Contains(out, []byte("[setup failed]")):
		return "", fmt.Errorf("the tests do not build without a guard:\n%s", out)
	}
	for _, match := range failing.FindAllStringSubmatch(string(out), -1) {
		return strings.TrimSpace(match[1] + match[2] + match[3]), nil
	}
	return "a test that could not run", nil
}

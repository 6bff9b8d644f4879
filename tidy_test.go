// Package reviewctl has no code of its own: this test reads the source of all
// packages and keeps the habits of the house, with nothing but Go. The linters
// keep some of them too (.golangci.yml) and say more.
package reviewctl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const module = "github.com/reviewctl/reviewctl"

// layer says what the packages below a folder may import. The sentence is why;
// the rule of the same folder in .golangci.yml says it again.
type layer struct {
	folder   string   // the longest one that fits is used
	ours     []string // folders of ours, besides its own; "*" = all
	theirs   []string // modules of others; "*" = all
	pure     bool     // nothing but its arguments decides what it does
	sentence string
}

var deciders = []string{"actors/pr", "actors/run", "actors/pool", "actors/account", "actors/repo", "actors/fleet"}

// layers is ARCHITECTURE's table "Who may import whom".
var layers = []layer{
	{folder: "events", pure: true, sentence: "events say what happened: the standard library and nothing else"},
	{folder: "events/storetest", ours: []string{"events"}, sentence: "the suite of every store knows the port alone"},
	{folder: "actors/line", ours: []string{"events"}, pure: true, sentence: "a part of the deciders is as pure as they are"},
	{folder: "actors/decidertest", ours: []string{"events"}, sentence: "the language of the deciders' tests knows events alone"},
	{folder: "actors/pr", ours: []string{"events", "actors/line"}, pure: true, sentence: "deciders are pure and do not know each other"},
	{folder: "actors/run", ours: []string{"events", "actors/line"}, pure: true, sentence: "deciders are pure and do not know each other"},
	{folder: "actors/pool", ours: []string{"events", "actors/line"}, pure: true, sentence: "deciders are pure and do not know each other"},
	{folder: "actors/account", ours: []string{"events", "actors/line"}, pure: true, sentence: "deciders are pure and do not know each other"},
	{folder: "actors/repo", ours: []string{"events", "actors/line"}, pure: true, sentence: "deciders are pure and do not know each other"},
	{folder: "actors/fleet", ours: []string{"events", "actors/line"}, pure: true, sentence: "deciders are pure and do not know each other"},
	{folder: "actors", ours: append([]string{"events", "actors/shell"}, deciders...), sentence: "what to do is decided without knowing who we talk to"},
	{folder: "actors/shell", ours: append([]string{"events", "actors"}, deciders...), sentence: "the shell is one state machine without a driver"},
	{folder: "actors/shell/proto", ours: append([]string{"events", "actors", "actors/shell"}, deciders...), theirs: []string{"github.com/asynkron/protoactor-go"}, sentence: "the driver on Proto.Actor knows no adapter"},
	{folder: "actors/virtual", ours: append([]string{"events", "actors", "actors/shell"}, deciders...), sentence: "virtual time knows no adapter and no Proto.Actor"},
	{folder: "actors/virtual/guards", sentence: "the tools of the house need nothing but Go"},
	{folder: "schemas", sentence: "the contract knows nobody"},
	{folder: "projections", ours: []string{"events", "schemas", "projections"}, sentence: "read models fold events and know neither actors nor adapters"},
	{folder: "adapters", ours: append([]string{"events", "schemas", "actors", "projections", "adapters/diff", "adapters/git", "adapters/prose"}, deciders...), theirs: []string{"*"}, sentence: "an adapter knows no other adapter but the leaves diff, git and prose"},
	{folder: ".ci", sentence: "the tools of the house need nothing but Go"},
	{folder: ".ci/tools", theirs: []string{"*"}, sentence: "tools with a module of their own need none of ours"},
	{folder: "cmd", ours: []string{"*"}, theirs: []string{"*"}, sentence: "the command joins things and is joined to nothing"},
}

// impureImports must not be imported by pure packages. events names context in
// its port and is let have it.
var impureImports = []string{
	"context", "crypto/rand", "database/sql", "log", "log/slog", "math/rand", "math/rand/v2", "net", "net/http", "os", "os/exec",
	"os/signal", "path/filepath", "runtime", "sync", "sync/atomic", "syscall", "io/fs",
}

// impureCalls must not stand in pure packages.
var impureCalls = []string{"time.Now", "time.Since", "time.Until", "time.After", "time.AfterFunc", "time.Sleep", "time.Tick", "time.NewTimer", "time.NewTicker"}

// Sizes, without exceptions. (STYLE 46)
const (
	fileLinesMax     = 400
	testFileLinesMax = 600
	funcLinesMax     = 60
)

// forbiddenWords must not be parts of names of packages, files, types and
// functions: they say nothing about what is in there. (STYLE 49) "base" is the
// commit that a head is judged against, and is forbidden for packages alone.
var forbiddenWords = []string{"util", "utils", "common", "helper", "helpers", "manager", "service", "impl", "data", "info", "misc"}

// domainNames are words of others for their own things.
var domainNames = []string{"commonDir"} // git rev-parse --git-common-dir

// source is one Go file.
type source struct {
	path string // with slashes, from the root
	text string
	set  *token.FileSet
	ast  *ast.File
}

func (s *source) test() bool     { return strings.HasSuffix(s.path, "_test.go") }
func (s *source) folder() string { return path.Dir(s.path) }

func skipped(folder string) bool {
	return folder != "." && (strings.HasPrefix(path.Base(folder), ".") && folder != ".ci" || folder == "bin" || folder == "testdata" || strings.HasSuffix(folder, "/testdata"))
}

// walk calls visit for each file of the tree.
func walk(t *testing.T, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		file = filepath.ToSlash(file)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && skipped(file):
			return filepath.SkipDir
		case entry.Type().IsRegular():
			visit(file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func sources(t *testing.T) []*source {
	t.Helper()
	var list []*source
	walk(t, func(file string) {
		if !strings.HasSuffix(file, ".go") {
			return
		}
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &source{path: file, text: string(text), set: set, ast: parsed})
	})
	return list
}

// under reports whether a folder is another or below it.
func under(folder, top string) bool { return folder == top || strings.HasPrefix(folder, top+"/") }

func layerOf(folder string) *layer {
	var found *layer
	for i := range layers {
		if under(folder, layers[i].folder) && (found == nil || len(layers[i].folder) > len(found.folder)) {
			found = &layers[i]
		}
	}
	return found
}

func imports(s *source) []string {
	var list []string
	for _, spec := range s.ast.Imports {
		name, _ := strconv.Unquote(spec.Path.Value) // the parser has read it
		list = append(list, name)
	}
	return list
}

func TestImportsFollowTheTable(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test() || s.folder() == "." {
			continue
		}
		l := layerOf(s.folder())
		if l == nil {
			t.Errorf("%s is in no layer: add its folder to the table", s.path)
			continue
		}
		for _, name := range imports(s) {
			if why := l.refuses(s.folder(), name); why != "" {
				t.Errorf("%s imports %s: %s (%s)", s.path, name, l.sentence, why)
			}
		}
	}
}

// refuses returns why a package of the layer must not import another, or "".
func (l *layer) refuses(folder, name string) string {
	own, isOurs := strings.CutPrefix(name, module+"/")
	switch {
	case isOurs && under(own, "cmd"):
		return "nothing imports the command"
	case isOurs && l.takesOurs(folder, own):
		return ""
	case isOurs:
		return "not in its row of the table"
	case strings.Contains(strings.Split(name, "/")[0], "."):
		if slices.ContainsFunc(l.theirs, func(p string) bool { return p == "*" || under(name, p) }) {
			return ""
		}
		return "not in its row of the table"
	case l.pure && slices.Contains(impureImports, name) && !(name == "context" && l.folder == "events"):
		return "it is pure"
	}
	return ""
}

func (l *layer) takesOurs(folder, own string) bool {
	top := l.folder
	if top == "adapters" { // each adapter with what is below it is a world of its own
		parts := strings.SplitN(folder, "/", 3)
		top = path.Join(parts[0], parts[min(1, len(parts)-1)])
	}
	if under(own, top) && layerOf(own).folder == l.folder {
		return true
	}
	return slices.ContainsFunc(l.ours, func(allowed string) bool {
		switch allowed {
		case "*":
			return true
		case "actors", "actors/shell", "events": // what is below has rows of its own
			return own == allowed
		}
		return under(own, allowed)
	})
}

// TestTheTableRefuses tries the table on imports that must not be.
func TestTheTableRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		folder, name string
		refused      bool
	}{
		{"actors/pr", "context", true},
		{"actors/pr", module + "/actors/run", true},
		{"actors/pr", module + "/events", false},
		{"actors/shell", "github.com/asynkron/protoactor-go/actor", true},
		{"actors/shell/proto", "github.com/asynkron/protoactor-go/actor", false},
		{"actors/virtual", module + "/adapters/sqlite", true},
		{"adapters/engine/static", module + "/adapters/engine/session", false},
		{"adapters/sqlite", module + "/adapters/git", false},
		{"adapters/sqlite", module + "/adapters/workspace", true},
		{"adapters/sqlite", module + "/cmd/reviewctl", true},
		{"events", "context", false},
		{"events", "os", true},
		{"events", module + "/schemas", true},
		{"projections/status", module + "/actors/pr", true},
		{"projections/status", module + "/adapters/sqlite", true},
		{"schemas", module + "/events", true},
	} {
		if why := layerOf(c.folder).refuses(c.folder, c.name); (why != "") != c.refused {
			t.Errorf("%s imports %s: %q", c.folder, c.name, why)
		}
	}
}

func TestLintersSayTheSame(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(".golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layers {
		if l.folder == "cmd" || under(l.folder, ".ci") || l.folder == "actors/virtual/guards" {
			continue // the command may import everything; the linters do not bother with tools
		}
		if !strings.Contains(string(text), l.sentence) {
			t.Errorf(".golangci.yml has no rule %q", l.sentence)
		}
	}
}

func TestPurePackagesAreToldTheTime(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if l := layerOf(s.folder()); s.test() || l == nil || !(l.pure || l.folder == "actors/virtual") {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := selector.X.(*ast.Ident); ok && slices.Contains(impureCalls, pkg.Name+"."+selector.Sel.Name) {
				t.Errorf("%s calls %s.%s: time comes in with the command", s.set.Position(n.Pos()), pkg.Name, selector.Sel.Name)
			}
			return true
		})
	}
}

func TestSizesStayReadable(t *testing.T) {
	t.Parallel()
	over := func(name string, lines, bound int) {
		if lines > bound {
			t.Errorf("%s has %d lines; the bound is %d: split it", name, lines, bound)
		}
	}
	for _, s := range sources(t) {
		bound := fileLinesMax
		if s.test() {
			bound = testFileLinesMax
		}
		over(s.path, strings.Count(s.text, "\n"), bound)
		if s.test() {
			continue
		}
		for _, decl := range s.ast.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				over(s.path+" "+f.Name.Name, s.set.Position(f.End()).Line-s.set.Position(f.Pos()).Line+1, funcLinesMax)
			}
		}
	}
}

func TestNamesSayWhatIsInThere(t *testing.T) {
	t.Parallel()
	check := func(where, name string) {
		for _, word := range words(name) {
			if slices.Contains(forbiddenWords, word) && !slices.Contains(domainNames, name) {
				t.Errorf("%s: the name %s says %q, which says nothing", where, name, word)
			}
		}
	}
	for _, s := range sources(t) {
		check(s.path, s.ast.Name.Name)
		if s.ast.Name.Name == "base" {
			t.Errorf("%s: a package must not be called base", s.path)
		}
		check(s.path, strings.TrimSuffix(path.Base(s.path), ".go"))
		for _, decl := range s.ast.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if !s.test() {
					check(s.path, decl.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok {
						check(s.path, typ.Name.Name)
					}
				}
			}
		}
	}
}

// words splits a name into lower-case words: at "_" and "-" and before capitals.
func words(name string) []string {
	var spaced strings.Builder
	previous := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && !unicode.IsUpper(previous) {
			spaced.WriteRune(' ')
		}
		if r == '_' || r == '-' || r == '.' {
			r = ' '
		}
		spaced.WriteRune(unicode.ToLower(r))
		previous = r
	}
	return strings.Fields(spaced.String())
}

func TestPackagesDefineTheirNouns(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		documented[s.folder()] = documented[s.folder()] || s.ast.Doc != nil
	}
	for folder, ok := range documented {
		if !ok {
			t.Errorf("package %s has no comment", folder)
		}
	}
}

// leftOvers must not be committed; the pieces keep this file clean.
var leftOvers = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b|not impl` + `emented`)

// machinePaths belong to one machine.
var machinePaths = regexp.MustCompile(`(^|[^\w.])/(work|farm|root|tmp|home)/[a-z]`)

func TestNothingIsLeftOver(t *testing.T) {
	t.Parallel()
	text := []string{".go", ".md", ".yml", ".yaml", ".json", ".sql", ".py", ".sh"}
	walk(t, func(file string) {
		if !slices.Contains(text, path.Ext(file)) {
			return
		}
		content, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(content), "\n") {
			if path.Ext(file) == ".go" && leftOvers.MatchString(line) {
				t.Errorf("%s:%d: %s", file, i+1, strings.TrimSpace(line))
			}
			if !strings.HasSuffix(file, "_test.go") && machinePaths.MatchString(line) {
				t.Errorf("%s:%d names a folder of one machine: %s", file, i+1, strings.TrimSpace(line))
			}
		}
	})
}

// namedFile is a file in a document's text, as `folder/name.ending`.
var namedFile = regexp.MustCompile("`([a-z][a-z0-9_/]*/[A-Za-z0-9_.-]+\\.[a-z]+)`")

// TestDocumentsNameFilesThatExist: CONTRIBUTING walks one event through the code,
// and the walk must not lead nowhere. (STYLE 54)
func TestDocumentsNameFilesThatExist(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"README.md", "CONTRIBUTING.md", "DECISIONS.md"} {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range namedFile.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.FromSlash(match[1])); err != nil {
				t.Errorf("%s names %s, which is not there", document, match[1])
			}
		}
	}
	walk, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, steps, _ := strings.Cut(string(walk), "## One event through the code"); len(namedFile.FindAllString(steps, -1)) < 20 {
		t.Error("CONTRIBUTING.md does not walk an event through the code any more")
	}
}

func TestTestsDoNotSleep(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if !s.test() || slices.Contains(imports(s), "testing/synctest") { // in a bubble time is virtual
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			selector, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || selector.Sel.Name != "Sleep" {
				return true
			}
			pkg, ok := selector.X.(*ast.Ident)
			length, isLiteral := call.Args[0].(*ast.BasicLit)
			if givesWay := isLiteral && length.Value == "0"; ok && pkg.Name == "time" && !givesWay {
				t.Errorf("%s sleeps: wait for a signal", s.set.Position(n.Pos()))
			}
			return true
		})
	}
}

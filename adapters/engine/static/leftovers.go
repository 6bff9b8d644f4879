package static

import (
	"path"
	"regexp"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

var focusedTestRule = Rule{
	ID: "focused-test", title: "Focused test", version: 1,
	Severity: events.SeveritySuggestion, Category: categoryTests,
	Doc: "The other tests of its suite do not run any more, and the suite still passes. Remove the focus.",
}

var skippedTestRule = Rule{
	ID: "skipped-test", title: "Skipped test", version: 1,
	Severity: events.SeverityNitpick, Category: categoryTests,
	Doc: "A test that does not run guards nothing. Say beside it what has to happen before it runs again.",
}

var debuggerRule = Rule{
	ID: "debugger-statement", title: "Leftover debugger statement", version: 1,
	Severity: events.SeveritySuggestion, Category: categoryBug,
	Doc: "It stops the program, or prints what was of use while writing it. Remove it.",
}

// leftover is a shape of code that a finished change does not have.
type leftover struct {
	rule    *Rule
	ends    []string // of names; "" = any that has a language
	tests   bool     // files of tests only
	needles []string // one of them stands in every match
	pattern *regexp.Regexp
}

var (
	scriptEnds = []string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte"}
	pythonEnds = []string{".py"}
	rubyEnds   = []string{".rb"}
)

// leftovers are the shapes. The pattern is tried on the code of a line, without
// its strings and comments.
var leftovers = []leftover{
	{&focusedTestRule, scriptEnds, true, []string{".only"}, regexp.MustCompile(`\b(?:describe|context|suite|it|test|specify)(?:\.\w+)?\.only\s*[(.` + "`]")},
	{&focusedTestRule, scriptEnds, true, []string{"fdescribe", "fit", "fcontext"}, regexp.MustCompile(`(?:^|[^\w.$])(?:fdescribe|fcontext|fit)\s*\(`)},
	{&focusedTestRule, []string{".go"}, true, []string{"FIt", "FDescribe", "FContext", "FEntry"}, regexp.MustCompile(`(?:^|[^\w.])(?:FIt|FDescribe|FContext|FEntry)\(`)},
	{&focusedTestRule, rubyEnds, true, []string{"fit", "fdescribe", "fcontext"}, regexp.MustCompile(`^\s*(?:fit|fdescribe|fcontext)\b`)},

	{&skippedTestRule, scriptEnds, true, []string{".skip"}, regexp.MustCompile(`\b(?:describe|context|suite|it|test|specify)\.skip\s*\(`)},
	{&skippedTestRule, scriptEnds, true, []string{"xdescribe", "xit", "xtest"}, regexp.MustCompile(`(?:^|[^\w.$])(?:xdescribe|xit|xtest)\s*\(`)},
	{&skippedTestRule, []string{".go"}, true, []string{".Skip"}, regexp.MustCompile(`^\t[tbf]\.Skip(?:f|Now)?\(`)}, // deeper it hangs on a condition
	{&skippedTestRule, pythonEnds, true, []string{"skip"}, regexp.MustCompile(`^\s*@(?:pytest\.mark\.skip|unittest\.skip)\b`)},
	{&skippedTestRule, []string{".java", ".kt"}, true, []string{"@Disabled", "@Ignore"}, regexp.MustCompile(`^\s*@(?:Disabled|Ignore)\b`)},
	{&skippedTestRule, []string{".rs"}, false, []string{"#[ignore"}, regexp.MustCompile(`^\s*#\[ignore\b`)},
	{&skippedTestRule, rubyEnds, true, []string{"xit", "xdescribe"}, regexp.MustCompile(`^\s*(?:xit|xdescribe)\b`)},

	{&debuggerRule, scriptEnds, false, []string{"debugger"}, regexp.MustCompile(`(?:^|[;{}]|\s)debugger\s*(?:;|$|\})`)},
	{&debuggerRule, pythonEnds, false, []string{"set_trace", "breakpoint"}, regexp.MustCompile(`\b(?:i?pdb|pudb)\.set_trace\(|(?:^\s*|[:;]\s*)breakpoint\(`)},
	{&debuggerRule, rubyEnds, false, []string{"binding.", "byebug"}, regexp.MustCompile(`\bbinding\.(?:pry|irb)\b|^\s*byebug\b`)},
	{&debuggerRule, []string{".go"}, false, []string{"runtime.Breakpoint"}, regexp.MustCompile(`\bruntime\.Breakpoint\(\)`)},
	{&debuggerRule, []string{".rs"}, false, []string{"dbg!"}, regexp.MustCompile(`\bdbg!\s*[(\[{]`)},
	{&debuggerRule, []string{".ex", ".exs"}, false, []string{"IEx.pry"}, regexp.MustCompile(`\bIEx\.pry\b`)},
	{&debuggerRule, []string{".php"}, false, []string{"var_dump", "xdebug_break"}, regexp.MustCompile(`(?:^|[^\w>:$])(?:var_dump|xdebug_break)\s*\(`)},
}

// shapes are the leftovers that a file of the name can have.
func shapes(name string) (*language, []leftover) {
	lang := languages[strings.ToLower(path.Ext(name))]
	if lang == nil {
		return nil, nil
	}
	test := isTest(name)
	var all []leftover
	for _, shape := range leftovers {
		if hasEnd(name, shape.ends) && (test || !shape.tests) {
			all = append(all, shape)
		}
	}
	return lang, all
}

var testName = regexp.MustCompile(`(?i)(?:_test\.(?:go|py|exs)|[._](?:test|spec|cy|e2e)\.\w+|(?:Tests?|IT|Spec)\.(?:java|kt)|^test_.*\.py|_spec\.rb)$`)

// isTest reports whether a name is that of a file of tests.
func isTest(name string) bool {
	if testName.MatchString(path.Base(name)) {
		return true
	}
	if strings.HasSuffix(name, ".go") {
		return false
	}
	for _, part := range strings.Split(strings.ToLower(path.Dir(name)), "/") {
		switch part {
		case "test", "tests", "__tests__", "spec", "specs", "e2e", "cypress":
			return true
		}
	}
	return false
}

// leftover looks for the shapes on an added line; one rule fires once a line.
func (l *look) leftover(line int, row string, lang *language, all []leftover) {
	if len(row) > rowMax {
		return
	}
	code := ""
	var fired *Rule
	for i := range all {
		shape := &all[i]
		if shape.rule == fired || !containsAny(row, shape.needles) {
			continue
		}
		if code == "" {
			code = strings.TrimSuffix(lang.code(row), "\r")
		}
		if shape.pattern.MatchString(code) {
			fired = shape.rule
			l.at(shape.rule, line, "", "The change adds the line.")
		}
	}
}

func containsAny(s string, needles []string) bool {
	for _, needle := range needles {
		if strings.Contains(s, needle) {
			return true
		}
	}
	return false
}

package linter

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder holds reports as real linters write them.
const folder = "../../../testdata/engines/reports"

var formats = map[string][]string{
	"gcc.txt":   {"%-GIn file %.%#", "%-G%f: In function %.%#", "%f:%l:%c: %tarning: %m", "%f:%l:%c: %trror: %m"},
	"make.txt":  {"%Dmake: Entering directory '%f'", "%Xmake: Leaving directory %.%#", "%f:%l: error %n: %m", "%f:%l: %m"},
	"multi.txt": {`%E  File "%f"\, line %l`, "%-C%p^", "%+C    %m", "%Z%[A-Za-z]%#Error: %m", "%t: %m in %f at %l"},
}

// formatOf chooses the reader for a file of the folder.
func formatOf(t testing.TB, name string) format {
	t.Helper()
	switch filepath.Ext(name) {
	case ".sarif":
		return sarif{}
	case ".rdjsonl", ".rdjson":
		return rdjsonl{}
	case ".xml":
		return checkstyle{}
	}
	e, err := newErrorformat(formats[name])
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// readAll reads a report that is in memory.
func readAll(f format, report []byte) (lines []string, all facts, err error) {
	src, err := newSource(bytes.NewReader(report), int64(len(report)))
	if err != nil {
		return nil, facts{}, err
	}
	all, err = f.read(src, func(r remark) { lines = append(lines, line(r)) })
	return lines, all, err
}

// line shows a remark.
func line(r remark) string {
	text := fmt.Sprintf("%s:%d-%d %s %q", strings.Join(r.files, "|"), r.start, r.end, r.severity, r.message)
	for _, part := range []string{r.rule, r.about, r.withdrawn} {
		if part != "" {
			text += fmt.Sprintf(" %q", part)
		}
	}
	if r.security {
		text += " security"
	}
	if r.unread {
		text += " unread"
	}
	if r.fix != nil {
		text += fmt.Sprintf(" fix %d-%d %q", r.fix.start, r.fix.end, r.fix.text)
	}
	return text
}

func TestReportsOfRealLinters(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		tool  string
		lines []string
	}{
		"golangci.sarif": {"golangci-lint 2.1.6 0", []string{
			`a.go|a.go:3-3 blocking "Error return value of ` + "`f.Close`" + ` is not checked" "errcheck"`,
			`sub dir/b.go|sub%20dir/b.go:1-1 suggestion "func idle is unused" "unused"`,
		}},
		"sorted.sarif": {"CodeQL 2.17.3 0", []string{
			`/home/runner/work/x/a.go|/home/runner/work/x/a.go|a.go|a.go:3-3 blocking "'f' leaks {{here}} {2}" "go/leak" "A file that is not closed leaks its handle.\n\nhttps://example.org/go/leak" fix 3-3 "\tdefer f.Close()"`,
			`/home/runner/work/x/sub dir/b.go|/home/runner/work/x/sub%20dir/b.go|sub dir/b.go|sub%20dir/b.go:2-2 nitpick "Tainted by user input." "go/taint/query" "Query from user input" security`,
			`/home/runner/work/x/a.go|/home/runner/work/x/a.go|a.go|a.go:4-6 nitpick "only **markdown**" "go/taint" "Query from user input" "suppressed in the linter's report: generated" security`,
			`a.go|a.go:5-5 suggestion "still there"`,
			`:0-0 suggestion "gone" "the report says that it is gone"`,
		}},
		"buf.rdjsonl": {"revive 0", []string{
			`./a.go:3-3 suggestion "exported func Do should have comment" "exported" "https://revive.run/r#exported"`,
			`a.go:4-5 blocking "use of deprecated name\nsay Do instead" fix 4-5 "Do()\nDo()"`,
			`a.go:5-5 suggestion "part of a line"`,
		}},
		"shellcheck.rdjson": {"shellcheck 0", []string{
			`a.sh:2-2 nitpick "Double quote to prevent globbing and word splitting." "SC2086" "https://www.shellcheck.net/wiki/SC2086" fix 2-2 "echo \"$1\""`,
			`a.sh:0-0 blocking "Not of a severity of its own"`,
		}},
		"checkstyle.xml": {"0", []string{
			`/home/runner/work/x/src/Main.java:3-3 blocking "Missing a Javadoc comment & more." "com.puppycrawl.tools.checkstyle.checks.javadoc.MissingJavadocMethodCheck"`,
			`/home/runner/work/x/src/Main.java:0-0 suggestion "File does not end with a newline." "com.puppycrawl.tools.checkstyle.checks.NewlineAtEndOfFileCheck"`,
			`src/Odd.java:0-0 suggestion "The linter could not look at the file" unread`,
			`src/Odd.java:0-0 suggestion "Quiet." "the report says to ignore it"`,
		}},
		"latin1.xml": {"0", []string{`café.js:1-1 nitpick "naïve" "eslint.rules.no-alert"`}},
		"gcc.txt": {"0", []string{
			`main.c:4-4 suggestion "unused variable 'i' [-Wunused-variable]"`,
			`main.c:7-7 blocking "expected ';' before '}' token"`,
		}},
		"make.txt": {"0", []string{`sub/b.c|b.c:2-2 suggestion "no such thing" "12"`, `b.c:3-3 suggestion "odd"`}},
		"multi.txt": {"1", []string{
			`a.py:3-3 blocking "    x = = 1\ninvalid syntax"`,
			`c.py:9-9 suggestion "last words"`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			lines, all, err := readAll(formatOf(t, name), report)
			if err != nil {
				t.Fatal(err)
			}
			if tool := strings.TrimSpace(fmt.Sprintf("%s %d", strings.TrimSpace(all.tool+" "+all.version), all.unmatched)); tool != want.tool {
				t.Errorf("facts %q, want %q", tool, want.tool)
			}
			if !slices.Equal(lines, want.lines) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want.lines, "\n"))
			}
		})
	}
}

func TestBrokenReportsSayWhere(t *testing.T) {
	t.Parallel()
	efm, err := newErrorformat([]string{"%f:%l:%m"})
	if err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat("<a>", depthMax+1)
	for name, c := range map[string]struct {
		format format
		report string
		want   string
	}{
		"SARIF cut off":              {sarif{}, "{\"version\":\"2.1.0\",\"runs\":[{\"results\":[\n{\"message\":{\"text\":\"one\"}},\n{\"message\":{\"te", "line 3: not the JSON of such a report: the report is cut off"},
		"SARIF of another shape":     {sarif{}, `{"version":"2.1.0","runs":[{"results":[{"message":"text"}]}]}`, "line 1: not the JSON of such a report: "},
		"SARIF of an old version":    {sarif{}, `{"version":"1.0.0","runs":[]}`, `SARIF of version "1.0.0" is not 2.1.0`},
		"SARIF without runs":         {sarif{}, `{"version":"2.1.0"}`, "not a SARIF report: it has no runs"},
		"SARIF of no object":         {sarif{}, `[]`, `line 1: a SARIF report must begin with '{'`},
		"SARIF twice":                {sarif{}, "{\"runs\":[]}\n{\"runs\":[]}", "line 2: more follows the report's end"},
		"nothing where SARIF is due": {sarif{}, "", "the report is cut off"},
		"words before SARIF":         {sarif{}, "npm warn\n{}", "line 1: not the JSON of such a report: invalid character"},
		"a line that is no JSON":     {rdjsonl{}, "{\"message\":\"a\"}\nDone.\n", "line 2: not the JSON of such a report: invalid character 'D'"},
		"a diagnostic cut off":       {rdjsonl{}, "{\"message\":\"a\"}\n{\"mess", "line 2: not the JSON of such a report: the report is cut off"},
		"no diagnostic":              {rdjsonl{}, "{\"message\":\"a\"}\n{\"level\":\"b\"}\n", "line 2: not a diagnostic: it has no message"},
		"rdjson cut off":             {rdjsonl{}, `{"source":{"name":"x"},"diagnostics":[{"message":"a"},`, "the report is cut off"},
		"XML cut off":                {checkstyle{}, "<checkstyle>\n<file name=\"a\">\n<error line=\"1\"/>", "line 3: not checkstyle's XML: the report is cut off"},
		"XML of another kind":        {checkstyle{}, "<testsuite/>", "<testsuite> is not the one element <checkstyle>"},
		"no XML":                     {checkstyle{}, "All good.", "text stands outside of its element"},
		"XML that is empty":          {checkstyle{}, " \n", "it has no element"},
		"XML in an unknown encoding": {checkstyle{}, `<?xml version="1.0" encoding="klingon"?><checkstyle/>`, `the encoding "klingon" is not known`},
		"XML that is deep":           {checkstyle{}, "<checkstyle>" + deep, "elements lie deeper than 32"},
		"XML with an entity":         {checkstyle{}, `<!DOCTYPE x [<!ENTITY a "aa">]><checkstyle><file name="&a;"/></checkstyle>`, "invalid character entity"},
		"UTF-16":                     {sarif{}, "\xff\xfe{\x00}\x00", "the report is in UTF-16 or UTF-32"},
		"UTF-16 without a mark":      {efm, "a\x00:\x001\x00", "the report is in UTF-16 or UTF-32"},
		"gzip":                       {efm, "\x1f\x8b\x08", "the report is compressed"},
		"a value without end":        {sarif{}, `{"runs":[{"results":[{"message":{"text":"` + strings.Repeat("x", 2*valueMax), "a value is longer than"},
		"an attribute without end":   {checkstyle{}, `<checkstyle version="` + strings.Repeat("x", 2*valueMax), "a value is longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := readAll(c.format, []byte(c.report))
			var broken *BrokenError
			if !errors.As(err, &broken) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestReportsOfNothing(t *testing.T) {
	t.Parallel()
	efm, err := newErrorformat([]string{"%f:%l:%m"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		format format
		report string
	}{
		"SARIF":                {sarif{}, `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[]},{"results":null}]}`},
		"SARIF behind a mark":  {sarif{}, "\xef\xbb\xbf" + `{"runs":[]}`},
		"rdjsonl":              {rdjsonl{}, " \n"},
		"rdjson":               {rdjsonl{}, `{"source":{"name":"x"},"diagnostics":[]}`},
		"checkstyle":           {checkstyle{}, "<?xml version=\"1.0\"?>\n<checkstyle version=\"5.0\"/>\n"},
		"text":                 {efm, ""},
		"text of other things": {efm, "All good.\n"},
	} {
		if lines, _, err := readAll(c.format, []byte(c.report)); err != nil || len(lines) != 0 {
			t.Errorf("%s: %q, error %v", name, lines, err)
		}
	}
}

func TestFormatsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, formats := range [][]string{
		nil, {""}, {"%"}, {"%f:%"}, {"%*"}, {"%*["}, {"%y"}, {"%[a"}, {strings.Repeat("x", formatLenMax+1)},
		slices.Repeat([]string{"%m"}, FormatsMax+1),
	} {
		if err := CheckFormats(formats); err == nil || !strings.HasPrefix(err.Error(), "formats: ") {
			t.Errorf("%.40q: error %v", formats, err)
		}
	}
	e, err := newErrorformat([]string{"a%t%#:%m"}) // the library panics at a line without a type
	if err != nil {
		t.Fatal(err)
	}
	if lines, all, err := readAll(e, []byte("a:b\n")); err != nil || len(lines) != 0 || all.unmatched != 1 {
		t.Errorf("%q, %+v, error %v", lines, all, err)
	}
}

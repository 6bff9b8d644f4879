package static

import (
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/events"
)

func TestSyntax(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\n// a comment\n", 20)
	plant(t, map[string]planted{
		"go": {
			base: changetest.Files{"a.go": "package a\n\nfunc f() {\n}\n"}, head: changetest.Files{"a.go": "package a\n\nfunc f( {\n}\n"},
			want: []string{"syntax a.go:3-3"},
		},
		"a line comment does not move it": {
			base: changetest.Files{"a.go": "package a\n\nfunc f() {\n}\n"}, head: changetest.Files{"a.go": "package a\n\n//line x.go:900\nfunc f( {\n}\n"},
			want: []string{"syntax a.go:4-4"},
		},
		"found far below what was touched": {
			base: changetest.Files{"a.go": "package a\n\nfunc f() {\n\tx()\n}\n" + long}, head: changetest.Files{"a.go": "package a\n\nfunc f() {\n\tif y {\n\tx()\n}\n" + long},
			want: []string{"syntax a.go:4-4"},
		},
		"json": {
			base: changetest.Files{"a.json": "{\n\"a\": 1\n}\n"}, head: changetest.Files{"a.json": "{\n\"a\": 1,\n\"b\" 2\n}\n"},
			want: []string{"syntax a.json:3-3"},
		},
		"yaml": {
			base: changetest.Files{"a.yaml": "a: 1\nb: 2\n"}, head: changetest.Files{"a.yaml": "a: 1\nb: [1, 2\n"},
			want: []string{"syntax a.yaml:2-2"},
		},
		"an alias of nothing": {
			base: changetest.Files{"a.yaml": "a: 1\n"}, head: changetest.Files{"a.yaml": "a: 1\nb: *c\n"},
			want: []string{"syntax a.yaml:2-2"},
		},
		"toml": {
			base: changetest.Files{"a.toml": "a = 1\nb = 2\n"}, head: changetest.Files{"a.toml": "a = 1\nb = = 2\n"},
			want: []string{"syntax a.toml:2-2"},
		},
		"xml": {
			base: changetest.Files{"a.xml": "<a>\n<b/>\n</a>\n"}, head: changetest.Files{"a.xml": "<a>\n<b>\n</a>\n"},
			want: []string{"syntax a.xml:2-2"},
		},
		"broken before":          {base: changetest.Files{"a.json": "{\n\"a\": 1,\n}\n"}, head: changetest.Files{"a.json": "{\n\"a\": 2,\n}\n"}},
		"with carriage returns":  {base: changetest.Files{"a.go": "package a\r\n"}, head: changetest.Files{"a.go": "package a\r\n\r\nvar x = 1\r\n"}},
		"a new template":         {head: changetest.Files{"a.yaml": "{{- if .x }}\na: [\n{{ end }}\n"}},
		"new JSON with comments": {head: changetest.Files{"a.json": "// hello\n{}\n", "tsconfig.json": "{\"a\": 1,}\n"}},
		"entities of its own":    {head: changetest.Files{"a.xml": "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;&z;</a>\n"}},
		"another name":           {head: changetest.Files{"a.txt": "{{{\n"}},
	})
}

func TestSyntaxOfANewFileOnlySuggests(t *testing.T) {
	t.Parallel()
	answer := review(t, New(Options{}), nil, changetest.Files{"testdata/a.go": "package a\n\nfunc (\n"})
	if len(answer.Findings) != 1 || answer.Findings[0].Severity != events.SeveritySuggestion || answer.Findings[0].LineStart != 3 {
		t.Errorf("findings %+v", answer.Findings)
	}
	answer = review(t, New(Options{}), changetest.Files{"a.go": "package a\n"}, changetest.Files{"a.go": "package a b\n"})
	if len(answer.Findings) != 1 || answer.Findings[0].Severity != events.SeverityBlocking {
		t.Errorf("findings %+v", answer.Findings)
	}
}

// Stacks that overflow end the process, so nothing deep is parsed.
func TestDeepNestingIsNotParsed(t *testing.T) {
	t.Parallel()
	deep := map[string]string{
		"a.json": strings.Repeat("[", 400_000), "b.yaml": strings.Repeat("- ", 400_000), "c.yaml": strings.Repeat("[", 400_000),
		"d.toml": "a = " + strings.Repeat("[", 40_000), "e.go": "package a\nvar x = " + strings.Repeat("(", 400_000),
		"f.yaml": strings.Repeat("? ", 400_000), "g.yaml": "a:\n" + strings.Repeat(" ", 5000) + "b: 1\n",
		".github/workflows/w.yml": "on: " + strings.Repeat("[", 100_000),
	}
	head := changetest.Files{}
	for name, body := range deep {
		head[name] = body + "\n"
	}
	answer := review(t, New(Options{}), nil, head)
	noted := map[string]string{}
	for _, c := range answer.Skipped {
		noted[c.Path] = c.Status + ": " + c.Reason
	}
	for name := range deep {
		if !strings.HasPrefix(noted[name], "partial: ") || !strings.Contains(noted[name], "nested too deep") {
			t.Errorf("%s: coverage %q", name, noted[name])
		}
	}
	if len(answer.Findings) != 0 {
		t.Errorf("findings %q", lines(answer))
	}
}

func TestSyntaxBoundIsOnRecord(t *testing.T) {
	t.Parallel()
	answer := review(t, New(Options{}), nil, changetest.Files{"a.json": "[\n" + strings.Repeat("1234567,\n", SyntaxFileBytesMax/9+1)})
	if len(answer.Skipped) != 1 || !strings.Contains(answer.Skipped[0].Reason, "JSON syntax was not looked at") {
		t.Errorf("coverage %+v", answer.Skipped)
	}
}

func FuzzGrammars(f *testing.F) {
	for _, seed := range []string{
		"package a\n", "{\"a\": [1, 2]}", "a: &x [1]\nb: *x\n- - ? :", "[a]\nb = {c = 1}\n", "<a b='c'>&lt;</a>", "\xff\xfe\x00", "//line :0\n",
		"<<: *a\n!!binary |\n", "%YAML 1.2\n---\n...\n", "a: |\n\tb", "'''\"\"\"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if tooDeep(body) || len(body) > 1<<16 {
			return
		}
		for i := range grammars {
			// A panic is an answer of its own; a line is one of the file.
			found, err := parsed(&grammars[i], body)
			if err == nil && found != nil && found.line < 0 {
				t.Errorf("%s: line %d", grammars[i].name, found.line)
			}
		}
		tooWide(body)
	})
}

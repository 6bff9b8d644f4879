package static

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// planted is a change and what shall be found of it: "rule file:start-end".
type planted struct {
	base, head changetest.Files
	want       []string
}

func plant(t *testing.T, cases map[string]planted) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := review(t, New(Options{}), c.base, c.head)
			if got := lines(answer); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRulesAreWholeAndUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || r.ID == "" || r.Doc == "" || r.title == "" || r.Category == "" || r.version < 1 {
			t.Errorf("rule %+v", r)
		}
		if r.Severity.Weight() == 0 && r.Severity != events.SeverityNitpick {
			t.Errorf("rule %s: severity %q", r.ID, r.Severity)
		}
		seen[r.ID] = true
	}
}

// The version has to change with the libraries, so their versions are go.mod's.
func TestVersionsAreThoseOfTheModule(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for path, version := range map[string]string{
		"github.com/zricethezav/gitleaks/v8": gitleaksVersion, "github.com/rhysd/actionlint": actionlintVersion,
		"github.com/golangci/misspell": misspellVersion,
		"go.yaml.in/yaml/v4":           yamlVersion, "github.com/pelletier/go-toml/v2": tomlVersion,
	} {
		if !regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(path+" v"+version) + `(?:\s|$)`).Match(mod) {
			t.Errorf("go.mod has not %s v%s", path, version)
		}
	}
}

func TestHiddenRunes(t *testing.T) {
	t.Parallel()
	plant(t, map[string]planted{
		"an override": {
			base: changetest.Files{"a.txt": "one\ntwo\n"},
			head: changetest.Files{"a.txt": "one\nif x \u202e // y\ntwo\n"},
			want: []string{"unicode-bidi a.txt:2-2"},
		},
		"there before": {
			base: changetest.Files{"a.txt": "if x \u202e // y\ntwo\n"},
			head: changetest.Files{"a.txt": "two\n  if x \u202e // y\n"},
		},
		"a zero width space and tags": {
			head: changetest.Files{"a.txt": "a\u200bb\nplain\nx\U000E0041\U000E0042\n"},
			want: []string{"unicode-invisible a.txt:1-1", "unicode-invisible a.txt:3-3"},
		},
		"where they belong": {
			head: changetest.Files{"a.txt": "\ufefffirst\nfamily \U0001F468\u200d\U0001F469\n" +
				"می\u200cخواهم\nflag \U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F\n"},
		},
		"a mark that begins no file": {
			head: changetest.Files{"a.txt": "one\n\ufefftwo\n"},
			want: []string{"unicode-invisible a.txt:2-2"},
		},
		"bytes that are no UTF-8": {head: changetest.Files{"a.txt": "\xe2\x80 \xff\xfe \xf3\xa0\n"}},
		"a name with a newline": {
			head: changetest.Files{"a\nb\t\"\\.txt": "one\n\u2066x\n"},
			want: []string{"unicode-bidi a\nb\t\"\\.txt:2-2"},
		},
	})
}

func TestCodePointIsNamed(t *testing.T) {
	t.Parallel()
	answer := review(t, New(Options{}), nil, changetest.Files{"a": "x \u202e y \u2066 z\n"})
	if len(answer.Findings) != 1 || !strings.Contains(answer.Findings[0].Title, "U+202E (RIGHT-TO-LEFT OVERRIDE)") ||
		!strings.Contains(answer.Findings[0].Body, "U+2066 (LEFT-TO-RIGHT ISOLATE)") ||
		answer.Findings[0].Severity != events.SeverityBlocking {
		t.Errorf("findings %+v", answer.Findings)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	plant(t, map[string]planted{
		"files of credentials": {
			base: changetest.Files{"deploy/.env": "A=1\n"},
			head: changetest.Files{
				"deploy/.env": "A=2\n", ".env": "A=1\n", "x/.env.production": "A=1\n", ".env.example": "A=\n",
				"id_ed25519": "x\n", "home/.aws/credentials": "x\n", "credentials": "x\n", "keys.go": "package keys\n",
			},
			want: []string{
				"credential-file .env:0-0", "credential-file home/.aws/credentials:0-0", "credential-file id_ed25519:0-0",
				"credential-file x/.env.production:0-0",
			},
		},
		"the head of a key": {
			head: changetest.Files{"a.txt": "one\n" + keyHeader + "\nshort\n", "b.go": "package b\n\nvar head = \"" + keyHeader + "\" + end\n"},
			want: []string{"private-key-armor a.txt:2-2"},
		},
	})
}

func TestSizes(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("0123456789abcde\n", LargeFileBytes/16)
	plant(t, map[string]planted{
		"binary files": {
			base: changetest.Files{"old.bin": "\x00\x01"},
			head: changetest.Files{"old.bin": "\x00\x02", "new.bin": "\x00\x01\x02", "logo.png": "\x89PNG\x00"},
			want: []string{"added-binary new.bin:0-0"},
		},
		"a file that becomes large": {
			base: changetest.Files{"a": large[16:], "b": large},
			head: changetest.Files{"a": large, "b": large + "more\n", "c": large[16:]},
			want: []string{"large-file a:0-0"},
		},
	})
}

func TestLineEndings(t *testing.T) {
	t.Parallel()
	plant(t, map[string]planted{
		"a carriage return comes": {
			base: changetest.Files{"a": "one\ntwo\n"}, head: changetest.Files{"a": "one\nnew\r\ntwo\n"},
			want: []string{"mixed-line-endings a:2-2"},
		},
		"a carriage return is left out": {
			base: changetest.Files{"a": "one\r\ntwo\r\n"}, head: changetest.Files{"a": "one\r\ntwo\r\nnew\n"},
			want: []string{"mixed-line-endings a:3-3"},
		},
		"all of them change":    {base: changetest.Files{"a": "one\ntwo\n"}, head: changetest.Files{"a": "one\r\ntwo\r\n"}},
		"mixed before":          {base: changetest.Files{"a": "one\r\ntwo\n"}, head: changetest.Files{"a": "one\r\nx\r\ntwo\n"}},
		"no newline at its end": {base: changetest.Files{"a": "one\r\n"}, head: changetest.Files{"a": "one\r\ntwo"}},
		"new and mixed": {
			head: changetest.Files{"a": "one\ntwo\r\nthree\n"}, want: []string{"mixed-line-endings a:2-2"},
		},
	})
}

func TestLocks(t *testing.T) {
	t.Parallel()
	lock := changetest.Files{"package-lock.json": "{}\n", "package.json": "{\n  \"a\": \"^1.0.0\"\n}\n"}
	plant(t, map[string]planted{
		"both change": {
			base: lock, head: changetest.Files{"package-lock.json": "{ }\n", "package.json": "{\n  \"a\": \"^1.1.0\"\n}\n"},
		},
		"the lock alone": {
			base: lock, head: changetest.Files{"package-lock.json": "{ }\n", "package.json": lock["package.json"]},
			want: []string{"lock-without-manifest package-lock.json:0-0"},
		},
		"a dependency without the lock": {
			base: lock, head: changetest.Files{"package-lock.json": "{}\n", "package.json": "{\n  \"a\": \"^1.1.0\"\n}\n"},
			want: []string{"manifest-without-lock package.json:2-2"},
		},
		"no dependency": {
			base: lock, head: changetest.Files{"package-lock.json": "{}\n", "package.json": "{\n  \"a\": \"^1.0.0\",\n  \"version\": \"1.2.3\"\n}\n"},
		},
		"the lock of a workspace above": {
			base: changetest.Files{"Cargo.lock": "a\n", "x/y/Cargo.toml": "[package]\n"},
			head: changetest.Files{"Cargo.lock": "b\n", "x/y/Cargo.toml": "[package]\n[dependencies]\nserde = \"1.0\"\n"},
		},
		"no lock at all": {
			base: changetest.Files{"Cargo.toml": "[dependencies]\n"}, head: changetest.Files{"Cargo.toml": "[dependencies]\nserde = \"1.0\"\n"},
		},
	})
}

func TestLeftovers(t *testing.T) {
	t.Parallel()
	plant(t, map[string]planted{
		"scripts": {
			base: changetest.Files{"a.test.ts": "const a = 1\n"},
			head: changetest.Files{
				"a.test.ts": "const a = 1\nit.only('x', () => {})\nit.skip('y', () => {})\n// it.only('x')\nconst s = 'it.only('\nfit('z', f)\nmodel.fit(1)\n",
				"a.ts":      "x.only(1)\ndebugger;\nconst d = \"debugger;\"\nfit(2)\n",
			},
			want: []string{
				"focused-test a.test.ts:2-2", "skipped-test a.test.ts:3-3", "focused-test a.test.ts:6-6",
				"debugger-statement a.ts:2-2",
			},
		},
		"other languages": {
			head: changetest.Files{
				"a_test.go": "package a\n\nfunc f(t *testing.T) {\n\tt.Skip(\"later\")\n\tif x {\n\t\tt.Skip(\"short\")\n\t}\n}\n", "a.go": "package a\n\nfunc f() {\n\truntime.Breakpoint()\n}\n",
				"t/test_a.py": "@pytest.mark.skip\ndef a():\n    breakpoint()\n    # breakpoint()\n", "a.rb": "binding.pry\n", "a.rs": "let x = dbg!(1);\n",
				"notes.txt": "debugger;\nbinding.pry\n",
			},
			want: []string{
				"debugger-statement a.go:4-4", "debugger-statement a.rb:1-1", "debugger-statement a.rs:1-1",
				"skipped-test a_test.go:4-4", "skipped-test t/test_a.py:1-1", "debugger-statement t/test_a.py:3-3",
			},
		},
		"there before": {
			base: changetest.Files{"a.js": "debugger;\nx\n"}, head: changetest.Files{"a.js": "x\n{\n  debugger;\n}\n"},
		},
	})
}

func TestManyOfOneRuleAreCounted(t *testing.T) {
	t.Parallel()
	answer := review(t, New(Options{}), nil, changetest.Files{"a.js": strings.Repeat("debugger;\n", 40)})
	if len(answer.Findings) != PerRuleMax {
		t.Fatalf("findings %q", lines(answer))
	}
	if last := answer.Findings[PerRuleMax-1].Body; !strings.Contains(last, "35 more times in this file: at line 6, 7,") || !strings.Contains(last, "and 15 more") {
		t.Errorf("the last of them says %q", last)
	}
	titles := map[string]bool{}
	for _, f := range answer.Findings {
		titles[f.Title] = true
	}
	if len(titles) != PerRuleMax {
		t.Errorf("titles %v are not apart", titles)
	}
}

// No finding of any rule quotes a secret, whichever rule fires beside it.
func TestNoRuleQuotesASecret(t *testing.T) {
	t.Parallel()
	answer := review(t, New(Options{}), nil, changetest.Files{
		"a.js": "debugger; // " + ghToken + "\n", "b.json": "{\"a\": " + ghToken + "}\n", "c.yml": "a: " + ghToken + "\nb: [\u202e" + ghToken + "\n",
		".github/workflows/w.yml": "on: " + ghToken + "\njobs:\n  " + ghToken + ":\n    " + ghToken + ": 1\n",
		"d.xml":                   "<" + ghToken + "></b>\n", "e.toml": ghToken + " = " + ghToken + "\n", "f.go": "package " + ghToken + " " + ghToken + "\n",
	})
	raw, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), ghToken) || len(answer.Findings) < 10 {
		t.Errorf("answer %s", raw)
	}
}

var _ session.Engine = (*Engine)(nil)

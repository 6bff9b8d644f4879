package static

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
)

func TestCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang      *language
		row, want string
	}{
		{cLike, `a("b") // c`, `a(" ")     `},
		{cLike, `a('\'b') + c`, `a('   ') + c`},
		{cLike, `"open`, `"    `},
		{cLike, ` * debugger;`, `            `},
		{hashLike, `x = '#' # y`, `x = ' '    `},
		{goLanguage, "x := '\"'; y()", "x := '\"      "}, // a rune of a quote: too careful, which is fine
		{rust, `fn f<'a>(x: &'a str)`, `fn f<'a>(x: &'a str)`},
	} {
		if got := c.lang.code(c.row); got != c.want {
			t.Errorf("%q: got %q, want %q", c.row, got, c.want)
		}
	}
}

// A row keeps its length, and every byte that is no blank.
func FuzzCode(f *testing.F) {
	for _, seed := range []string{`it.only("a\`, "`${x}` // y", `'''a'''#`, "\\\"", "/* */ *", "\xff'\xfe", "\u202e\"\u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, row string) {
		for _, lang := range []*language{cLike, hashLike, goLanguage, rust} {
			code := lang.code(row)
			if len(code) != len(row) {
				t.Fatalf("%q has another length than %q", code, row)
			}
			for i := range len(row) {
				if code[i] != row[i] && code[i] != ' ' {
					t.Fatalf("byte %d of %q is not that of %q", i, code, row)
				}
			}
		}
	})
}

func FuzzRunes(f *testing.F) {
	for _, seed := range []string{"a\u202eb", "\xf3\xa0\x81", "\U0001F3F4\U000E0067", "\u200d\u200d", "\ufeff", "\xe2\x80"} {
		f.Add(1, seed)
	}
	f.Fuzz(func(t *testing.T, line int, row string) {
		bidi, invisible := runesOf(line, row)
		for _, name := range append(bidi, invisible...) {
			if !strings.HasPrefix(name, "U+") || !utf8.ValidString(name) {
				t.Errorf("name %q", name)
			}
		}
		if ascii(row) && len(bidi)+len(invisible) > 0 {
			t.Errorf("%q has %q %q", row, bidi, invisible)
		}
	})
}

func FuzzEscape(f *testing.F) {
	f.Add("a/b", "../..", "a", "b")
	f.Add("x", "y/../../z", "y", "/etc")
	f.Fuzz(func(t *testing.T, name, target, link, to string) {
		links := map[string]string{link: to, to: link}
		if why := escape(name, target, links); why == "" && strings.HasPrefix(target, "/") {
			t.Errorf("%q does not leave the tree", target)
		}
	})
}

// Bad input of the issue: a long file of hostile lines, and names with anything.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("\u202e debugger; "+"\xff\n", 100_000)
	answer := review(t, New(Options{}), nil, changetest.Files{
		"a.js": many, "one.js": strings.Repeat("debugger;", 1<<17), "b\nc\t\".js": "debugger;\n", "\xff\xfe.js": "debugger;\n", "-rf.js": "debugger;\n",
	})
	if len(answer.Findings) > 3*PerRuleMax {
		t.Errorf("%d findings", len(answer.Findings))
	}
	got := strings.Join(lines(answer), "\n")
	for _, want := range []string{
		"unicode-bidi a.js:1-1", "debugger-statement a.js:1-1", "debugger-statement b\nc\t\".js:1-1",
		"debugger-statement \ufffd\ufffd.js:1-1", "debugger-statement -rf.js:1-1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
}

// A file full of secrets is work in proportion to its size.
func TestManySecretsAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "key%d: AK%s%s\n", i, "IA", key32(i))
	}
	answer := review(t, New(Options{}), nil, changetest.Files{"a.txt": b.String()})
	if len(answer.Findings) != SecretsPerFileMax || !strings.Contains(answer.Findings[SecretsPerFileMax-1].Body, "at most 2") {
		t.Errorf("%d findings", len(answer.Findings))
	}
}

// key32 is sixteen letters that look random, of a number.
func key32(n int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	out := make([]byte, 16)
	x := uint64(n)*0x9E3779B97F4A7C15 + 0x1234567
	for i := range out {
		x ^= x >> 29
		x *= 0xBF58476D1CE4E5B9
		out[i] = letters[x>>59]
	}
	return string(out)
}

func BenchmarkReview(b *testing.B) {
	row := "\tresult, err := client.Do(request.WithContext(ctx)) // ask again where it fails\n"
	for _, n := range []int{1_000, 10_000, 50_000} {
		b.Run(fmt.Sprintf("lines=%d", n), func(b *testing.B) {
			change := changetest.New(b, nil, changetest.Files{"a.go": "package a\n\nfunc f() {\n" + strings.Repeat(row, n) + "}\n"})
			in := &session.Input{Change: change, Diff: changetest.Parse(b, change)}
			e := New(Options{})
			e.fileMax = 0 // the secrets have their own price: performance.md §4
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Review(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/line")
		})
	}
}

func BenchmarkSecrets(b *testing.B) {
	row := "\tresult, err := client.Do(request.WithContext(ctx)) // ask again where it fails\n"
	change := changetest.New(b, nil, changetest.Files{"a.go": "package a\n\nfunc f() {\n" + strings.Repeat(row, 1000) + "}\n"})
	in := &session.Input{Change: change, Diff: changetest.Parse(b, change)}
	e := New(Options{})
	for b.Loop() {
		if _, err := e.Review(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}

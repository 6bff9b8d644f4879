package prose

import (
	"strings"
	"testing"
)

// harmless are texts and what is made of them: cases D42, E25 and E26.
var harmless = map[string]string{
	// case E25: mentions, references and commands, outside of code.
	"ask @maintainer about it":              "ask `@maintainer` about it",
	"@org/team, @types/node":                "`@org/team`, `@types/node`",
	"_@maintainer_ and (@Override)":         "_`@maintainer_` and (`@Override`)",
	"write to email@x.y":                    "write to email@x.y",
	"actions/checkout@v4 is not pinned":     "actions/checkout@v4 is not pinned",
	"`@maintainer` and `` `@x` ``":          "`@maintainer` and `` `@x` ``",
	"`@maintainer":                          "'`@maintainer`",
	"a ` b @maintainer":                     "a ' b `@maintainer`",
	"\\@maintainer":                         "\\ `@maintainer`",
	"\\`@maintainer`":                       "\\'`@maintainer`'",
	"`code`@maintainer`more`":               "`code` `@maintainer` `more`",
	"&#64;maintainer &commat;x &amp;":       "`&#64;`maintainer `&commat;`x `&amp;`",
	"@\u200bmaintainer":                     "`@maintainer`",
	"| `a | @maintainer` |":                 "| 'a | `@maintainer`' |",
	"`a || b`":                              "`a || b`",
	"[x]@coderabbitai review":               "[x]`a command to a bot`",
	"@coderabbitai review this":             "`a command to a bot` this",
	"This fixes #12, closes: a/b#3, GH-4.":  "This fixes `#12`, closes: `a/b#3`, GH-4.",
	"resolved GH-4; see #12":                "resolved `GH-4`; see #12",
	"prefixes #12":                          "prefixes #12",
	"/merge":                                "`/merge`",
	"/merge<!-- x --> now":                  "`/merge`  now",
	"<!-- x -->> /merge":                    " > `/merge`",
	"- /merge now":                          "- `/merge` now",
	"> /merge now":                          "> `/merge` now",
	"/etc/passwd is read":                   "/etc/passwd is read",
	"run /merge":                            "run /merge",
	"see https://example.org/a/b/issues/5.": "see `https://example.org/a/b/issues/5`.",

	// case E26: images, links, tags.
	"![x](https://evil.example/?q=1)":  "[x] (`https://evil.example/?q=1`)",
	"[x](https://evil.example)":        "[x] (`https://evil.example`)",
	"!![x][y]!!":                       "[x][y]!!",
	"[x](//evil.example) [y][z]":       "[x] (//evil.example) [y][z]",
	"[z]: //evil.example":              "[z] : //evil.example",
	"<https://evil.example>":           "`<https://evil.example>`",
	`<img alt=">" src=//evil.example>`: "`<img alt=\">`\" src=//evil.example>",
	"<img src=`x`>":                    "``<img src=`x`>``",
	"a List<String> and a < b, a<b":    "a List`<String>` and a < b, a`<`b",
	"5http://evil.example, ahttp://b":  "5`http://evil.example`, ahttp://b",
	"www.`v":                           "`www`.'v",
	"www.evil.example/x":               "`www.evil.example/x`",
	"`https://example.org` and `<b>`":  "`https://example.org` and `<b>`",

	// case D42: what would imitate our markers or hide the rest.
	"a <!-- reviewctl:v1 sha=1 --> b": "a   b",
	"a <!-- never closed":             "a",
	"<!<!-- x -->-- y":                "`<`! -- y",
	"</details> <details":             "`</details>` `<`details",
	"user\u202etxt.exe\U000E0041":     "usertxt.exe",
}

func TestProseIsHarmless(t *testing.T) {
	t.Parallel()
	for text, want := range harmless {
		if got := Line(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		} else if again := Line(got); again != got {
			t.Errorf("%q becomes %q, and that %q", text, got, again)
		}
	}
}

func TestBlocksOfCodeStay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"```go\n@x <b>\n```\n@y":            "```go\n@x <b>\n```\n`@y`",
		"~~~\n```\n@x\n~~~\n@y":             "~~~\n```\n@x\n~~~\n`@y`",
		"````\n```\n@x\n````\n@y":           "````\n```\n@x\n````\n`@y`",
		"```\nnever closed @x":              "```\nnever closed @x\n```",
		"- ```\n  @x\n  ```\n@y":            "- '''\n  `@x`\n  '''\n`@y`", // its end is that of the list
		"> ```\n@x":                         "> '''\n`@x`",
		"`a\n@x`":                           "'a\n`@x`'",
		"``` not `a` fence\n@x":             "''' not `a` fence\n`@x`",
		"first\n\n/merge\nfixes #1\n":       "first\n\n`/merge`\nfixes `#1`\n",
		"a <!-- hidden\n<img src=x>\n--> b": "a\n`<img src=x>`\n--> b",
		"    @x":                            "    `@x`",
		"a\n   ~~~\n@x":                     "a\n   '''\n`@x`", // would hide the rest
		"- ~~~~ b\n@x":                      "- '''' b\n`@x`",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		} else if again := Text(got); again != got {
			t.Errorf("%q becomes %q, and that %q", text, got, again)
		}
	}
}

// On a forge a reference leaves a trace on what it names, and blocks of code become
// buttons, pictures and maps.
func TestForgeProse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"see #12, octo/town#13; GH-14 (repo#15)": "see `#12`, octo/town`#13`; `GH-14` (repo`#15`)",
		"in `#12` and fixes #12":                 "in `#12` and fixes `#12`",
		"prefixes a#b and #x":                    "prefixes a#b and #x",
		"```suggestion\nx\n```":                  "```\nx\n```",
		"~~~ Mermaid {x}\nx\n~~~":                "~~~\nx\n~~~",
		"```go title=x\nx\n```":                  "```\nx\n```",
		"```c++\n#12\n```\n#12":                  "```c++\n#12\n```\n`#12`",
	} {
		if got := ForgeText(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		} else if again := ForgeText(got); again != got {
			t.Errorf("%q becomes %q, and that %q", text, got, again)
		}
	}
	if got := ForgeLine("see #12"); got != "see `#12`" {
		t.Errorf("got %q", got)
	}
}

// FuzzText: what is harmless stays as it is, and no mention is left outside of
// code, by a reader of Markdown that knows code spans and nothing else.
func FuzzText(f *testing.F) {
	for text := range harmless {
		f.Add(text)
	}
	f.Add("```\n@x\n```\n`@y` `` @z")
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		if again := Text(got); again != got {
			t.Fatalf("%q becomes %q, and that %q", text, got, again)
		}
		posted := ForgeText(text)
		if again := ForgeText(posted); again != posted {
			t.Fatalf("%q is posted as %q, and that as %q", text, posted, again)
		}
		for _, line := range strings.Split(Line(strings.ReplaceAll(text, "\n", " ")), "\n") {
			outside := stripCode(line)
			if strings.Contains(outside, "<!--") || strings.Contains(outside, "](") || strings.Contains(outside, " @x") {
				t.Fatalf("%q becomes %q", text, line)
			}
		}
	})
}

// stripCode leaves one mark of each code span, as CommonMark reads them.
func stripCode(line string) string {
	var out strings.Builder
	for i := 0; i < len(line); {
		if line[i] == '\\' && i+1 < len(line) {
			out.WriteString(line[i : i+2])
			i += 2
			continue
		}
		n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		if n == 0 {
			out.WriteByte(line[i])
			i++
			continue
		}
		end := i + n
		for end < len(line) {
			m := len(line[end:]) - len(strings.TrimLeft(line[end:], "`"))
			if m == n {
				break
			}
			end += max(m, 1)
		}
		if end >= len(line) {
			out.WriteString(line[i : i+n])
			i += n
			continue
		}
		out.WriteByte('`')
		i = end + n
	}
	return out.String()
}

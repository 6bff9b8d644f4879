package githubtest

import "testing"

func TestLiveMention(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "",
		"@ann":                           "@ann",
		"(@ann-b)":                       "@ann-b",
		"thanks, @octo/team":             "@octo",
		"mail to ann@example.org":        "",
		"@ ann":                          "",
		"@\u200bann":                     "",
		"@<!-- -->ann":                   "",
		"`@ann`":                         "",
		"``a ` @ann``":                   "",
		"` @ann":                         "@ann",
		"`a`@ann`":                       "@ann",
		"a `b\n\nc @ann ` d":             "@ann",
		"&#64;ann":                       "@ann",
		"&commat;ann":                    "@ann",
		"\\@ann":                         "@ann",
		"<code>@ann</code>":              "",
		"<details>@ann</details>":        "@ann",
		"```\n@ann\n```\n":               "",
		"```go\n@ann\n```\n@bob":         "@bob",
		"````\n```\n@ann\n````\n":        "",
		"~~~\n@ann\n~~~":                 "",
		"    ```\n@ann":                  "@ann",
		"```\n@ann":                      "",
		"```suggestion\n@Override\n```x": "",
		"<!-- @ann -->":                  "",
	} {
		if got := liveMention(text); got != want {
			t.Errorf("%q mentions %q, want %q", text, got, want)
		}
	}
}

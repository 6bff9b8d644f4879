package render

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/github/marker"
)

// What may be live in a text of ours, and nothing else.
var (
	ourTags  = regexp.MustCompile(`</?(?:details|summary|sub)>`)
	ourLinks = regexp.MustCompile(`\]\(https://forge\.example/octo/town/[^\s()]*\)`)
	live     = map[string]*regexp.Regexp{
		"a mention":      regexp.MustCompile(`(?:^|[^\w` + "`" + `])@[A-Za-z0-9]`),
		"a reference":    regexp.MustCompile(`(?i)(?:^|[^\w&` + "`" + `])(?:#|GH-)[0-9]`),
		"a tag":          regexp.MustCompile(`<[A-Za-z/!?]`),
		"a link":         regexp.MustCompile(`\]\(|^ *\[[^\]]*\]:|(?i)(?:^|[^a-z])https?://|(?:^|[^a-z0-9])www\.[a-z]`),
		"an entity":      regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`),
		"a command":      regexp.MustCompile(`^[ \t>]*/[A-Za-z][\w-]*(?:\s|$)`),
		"what is unseen": regexp.MustCompile("[\u202a-\u202e\u2066-\u2069\u200b\u200f]"),
	}
)

// alive reads a text as CommonMark does, as far as blocks of code, quotations and
// code spans go, and says what is wrong with it.
func alive(body string) error {
	first, rest, _ := strings.Cut(body, "\n")
	if _, ok := marker.Find(body); !ok || marker.Count(body) != 1 {
		return fmt.Errorf("%d markers, the first line is %q", marker.Count(body), first)
	}
	var fence string
	inQuote, depth := false, 0
	for i, line := range strings.Split(rest, "\n") {
		text, quoted := strings.CutPrefix(line, "> ")
		if !quoted || fence != "" && !inQuote {
			text = line
		}
		if inQuote && !quoted { // the end of a quotation ends what it opened
			fence = ""
		}
		if fence == "" {
			inQuote = quoted
		}
		switch mark := fenceOf(text); {
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.TrimSpace(text) == mark {
				fence = ""
			}
			continue
		case mark != "":
			fence = mark
			if word := strings.ToLower(text); quoted && strings.Contains(word, "suggestion") || strings.Contains(word, "mermaid") {
				return fmt.Errorf("line %d opens a block that a forge acts on: %q", i+2, line)
			}
			continue
		}
		outside := withoutSpans(line)
		depth += strings.Count(outside, "<details>") - strings.Count(outside, "</details>")
		outside = ourLinks.ReplaceAllString(ourTags.ReplaceAllString(outside, ""), "]")
		for what, pattern := range live {
			if m := pattern.FindString(outside); m != "" {
				return fmt.Errorf("line %d has %s %q: %q", i+2, what, m, line)
			}
		}
		if depth < 0 || depth > 1 {
			return fmt.Errorf("line %d: %d open details", i+2, depth)
		}
	}
	if fence != "" || depth != 0 {
		return fmt.Errorf("it ends with the fence %q and %d details open:\n%s", fence, depth, body)
	}
	return nil
}

// fenceOf is the fence that a line begins with, or "".
func fenceOf(line string) string {
	text := strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		mark := text[:len(text)-len(strings.TrimLeft(text, c))]
		if len(line)-len(text) <= 3 && len(mark) >= 3 && (c == "~" || !strings.Contains(text[len(mark):], "`")) {
			return mark
		}
	}
	return ""
}

// withoutSpans takes code spans out of a line, as CommonMark reads them.
func withoutSpans(line string) string {
	var out strings.Builder
	for line != "" {
		if line[0] == '\\' && len(line) > 1 {
			out.WriteString(line[:2])
			line = line[2:]
			continue
		}
		if line[0] != '`' {
			out.WriteByte(line[0])
			line = line[1:]
			continue
		}
		n := len(line) - len(strings.TrimLeft(line, "`"))
		end := n
		for end < len(line) {
			begin := strings.IndexByte(line[end:], '`')
			if begin < 0 {
				end = len(line)
				break
			}
			begin += end
			run := len(line[begin:]) - len(strings.TrimLeft(line[begin:], "`"))
			end = begin + run
			if run == n {
				break
			}
		}
		out.WriteByte('`')
		if end == len(line) && !strings.HasSuffix(line, line[:n]) {
			end = n
		}
		line = line[end:]
	}
	return out.String()
}

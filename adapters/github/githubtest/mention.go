package githubtest

import (
	"html"
	"regexp"
	"strings"
)

var (
	commentPattern = regexp.MustCompile(`(?s)<!--.*?-->`)
	codePattern    = regexp.MustCompile(`(?is)<(code|pre|tt)\b.*?</(code|pre|tt)>`)
	mentionPattern = regexp.MustCompile(`(?:^|[^A-Za-z0-9_])(@[A-Za-z0-9][A-Za-z0-9-]*)`)
)

// liveMention is the first name that a text would notify, or "". GitHub looks for
// names in the rendered text, so that an entity or a backslash does not help; it
// does not look into code, and what splits the @ from the name makes it none.
func liveMention(text string) string {
	text = commentPattern.ReplaceAllString(withoutFences(text), "\x00")
	text = codePattern.ReplaceAllString(withoutSpans(text), "\x00")
	if m := mentionPattern.FindStringSubmatch(html.UnescapeString(text)); m != nil {
		return m[1]
	}
	return ""
}

// withoutFences drops fenced code.
func withoutFences(text string) string {
	var out []string
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimLeft(line, " ")
		mark := fenceMark(trimmed)
		switch {
		case len(line)-len(trimmed) > 3: // indented code: no fence
		case fence == "" && mark != "":
			fence = mark
			continue
		case fence != "" && strings.HasPrefix(mark, fence) && strings.TrimSpace(trimmed) == mark:
			fence = ""
			continue
		}
		if fence == "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// fenceMark is the run of backticks or tildes that a line begins with, when it is
// long enough.
func fenceMark(line string) string {
	for _, sign := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, sign))
		if n >= 3 && (sign == "~" || !strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}

// withoutSpans drops code between equal runs of backticks.
func withoutSpans(text string) string {
	var out strings.Builder
	for text != "" {
		at := strings.IndexByte(text, '`')
		if at < 0 {
			break
		}
		n := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		out.WriteString(text[:at])
		after := text[at+n:]
		end := closing(after, n)
		if end < 0 {
			out.WriteString(text[at : at+n])
			text = after
			continue
		}
		out.WriteByte(0)
		text = after[end+n:]
	}
	out.WriteString(text)
	return out.String()
}

// closing is where a run of exactly n backticks begins, in the same paragraph.
func closing(text string, n int) int {
	if end := strings.Index(text, "\n\n"); end >= 0 {
		text = text[:end]
	}
	for at := 0; at < len(text); {
		if text[at] != '`' {
			at++
			continue
		}
		run := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		if run == n {
			return at
		}
		at += run
	}
	return -1
}

package static

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Bounds of a message of a library or a tool, which may quote the file.
const (
	messageMax  = 300     // of what is shown
	searchedMsg = 4 << 10 // of what is searched for secrets first
	aroundLines = 3       // before and behind the line that a message is about
	aroundBytes = 16 << 10
)

// quoted is a message about a line, without the secrets of the file's added lines,
// of the lines around it, and those that it shows by itself. The file is the
// change's: what a parser quotes of it is not only what the change added.
func (l *look) quoted(ctx context.Context, line int, message string) string {
	message = firstBytes(message, searchedMsg)
	if l.known != nil {
		message = l.known.Replace(message)
	}
	if around := l.around(line); around != "" {
		message = replacerOf(around, l.survey.scan.find(ctx, l.file.Path(), around)).Replace(message)
	}
	return l.survey.quoted(ctx, message)
}

// around is the text of the head near a line.
func (l *look) around(line int) string {
	if line <= 0 {
		return ""
	}
	body := l.old.headBytes()
	start, number := 0, 1
	for i, c := range body {
		if c != '\n' {
			continue
		}
		if number++; number <= max(line-aroundLines, 1) {
			start = i + 1
		}
		if number > line+aroundLines {
			body = body[:i]
			break
		}
	}
	if start >= len(body) {
		return ""
	}
	return firstBytes(string(body[start:]), aroundBytes)
}

// quoted is a message without the secrets that it shows, on one line and not long.
func (s *survey) quoted(ctx context.Context, message string) string {
	message = strings.Join(strings.Fields(firstBytes(message, searchedMsg)), " ")
	for _, h := range slices.Backward(s.scan.find(ctx, "", message)) {
		message = fmt.Sprintf("%s[secret: %s]%s", message[:h.start], h.rule, message[h.end:])
	}
	if len(message) > messageMax {
		message = firstBytes(message, messageMax) + "…"
	}
	return message
}

func firstBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

// secretMin is the shortest secret that is looked for in other texts: shorter ones
// would take ordinary words out of them.
const secretMin = 6

// replacerOf takes the secrets of one text out of others, the longest first,
// because one may hold another.
func replacerOf(text string, hits []hit) *strings.Replacer {
	rules := map[string]string{}
	for _, h := range hits {
		if secret := text[h.start:h.end]; len(secret) >= secretMin {
			rules[secret] = h.rule
		}
	}
	return newReplacer(rules)
}

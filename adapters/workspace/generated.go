package workspace

import (
	"bytes"
	"regexp"
	"strings"
)

// Bounds of the beginning of a file in which a mark of its maker counts.
const (
	markBytesMax = 4 << 10
	markLinesMax = 40
	markShownMax = 120 // bytes of the mark that are on record
)

// made are the marks that programs leave in what they write: Go's own (go help
// generate), and those that say the same in other words.
var made = []*regexp.Regexp{
	regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.$`),
	regexp.MustCompile(`(?i)\b(?:auto-?generated|generated (?:by|from|automatically|code|file)|automatically generated)\b.*\bdo not (?:edit|modify|change)\b`),
	regexp.MustCompile(`(?i)\bdo not (?:edit|modify|change)\b.*\b(?:auto-?generated|generated (?:by|from)|automatically generated)\b`),
	regexp.MustCompile(`(?:^|[\s*/#])@generated\b`),
	regexp.MustCompile(`(?i)<auto-?generated\b`),
}

// comment is how a line begins that says something about its file, and is no part
// of what the file does.
var comment = regexp.MustCompile(`^(?://|/\*|\*|#|--|;|%|'|<!--|"""|\.\.)`)

// markOf returns the line in which a file says that a program made it, or nil.
func markOf(head []byte) []byte {
	if len(head) > markBytesMax {
		head = head[:markBytesMax]
	}
	n := 0
	for line := range bytes.Lines(head) {
		if n++; n > markLinesMax {
			break
		}
		line = bytes.TrimRight(line, "\r\n")
		text := bytes.TrimSpace(line)
		if !comment.Match(text) {
			continue
		}
		for _, mark := range made {
			if mark.Match(text) {
				return line
			}
		}
	}
	return nil
}

// shownMark is the mark as it goes on record.
func shownMark(line []byte) string {
	text := strings.ToValidUTF8(strings.Join(strings.Fields(string(line)), " "), "\uFFFD")
	if len(text) > markShownMax {
		text = strings.ToValidUTF8(text[:markShownMax], "") + "…"
	}
	return text
}

// addsMark reports whether the change itself puts the mark into a file that was
// there before: then it says nothing about the file.
func addsMark(section, mark []byte) bool {
	return bytes.Contains(section, slicesOf("\n+", mark, "\n")) || bytes.Contains(section, slicesOf("\n+", mark, "\r\n"))
}

func slicesOf(before string, text []byte, after string) []byte {
	return append(append([]byte(before), text...), after...)
}

// removedHead is the beginning of a deleted file, which its section shows.
func removedHead(section []byte) []byte {
	var head []byte
	inHunk := false
	for line := range bytes.Lines(section) {
		switch {
		case bytes.HasPrefix(line, []byte("@@")):
			inHunk = true
		case inHunk && line[0] == '-':
			head = append(head, line[1:]...)
		}
		if len(head) > markBytesMax {
			break
		}
	}
	return head
}

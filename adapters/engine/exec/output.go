package exec

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

// Bounds of what is kept of a program's output. It is read to its end in any
// case, both streams at once, so that the program never waits. (case E16)
const (
	StdoutMax = 8 << 20
	stderrEnd = 32 << 10 // of the head, and of the tail
)

// ends keeps the head and the tail of output.
type ends struct {
	mu      sync.Mutex
	head    []byte
	tail    []byte
	dropped bool
}

func (e *ends) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := min(stderrEnd-len(e.head), len(b))
	e.head = append(e.head, b[:n]...)
	e.tail = append(e.tail, b[n:]...)
	if over := len(e.tail) - stderrEnd; over > 0 {
		e.tail = append(e.tail[:0], e.tail[over:]...)
		e.dropped = true
	}
	return len(b), nil
}

// String joins the two; where there was more between, each is cut at a line, so
// that no half of a word is kept.
func (e *ends) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.dropped {
		return string(e.head) + string(e.tail)
	}
	head, tail := e.head, e.tail
	head = head[:bytes.LastIndexByte(head, '\n')+1]
	tail = tail[bytes.IndexByte(tail, '\n')+1:]
	return string(head) + "[…]\n" + string(tail)
}

// meaningful is the first line that says something: neither empty nor a
// diagnostic of a command line's own. (semantics 11.1)
func meaningful(stderr string) string {
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "[claude-code:") {
			return line
		}
	}
	return ""
}

// lastLine is the last line that is not empty.
func lastLine(stderr string) string {
	stderr = strings.TrimSpace(stderr)
	return strings.TrimSpace(stderr[strings.LastIndexByte(stderr, '\n')+1:])
}

// head is the first n bytes of a text, cut between characters.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

package marker

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Kind is what a text is.
type Kind string

// The kinds.
const (
	KindReview  Kind = "review"  // the body of a review
	KindComment Kind = "comment" // one of its inline comments
)

// AllKinds lists them.
func AllKinds() []Kind { return []Kind{KindReview, KindComment} }

// Key is what a text is about; two texts of one key are one text posted twice.
type Key struct {
	Repo   int64 // GitHub's number of it
	Number int
	Head   events.Commit
	Kind   Kind
}

// Marker is a key with what else its text is recognised by later.
type Marker struct {
	Key

	// Of a review.
	Base    events.Commit
	Run     events.RunID
	Verdict events.Verdict // the canonical one, whatever event it was posted as

	// Of a comment. (semantics 13.1)
	Finding events.Fingerprint
	Dedupe  string
}

// The parts of a marker. A number of its version is raised when an older program
// must not understand it; a new key needs none.
const (
	begin   = "<!-- reviewctl "
	version = "v1"
	end     = " -->"
)

// headDigits is the length of a commit's name on GitHub.
const headDigits = 40

// String is the marker's line, without its end.
func (m Marker) String() string {
	var b strings.Builder
	b.WriteString(begin + escape(string(m.Kind)) + " " + version)
	write := func(key, value string) {
		if value != "" {
			b.WriteString(" " + key + "=" + escape(value))
		}
	}
	write("repo", strconv.FormatInt(m.Repo, 10))
	write("pr", strconv.Itoa(m.Number))
	write("head", string(m.Head))
	write("base", string(m.Base))
	write("run", string(m.Run))
	write("verdict", string(m.Verdict))
	write("finding", string(m.Finding))
	write("dedupe", m.Dedupe)
	b.WriteString(end)
	return b.String()
}

// Find reads the marker of a body: its first line, byte for byte as String writes
// it but for keys that are not known here, which a newer program may have added.
func Find(body string) (Marker, bool) {
	line, _, _ := strings.Cut(body, "\n")
	line, framed := cutFrame(strings.TrimSuffix(line, "\r"))
	if !framed {
		return Marker{}, false
	}
	words := strings.Split(line, " ")
	if len(words) < 2 || !isWord(words[0]) || words[1] != version {
		return Marker{}, false
	}
	m := Marker{Key: Key{Kind: Kind(words[0])}}
	seen := map[string]bool{}
	for _, word := range words[2:] {
		key, escaped, _ := strings.Cut(word, "=")
		value, ok := unescape(escaped)
		if !ok || !isWord(key) || seen[key] || !m.set(key, value) {
			return Marker{}, false
		}
		seen[key] = true
	}
	return m, m.Repo > 0 && m.Number > 0 && isHex(string(m.Head), headDigits)
}

func cutFrame(line string) (inner string, ok bool) {
	line, ok = strings.CutPrefix(line, begin)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(line, end)
}

// set takes over a value; a number must be written as we write it.
func (m *Marker) set(key, value string) (ok bool) {
	switch key {
	case "repo":
		n, err := strconv.ParseInt(value, 10, 64)
		m.Repo = n
		return err == nil && strconv.FormatInt(n, 10) == value
	case "pr":
		n, err := strconv.Atoi(value)
		m.Number = n
		return err == nil && strconv.Itoa(n) == value
	case "head":
		m.Head = events.Commit(value)
	case "base":
		m.Base = events.Commit(value)
	case "run":
		m.Run = events.RunID(value)
	case "verdict":
		m.Verdict = events.Verdict(value)
	case "finding":
		m.Finding = events.Fingerprint(value)
	case "dedupe":
		m.Dedupe = value
	}
	return true
}

// Matches reports whether a body carries our marker of just this key.
func Matches(body string, key Key) bool {
	m, ok := Find(body)
	return ok && m.Key == key
}

// Count is how many times a text says what a marker begins with, wherever it
// stands. A body that we post has exactly one.
func Count(body string) int { return strings.Count(body, strings.TrimSpace(begin)) }

// Defuse breaks whatever begins like a marker, ours or another system's, in a text
// that we did not write: in a block of code it would stand.
func Defuse(text string) string {
	if !strings.Contains(text, "<!--") {
		return text
	}
	return imitation.ReplaceAllString(text, "<!- -$1")
}

var imitation = regexp.MustCompile(`(?i)<!--(\s*(?:reviewctl|thepastaclaw-|t27-bees:))`)

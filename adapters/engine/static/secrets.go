package static

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// masked stands for a secret.
const masked = "***"

// found are the secrets of a file's added lines, in place.
type found struct {
	text   *text
	full   string
	starts []int // of each line in full
	hits   []hit
}

func (s *scan) search(ctx context.Context, path string, t *text) *found {
	f := &found{text: t, full: strings.Join(t.lines, "\n"), starts: lineStarts(t.lines)}
	f.hits = s.find(ctx, path, f.full)
	return f
}

// lineOf is the index of the line that holds the byte.
func (f *found) lineOf(offset int) int { return sort.SearchInts(f.starts, offset+1) - 1 }

// masked returns the lines, first to last, with every secret in them replaced.
func (f *found) masked(first, last int) string {
	return mask(f.full, f.starts[first], f.starts[last]+len(f.text.lines[last]), f.hits)
}

// line is the index of a line of the head, or -1.
func (f *found) line(number int) int {
	// The empty line between two others has the number of the one before it.
	i := sort.SearchInts(f.text.numbers, number)
	if i == len(f.text.numbers) || f.text.numbers[i] != number {
		return -1
	}
	return i
}

// maskedLine is the text of a line of the head without its secrets, or nothing of
// one that was not searched.
func (f *found) maskedLine(number int) string {
	i := f.line(number)
	if i < 0 {
		return ""
	}
	return f.masked(i, i)
}

// holds reports whether a secret stands on the line of the head.
func (f *found) holds(number int) bool {
	i := f.line(number)
	return i >= 0 && overlaps(f.hits, hit{start: f.starts[i], end: f.starts[i] + len(f.text.lines[i])})
}

// replacer takes the secrets out of other texts, or is nil where there are none.
func (f *found) replacer() *strings.Replacer {
	if len(f.hits) == 0 {
		return nil
	}
	return replacerOf(f.full, f.hits)
}

// secrets reports the secrets of a file's added lines that its old side had not,
// and counts those over the bound. The note says what could not be compared.
func (f *found) secrets(file *diff.File, old *oldSide) (all []events.Finding, rest int, note string) {
	seen := map[string]int{}
	unasked := 0
	for _, h := range f.hits {
		if len(all) == SecretsPerFileMax {
			rest++
			continue
		}
		had, asked := old.has(strings.ReplaceAll(f.full[h.start:h.end], "\r", ""))
		if had {
			continue
		}
		if !asked {
			unasked++
			continue
		}
		first, last := f.lineOf(h.start), f.lineOf(h.end-1)
		place := placeOf(h.rule, f.masked(first, last))
		seen[place]++
		if n := seen[place]; n > 1 {
			place = fmt.Sprintf("%s.%d", place, n)
		}
		all = append(all, secretFinding(file, h, place, f.text.numbers[first], f.text.numbers[last]))
	}
	if rest > 0 {
		all[len(all)-1].Body += fmt.Sprintf("\n\nThere are at most %d more in the file.", rest)
	}
	if unasked > 0 {
		note = fmt.Sprintf("%d of %d possible secrets were not compared with the file as it was", unasked, len(f.hits))
	}
	return all, rest, note
}

// secretFinding names the kind of the secret and its lines, and nothing of it.
func secretFinding(f *diff.File, h hit, place string, start, end int) events.Finding {
	where := fmt.Sprintf("Line %d", start)
	if end > start {
		where = fmt.Sprintf("Lines %d to %d", start, end)
	}
	finding := about(f)
	finding.Severity = secretRule.Severity
	finding.Category = secretRule.Category
	finding.Title = fmt.Sprintf("%s: %s (place %s)", secretRule.title, h.rule, place)
	finding.LineStart, finding.LineEnd = start, end
	finding.Body = fmt.Sprintf("%s of the change: %s\n\n%s", where, h.description, secretRule.Doc)
	finding.Rule = "gitleaks:" + h.rule
	return finding
}

// placeOf tells secrets of one kind in one file apart: six hex digits of a hash
// over what stands around the secret. It survives when lines move or when the
// secret is replaced by another, and as the secret is not part of it, nobody can
// try secrets against it.
func placeOf(rule, context string) string {
	sum := sha256.Sum256([]byte(rule + "\n" + strings.Join(strings.Fields(context), " ")))
	return hex.EncodeToString(sum[:])[:6]
}

// mask returns full[start:end] with every hit in it replaced.
func mask(full string, start, end int, hits []hit) string {
	var b strings.Builder
	at := start
	from := sort.Search(len(hits), func(i int) bool { return hits[i].end > start })
	for _, h := range hits[from:] {
		if h.start >= end {
			break
		}
		b.WriteString(full[at:max(h.start, at)])
		b.WriteString(masked)
		at = min(h.end, end)
	}
	b.WriteString(full[at:end])
	return b.String()
}

func lineStarts(lines []string) []int {
	starts := make([]int, len(lines))
	at := 0
	for i, line := range lines {
		starts[i] = at
		at += len(line) + 1
	}
	return starts
}

// Redact returns the text with every secret that the rules find replaced by its
// kind. Whatever a program printed goes through it before it is kept.
func Redact(ctx context.Context, text string) (string, error) {
	scan, err := newScan()
	if err != nil {
		return "", err
	}
	// Every place of a secret goes, whether gitleaks saw it there or not; the
	// longest first, because one may hold another.
	rules := map[string]string{}
	for _, h := range scan.find(ctx, "", text) {
		rules[text[h.start:h.end]] = h.rule
	}
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("redact: %w", err)
	}
	return halfKeys(newReplacer(rules).Replace(text)), nil
}

// newReplacer maps each secret to the name of its rule.
func newReplacer(rules map[string]string) *strings.Replacer {
	secrets := slices.SortedFunc(maps.Keys(rules), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	var pairs []string
	for _, secret := range secrets {
		pairs = append(pairs, secret, "[secret: "+rules[secret]+"]")
	}
	return strings.NewReplacer(pairs...)
}

// The two ends of a private key. Both together are found by gitleaks; where a
// text was cut, one of them is left alone with a part of the key.
var (
	keyBegins = regexp.MustCompile(`(?is)-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY.*`)
	keyEnds   = regexp.MustCompile(`(?is)^.*-----END[ A-Z0-9_-]{0,100}PRIVATE KEY[^-]*-----`)
)

// halfKeys takes out what lies beyond the one end of a key that is there.
func halfKeys(text string) string {
	if !strings.Contains(text, "PRIVATE KEY") {
		return text
	}
	text = keyEnds.ReplaceAllString(text, "[secret: private-key]")
	return keyBegins.ReplaceAllString(text, "[secret: private-key]")
}

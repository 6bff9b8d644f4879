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

// secrets reports the secrets of a file's added lines that its old side had not.
func (s *scan) secrets(ctx context.Context, f *diff.File, t *text, old *oldSide) []events.Finding {
	full := strings.Join(t.lines, "\n")
	hits := s.find(ctx, f.Path(), full)
	if len(hits) == 0 {
		return nil
	}
	starts := lineStarts(t.lines)
	lineOf := func(offset int) int { return sort.SearchInts(starts, offset+1) - 1 }
	seen := map[string]int{}
	var found []events.Finding
	for _, h := range hits {
		if old.has(strings.ReplaceAll(full[h.start:h.end], "\r", "")) {
			continue
		}
		first, last := lineOf(h.start), lineOf(h.end-1)
		context := mask(full, starts[first], starts[last]+len(t.lines[last]), hits)
		place := placeOf(h.rule, context)
		seen[place]++
		if n := seen[place]; n > 1 {
			place = fmt.Sprintf("%s.%d", place, n)
		}
		found = append(found, secretFinding(f, h, place, t.numbers[first], t.numbers[last]))
	}
	return found
}

// secretFinding names the kind of the secret and its lines, and nothing of it.
func secretFinding(f *diff.File, h hit, place string, start, end int) events.Finding {
	where := fmt.Sprintf("Line %d", start)
	if end > start {
		where = fmt.Sprintf("Lines %d to %d", start, end)
	}
	finding := about(f)
	finding.Severity = events.SeverityBlocking
	finding.Category = "security"
	finding.Title = fmt.Sprintf("Secret in the code: %s (place %s)", h.rule, place)
	finding.LineStart, finding.LineEnd = start, end
	finding.Body = fmt.Sprintf("%s of the change: %s\n\nRevoke the secret, because whoever can read the branch has it, "+
		"and take it out of the branch's history. Its text is not shown here.", where, h.description)
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
	for _, h := range hits {
		if h.end <= start || h.start >= end {
			continue
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
	secrets := slices.SortedFunc(maps.Keys(rules), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "[secret: "+rules[secret]+"]")
	}
	return halfKeys(text), nil
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

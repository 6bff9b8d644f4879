package static

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/reviewctl/reviewctl/events"
)

var bidiRule = Rule{
	ID: "unicode-bidi", title: "Bidirectional control character", version: 1,
	Severity: events.SeverityBlocking, Category: categorySecurity,
	Doc: "It makes editors and browsers show the line in another order than the one that compilers read " +
		"(Trojan Source, CVE-2021-42574). Remove it, or write it as an escape.",
}

var invisibleRule = Rule{
	ID: "unicode-invisible", title: "Invisible character", version: 1,
	Severity: events.SeveritySuggestion, Category: categorySecurity,
	Doc: "Nobody who reads the line sees it: it can tell two names apart that look the same, or hide text from people " +
		"and show it to machines. Remove it, or write it as an escape.",
}

// bidiControls override or isolate the direction of what follows.
var bidiControls = map[rune]string{
	0x202A: "LEFT-TO-RIGHT EMBEDDING", 0x202B: "RIGHT-TO-LEFT EMBEDDING", 0x202C: "POP DIRECTIONAL FORMATTING",
	0x202D: "LEFT-TO-RIGHT OVERRIDE", 0x202E: "RIGHT-TO-LEFT OVERRIDE", 0x2066: "LEFT-TO-RIGHT ISOLATE",
	0x2067: "RIGHT-TO-LEFT ISOLATE", 0x2068: "FIRST STRONG ISOLATE", 0x2069: "POP DIRECTIONAL ISOLATE",
}

// invisibles have no shape of their own. The marks of direction among them are
// harmless in text that is written from right to left, so they only suggest.
var invisibles = map[rune]string{
	0x061C: "ARABIC LETTER MARK", 0x115F: "HANGUL CHOSEONG FILLER", 0x1160: "HANGUL JUNGSEONG FILLER",
	0x180E: "MONGOLIAN VOWEL SEPARATOR", 0x200B: "ZERO WIDTH SPACE", 0x200C: "ZERO WIDTH NON-JOINER",
	0x200D: "ZERO WIDTH JOINER", 0x200E: "LEFT-TO-RIGHT MARK", 0x200F: "RIGHT-TO-LEFT MARK", 0x2060: "WORD JOINER",
	0x2061: "FUNCTION APPLICATION", 0x2062: "INVISIBLE TIMES", 0x2063: "INVISIBLE SEPARATOR", 0x2064: "INVISIBLE PLUS",
	0x3164: "HANGUL FILLER", 0xFEFF: "ZERO WIDTH NO-BREAK SPACE", 0xFFA0: "HALFWIDTH HANGUL FILLER",
}

// hiddenRunes finds the control characters of an added line, one spot a rule.
func (l *look) hiddenRunes(line int, row string) {
	if ascii(row) {
		return
	}
	bidi, invisible := runesOf(line, row)
	if len(bidi) > 0 {
		l.at(&bidiRule, line, bidi[0], "The line has "+strings.Join(bidi, ", ")+".")
	}
	if len(invisible) > 0 {
		l.at(&invisibleRule, line, invisible[0], "The line has "+strings.Join(invisible, ", ")+".")
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// runesOf names the hidden characters of a row, each once, in order.
func runesOf(line int, row string) (bidi, invisible []string) {
	seen := map[rune]bool{}
	before := rune(-1)
	for i, r := range row {
		last := before
		before = r
		if seen[r] {
			continue
		}
		if name, ok := bidiControls[r]; ok {
			seen[r] = true
			bidi = append(bidi, codePoint(r, name))
			continue
		}
		if name := invisibleName(r); name != "" && !inPlace(line, i, last, r, row[i+utf8.RuneLen(r):]) {
			seen[r] = true
			invisible = append(invisible, codePoint(r, name))
		}
	}
	return bidi, invisible
}

func codePoint(r rune, name string) string { return fmt.Sprintf("U+%04X (%s)", r, name) }

func invisibleName(r rune) string {
	switch {
	case r >= 0xE0000 && r <= 0xE007F:
		return "TAG CHARACTER"
	case r >= 0xE0100 && r <= 0xE01EF:
		return "VARIATION SELECTOR SUPPLEMENT"
	}
	return invisibles[r]
}

// inPlace reports whether the invisible character does what it is for: a mark
// at the start of the file, a joiner within a script or an emoji, the tags of a
// flag, a selector behind an ideograph.
func inPlace(line, at int, before, r rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case r == 0xFEFF:
		return line == 1 && at == 0
	case r == 0x200C || r == 0x200D:
		return before >= 0x0300 && (next >= 0x0300 && next != utf8.RuneError)
	case r >= 0xE0000 && r <= 0xE007F:
		return before == 0x1F3F4 || before >= 0xE0061 && before <= 0xE007A && r >= 0xE0061 && flagTags(after)
	case r >= 0xE0100 && r <= 0xE01EF:
		return before >= 0x3400 && before <= 0x323AF
	}
	return false
}

// flagTagsMax is the length of the longest name of a region in an emoji flag.
const flagTagsMax = 6

// flagTags reports whether the tags end as those of a flag do, and soon.
func flagTags(after string) bool {
	n := 0
	for _, r := range after {
		if n++; r < 0xE0000 || r > 0xE007F {
			return true
		}
		if r == 0xE007F {
			return n <= flagTagsMax
		}
	}
	return n <= flagTagsMax
}

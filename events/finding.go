package events

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Severity orders findings.
type Severity string

// The severities, from the heaviest.
const (
	SeverityBlocking   Severity = "blocking"
	SeveritySuggestion Severity = "suggestion"
	SeverityNitpick    Severity = "nitpick"
)

// AllSeverities lists them from the heaviest.
func AllSeverities() []Severity {
	return []Severity{SeverityBlocking, SeveritySuggestion, SeverityNitpick}
}

// Weight returns 3, 2, 1, and 0 for what is no severity. (semantics 12.2)
func (s Severity) Weight() int {
	switch s {
	case SeverityBlocking:
		return 3
	case SeveritySuggestion:
		return 2
	case SeverityNitpick:
		return 1
	}
	return 0
}

// Placement says where a finding can stand.
type Placement string

// A finding stands inline at its lines, or in the review's body.
const (
	PlacementInline Placement = "inline"
	PlacementBody   Placement = "body"
)

// Bounds of one finding, in bytes of text. An engine's longer text is cut with
// a mark by its adapter, so that one remark cannot fill a log.
const (
	FindingTitleMax      = 400
	FindingBodyMax       = 16 << 10
	FindingSuggestionMax = 16 << 10
	FindingQuoteMax      = 4 << 10
)

// FindingsPerLaneMax bounds the findings of one lane; the rest are counted and
// withheld with the reason.
const FindingsPerLaneMax = 500

// Finding is one remark, the same from the engine to the screen.
type Finding struct {
	Fingerprint      Fingerprint `json:"fingerprint"`
	Dedupe           string      `json:"dedupe"`
	Severity         Severity    `json:"severity"`
	Category         string      `json:"category"`
	Title            string      `json:"title"`
	File             string      `json:"file"`                  // "" = about the change as a whole; bad UTF-8 as U+FFFD
	FileBase64       string      `json:"file_base64,omitempty"` // the name's bytes, where it is not UTF-8
	LineStart        int         `json:"line_start"`            // 1-based in the head; 0 = no line
	LineEnd          int         `json:"line_end"`
	Body             string      `json:"body"`
	Suggestion       string      `json:"suggestion,omitempty"`        // replaces the lines, unless there is a reason why not
	SuggestionReason string      `json:"suggestion_reason,omitempty"` // why the suggestion is text to read and not to apply
	Quote            string      `json:"quote,omitempty"`             // the lines in the engine's words
	Confidence       *float64    `json:"confidence,omitempty"`
	Rule             string      `json:"rule,omitempty"` // the engine's id of the rule that fired
	Placement        Placement   `json:"placement"`
	PlacementReason  string      `json:"placement_reason,omitempty"` // why it cannot stand inline, or not just at the lines that were named
	Code             CodePrint   `json:"code,omitempty"`             // of the code beneath it
}

// Identify sets Fingerprint and Dedupe from the finding's words.
func (f *Finding) Identify() {
	f.Fingerprint = FindingHash(f.File, f.Category, f.Title)
	f.Dedupe = DedupeKey(f.File, f.Category, f.Title, f.Body)
}

// FindingHash is RSYS's finding_hash: the first 12 hex digits of
// SHA-256(file ":" category ":" trim(lower(title))). File and category go in as
// they are. (semantics 13.1)
func FindingHash(file, category, title string) Fingerprint {
	sum := sha256.Sum256([]byte(file + ":" + category + ":" + strings.TrimFunc(pythonLower(title), pythonSpace)))
	return Fingerprint(hex.EncodeToString(sum[:])[:12])
}

// DedupeKey is RSYS's dedupe_key, 16 hex digits. (semantics 13.1)
func DedupeKey(file, category, title, body string) string {
	if category == "" {
		category = "general"
	}
	lowered := func(s string) string { return pythonLower(strings.TrimFunc(s, pythonSpace)) }
	joined := strings.Join([]string{lowered(file), lowered(category), normal(title), normal(body)}, "|")
	sum := sha256.Sum256([]byte(joined))
	return hex.EncodeToString(sum[:])[:16]
}

// normal lower-cases, turns everything but word characters and white space (and
// "_") into spaces, and joins the words with single spaces.
func normal(text string) string {
	spaced := strings.Map(func(r rune) rune {
		if pythonWord(r) {
			return r
		}
		return ' '
	}, pythonLower(text))
	return strings.Join(strings.Fields(spaced), " ")
}

// pythonWord is Python's \w without "_": letters and numbers of any script.
func pythonWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// pythonSpace is what Python's str.strip removes.
func pythonSpace(r rune) bool { return unicode.IsSpace(r) || (r >= 0x1c && r <= 0x1f) }

// pythonLower is Python's str.lower, which differs from strings.ToLower in two
// places: a dotted capital I becomes two characters, and a capital sigma at the
// end of a word becomes the final form. (Unicode, SpecialCasing.txt)
func pythonLower(s string) string {
	if !strings.ContainsAny(s, "\u0130\u03a3") {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\u0130':
			b.WriteString("i\u0307")
		case r == '\u03a3' && finalSigma(s[:i], s[i+len("\u03a3"):]):
			b.WriteRune('\u03c2')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// finalSigma reports whether a sigma between the two texts ends a word: a cased
// letter is before it and none after it, both beyond what case ignores.
func finalSigma(before, after string) bool {
	left := strings.TrimRightFunc(before, caseIgnorable)
	r, _ := utf8.DecodeLastRuneInString(left)
	if left == "" || !cased(r) {
		return false
	}
	right := strings.TrimLeftFunc(after, caseIgnorable)
	r, _ = utf8.DecodeRuneInString(right)
	return right == "" || !cased(r)
}

// cased is Unicode's derived property Cased.
func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// midWord are the characters whose Word_Break is MidLetter, MidNumLet or
// Single_Quote.
const midWord = "'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a"

// caseIgnorable is Unicode's derived property Case_Ignorable.
func caseIgnorable(r rune) bool {
	return strings.ContainsRune(midWord, r) ||
		unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

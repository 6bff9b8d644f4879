package render

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// secretMin is the least length of a value that is looked for: of a shorter one
// words would be taken out everywhere.
const secretMin = 8

// squeezedMin is the least number of letters and digits of a secret that is also
// looked for without what stands between them.
const squeezedMin = 16

// shape is what a kind of token looks like. sign stands in each, so that a text
// without it costs nothing more.
type shape struct {
	sign, name string
	pattern    *regexp.Regexp
}

// shapes are the tokens that can be told by their look alone. What a change shows
// as a secret was masked at intake, where gitleaks looks for many more; this is for
// what an engine, an error or a name brings in. (case E24)
var shapes = []shape{
	{"gh", "github-token", regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{30,255}`)},
	{"github_pat_", "github-token", regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{40,255}`)},
	{"glpat-", "gitlab-token", regexp.MustCompile(`\bglpat-[\w-]{20,}`)},
	{"AKIA", "aws-key", regexp.MustCompile(`\bAKIA[A-Z0-9]{16}\b`)},
	{"ASIA", "aws-key", regexp.MustCompile(`\bASIA[A-Z0-9]{16}\b`)},
	{"ws_", "aws-secret", regexp.MustCompile(`(?i)\baws_(?:secret_access_key|session_token)["']?\s*[:=]\s*["']?[A-Za-z0-9/+=]{30,}`)},
	{"xox", "slack-token", regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"AIza", "google-key", regexp.MustCompile(`\bAIza[\w-]{35}`)},
	{"ya29.", "google-token", regexp.MustCompile(`\bya29\.[\w-]{20,}`)},
	{"sk-", "model-key", regexp.MustCompile(`\bsk-[\w-]{20,}`)},
	{"sk_live_", "stripe-key", regexp.MustCompile(`\b[sr]k_live_[A-Za-z0-9]{16,}`)},
	{"npm_", "npm-token", regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}`)},
	{"pypi-", "pypi-token", regexp.MustCompile(`\bpypi-[\w-]{50,}`)},
	{"eyJ", "jwt", regexp.MustCompile(`\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*`)},
	{"://", "password", regexp.MustCompile(`://[^\s/:@]{0,100}:[^\s/:@]{3,200}@`)},
	{"PRIVATE KEY", "private-key", regexp.MustCompile(`(?s)-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY.*?(?:-----END[ A-Z0-9_-]{0,100}PRIVATE KEY[^-]*-----|$)`)},
}

// masker takes secrets out of texts.
type masker struct {
	values   *strings.Replacer // nil = none are known
	known    []string          // in each form, the longest first
	squeezed []string
}

func newMasker(secrets []string) *masker {
	m := &masker{}
	for _, secret := range secrets {
		secret = strings.TrimSpace(secret)
		if len(secret) < secretMin {
			continue
		}
		m.known = append(m.known, forms(secret)...)
		if s := squeeze(secret); len(s) >= squeezedMin {
			m.squeezed = append(m.squeezed, s)
		}
	}
	slices.SortFunc(m.known, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	m.known = slices.Compact(m.known)
	if len(m.known) > 0 {
		var pairs []string
		for _, value := range m.known {
			pairs = append(pairs, value, "[secret]")
		}
		m.values = strings.NewReplacer(pairs...)
	}
	return m
}

// forms are a secret as it is, and as it is most often written otherwise. What
// stands in base64 depends on how many bytes come before it, so that its ends are
// left out.
func forms(secret string) []string {
	all := []string{secret, url.QueryEscape(secret), hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret)))}
	for before := range 3 {
		text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + secret))
		inner := text[min(len(text), (before*8+5)/6):]
		if inner = inner[:max(0, len(inner)-2)]; len(inner) >= secretMin {
			all = append(all, inner, strings.NewReplacer("+", "-", "/", "_").Replace(inner))
		}
	}
	return all
}

// mask takes out each known secret, and whatever looks like one.
func (m *masker) mask(text string) string {
	if m.values != nil {
		text = m.values.Replace(text)
	}
	for i := range shapes {
		if s := &shapes[i]; strings.Contains(text, s.sign) {
			text = s.pattern.ReplaceAllString(text, "[secret: "+s.name+"]")
		}
	}
	return text
}

// holds reports whether a known secret still stands in a text, or its letters and
// digits one after the other, whatever is between them.
func (m *masker) holds(text string) bool {
	is := func(value string) bool { return strings.Contains(text, value) }
	if slices.ContainsFunc(m.known, is) {
		return true
	}
	if len(m.squeezed) == 0 {
		return false
	}
	text = squeeze(text)
	return slices.ContainsFunc(m.squeezed, is)
}

func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, text)
}

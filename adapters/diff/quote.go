package diff

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// escapes are git's one-letter escapes in quoted names. (quote.c of git)
var escapes = map[byte]byte{
	'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r',
	'"': '"', '\\': '\\',
}

// unquote reads a name in git's C-style quotes at the front of s, and returns
// what follows it.
func unquote(s string) (name, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			c, width, ok := unescape(s[i+1:])
			if !ok {
				return "", "", false
			}
			b.WriteByte(c)
			i += width
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}

// unescape reads what stands after a backslash: a letter or three octal digits.
func unescape(s string) (c byte, width int, ok bool) {
	if s == "" {
		return 0, 0, false
	}
	if c, ok := escapes[s[0]]; ok {
		return c, 1, true
	}
	if len(s) < 3 {
		return 0, 0, false
	}
	n := 0
	for i := range 3 {
		if s[i] < '0' || s[i] > '7' {
			return 0, 0, false
		}
		n = n<<3 | int(s[i]-'0')
	}
	return byte(n), 3, n <= 0xff
}

// ShowPath returns a name as text: itself, or with each byte that is not UTF-8 as
// U+FFFD and the exact bytes as base64 beside it.
func ShowPath(path string) (text, exact string) {
	if utf8.ValidString(path) {
		return path, ""
	}
	var b strings.Builder
	for _, r := range path {
		b.WriteRune(r)
	}
	return b.String(), base64.StdEncoding.EncodeToString([]byte(path))
}

// ExactPath undoes ShowPath.
func ExactPath(text, exact string) string {
	if exact == "" {
		return text
	}
	raw, err := base64.StdEncoding.DecodeString(exact)
	if err != nil {
		return text
	}
	return string(raw)
}

package marker

import (
	"strings"
)

const hexDigits = "0123456789abcdef"

// plain reports whether a byte of a value stands as it is. All others, white
// space, ">" and "=" among them, are written as "%" and two digits.
func plain(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("._:/@-", c) >= 0
}

// escape writes a value so that it neither ends the comment nor the value. Of two
// hyphens the second is escaped: in a comment they may stand for its end.
func escape(value string) string {
	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		if plain(c) && !(c == '-' && i > 0 && value[i-1] == '-') {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hexDigits[c>>4])
		b.WriteByte(hexDigits[c&15])
	}
	return b.String()
}

// unescape reads what escape wrote, and nothing else.
func unescape(text string) (value string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		if i+2 >= len(text) {
			return "", false
		}
		high, low := strings.IndexByte(hexDigits, text[i+1]), strings.IndexByte(hexDigits, text[i+2])
		if high < 0 || low < 0 {
			return "", false
		}
		b.WriteByte(byte(high<<4 | low))
		i += 2
	}
	value = b.String()
	return value, value != "" && escape(value) == text
}

// isWord reports whether a text is a kind or a key.
func isWord(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz_") == ""
}

func isHex(text string, digits int) bool {
	return len(text) == digits && strings.Trim(text, hexDigits) == ""
}

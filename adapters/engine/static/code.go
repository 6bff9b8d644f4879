package static

import "strings"

// rowMax bounds the line that is read as code; longer ones are made by programs.
const rowMax = 4 << 10

// language is what is needed to tell the code of a line from its strings and
// comments.
type language struct {
	comment string // begins one that ends with the line
	quotes  string // characters that begin and end a string
}

var (
	cLike      = &language{comment: "//", quotes: "\"'`"}
	hashLike   = &language{comment: "#", quotes: "\"'"}
	goLanguage = &language{comment: "//", quotes: "\"`"}
	rust       = &language{comment: "//", quotes: "\""} // ' begins a lifetime as well
)

// languages are by the end of a file's name.
var languages = map[string]*language{
	".js": cLike, ".jsx": cLike, ".mjs": cLike, ".cjs": cLike, ".ts": cLike, ".tsx": cLike, ".mts": cLike, ".cts": cLike,
	".vue": cLike, ".svelte": cLike, ".java": cLike, ".kt": cLike, ".php": cLike,
	".go": goLanguage, ".rs": rust,
	".py": hashLike, ".rb": hashLike, ".ex": hashLike, ".exs": hashLike,
}

// code returns the line with its strings and comments as blanks, byte for byte.
// It sees one line: text within a string or comment of several lines is code to
// it, so its rules only suggest.
func (l *language) code(row string) string {
	trimmed := strings.TrimLeft(row, " \t")
	if strings.HasPrefix(trimmed, "*") || strings.HasPrefix(trimmed, "/*") {
		return strings.Repeat(" ", len(row)) // within a comment of several lines, as those are written
	}
	out := []byte(row)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = ' '
		}
	}
	for i := 0; i < len(row); {
		switch {
		case strings.HasPrefix(row[i:], l.comment):
			blank(i, len(row))
			return string(out)
		case strings.IndexByte(l.quotes, row[i]) >= 0:
			end := stringEnd(row, i)
			blank(i+1, end)
			i = end + 1
		default:
			i++
		}
	}
	return string(out)
}

// remark returns the comment of the line, or "".
func (l *language) remark(row string) string {
	trimmed := strings.TrimLeft(row, " \t")
	if strings.HasPrefix(trimmed, "*") || strings.HasPrefix(trimmed, "/*") {
		return trimmed
	}
	for i := 0; i < len(row); {
		switch {
		case strings.HasPrefix(row[i:], l.comment):
			return row[i:]
		case strings.IndexByte(l.quotes, row[i]) >= 0:
			i = stringEnd(row, i) + 1
		default:
			i++
		}
	}
	return ""
}

// stringEnd is where the string that begins at start ends: its closing quote, or
// the end of the line.
func stringEnd(row string, start int) int {
	for i := start + 1; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case row[start]:
			return i
		}
	}
	return len(row)
}

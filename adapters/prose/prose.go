package prose

import (
	"regexp"
	"strings"
	"unicode"
)

// Visible takes characters out that are not seen or turn the text around.
func Visible(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 }) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unseen, r) {
			return -1
		}
		return r
	}, text)
}

// unseen are the bidirectional controls and what has no width. Joiners stay: some
// scripts need them.
var unseen = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00AD, 0x00AD, 1}, {0x061C, 0x061C, 1}, {0x115F, 0x1160, 1}, {0x180E, 0x180E, 1}, {0x200B, 0x200B, 1},
		{0x200E, 0x200F, 1}, {0x202A, 0x202E, 1}, {0x2060, 0x206F, 1}, {0x3164, 0x3164, 1}, {0xFEFF, 0xFEFF, 1}, {0xFFA0, 0xFFA0, 1},
	},
	R32:         []unicode.Range32{{0xE0000, 0xE0FFF, 1}},
	LatinOffset: 1,
}

// Line makes a text of one line harmless.
func Line(text string) string { return inline(Visible(text), false) }

// ForgeLine is Line for what is posted on a forge: there a reference to an issue or
// a pull request leaves a trace on that one, so it is code too.
func ForgeLine(text string) string { return inline(Visible(text), true) }

// A block of code begins at the edge: one that is indented may be part of a list,
// and end with it.
var (
	opens  = regexp.MustCompile("^(```+)[^`]*$|^(~~~+).*$")
	closes = regexp.MustCompile("^ {0,3}(```+|~~~+)[ \t]*$")

	language = regexp.MustCompile("^[`~]+[ \t]*[A-Za-z0-9+#_.-]{0,30}[ \t]*$")
	active   = regexp.MustCompile("^(?i)[`~]+[ \t]*(?:suggestion|mermaid|math|geojson|topojson|stl)")
)

// Text makes a text of many lines harmless. A block of code that is not closed is.
func Text(text string) string { return lines(text, false) }

// ForgeText is Text for what is posted on a forge: as in ForgeLine, and a block of
// code keeps only the name of its language, since a forge makes buttons, pictures
// and maps of others.
func ForgeText(text string) string { return lines(text, true) }

func lines(text string, forge bool) string {
	var out []string
	fence := ""
	for line := range strings.SplitSeq(Visible(text), "\n") {
		if fence != "" {
			if m := closes.FindStringSubmatch(line); m != nil && strings.HasPrefix(m[1], fence) {
				fence = ""
			}
			out = append(out, line)
			continue
		}
		if m := opened(line); m != nil {
			fence = m[1] + m[2]
			if forge && !language.MatchString(line) || forge && active.MatchString(line) {
				line = fence
			}
			out = append(out, line)
			continue
		}
		out = append(out, inline(line, forge))
	}
	if fence != "" {
		out = append(out, fence)
	}
	return strings.Join(out, "\n")
}

// opened matches a line that opens a block of code.
func opened(line string) []string {
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return nil
	}
	return opens.FindStringSubmatch(line)
}

// What is looked for at a place of a line.
var (
	comment   = regexp.MustCompile(`^<!--.*?(-->|$)`)
	tag       = regexp.MustCompile(`^<[A-Za-z/!?][^<>]*>`)
	entity    = regexp.MustCompile(`^&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)
	address   = regexp.MustCompile("^(?i)(?:(?:https?|ftp)://|www\\.)[^\\s<>`]*")
	mention   = regexp.MustCompile(`^@[A-Za-z0-9][\w-]*(?:/[\w.-]+)*`)
	botOrder  = regexp.MustCompile(`^(?i)@(?:coderabbitai|dependabot|renovate(?:-bot)?|mergify(?:io)?|copilot|claude|codex|gemini-code-assist|sourcery-ai|bors|homu|k8s-ci-robot|prow)(?:\[bot\])?[ \t:,]+[\w-]+`)
	botRemark = "a command to a bot"
	order     = regexp.MustCompile(`^(/[A-Za-z][\w-]*)(?:[ \t]|$|<!--)`)
	closing   = regexp.MustCompile(`^(?i)(close[sd]?|fix(?:e[sd])?|resolve[sd]?)(:?[ \t]+)((?:[\w.-]+/[\w.-]+)?#[0-9]+|GH-[0-9]+)`)
	reference = regexp.MustCompile(`^(?i)(?:#|GH-)[0-9]+`)
	risky     = regexp.MustCompile(`[@<#&]|://`)
)

// inline makes prose of one line harmless.
func inline(line string, references bool) string {
	w := &writer{}
	for i := 0; i < len(line); {
		rest := line[i:]
		atWord := !isWord(w.last)
		switch c := rest[0]; {
		case c == '`':
			i += w.codeOf(rest)
		case c == '<' && strings.HasPrefix(rest, "<!--"):
			i += len(comment.FindString(rest))
			w.prose(" ")
		case c == '<' && len(rest) > 1 && (isWord(rest[1]) || strings.IndexByte("/!?", rest[1]) >= 0):
			i += w.codeSpan(orElse(tag.FindString(rest), "<"))
		case c == '&' && entity.MatchString(rest):
			i += w.codeSpan(entity.FindString(rest))
		case c == '@' && atWord && botOrder.MatchString(rest):
			i += len(botOrder.FindString(rest))
			w.codeSpan(botRemark)
		case c == '@' && atWord && mention.MatchString(rest):
			i += w.codeSpan(mention.FindString(rest))
		case c == '/' && strings.Trim(w.out.String(), " \t>*+-") == "" && order.MatchString(rest):
			i += w.codeSpan(order.FindStringSubmatch(rest)[1])
		case !isLetter(w.last) && strings.IndexByte("HhFfWw", c) >= 0 && address.MatchString(rest): // after a digit too a forge makes a link
			i += w.codeSpan(strings.TrimRight(address.FindString(rest), `.,;:!?'"*_~)`))
		case atWord && strings.IndexByte("CcFfRr", c) >= 0 && closing.MatchString(rest):
			m := closing.FindStringSubmatch(rest)
			w.prose(m[1] + m[2])
			w.codeSpan(m[3])
			i += len(m[0])
		case references && (c == '#' || atWord && (c == 'G' || c == 'g')) && reference.MatchString(rest):
			i += w.codeSpan(reference.FindString(rest))
		case strings.HasPrefix(rest, "~~~"): // a block of code that is not at the edge
			i += w.apostrophes(rest, "~")
		case c == '!':
			marks := rest[:len(rest)-len(strings.TrimLeft(rest, "!"))]
			if i += len(marks); !strings.HasPrefix(line[i:], "[") { // an image is a link
				w.prose(marks)
			}
		case strings.HasPrefix(rest, "](") || strings.HasPrefix(rest, "]:"): // and a link is text
			w.prose("] ")
			i++
		case isLetter(c): // nothing begins within a word
			n := 1
			for n < len(rest) && isLetter(rest[n]) {
				n++
			}
			w.prose(rest[:n])
			i += n
		default:
			w.prose(rest[:1])
			i++
		}
	}
	return strings.TrimRight(w.out.String(), " ")
}

func isWord(c byte) bool { return c >= '0' && c <= '9' || isLetter(c) }

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// writer puts prose and code spans together, so that neither changes the other.
type writer struct {
	out  strings.Builder
	last byte
}

func (w *writer) prose(text string) {
	if text != "" {
		w.out.WriteString(text)
		w.last = text[len(text)-1]
	}
}

// codeSpan writes a text as code and returns its length. A bar would end the code
// where the line is one of a table.
func (w *writer) codeSpan(text string) int {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	inner := strings.ReplaceAll(text, "|", "¦")
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		inner = " " + inner + " "
	}
	w.span(fence + inner + fence)
	return len(text)
}

// span keeps a code span apart from what would take its first mark away.
func (w *writer) span(text string) {
	if w.last == '`' || w.last == '\\' {
		w.prose(" ")
	}
	w.prose(text)
}

// codeOf writes the code span at the beginning of a text as it is, or, where it has
// no end in this line, its marks as apostrophes: with those of another span they
// would enclose what lies between the two.
func (w *writer) codeOf(text string) (length int) {
	mark := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	rest := text[len(mark):]
	for at := 0; w.last != '\\'; {
		begin := strings.Index(rest[at:], mark)
		if begin < 0 {
			break
		}
		begin += at
		end := begin + len(mark)
		for end < len(rest) && rest[end] == '`' {
			end++
		}
		if end-begin != len(mark) {
			at = end
			continue
		}
		code := rest[:begin]
		if strings.Contains(code, "|") && risky.MatchString(code) { // in a table the line would end it
			break
		}
		w.span(mark + code + mark)
		return 2*len(mark) + len(code)
	}
	return w.apostrophes(text, "`")
}

// apostrophes writes the marks at the beginning of a text so that they open nothing.
func (w *writer) apostrophes(text, mark string) (length int) {
	length = len(text) - len(strings.TrimLeft(text, mark))
	w.prose(strings.Repeat("'", length))
	return length
}

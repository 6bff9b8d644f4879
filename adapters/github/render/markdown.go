package render

import "strings"

func inCode(text string) string { return "`" + text + "`" }

// code is a text as a block of code, whose fence is longer than any in it.
func code(word, text string) string {
	fence := fenceFor(text)
	return fence + word + "\n" + text + "\n" + fence
}

func fenceFor(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// quoted is a text of many lines as a quotation, whose end ends whatever it opened.
// Its lines begin two columns further to the right, where a tab is less wide and a
// fence behind one would be another: so none begins with a tab.
func quoted(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = "> " + spacesFirst(line)
	}
	return strings.Join(lines, "\n")
}

// spacesFirst writes the tabs that a line begins with as spaces, four columns a tab.
func spacesFirst(line string) string {
	rest := strings.TrimLeft(line, " \t")
	before := line[:len(line)-len(rest)]
	if !strings.Contains(before, "\t") {
		return line
	}
	column := 0
	for _, c := range before {
		if column++; c == '\t' {
			column = (column + 3) / 4 * 4
		}
	}
	return strings.Repeat(" ", column) + rest
}

// bold is a line as bold text, which no star or backslash of it ends early.
func bold(line string) string {
	var out strings.Builder
	escaped := false
	for rest := line; rest != ""; {
		if n := spanLen(rest); n > 0 && !escaped {
			out.WriteString(rest[:n])
			rest = rest[n:]
			continue
		}
		if rest[0] == '*' && !escaped {
			out.WriteByte('\\')
		}
		escaped = rest[0] == '\\' && !escaped
		out.WriteByte(rest[0])
		rest = rest[1:]
	}
	if escaped {
		out.WriteByte('\\')
	}
	return "**" + out.String() + "**"
}

// spanLen is the length of the code span at the beginning of a text, or 0. It ends
// at as many backticks as it begins with.
func spanLen(text string) int {
	n := len(text) - len(strings.TrimLeft(text, "`"))
	for at := n; n > 0; {
		begin := strings.IndexByte(text[at:], '`')
		if begin < 0 {
			return 0
		}
		begin += at
		at = begin + len(text[begin:]) - len(strings.TrimLeft(text[begin:], "`"))
		if at-begin == n {
			return at
		}
	}
	return 0
}

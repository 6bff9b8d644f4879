package render

import (
	"fmt"
	"strings"
)

// item is one part of a section, which stands as a whole or not at all. short is
// what stands where the whole has no room; "" = nothing.
type item struct{ whole, short string }

// section is a part of the body under its own title.
type section struct {
	name        string // for the line that says what was left out
	open, close string
	between     string // two items
	items       []item
	rest        func(n int) string // says that n items were left out
}

// fold is a section that is closed until somebody opens it.
func fold(title string) section {
	return section{name: title, open: "<details>\n<summary>" + title + "</summary>\n\n", close: "\n\n</details>", between: "\n"}
}

// restMax is room for the line about items left out, and for the line about
// sections left out, in bytes.
const restMax = 400

// compose puts the sections between head and tail, in at most n bytes. Sections are
// cut from the lowest up: first each item of the higher ones has its short form at
// least, then as many as there is room for are whole.
func compose(head string, sections []section, tail string, n int) string {
	room := n - len(head) - len(tail) - restMax
	var out strings.Builder
	out.WriteString(head)
	var left []string
	for i := range sections {
		text, all := sections[i].fit(room)
		if text != "" {
			room -= len(text) + 2
			out.WriteString("\n\n" + text)
		}
		if !all {
			left = append(left, sections[i].name)
		}
	}
	if len(left) > 0 {
		out.WriteString("\n\n" + leftOut(left))
	}
	if tail != "" {
		out.WriteString("\n\n" + tail)
	}
	return out.String() + "\n"
}

// fit is the section in at most n bytes, and whether all of it is.
func (s *section) fit(n int) (text string, all bool) {
	n -= len(s.open) + len(s.close) + restMax + 2
	chosen := make([]string, 0, len(s.items))
	for i := range s.items {
		form := s.items[i].short
		if form == "" {
			form = s.items[i].whole
		}
		if n -= len(form) + len(s.between); n < 0 {
			n += len(form) + len(s.between)
			break
		}
		chosen = append(chosen, form)
	}
	if len(chosen) == 0 {
		return "", false
	}
	all = len(chosen) == len(s.items)
	for i := range chosen {
		if more := len(s.items[i].whole) - len(chosen[i]); more <= n {
			n -= more
			chosen[i] = s.items[i].whole
		} else {
			all = false
		}
	}
	text = s.open + strings.Join(chosen, s.between)
	if n := len(s.items) - len(chosen); n > 0 {
		text += s.between + s.rest(n)
	}
	return text + s.close, all
}

// leftOut says what there was no room for.
func leftOut(names []string) string {
	return fmt.Sprintf("_GitHub takes no more than 65,536 characters, so this is shortened or left out: %s._", strings.Join(names, "; "))
}

package render

import "strings"

// item is one part of a section, which stands as a whole, or in its short form, or
// not at all. short "" = there is none.
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
func fold(name, title string) section {
	return section{name: name, open: "<details>\n<summary>" + title + "</summary>\n\n", close: "\n\n</details>", between: "\n"}
}

// Room that is kept for what is said of what was left out, in bytes.
const (
	restMax = 500   // of one section
	leftMax = 1_500 // of the body
)

// page puts sections between a head and a tail, which always stand. Sections are cut
// from the lowest up, but so that first each item with a short form has that: a long
// text does not take the place of another finding.
type page struct {
	room     int
	sections []section
	chosen   [][]string // of each section, the form of each item; "" = left out
	opened   []bool
}

func compose(head string, sections []section, tail string, n int, left func(names []string) string) string {
	p := &page{room: n - len(head) - len(tail) - leftMax, sections: sections, opened: make([]bool, len(sections))}
	for i := range sections {
		p.chosen = append(p.chosen, make([]string, len(sections[i].items)))
	}
	p.each(func(it item) string { return it.short })
	p.each(func(it item) string { return it.whole })
	var names []string
	parts := []string{head}
	for i := range sections {
		text, all := p.text(i)
		if text != "" {
			parts = append(parts, text)
		}
		if !all {
			names = append(names, sections[i].name)
		}
	}
	if len(names) > 0 {
		parts = append(parts, left(names))
	}
	if tail != "" {
		parts = append(parts, tail)
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// each gives all items that form for which there is room. Within a section nothing
// stands after an item that has no room at all.
func (p *page) each(form func(item) string) {
	for i := range p.sections {
		for j := range p.sections[i].items {
			text := form(p.sections[i].items[j])
			if text != "" && !p.take(i, j, text) && p.chosen[i][j] == "" {
				break
			}
		}
	}
}

// take gives an item a form, if there is room.
func (p *page) take(i, j int, text string) bool {
	s := &p.sections[i]
	need := len(text) - len(p.chosen[i][j])
	if p.chosen[i][j] == "" {
		need += len(s.between)
	}
	if !p.opened[i] {
		need += len(s.open) + len(s.close) + restMax + len("\n\n")
	}
	if need > p.room {
		return false
	}
	p.room -= need
	p.chosen[i][j], p.opened[i] = text, true
	return true
}

// text is a section as it was chosen, and whether all of it is there.
func (p *page) text(i int) (text string, all bool) {
	s := &p.sections[i]
	var there []string
	all = true
	for j, form := range p.chosen[i] {
		if all = all && form == s.items[j].whole; form != "" {
			there = append(there, form)
		}
	}
	if len(there) == 0 {
		return "", false
	}
	if n := len(s.items) - len(there); n > 0 {
		there = append(there, s.rest(n))
	}
	return s.open + strings.Join(there, s.between) + s.close, all
}

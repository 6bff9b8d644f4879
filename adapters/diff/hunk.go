package diff

import (
	"iter"
	"strings"
)

// LineMax bounds a line number and a count, so that sums of them cannot overflow
// where an int has 32 bits as well.
const LineMax = 1<<30 - 1

// hunks reads the hunks of an entry.
func (p *parser) hunks(f *File) error {
	for strings.HasPrefix(p.rest, "@@") {
		if strings.HasPrefix(p.rest, "@@@") {
			return ErrCombined
		}
		header := p.peek()
		h, ok := hunkHeader(header)
		if !ok {
			return p.wrong("bad hunk header %q", clip(header))
		}
		p.next()
		p.rows(f, &h)
		f.Hunks = append(f.Hunks, h)
	}
	if p.rest != "" && !strings.HasPrefix(p.rest, "diff --") {
		return p.wrong("text after a hunk: %q", clip(p.peek()))
	}
	return nil
}

// rows goes past the rows that the hunk's header counts, whatever they look like
// (case D02). Where there are fewer, the hunk shrinks to what is there and the
// file says so (case D27).
func (p *parser) rows(f *File, h *Hunk) {
	body, left := p.rest, due{h.Old.Count, h.New.Count}
	for left.any() && p.rest != "" {
		op := left.take(p.rest[0])
		if op == 0 {
			break
		}
		if op == OpAdd {
			f.Added++
		}
		if op == OpRemove {
			f.Removed++
		}
		p.next()
	}
	for strings.HasPrefix(p.rest, `\`) {
		p.next()
	}
	f.Truncated = f.Truncated || left.any()
	h.Old.Count -= left.old
	h.New.Count -= left.new
	h.body = body[:len(body)-len(p.rest)]
}

// due is how many rows of each side a hunk still has to show.
type due struct{ old, new int }

func (d due) any() bool { return d.old > 0 || d.new > 0 }

// opMarker is the sign of "\ No newline at end of file", which is on no side and
// moves no line. (case D01)
const opMarker Op = '\\'

// take counts a row that begins with c, and returns 0 for one that is not due. A
// wholly empty line is an empty row of context, as diff.suppressBlankEmpty prints it.
func (d *due) take(c byte) Op {
	op := Op(c)
	if c == '\n' {
		op = OpContext
	}
	switch op {
	case opMarker:
	case OpAdd:
		if d.new == 0 {
			return 0
		}
		d.new--
	case OpRemove:
		if d.old == 0 {
			return 0
		}
		d.old--
	case OpContext:
		if d.old == 0 || d.new == 0 {
			return 0
		}
		d.old--
		d.new--
	default:
		return 0
	}
	return op
}

// Rows yields the hunk's rows in order.
func (h *Hunk) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		oldLine, newLine := h.Old.Start, h.New.Start
		for rest := h.body; rest != ""; {
			var text string
			text, rest, _ = strings.Cut(rest, "\n")
			if strings.HasPrefix(text, `\`) {
				continue
			}
			row := Row{Op: OpContext, NoNewline: strings.HasPrefix(rest, `\`)}
			if text != "" {
				row.Op, row.Text = Op(text[0]), text[1:]
			}
			if row.Op != OpAdd {
				row.OldLine = oldLine
				oldLine++
			}
			if row.Op != OpRemove {
				row.NewLine = newLine
				newLine++
			}
			if !yield(row) {
				return
			}
		}
	}
}

// hunkHeader reads "@@ -a[,b] +c[,d] @@[ heading]". The heading is text of the
// file and may look like anything (case D04).
func hunkHeader(line string) (Hunk, bool) {
	var h Hunk
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return h, false
	}
	if h.Old, rest, ok = lineRange(rest); !ok {
		return h, false
	}
	if rest, ok = strings.CutPrefix(rest, " +"); !ok {
		return h, false
	}
	if h.New, rest, ok = lineRange(rest); !ok {
		return h, false
	}
	if rest, ok = strings.CutPrefix(rest, " @@"); !ok {
		return h, false
	}
	h.Heading = strings.TrimPrefix(rest, " ")
	return h, h.Old.Count+h.New.Count > 0
}

// lineRange reads "start[,count]"; a missing count is 1 (case D05).
func lineRange(s string) (r Range, rest string, ok bool) {
	if r.Start, rest, ok = number(s); !ok {
		return r, rest, false
	}
	r.Count = 1
	if after, has := strings.CutPrefix(rest, ","); has {
		if r.Count, rest, ok = number(after); !ok {
			return r, rest, false
		}
	}
	// Lines are counted from 1: there is no line 0 to stand at. (case D22)
	return r, rest, r.Start > 0 || r.Count == 0
}

// number reads decimal digits at the front of s.
func number(s string) (n int, rest string, ok bool) {
	i := 0
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		n = n*10 + int(s[i]-'0')
		if n > LineMax {
			return 0, s, false
		}
	}
	return n, s[i:], i > 0
}

package githubtest

import (
	"fmt"
	"strconv"
	"strings"
)

// row is one line of a patch. Its position counts from the line below the first
// @@; later @@ rows and rows with a backslash count. (case D23)
type row struct {
	kind     byte // ' ', '+', '-', '@' or '\\'
	old, new int  // its numbers on both sides; 0 = it is not there
	hunk     int
	position int
	text     string
}

// Side is one side of a diff.
type Side string

// The sides.
const (
	Left  Side = "LEFT"
	Right Side = "RIGHT"
)

// on reports whether the row is the line of a side.
func (r row) on(side Side, line int) bool {
	if side == Left {
		return r.old == line && line > 0
	}
	return r.new == line && line > 0
}

type hunk struct{ oldStart, oldRows, newStart, newRows int }

// parseHunk reads "@@ -1,2 +3,4 @@".
func parseHunk(line string) hunk {
	h := hunk{oldRows: 1, newRows: 1}
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return h
	}
	side := func(text string, start, rows *int) {
		first, count, counted := strings.Cut(text[1:], ",")
		*start, _ = strconv.Atoi(first)
		if counted {
			*rows, _ = strconv.Atoi(count)
		}
	}
	side(fields[1], &h.oldStart, &h.oldRows)
	side(fields[2], &h.newStart, &h.newRows)
	return h
}

// parsePatch numbers the rows of a file's patch.
func parsePatch(patch string) []row {
	if patch == "" {
		return nil
	}
	var rows []row
	var old, new, hunks int
	var left hunk
	for i, line := range strings.Split(patch, "\n") {
		r := row{position: i, hunk: hunks, text: line}
		inside := left.oldRows > 0 || left.newRows > 0
		switch {
		case strings.HasPrefix(line, "\\"):
			r.kind = '\\'
		case !inside && strings.HasPrefix(line, "@@ "):
			hunks++
			left = parseHunk(line)
			old, new, r.kind, r.hunk = left.oldStart, left.newStart, '@', hunks
		case strings.HasPrefix(line, "-"):
			r.kind, r.old = '-', old
			old, left.oldRows = old+1, left.oldRows-1
		case strings.HasPrefix(line, "+"):
			r.kind, r.new = '+', new
			new, left.newRows = new+1, left.newRows-1
		default:
			r.kind, r.old, r.new = ' ', old, new
			old, new, left.oldRows, left.newRows = old+1, new+1, left.oldRows-1, left.newRows-1
		}
		rows = append(rows, r)
	}
	return rows
}

// find is the row of a side's line, or nil.
func find(rows []row, side Side, line int) *row {
	for i := range rows {
		if rows[i].on(side, line) {
			return &rows[i]
		}
	}
	return nil
}

// hunkUntil is what GitHub calls diff_hunk: the hunk from its head to a row.
func hunkUntil(rows []row, at *row) string {
	var lines []string
	for _, r := range rows {
		if r.hunk == at.hunk && r.position <= at.position {
			lines = append(lines, r.text)
		}
	}
	return strings.Join(lines, "\n")
}

// writeHunk prints one hunk with its head.
func writeHunk(h hunk, lines []string) string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@\n%s", h.oldStart, h.oldRows, h.newStart, h.newRows, strings.Join(lines, "\n"))
}

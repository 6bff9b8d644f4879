package diff_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/diff"
)

// FuzzParse: no text makes the parser panic, and what it accepts holds together.
func FuzzParse(f *testing.F) {
	names, _ := filepath.Glob(filepath.Join(diffs, "*.diff"))
	for _, name := range names {
		if patch, err := os.ReadFile(name); err == nil && len(patch) < 10_000 {
			f.Add(patch)
		}
	}
	f.Fuzz(func(t *testing.T, patch []byte) {
		change, err := diff.Parse(patch)
		if err != nil {
			return
		}
		if len(change.Files) == 0 && len(patch) > 0 {
			t.Fatalf("%d bytes are an empty change", len(patch))
		}
		for i := range change.Files {
			coherent(t, &change.Files[i])
		}
	})
}

// coherent checks what must hold of any file: names by status, and rows that are
// as many as the ranges say and numbered within them.
func coherent(t *testing.T, f *diff.File) {
	t.Helper()
	if f.Path() == "" || (f.Old == "") != (f.Status == diff.Added) || (f.New == "") != (f.Status == diff.Deleted) {
		t.Fatalf("status %s with names %q and %q", f.Status, f.Old, f.New)
	}
	added, removed := 0, 0
	for j := range f.Hunks {
		h := &f.Hunks[j]
		oldRows, newRows := 0, 0
		for r := range h.Rows() {
			if (r.Op == diff.OpAdd) != (r.OldLine == 0) || (r.Op == diff.OpRemove) != (r.NewLine == 0) {
				t.Fatalf("row %+v has the wrong sides", r)
			}
			if r.OldLine != 0 {
				oldRows++
				if !h.Old.Contains(r.OldLine, r.OldLine) {
					t.Fatalf("row %+v is outside of %+v", r, h.Old)
				}
			}
			if r.NewLine != 0 {
				newRows++
				if !h.New.Contains(r.NewLine, r.NewLine) {
					t.Fatalf("row %+v is outside of %+v", r, h.New)
				}
			}
		}
		if oldRows != h.Old.Count || newRows != h.New.Count {
			t.Fatalf("%d and %d rows, ranges %+v %+v", oldRows, newRows, h.Old, h.New)
		}
		for range h.Added() {
			added++
		}
		for range h.Removed() {
			removed++
		}
	}
	if added != f.Added || removed != f.Removed {
		t.Fatalf("counts +%d -%d, rows +%d -%d", f.Added, f.Removed, added, removed)
	}
}

// FuzzRendered: a patch that was written as git writes it is read as what it was
// written from, whatever its names, headings and rows hold.
func FuzzRendered(f *testing.F) {
	f.Add("f", "heading @@ -1 +1 @@", []byte(" a\n-b\n+c\n"), uint16(1), true)
	f.Add("a b/c \"q\"\n\xff", "", []byte("+-- x\n+++ y\n--- z\n \\ No newline\n"), uint16(9), false)
	f.Add("\t", "x", []byte("+\r\n \n-\x00\n"), uint16(700), true)
	f.Fuzz(func(t *testing.T, name, heading string, text []byte, start uint16, noNewline bool) {
		name = strings.ReplaceAll(name, "\x00", "")
		heading = strings.NewReplacer("\n", "", "\x00", "").Replace(heading)
		if name == "" || start == 0 {
			return
		}
		rows, oldCount, newCount := rowsOf(text)
		if len(rows) == 0 {
			return
		}
		patch := render(name, heading, rows, int(start), oldCount, newCount, noNewline)
		change, err := diff.Parse(patch)
		if err != nil {
			t.Fatalf("%v\n%s", err, patch)
		}
		if len(change.Files) != 1 || len(change.Files[0].Hunks) != 1 {
			t.Fatalf("%d files\n%s", len(change.Files), patch)
		}
		file := &change.Files[0]
		coherent(t, file)
		h := &file.Hunks[0]
		if file.Old != name || file.New != name || h.Heading != heading || file.Truncated ||
			h.Old.Count != oldCount || h.New.Count != newCount {
			t.Fatalf("read %q %q %q %+v %+v\n%s", file.Old, file.New, h.Heading, h.Old, h.New, patch)
		}
		i := 0
		for r := range h.Rows() {
			if want := rows[i]; byte(r.Op) != want[0] || r.Text != want[1:] || r.NoNewline != (noNewline && i == len(rows)-1) {
				t.Fatalf("row %d is %+v, want %q", i, r, want)
			}
			i++
		}
		if i != len(rows) {
			t.Fatalf("%d rows, want %d", i, len(rows))
		}
	})
}

// rowsOf cuts rows out of any text, and counts their sides.
func rowsOf(text []byte) (rows []string, oldCount, newCount int) {
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		row := " "
		if len(line) > 0 {
			row = string(" +-"[line[0]%3]) + string(line[1:])
		}
		rows = append(rows, row)
		if row[0] != '+' {
			oldCount++
		}
		if row[0] != '-' {
			newCount++
		}
	}
	return rows, oldCount, newCount
}

// render writes one modified file as git does.
func render(name, heading string, rows []string, start, oldCount, newCount int, noNewline bool) []byte {
	var b bytes.Buffer
	left, right := quoted("a/"+name), quoted("b/"+name)
	fmt.Fprintf(&b, "diff --git %s %s\nindex 1111111..2222222 100644\n", left, right)
	tab := ""
	if strings.Contains(name, " ") {
		tab = "\t"
	}
	fmt.Fprintf(&b, "--- %s%s\n+++ %s%s\n@@ -%s +%s @@", left, tab, right, tab, sideOf(start, oldCount), sideOf(start, newCount))
	if heading != "" {
		b.WriteString(" " + heading)
	}
	b.WriteByte('\n')
	for _, row := range rows {
		b.WriteString(row + "\n")
	}
	if noNewline {
		b.WriteString("\\ No newline at end of file\n")
	}
	return b.Bytes()
}

func sideOf(start, count int) string {
	switch count {
	case 0:
		return strconv.Itoa(start-1) + ",0"
	case 1:
		return strconv.Itoa(start)
	}
	return strconv.Itoa(start) + "," + strconv.Itoa(count)
}

// quoted writes a name as git does with core.quotePath.
func quoted(name string) string {
	letters := map[byte]string{'\a': `\a`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\v': `\v`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`}
	var b strings.Builder
	odd := false
	for i := range len(name) {
		c := name[i]
		switch letter, ok := letters[c]; {
		case ok:
			b.WriteString(letter)
			odd = true
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
			odd = true
		default:
			b.WriteByte(c)
		}
	}
	if odd {
		return `"` + b.String() + `"`
	}
	return name
}

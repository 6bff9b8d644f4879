package diff

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const oneFile = "diff --git a/%[1]s b/%[1]s\nindex 1111111..2222222 100644\n--- a/%[1]s\n+++ b/%[1]s\n@@ -1 +1,%[2]d @@\n-old\n%[3]s"

// added is an entry of n added rows.
func added(name string, n int) string {
	return fmt.Sprintf(oneFile, name, n, strings.Repeat("+12345678\n", n))
}

// What is longer than the bound keeps the rows that fit: case D27.
func TestEntriesAreBounded(t *testing.T) {
	t.Parallel()
	second := "@@ -9 +200 @@\n-x\n+y\n"
	long := "diff --git a/l b/l\nnew file mode 100644\nindex 0000000..2222222\n--- /dev/null\n+++ b/l\n@@ -0,0 +1,2 @@\n+a\n+" + strings.Repeat("x", 200_000) + "\n"
	patch := added("a", 3) + added("b", 1000) + second + added("c", 3) + long + added("d", 3)
	s := &splitter{in: bufio.NewReaderSize(iotest.HalfReader(strings.NewReader(patch)), readMax), max: 500, line: 1}
	var got []string
	err := s.files(func(f *File) error {
		size := 0
		for i := range f.Hunks {
			size += len(f.Hunks[i].body)
		}
		if size > 500 {
			t.Errorf("%s: %d bytes of rows", f.Path(), size)
		}
		got = append(got, fmt.Sprint(f.Path(), " +", f.Added, " hunks ", len(f.Hunks), " ", f.Truncated))
		return nil
	})
	want := "a +3 hunks 1 false, b +41 hunks 1 true, c +3 hunks 1 false, l +1 hunks 1 true, d +3 hunks 1 false"
	if err != nil || strings.Join(got, ", ") != want {
		t.Errorf("%v: %s", err, strings.Join(got, ", "))
	}
	if cap(s.entry) > 2048 {
		t.Errorf("%d bytes for an entry of 500", cap(s.entry))
	}
}

func TestReadingEnds(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken pipe")
	none := func(*File) error { return nil }
	if err := ParseFiles(io.MultiReader(strings.NewReader(added("a", 3)), iotest.ErrReader(broken)), none); !errors.Is(err, broken) {
		t.Errorf("a reader that fails: %v", err)
	}
	if err := ParseFiles(io.MultiReader(strings.NewReader(added("a", 3)[:60]), iotest.ErrReader(broken)), none); !errors.Is(err, broken) {
		t.Errorf("a reader that fails in a line: %v", err)
	}
	calls := 0
	err := ParseFiles(strings.NewReader(added("a", 1)+added("b", 1)+added("c", 1)), func(*File) error { calls++; return broken })
	if err != broken || calls != 1 {
		t.Errorf("visit fails: %v after %d calls", err, calls)
	}
	if err := ParseFiles(strings.NewReader(""), none); err != nil {
		t.Errorf("nothing: %v", err)
	}
	var syntax *SyntaxError
	patch := added("a", 1)
	if err := ParseFiles(strings.NewReader(patch+"diff --git a/x b/x\nhello\n"), none); !errors.As(err, &syntax) || syntax.Line != strings.Count(patch, "\n")+2 {
		t.Errorf("an error's line: %v", err)
	}
}

// Two entries of one file are refused, but for the halves of a change of type. (case
// D12)
func TestTwoEntriesOfOneFile(t *testing.T) {
	t.Parallel()
	removed := "diff --git a/a b/a\ndeleted file mode 120000\nindex 1..0\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
	new := "diff --git a/a b/a\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n"
	for patch, ok := range map[string]bool{
		added("a", 1) + added("b", 1):                 true,
		removed + new:                                 true,
		added("a", 1) + added("a", 1):                 false,
		removed + added("b", 1) + new:                 false,
		new + removed:                                 false,
		removed + new + removed:                       false,
		removed + new + new:                           false,
		added("b", 1) + removed + new + added("c", 1): true,
	} {
		_, err := Parse([]byte(patch))
		streamErr := ParseFiles(strings.NewReader(patch), func(*File) error { return nil })
		if (err == nil) != ok || (streamErr == nil) != ok || !ok && err.Error() != streamErr.Error() {
			t.Errorf("%v, %v, want %v:\n%s", err, streamErr, ok, patch)
		}
	}
}

package diff_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modes of files; what a submodule is has no text to compare.
var modes = []string{"100644", "100755", "120000"}

// FuzzAgainstGit: git itself compares two trees of any texts under any names, and
// what is read of it gives the new files from the old ones, byte for byte. Two more
// files stand around the one that matters: nothing of it is taken for theirs.
func FuzzAgainstGit(f *testing.F) {
	add := func(was, is, oldName, newName string, modes, less uint8) {
		f.Add([]byte(was), []byte(is), oldName, newName, modes, less)
	}
	add("keep\nold", "keep\nnew", "f", "f", 0, 0)                                                                 // case D01
	add("-- a/users cleanup\nx\n", "++ b/users cleanup\n++ /dev/null\ny\n", "q.sql", "q.sql", 0, 3)               // case D02
	add("f() // @@ -1 +1 @@ x\n1\n2\n3\n4\nold\n", "f() // @@ -1 +1 @@ x\n1\n2\n3\n4\nnew\n", "f.c", "f.c", 0, 2) // case D04
	add("a\nb\nc\n", "", "f", "f", 0, 3)                                                                          // case D05
	add("old\n", "new\n", "my file.txt", "my file.txt", 0, 0)                                                     // case D06
	add("old\n", "new\n", "tab\tand space ", "\"quoted\"\\\n\xff", 0, 0)                                          // cases D06 and D09
	add("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\n6\n7\nx\n", "x b/y.txt", "x b/z b.txt", 0, 0)                 // case D09
	add("same\n", "same\n", "x b/y.txt", "x b/y.txt", 1, 0)                                                       // case D09: the mode alone
	add("", "", "x b/y", "y b/x", 0, 0)                                                                           // case D09: empty files
	add("target", "now a file\n", "link", "link", 2, 0)                                                           // case D12
	add("a file\n", "target", "link", "link", 6, 0)                                                               // case D12
	add("gone\n", "new\n", "a/f", "a", 0, 0)                                                                      // case D13
	add("x", "y"+strings.Repeat("z", 70_000)+"\ntail\n", "long", "long", 0, 0)                                    // case D17
	add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "diff --git a/x b/x\n\\ No newline at end of file\n@@ -1 +1 @@\n", "p.diff", "p.diff", 0, 0)
	add("a\r\nb\r\n", "a\nb\r\n\r", "crlf", "crlf", 0, 0)
	add("\n\n\n \n", "\n\n", "blank", "blank", 0, 3)
	add("a\x00b", "a\x00c", "bin", "bin", 0, 0)
	s := &scratch{dir: filepath.Join(f.TempDir(), "git")}
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		f.Fatal(err)
	}
	s.t = f
	s.git("", "init", "-q", "--bare", ".")
	f.Fuzz(func(t *testing.T, was, is []byte, oldName, newName string, mode, less uint8) {
		if !possible(oldName) || !possible(newName) {
			return
		}
		s.t, s.less = t, int(less%4)
		s.git(commit("a", oldName, modes[mode%3], was, "1\n")+commit("b", newName, modes[mode/3%3], is, "2\n"),
			"fast-import", "--quiet", "--force", "--date-format=raw")
		want := 3
		switch {
		case oldName != newName && (string(was) != string(is) || mode%3 != mode/3%3):
			want = 4 // or 3, where git takes it for renamed
		case oldName == newName && string(was) == string(is) && mode%3 == mode/3%3:
			want = 2
		}
		if got := s.agree("refs/heads/a", "refs/heads/b"); got != want && (got != 3 || want != 4) {
			t.Errorf("%d files, want %d", got, want)
		}
	})
}

// possible reports whether git lets a tree have the name.
func possible(name string) bool {
	if name == "" || len(name) > 100 || name != path.Clean(name) || strings.ContainsRune(name, 0) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || slices.Contains([]string{".", "..", "!", "~"}, part) || strings.Contains(strings.ToLower(part), "git") {
			return false
		}
	}
	return true
}

// commit is a commit for git fast-import, on a branch of its own.
func commit(branch, name, mode string, text []byte, others string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "commit refs/heads/%s\ncommitter A <a@example.org> 1700000000 +0000\ndata 0\ndeleteall\n", branch)
	for _, file := range []struct{ name, mode, text string }{{"!", "100644", others}, {name, mode, string(text)}, {"~", "100644", others}} {
		fmt.Fprintf(&b, "M %s inline %s\ndata %d\n%s\n", file.mode, quoted(file.name), len(file.text), file.text)
	}
	return b.String()
}

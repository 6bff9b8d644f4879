package static

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
)

// patched reviews a patch in git's words, beside an empty checkout.
func patched(t *testing.T, patch string) []string {
	t.Helper()
	parsed, err := diff.Parse([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := New(Options{}).Review(t.Context(), &session.Input{Change: &actors.Change{Dir: t.TempDir()}, Diff: parsed})
	if err != nil {
		t.Fatal(err)
	}
	return lines(answer)
}

// lookAt is a look at a new file.
func lookAt(t testing.TB, name, body string) *look {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	patch := fmt.Sprintf("diff --git a/%s b/%s\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n+%s\n",
		name, name, name, len(rows), strings.Join(rows, "\n+"))
	parsed, err := diff.Parse([]byte(patch))
	if err != nil || len(parsed.Files) != 1 {
		t.Skip("no patch")
	}
	scan, err := newScan()
	if err != nil {
		t.Fatal(err)
	}
	s := newSurvey(New(Options{}), scan, &session.Input{Change: &actors.Change{Dir: dir}, Diff: parsed})
	t.Cleanup(s.close)
	f := &parsed.Files[0]
	l := &look{survey: s, file: f, old: &oldSide{root: s.root, file: f}, masked: func(int) string { return "" }}
	l.gather(RowBytesMax)
	return l
}

func linkPatch(links ...string) string {
	var b strings.Builder
	for i := 0; i < len(links); i += 2 {
		fmt.Fprintf(&b, "diff --git a/%[1]s b/%[1]s\nnew file mode 120000\nindex 0000000..1111111\n--- /dev/null\n+++ b/%[1]s\n"+
			"@@ -0,0 +1 @@\n+%[2]s\n\\ No newline at end of file\n", links[i], links[i+1])
	}
	return b.String()
}

// Case W20.
func TestSymlinks(t *testing.T) {
	t.Parallel()
	got := patched(t, linkPatch(
		"cfg", "../../secrets", "leak", "/etc/passwd", "dir/up", "..", "loop", "loop", "CLAUDE.md", "AGENTS.md",
		"meta", ".git", "deep/a/b", "../../x", "deep/a/c", "../../../x", "win", `C:\secrets`, "via", "dir/up/../x", "chain", "via/y",
	))
	want := []string{
		"symlink-escape cfg:1-1", "symlink-escape chain:1-1", "symlink-escape deep/a/c:1-1", "symlink-escape leak:1-1",
		"symlink-escape meta:1-1", "symlink-escape via:1-1", "symlink-escape win:1-1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestModesAndSubmodules(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	for name, c := range map[string]struct{ patch, want string }{
		"the bit is set": {
			"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "executable-bit x:0-0",
		},
		"the bit is cleared, with text": {
			"diff --git a/x b/x\nold mode 100755\nnew mode 100644\nindex 1111111..2222222\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "executable-bit x:0-0",
		},
		"a new program": {"diff --git a/x b/x\nnew file mode 100755\nindex 0000000..e69de29\n", ""},
		"a submodule moves (D14)": {
			"diff --git a/lib b/lib\nindex 1111111..2222222 160000\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit " + a +
				"\n+Subproject commit " + b + "\n", "submodule-pointer lib:1-1",
		},
		"an address of a submodule": {
			"diff --git a/.gitmodules b/.gitmodules\nindex 1111111..2222222 100644\n--- a/.gitmodules\n+++ b/.gitmodules\n@@ -1,2 +1,2 @@\n" +
				" [submodule \"lib\"]\n-\turl = https://a.example/lib\n+\turl = https://b.example/lib\n", "submodule-url .gitmodules:2-2",
		},
	} {
		if got := strings.Join(patched(t, c.patch), " "); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

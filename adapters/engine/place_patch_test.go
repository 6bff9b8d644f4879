package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/diff"
)

// ofPatch places findings of a change that only git's text can show.
func ofPatch(t *testing.T, patch string, files map[string]string) *placer {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(name), 0o700)
		if err == nil && strings.HasSuffix(text, "/") {
			err = os.MkdirAll(name, 0o700)
		} else if err == nil {
			err = os.WriteFile(name, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := diff.Parse([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlacer(&actors.Change{Dir: dir}, parsed)
	t.Cleanup(p.close)
	return p
}

const submodulePatch = `diff --git a/lib b/lib
index d46939d..e13ace8 160000
--- a/lib
+++ b/lib
@@ -1 +1 @@
-Subproject commit d46939d1b6a5e9c1d0f4f6f3a5a3f1c1e2b3c4d5
+Subproject commit e13ace81b6a5e9c1d0f4f6f3a5a3f1c1e2b3c4d5
`

const typeChangePatch = `diff --git a/link b/link
deleted file mode 120000
index 1de5659..0000000
--- a/link
+++ /dev/null
@@ -1 +0,0 @@
-target
\ No newline at end of file
diff --git a/link b/link
new file mode 100644
index 0000000..b0f4e1b
--- /dev/null
+++ b/link
@@ -0,0 +1,2 @@
+now a file
+of two lines
`

const truncatedPatch = `diff --git a/long.go b/long.go
index d46939d..e13ace8 100644
--- a/long.go
+++ b/long.go
@@ -1 +1,500 @@
 f 1
+f 2
`

const noNewlinePatch = `diff --git a/end b/end
index d46939d..e13ace8 100644
--- a/end
+++ b/end
@@ -1,2 +1,2 @@
 keep
-old
\ No newline at end of file
+new
\ No newline at end of file
`

func TestPlacementByThePatchAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		patch, file, text string // file holds text; a text that ends in "/" is a folder
		line              int
		want              string
		suggestion        string // why it is not applied
	}{
		"case D14: a submodule":              {submodulePatch, "lib", "/", 1, "inline 1-1", reasonNoText},
		"case D14: another line of it":       {submodulePatch, "lib", "/", 5, "body 0-0: " + reasonSubmodule, reasonStandsNowhere},
		"case D12: a link that is a file":    {typeChangePatch, "link", "now a file\nof two lines\n", 2, "inline 2-2", ""},
		"case D12: beyond it":                {typeChangePatch, "link", "now a file\nof two lines\n", 3, "body 0-0: it names line 3, and the file ends at line 2", reasonStandsNowhere},
		"case D27: a row that is there":      {truncatedPatch, "long.go", numbered("f", 500, nil), 2, "inline 2-2", ""},
		"case D27: one that is not":          {truncatedPatch, "long.go", numbered("f", 500, nil), 40, "body 40-40: the patch shows only a part of the file, without line 40", reasonStandsNowhere},
		"case D01: the last line":            {noNewlinePatch, "end", "keep\nnew", 2, "inline 2-2", ""},
		"case D01: no line after the last":   {noNewlinePatch, "end", "keep\nnew", 3, "body 0-0: it names line 3, and the file ends at line 2", reasonStandsNowhere},
		"an empty file has no line":          {noNewlinePatch, "end", "", 1, "body 0-0: it names line 1, and the file ends at line 0", reasonStandsNowhere},
		"a file that cannot be read is long": {truncatedPatch, "long.go", "/", 2, "inline 2-2", ""},
	} {
		p := ofPatch(t, c.patch, map[string]string{c.file: c.text})
		f := note(c.file, c.line, c.line)
		f.Suggestion = "other"
		if held := p.place(&f); held != "" || at(f) != c.want || f.SuggestionReason != c.suggestion {
			t.Errorf("%s: withheld %q, %q, suggestion %q", name, held, at(f), f.SuggestionReason)
		}
	}
}

// A suggestion up to the end of a file without a newline replaces the last line, and
// knows nothing of git's marker. (case D31)
func TestSuggestionAtTheEndOfAFile(t *testing.T) {
	t.Parallel()
	p := ofPatch(t, noNewlinePatch, map[string]string{"end": "keep\nnew"})
	f := note("end", 2, 2)
	f.Suggestion = "keep\nnewer"
	// The deleted line stands between the two: only the last one can be replaced.
	if p.place(&f); f.SuggestionReason != "" || f.LineStart != 2 || f.LineEnd != 2 || f.Suggestion != "newer" {
		t.Errorf("%+v", f)
	}
}

package git_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/events"
)

// export writes the commit into a folder that the test can remove again.
func export(t *testing.T, s *gittest.Scratch, commit string, limits git.ExportLimits) (string, []git.SkippedFile) {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() { writable(dir) })
	skipped, err := open(t, s).Export(context.Background(), events.Commit(commit), dir, limits)
	if err != nil {
		t.Fatal(err)
	}
	return dir, skipped
}

func writable(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return err
	})
}

// tree reads a folder: each file's mode and text by its path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		st, err := d.Info()
		if err != nil {
			return err
		}
		if !st.Mode().IsRegular() {
			found[name+"/"] = st.Mode().String()
			return nil
		}
		text, err := os.ReadFile(path)
		found[name] = st.Mode().String() + " " + string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Links, submodules, modes, empty files and contents that look like git's own
// framing. (cases W19, W20)
func TestExport(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	link := func(name, target string) gittest.Entry {
		return gittest.Entry{Mode: "120000", Type: "blob", ID: s.Blob(target), Path: name}
	}
	commit := s.CommitTree(s.Tree(
		link("leak", "/etc/passwd"), link("cfg", "../../secrets"), link("up", ".."), link("loop", "loop"),
		gittest.Entry{Mode: "160000", Type: "commit", ID: strings.Repeat("1", 40), Path: "sub"},
		gittest.Entry{Mode: "100755", Type: "blob", ID: s.Blob("#!/bin/sh\n"), Path: "run.sh"},
		s.File("empty", ""), s.File("crlf", "a\r\nb"), s.File(".gitattributes", "* text eol=crlf filter=evil ident export-ignore export-subst\n"),
		s.File("ident", "$Id$ $Format:%H$\nx\n"), s.File("framing", "0 blob 5\n\x00"),
		gittest.Entry{Mode: "040000", Type: "tree", ID: s.Tree(s.File("f", "deep\n")), Path: "dir"}))
	s.Git("config", "filter.evil.smudge", "touch "+filepath.Join(s.Dir, "marker"))
	dir, skipped := export(t, s, commit, git.ExportLimits{})
	want := map[string]string{
		"./": "dr-xr-xr-x", "dir/": "dr-xr-xr-x", "sub/": "dr-xr-xr-x", "dir/f": "-r--r--r-- deep\n",
		"leak": "-r--r--r-- /etc/passwd", "cfg": "-r--r--r-- ../../secrets", "up": "-r--r--r-- ..",
		"loop": "-r--r--r-- loop", "run.sh": "-r-xr-xr-x #!/bin/sh\n", "empty": "-r--r--r-- ",
		"crlf": "-r--r--r-- a\r\nb", "ident": "-r--r--r-- $Id$ $Format:%H$\nx\n", "framing": "-r--r--r-- 0 blob 5\n\x00",
		".gitattributes": "-r--r--r-- * text eol=crlf filter=evil ident export-ignore export-subst\n",
	}
	got := tree(t, dir)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s = %q, want %q", name, got[name], text)
		}
	}
	if len(got) != len(want) || len(skipped) != 0 {
		t.Errorf("%d files, want %d; skipped %v", len(got), len(want), skipped)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "marker")); err == nil {
		t.Error("git ran the repository's filter")
	}
}

// Names that leave the folder or stand for git's own are skipped and reported,
// and everything else is there. (case W23)
func TestExportOfHostileNames(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	bad := []string{".git", ".GIT", ".git ", ".git.", "git~1", "GIT~1", ".g\u200cit", ".git::$INDEX_ALLOCATION", "..\\.git", "a\\.git", "..", "."}
	var entries []gittest.Entry
	for _, name := range bad {
		entries = append(entries, gittest.Entry{Mode: "040000", Type: "tree", ID: s.Tree(s.File("config", "[core]\n")), Path: name})
	}
	for _, name := range oddNames {
		if !strings.Contains(name, "/") {
			entries = append(entries, s.File(name, name))
		}
	}
	tooLong := strings.Repeat("n", 256)
	entries = append(entries, s.File(tooLong, "x"), s.File(".gitignore", "x"))
	commit := s.CommitTree(s.Tree(entries...))
	dir, skipped := export(t, s, commit, git.ExportLimits{})
	reasons := map[string]string{}
	for _, f := range skipped {
		reasons[f.Path] = f.Reason
	}
	for _, name := range bad {
		if reasons[name+"/config"] == "" {
			t.Errorf("%q was not skipped", name)
		}
	}
	if reasons[tooLong] == "" || len(skipped) != len(bad)+1 {
		t.Errorf("skipped %d: %v", len(skipped), reasons)
	}
	for _, name := range oddNames {
		if strings.Contains(name, "/") {
			continue
		}
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != name {
			t.Errorf("%q = %q, %v", name, text, err)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "config")); err == nil {
		t.Error("a file was written outside")
	}
}

// A folder and a file of one name cannot both be there: the first stays, the
// other is reported. (cases D13, W24)
func TestExportOfOneNameTwice(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	commit := s.CommitTree(s.Tree(
		s.File("a", "file"),
		gittest.Entry{Mode: "040000", Type: "tree", ID: s.Tree(s.File("f", "x")), Path: "a"}))
	dir, skipped := export(t, s, commit, git.ExportLimits{})
	if len(skipped) != 1 || skipped[0].Path != "a/f" {
		t.Errorf("skipped %v", skipped)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(text) != "file" {
		t.Errorf("a = %q, %v", text, err)
	}
}

func TestExportIsBounded(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("a", "12345")
	s.Write("b", "12345")
	head := s.Commit("one")
	export(t, s, head, git.ExportLimits{Files: 2, Bytes: 10})
	for _, limits := range []git.ExportLimits{{Files: 1}, {Bytes: 9}} {
		dir := t.TempDir()
		var over *git.LimitError
		_, err := open(t, s).Export(context.Background(), events.Commit(head), dir, limits)
		if !errors.As(err, &over) {
			t.Errorf("%+v: error %v, want a LimitError", limits, err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%+v: %d files were written", limits, len(left))
		}
	}
}

// One large file is skipped, with the reason, and does not count. The others are
// written.
func TestExportSkipsLargeFiles(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("a", "12345")
	s.Write("large", "1234567")
	dir, skipped := export(t, s, s.Commit("one"), git.ExportLimits{Bytes: 6, FileBytes: 6})
	if len(skipped) != 1 || skipped[0].Path != "large" || !strings.Contains(skipped[0].Reason, "7 bytes") {
		t.Errorf("skipped %v", skipped)
	}
	if _, err := os.Lstat(filepath.Join(dir, "large")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("large: %v, want that it is not there", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(text) != "12345" {
		t.Errorf("a = %q, %v", text, err)
	}
}

// An object that is not here is an error that says so, never a short tree.
func TestMissingObject(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("f", "unique text\n")
	head := s.Commit("one")
	blob := s.Git("rev-parse", "HEAD:f")
	if err := os.Remove(filepath.Join(s.Dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Cleanup(func() { writable(dir) })
	_, err := open(t, s).Export(context.Background(), events.Commit(head), dir, git.ExportLimits{})
	if !errors.Is(err, git.ErrMissingObject) {
		t.Errorf("error %v, want ErrMissingObject", err)
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("dir/f", "text\n")
	if err := os.Symlink("/etc/passwd", filepath.Join(s.Dir, "leak")); err != nil {
		t.Fatal(err)
	}
	head := events.Commit(s.Commit("one"))
	repo := open(t, s)
	ctx := context.Background()
	for path, want := range map[string]string{"dir/f": "text\n", "leak": "/etc/passwd"} {
		if got, err := repo.ReadFile(ctx, head, path, 100); err != nil || string(got) != want {
			t.Errorf("%s = %q, %v", path, got, err)
		}
	}
	for _, path := range []string{"", "nope", "dir", "./dir/f", "../x", "dir/../dir/f", "/dir/f"} {
		if _, err := repo.ReadFile(ctx, head, path, 100); !errors.Is(err, git.ErrNoFile) {
			t.Errorf("%q: error %v, want ErrNoFile", path, err)
		}
	}
	var over *git.OutputError
	if _, err := repo.ReadFile(ctx, head, "dir/f", 4); !errors.As(err, &over) {
		t.Errorf("error %v, want an OutputError", err)
	}
}

package git_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/events"
)

// folder is a folder for exports that the test can remove afterwards.
func folder(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tree")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { openUp(t, dir) })
	return dir
}

func openUp(t testing.TB, dir string) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return // it is gone
	}
	defer func() { _ = root.Close() }()
	if err := git.Unlock(root, "."); err != nil {
		t.Error(err)
	}
}

// listing is a tree as text: each name with its mode and content.
func listing(t testing.TB, dir string) string {
	t.Helper()
	var text bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		fmt.Fprintf(&text, "%s %q", st.Mode(), rel)
		if st.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, " %q", content)
		}
		text.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func exportOver(t testing.TB, repo *git.Repo, commit, dir string, old *git.Manifest) *git.Manifest {
	t.Helper()
	m, _, err := repo.ExportOver(context.Background(), events.Commit(commit), dir, old, git.ExportLimits{})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := m.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	again, err := git.ReadManifest(&text) // as the next process would have it
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// A tree that goes from commit to commit is each time what a fresh export is,
// whatever was done to it meanwhile.
func TestExportOver(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	random := rand.New(rand.NewPCG(7, 11))
	names := []string{"a", "b/c", "b/d/e", "b/d", "f g", "\xffz", "n\nl", "x/y/z/w", "x/y", "prog", "b"}
	var commits []string
	for step := range 12 {
		var entries []gittest.Entry
		taken := map[string]bool{}
		for _, i := range random.Perm(len(names)) {
			name := names[i]
			if random.IntN(3) == 0 || clashes(taken, name) {
				continue
			}
			taken[name] = true
			e := s.File(name, fmt.Sprintf("%s %d\n", name, random.IntN(3)))
			if random.IntN(4) == 0 {
				e.Mode = "100755"
			}
			entries = append(entries, e)
		}
		commits = append(commits, s.CommitTree(s.DeepTree(entries...)))
		_ = step
	}
	repo := open(t, s)
	dir := folder(t)
	var manifest *git.Manifest
	for i, commit := range commits {
		if manifest != nil {
			tamper(t, dir, random, i)
		}
		manifest = exportOver(t, repo, commit, dir, manifest)
		fresh := folder(t)
		exportOver(t, repo, commit, fresh, nil)
		if got, want := listing(t, dir), listing(t, fresh); got != want {
			t.Fatalf("commit %d: the tree is\n%swant\n%s", i, got, want)
		}
	}
}

func clashes(taken map[string]bool, name string) bool {
	for other := range taken {
		if len(other) > len(name) && other[:len(name)+1] == name+"/" || len(name) > len(other) && name[:len(other)+1] == other+"/" {
			return true
		}
	}
	return false
}

// tamper does to a tree what an engine could: changes, new files, links, modes.
func tamper(t *testing.T, dir string, random *rand.Rand, step int) {
	t.Helper()
	openUp(t, dir)
	do := func(err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	var files []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if len(files) > 0 && step%2 == 0 {
		path := files[random.IntN(len(files))]
		st, err := os.Stat(path)
		do(err)
		content, err := os.ReadFile(path)
		do(err)
		content[0] ^= 1 // the same length, and the old time below
		do(os.Chmod(path, 0o644))
		do(os.WriteFile(path, content, 0o644))
		do(os.Chmod(path, st.Mode()))
		do(os.Chtimes(path, st.ModTime(), st.ModTime()))
	}
	if len(files) > 0 && step%3 == 0 {
		path := files[random.IntN(len(files))]
		do(os.Remove(path))
		do(os.Symlink("/etc/passwd", path))
	}
	do(os.Mkdir(filepath.Join(dir, "left"), 0o555))
	do(os.WriteFile(filepath.Join(dir, "b.new"), nil, 0o600))
	do(os.Symlink(t.TempDir(), filepath.Join(dir, "way-out")))
}

// What does not differ is not written again: the file is the very same.
func TestExportOverKeeps(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	for i := range 20 {
		s.Write(fmt.Sprintf("d%d/f", i%4*5+i), fmt.Sprint(i))
	}
	s.Write("a", "one")
	one := s.Commit("one")
	s.Write("a", "two")
	two := s.Commit("two")
	repo, dir := open(t, s), folder(t)
	first := exportOver(t, repo, one, dir, nil)
	second := exportOver(t, repo, two, dir, first)
	for path, was := range first.Files {
		if now := second.Files[path]; (path == "a") == (now == was) {
			t.Errorf("%s was %+v, is %+v", path, was, now)
		}
	}
	if first.Bytes == 0 || second.Commit != events.Commit(two) {
		t.Errorf("manifest of %s with %d bytes", second.Commit, first.Bytes)
	}
}

// A manifest that is cut off, or another text, is none.
func TestBrokenManifest(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("a", "one")
	s.Write("b", "two")
	dir := folder(t)
	m := exportOver(t, open(t, s), s.Commit("one"), dir, nil)
	var text bytes.Buffer
	if _, err := m.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	whole := text.Bytes()
	for cut := range whole {
		if _, err := git.ReadManifest(bytes.NewReader(whole[:cut])); err == nil {
			t.Errorf("%d of %d bytes are a manifest", cut, len(whole))
		}
	}
	odd := bytes.Replace(whole, []byte(" b\x00"), []byte(" ../b\x00"), 1)
	for _, broken := range [][]byte{odd, append(bytes.Clone(whole), 'x'), bytes.Replace(whole, []byte("tree-1"), []byte("tree-0"), 1)} {
		if _, err := git.ReadManifest(bytes.NewReader(broken)); err == nil {
			t.Errorf("a manifest: %q", broken)
		}
	}
	if commit, size, err := git.ReadManifestHead(bytes.NewReader(whole)); err != nil || commit != m.Commit || size != 6 {
		t.Errorf("head: %s, %d, %v", commit, size, err)
	}
}

// Names that a file system cannot tell apart make a filled folder useless, and
// say so. (case W24)
func TestExportOverClash(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	one := s.CommitTree(s.Tree(s.File("a", "x")))
	sub := s.Tree(s.File("b", "y"))
	two := s.CommitTree(s.Tree(s.File("a", "x"), gittest.Entry{Mode: "040000", Type: "tree", ID: sub, Path: "a"}))
	repo, dir := open(t, s), folder(t)
	m := exportOver(t, repo, one, dir, nil)
	if _, _, err := repo.ExportOver(context.Background(), events.Commit(two), dir, m, git.ExportLimits{}); !errors.Is(err, git.ErrUnsuited) {
		t.Errorf("error %v, want ErrUnsuited", err)
	}
}

package git_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/events"
)

// readPatch reads a patch with all files kept.
func readPatch(t *testing.T, repo *git.Repo, from, to string, limits git.PatchLimits) ([]git.FileChange, *git.Patch) {
	t.Helper()
	ctx := context.Background()
	changes, err := repo.Changes(ctx, events.Commit(from), events.Commit(to))
	if err != nil {
		t.Fatal(err)
	}
	patch, err := repo.ReadPatch(ctx, events.Commit(from), events.Commit(to), changes, limits,
		func(int, []byte) git.Part { return git.PartKept })
	if err != nil {
		t.Fatal(err)
	}
	return changes, patch
}

// splits holds the patch that is read file by file against the one in one piece,
// and against the bounds: whatever is left out, each file is in it once.
func splits(t *testing.T, repo *git.Repo, from, to string, whole []byte) {
	t.Helper()
	changes, patch := readPatch(t, repo, from, to, git.PatchLimits{})
	if !bytes.Equal(patch.Text, whole) || len(patch.TooLarge) != 0 {
		t.Errorf("%s: %d bytes in pieces, %d in one; left out: %v", to, len(patch.Text), len(whole), patch.TooLarge)
	}
	_, short := readPatch(t, repo, from, to, git.PatchLimits{FileBytes: 1})
	parsed, err := diff.Parse(short.Text)
	if err != nil {
		t.Fatalf("headers alone: %v\n%s", err, short.Text)
	}
	if len(parsed.Files) != len(changes) {
		t.Errorf("headers alone: %d files, want %d", len(parsed.Files), len(changes))
		return
	}
	for i := range changes {
		f := &parsed.Files[i]
		if f.Path() != changes[i].NewPath || f.Status.String() != changes[i].Status || len(f.Hunks) != 0 {
			t.Errorf("headers alone: %q %s with %d hunks, want %q %s", f.Path(), f.Status, len(f.Hunks), changes[i].NewPath, changes[i].Status)
		}
		if short.TooLarge[i] == "" && changes[i].Status != "D" {
			t.Errorf("headers alone: %q is not named as too large", changes[i].NewPath)
		}
	}
}

// Each bound leaves out whole files, names them, and keeps the others.
func TestPatchBounds(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("a", "one\n")
	s.Write("gone", strings.Repeat("gone\n", 50))
	one := s.Commit("one")
	s.Git("rm", "-q", "gone")
	s.Write("a", "two\n")
	s.Write("b", strings.Repeat("b\n", 400))
	s.Write("c", "c\n")
	two := s.Commit("two")
	repo := open(t, s)
	cases := []struct {
		name   string
		limits git.PatchLimits
		left   map[string]string
	}{
		{"default", git.PatchLimits{}, nil},
		{"bytes of a file", git.PatchLimits{FileBytes: 180}, map[string]string{"b": "its diff has more than 180 bytes"}},
		{"lines of a file", git.PatchLimits{FileRows: 10}, map[string]string{"b": "its diff has more than 10 lines"}},
		{"bytes of all", git.PatchLimits{Bytes: 600}, map[string]string{"b": "the change's diff has more than 600 bytes"}},
		{"lines of all", git.PatchLimits{Rows: 12}, map[string]string{"b": "the change's diff has more than 12 lines"}},
		{"read", git.PatchLimits{ReadBytes: 200}, map[string]string{
			"b": "the change's diff is longer than 200 bytes", "c": "the change's diff is longer than 200 bytes"}},
	}
	for _, c := range cases {
		changes, patch := readPatch(t, repo, one, two, c.limits)
		left := map[string]string{}
		for i, why := range patch.TooLarge {
			left[changes[i].Path] = why
		}
		if fmt.Sprint(left) != fmt.Sprint(c.left) {
			t.Errorf("%s: left out %v, want %v\n%s", c.name, left, c.left, patch.Text)
		}
		parsed, err := diff.Parse(patch.Text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, name := range []string{"a", "c"} {
			if left[name] == "" && !parsed.Contains(name, 1, 1) {
				t.Errorf("%s: %s is not in the patch", c.name, name)
			}
		}
	}
}

// Files go where they are sent, and the bound of one part is not that of another.
func TestPatchParts(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	for _, name := range []string{"aside", "kept", "left", "long-aside"} {
		s.Write(name, name+"\n")
	}
	s.Write("long-aside", strings.Repeat("x\n", 200))
	head := s.Commit("one")
	repo := open(t, s)
	ctx := context.Background()
	changes, err := repo.Changes(ctx, repo.EmptyTree, events.Commit(head))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	patch, err := repo.ReadPatch(ctx, repo.EmptyTree, events.Commit(head), changes, git.PatchLimits{AsideBytes: 400},
		func(i int, section []byte) git.Part {
			seen[changes[i].Path] = string(section)
			switch {
			case strings.HasSuffix(changes[i].Path, "aside"):
				return git.PartAside
			case changes[i].Path == "left":
				return git.PartLeft
			}
			return git.PartKept
		})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(patch.Text), "\n+kept\n") || strings.Contains(string(patch.Text), "aside") || strings.Contains(string(patch.Text), "left") {
		t.Errorf("kept:\n%s", patch.Text)
	}
	if !strings.Contains(string(patch.Aside), "\n+aside\n") || strings.Contains(string(patch.Aside), "\n+x\n") || !strings.Contains(string(patch.Aside), "b/long-aside") {
		t.Errorf("aside:\n%s", patch.Aside)
	}
	if len(patch.TooLarge) != 1 || !strings.Contains(patch.TooLarge[3], "excluded") || !strings.Contains(seen["left"], "+left\n") {
		t.Errorf("too large %v, seen %q", patch.TooLarge, seen["left"])
	}
}

// A text that git does not look into because of its size is too large and not
// binary; what has a NUL is binary, whatever its size.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	long := strings.Repeat("0123456789abcde\n", int(git.BigFileBytes/16)+1)
	before := s.Tree(s.File("grown", "x\n"), s.File("shrunk", long), s.File("bin grown", "a\x00"))
	after := s.Tree(
		s.File("grown", long), s.File("shrunk", "x\n"), s.File("new", "y"+long), s.File("bin grown", "\x00"+long),
		s.File("bin new", "\x00x"), s.File("small", "x\n"))
	one, two := s.CommitTree(before), s.CommitTree(after)
	kinds := func(changes []git.FileChange) map[string]string {
		got := map[string]string{}
		for i := range changes {
			c := &changes[i]
			got[c.Path] = fmt.Sprintf("%s binary %v, too large %v", c.Status, c.Binary, c.TooLarge != "")
		}
		return got
	}
	changes, patch := readPatch(t, open(t, s), one, two, git.PatchLimits{})
	want := map[string]string{
		"bin grown": "M binary true, too large false", "bin new": "A binary true, too large false",
		"grown": "M binary false, too large true", "new": "A binary false, too large true",
		"shrunk": "M binary false, too large true", "small": "A binary false, too large false",
	}
	if got := kinds(changes); fmt.Sprint(got) != fmt.Sprint(want) || len(patch.TooLarge) != 3 {
		t.Errorf("%v\nwant %v\nleft out of the patch: %v", got, want, patch.TooLarge)
	}
	parsed, err := diff.Parse(patch.Text)
	if err != nil {
		t.Fatal(err)
	}
	if f := parsed.File("new"); f == nil || f.Binary || len(f.Hunks) != 0 {
		t.Errorf("new is shown as %+v", f)
	}
	if f := parsed.File("bin new"); f == nil || !f.Binary {
		t.Errorf("bin new is shown as %+v", f)
	}
	// What is deleted needs no review of its text.
	back, _ := readPatch(t, open(t, s), two, one, git.PatchLimits{})
	if got := kinds(back); got["new"] != "D binary true, too large false" {
		t.Errorf("the other way round: %v", got)
	}
}

package git_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/events"
)

const patchLimit = 16 << 20

// change reads list and patch, checks that they agree, and returns both.
func change(t *testing.T, repo *git.Repo, from, to string) ([]events.ChangedFile, *diff.Change) {
	t.Helper()
	ctx := context.Background()
	files, err := repo.ChangedFiles(ctx, events.Commit(from), events.Commit(to))
	if err != nil {
		t.Fatal(err)
	}
	patch, err := repo.Patch(ctx, events.Commit(from), events.Commit(to), patchLimit)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := diff.Parse(patch)
	if err != nil {
		t.Fatalf("%v\n%s", err, patch)
	}
	agree(t, files, parsed)
	splits(t, repo, from, to, patch)
	return files, parsed
}

// agree compares git's list with what the patch says: the same files in the same
// order, with the same counts.
func agree(t *testing.T, files []events.ChangedFile, parsed *diff.Change) {
	t.Helper()
	if len(files) != len(parsed.Files) {
		t.Errorf("list has %d files, patch %d", len(files), len(parsed.Files))
		return
	}
	for i, f := range files {
		p := &parsed.Files[i]
		exact := diff.ExactPath(f.Path, f.PathBase64)
		// The patch of a file that only moved does not say what it holds.
		binary := p.Binary || f.Binary && p.Similarity == 100
		if exact != p.Path() || f.Status != p.Status.String() || f.Added != p.Added || f.Deleted != p.Removed || f.Binary != binary {
			t.Errorf("list: %+v\npatch: %q %s +%d -%d binary %v", f, p.Path(), p.Status, p.Added, p.Removed, p.Binary)
		}
		if old, _ := diff.ShowPath(p.Old); f.Status == "R" && f.Old != old {
			t.Errorf("list: old name %q, patch: %q", f.Old, p.Old)
		}
	}
}

// oddNames can stand in a tree, and are a test of every place that reads names.
// (case W23, D06, D09, D13)
var oddNames = []string{
	"-rf", "--output=x", ":(glob)*", "a\nb", "a\tb", "my file.txt", "trail ", "x b", "q\"uote",
	"back\\slash", "\xff.txt", "gr\u00fcn", "\x01", "dev/null", "+++ b", " lead", "a => b", "{a => b}",
	strings.Repeat("n", 255), ".github", "rev^{commit}", "\u202egnp.exe",
}

func TestOddNames(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	var before, after []gittest.Entry
	for i, name := range oddNames {
		if strings.Contains(name, "/") {
			continue
		}
		before = append(before, s.File(name, fmt.Sprintf("one %d\n", i)))
		after = append(after, s.File(name, fmt.Sprintf("one %d\ntwo\n", i)))
	}
	one, two := s.CommitTree(s.Tree(before...)), s.CommitTree(s.Tree(after...))
	files, parsed := change(t, open(t, s), one, two)
	if len(files) != len(before) {
		t.Fatalf("%d files, want %d", len(files), len(before))
	}
	for _, e := range after {
		if !parsed.Contains(e.Path, 1, 2) {
			t.Errorf("%q: lines 1 and 2 are not in the patch", e.Path)
		}
		got, err := open(t, s).ReadFile(context.Background(), events.Commit(two), e.Path, 100)
		if err != nil || !strings.HasSuffix(string(got), "\ntwo\n") {
			t.Errorf("ReadFile(%q) = %q, %v", e.Path, got, err)
		}
	}
	for _, f := range files {
		if f.Path == "\uFFFD.txt" && f.PathBase64 != base64.StdEncoding.EncodeToString([]byte("\xff.txt")) {
			t.Errorf("%q has exact bytes %q", f.Path, f.PathBase64)
		}
	}
}

// Renames, copies, modes, types, submodules and binary files, each with an odd
// name as well. (cases D09, D12, D13, D14)
func TestKindsOfChange(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	body := strings.Repeat("a line that is long enough\n", 20)
	commitA, commitB := s.Commit("a"), s.Commit("b")
	entry := func(mode, kind, id, path string) gittest.Entry {
		return gittest.Entry{Mode: mode, Type: kind, ID: id, Path: path}
	}
	old := s.Tree(
		s.File("x b", body), s.File("mode", "m\n"), s.File("mode and text", "m\n"), s.File("empty gone", ""),
		s.File("gone", "1\n2\n"), s.File("bin", "a\x00b"), s.File("bin moved", body+"\x00"),
		entry("120000", "blob", s.Blob("target"), "link"), entry("160000", "commit", commitA, "sub"),
		entry("160000", "commit", commitA, "was sub"), s.File("same", "same\n"), s.File("no newline", "1\n2"),
		s.File("crlf", "1\r\n2\r\n"), s.File("sql", "-- a\n-- b\nend\n"),
		entry("040000", "tree", s.Tree(s.File("f", "in a folder\n")), "a"))
	fresh := s.Tree(
		s.File("z b\n", body+"more\n"), entry("100755", "blob", s.Blob("m\n"), "mode"),
		entry("100755", "blob", s.Blob("n\n"), "mode and text"), s.File("empty new", ""),
		s.File("bin", "a\x00c"), s.File("bin was moved", body+"\x00"),
		s.File("link", "now a file\n"), entry("160000", "commit", commitB, "sub"), s.File("was sub", "text\n"),
		s.File("same", "same\n"), s.File("no newline", "1\n3"), s.File("crlf", "1\r\n3\r\n"),
		s.File("sql", "++ a\n-- b\n"), s.File("a", "a file now\n"))
	one, two := s.CommitTree(old), s.CommitTree(fresh)
	files, parsed := change(t, open(t, s), one, two)
	want := map[string]string{
		"z b\n": "R", "mode": "M", "mode and text": "M", "gone": "D", "bin": "M",
		"bin was moved": "R", "link": "T", "sub": "M", "was sub": "T", "no newline": "M", "crlf": "M",
		"sql": "M", "a": "A", "a/f": "D", "empty new": "R",
	}
	for _, f := range files {
		if f.Status != want[f.Path] {
			t.Errorf("%q: status %s, want %q", f.Path, f.Status, want[f.Path])
		}
	}
	for _, path := range []string{"sub", "was sub"} {
		if f := parsed.File(path); f == nil || !f.Submodule {
			t.Errorf("%q is not marked as a submodule", path)
		}
	}
	if parsed.Contains("a/f", 1, 1) || !parsed.Contains("a", 1, 1) || !parsed.Contains("link", 1, 1) {
		t.Error("lines are in the wrong file")
	}
	// Back again: every kind the other way round.
	change(t, open(t, s), two, one)
	change(t, open(t, s), string(open(t, s).EmptyTree), one)
}

// Neither the repository's configuration nor the attributes of a checkout change
// what is shown. (cases D14, D18, W17)
func TestConfigurationChangesNothing(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	link := func(id string) { s.Git("update-index", "--add", "--cacheinfo", "160000,"+id+",lib") }
	body := strings.Repeat("x\n\n", 15)
	s.Write("f", body+body)
	s.Write("sub/g", "g\n")
	s.Write(".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = ext::sh\n\tignore = all\n")
	s.Git("add", "-A", ".")
	link(strings.Repeat("1", 40))
	s.Git("commit", "-q", "-m", "one")
	one := s.Head()
	s.Write("f", body+"y\n"+body)
	s.Git("mv", "sub/g", "sub/h i")
	s.Git("add", "-A", "--", "f", "sub")
	link(strings.Repeat("2", 40))
	s.Git("commit", "-q", "-m", "two")
	two := s.Head()
	repo := open(t, s)
	ctx := context.Background()
	want, err := repo.Patch(ctx, events.Commit(one), events.Commit(two), patchLimit)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(want), "+Subproject commit 2222") {
		t.Errorf("the change of the submodule is not shown:\n%s", want)
	}
	marker := filepath.Join(t.TempDir(), "ran")
	for key, value := range map[string]string{
		"diff.noprefix": "true", "diff.mnemonicPrefix": "true", "color.ui": "always", "color.diff": "always",
		"diff.context": "0", "diff.interHunkContext": "9", "diff.renames": "false", "diff.renameLimit": "1",
		"diff.submodule": "log", "diff.external": "touch " + marker, "diff.algorithm": "patience",
		"diff.indentHeuristic": "false", "diff.orderFile": marker, "diff.relative": "true",
		"diff.suppressBlankEmpty": "true", "diff.ignoreSubmodules": "all", "diff.wsErrorHighlight": "all",
		"diff.colorMoved": "zebra", "diff.statGraphWidth": "3", "diff.wordRegex": ".", "diff.srcPrefix": "s/",
		"diff.dstPrefix": "d/", "diff.evil.textconv": "touch " + marker + ";cat", "diff.evil.command": "touch " + marker,
		"diff.evil.binary": "true", "core.quotePath": "false", "core.abbrev": "4", "core.pager": "touch " + marker,
		"core.fsmonitor": "touch " + marker, "core.attributesFile": filepath.Join(s.Dir, ".gitattributes"),
	} {
		s.Git("config", key, value)
	}
	s.Write(".gitattributes", "* diff=evil filter=evil text eol=crlf\n*.go -diff\nf binary\n")
	s.Git("config", "core.worktree", s.Dir)
	s.Git("config", "submodule.lib.ignore", "all")
	s.Write(".git/hooks/post-checkout", "#!/bin/sh\ntouch "+marker+"\n")
	got, err := repo.Patch(ctx, events.Commit(one), events.Commit(two), patchLimit)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("patch changed:\n%s\nwas:\n%s", got, want)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("git ran a program that the repository chose")
	}
	if git.DiffPrint(got) != git.DiffPrint(want) || len(git.DiffPrint(got)) != 64 {
		t.Error("the print changed")
	}
}

func TestPatchIsBounded(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("f", strings.Repeat("line\n", 2000))
	head := s.Commit("one")
	repo := open(t, s)
	ctx := context.Background()
	patch, err := repo.Patch(ctx, repo.EmptyTree, events.Commit(head), patchLimit)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Patch(ctx, repo.EmptyTree, events.Commit(head), int64(len(patch))); err != nil {
		t.Errorf("at the bound: %v", err)
	}
	var over *git.OutputError
	if _, err := repo.Patch(ctx, repo.EmptyTree, events.Commit(head), int64(len(patch))-1); !errors.As(err, &over) {
		t.Errorf("above the bound: error %v, want an OutputError", err)
	}
}

func TestCancelledContext(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Commit("one")
	repo := open(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := repo.ResolveCommit(ctx, "HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// Our list and patch agree with git's own count for this repository's history.
func TestOwnHistory(t *testing.T) {
	t.Parallel()
	repo, err := git.Open(context.Background(), ".")
	if errors.Is(err, git.ErrNotRepository) {
		t.Skip("these sources are not in a repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	here := gittest.At(t, repo.Top)
	const most = 25
	log := here.Git("rev-list", "--max-count="+strconv.Itoa(most), "--no-merges", "HEAD")
	for id := range strings.SplitSeq(log, "\n") {
		from := string(repo.EmptyTree)
		if parents := strings.Fields(here.Git("rev-list", "--parents", "-n1", id)); len(parents) > 1 {
			from = parents[1]
		}
		files, _ := change(t, repo, from, id)
		var want, got strings.Builder
		want.WriteString(here.Git("diff", "--numstat", "-z", "--no-renames", from, id))
		if strings.Contains(want.String(), "\x00") && len(files) == 0 {
			t.Errorf("%s: git counts files and we do not", id)
		}
		for _, f := range files {
			fmt.Fprintf(&got, "%d\t%d\t%s\x00", f.Added, f.Deleted, f.Path)
			if f.Status == "R" || f.Binary {
				got.Reset()
				want.Reset()
				break
			}
		}
		if got.String() != want.String() {
			t.Errorf("%s:\n%q\ngit says\n%q", id, got.String(), want.String())
		}
	}
}

package git_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/events"
)

func TestBranches(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	head := s.Commit("the subject")
	for _, name := range []string{"feature/a", "feature/b/c", "fix", "gr\u00fcn"} {
		s.Git("branch", name)
	}
	s.Git("tag", "feature/tag")
	s.Git("update-ref", "refs/remotes/origin/feature/x", head)
	cases := []struct {
		globs []string
		want  string
	}{
		{nil, "feature/a feature/b/c fix gr\u00fcn main"},
		{[]string{"feature/*"}, "feature/a"},
		{[]string{"feature/**"}, "feature/a feature/b/c"},
		{[]string{"**"}, "feature/a feature/b/c fix gr\u00fcn main"},
		{[]string{"f?x", "main"}, "fix main"},
		{[]string{"nothing"}, ""},
	}
	for _, c := range cases {
		branches, err := open(t, s).Branches(context.Background(), c.globs...)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, b := range branches {
			names = append(names, b.Name)
			if string(b.Head) != head || b.Author.Name != "Ada" || b.Author.Email != "ada@example.org" ||
				b.Committer.Name != "Ben" || b.Subject != "the subject" || b.Author.At.IsZero() {
				t.Errorf("%+v", b)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%q: %s, want %s", c.globs, got, c.want)
		}
	}
}

// A list that git cannot finish is an error, never a shorter list.
func TestBranchesOfBrokenRepository(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Commit("one")
	repo := open(t, s)
	s.Write(".git/refs/heads/broken", strings.Repeat("1", 40)+"\n")
	if branches, err := repo.Branches(context.Background()); err == nil {
		t.Errorf("a missing tip: %d branches and no error", len(branches))
	}
	if err := os.Rename(filepath.Join(s.Dir, ".git"), filepath.Join(s.Dir, "gone")); err != nil {
		t.Fatal(err)
	}
	if branches, err := repo.Branches(context.Background()); err == nil {
		t.Errorf("no repository: %d branches and no error", len(branches))
	}
}

func TestGlobs(t *testing.T) {
	t.Parallel()
	cases := []struct {
		glob, name string
		want       bool
	}{
		{"*", "a", true}, {"*", "a/b", false}, {"a/*", "a", false}, {"a/*/c", "a/b/c", true},
		{"**/c", "c", true}, {"**/c", "a/b/c", true}, {"a/**", "a", true}, {"a/**/z", "a/b/c/y", false},
		{"**/**/**/**/**/**/x", strings.Repeat("a/", 200) + "y", false}, {"[ab]", "b", true}, {"a", "A", false},
	}
	for _, c := range cases {
		if got := git.MatchGlob(c.glob, c.name); got != c.want {
			t.Errorf("MatchGlob(%q, %q) = %v", c.glob, c.name, got)
		}
	}
	for _, glob := range []string{"", "a/[", "\\"} {
		if git.CheckGlob(glob) == nil {
			t.Errorf("CheckGlob(%q) accepts it", glob)
		}
	}
}

func TestCommit(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	first := s.Commit("one")
	head := s.Commit("  a\tsubject\n\nbody\nparent 1111")
	c, err := open(t, s).Commit(context.Background(), events.Commit(head))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Parents) != 1 || string(c.Parents[0]) != first || c.Author.Name != "Ada" ||
		c.Committer.Email != "ben@example.org" || c.Author.At != time.Unix(1_700_000_001, 0).UTC() ||
		c.Subject != "a subject" {
		t.Errorf("%+v", c)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	origins := map[string]string{
		"https://forge.example/owner/repo.git":    "owner/repo",
		"https://u:p@forge.example/owner/repo/":   "owner/repo",
		"git@forge.example:owner/repo.git":        "owner/repo",
		"ssh://git@forge.example:22/a/owner/repo": "owner/repo",
		"https://forge.example/repo":              "local/repo",
		"/srv/git/x.git":                          "local/x",
		"../other repo/.git":                      "local/other-repo",
		"file:///srv/git/x.git":                   "local/x",
		"C:\\src\\thing":                          "local/thing",
		"":                                        "",
		"/":                                       "",
		"..":                                      "",
		"https://forge.example/ow ner/re\u00e4po": "ow-ner/re-po",
	}
	for address, want := range origins {
		if got := git.OriginName(address); string(got) != want {
			t.Errorf("OriginName(%q) = %q, want %q", address, got, want)
		}
	}
	s := gittest.New(t)
	root := s.Commit("one")
	s.Commit("two")
	s.Git("checkout", "-q", "--orphan", "later")
	s.Commit("orphan")
	name, err := open(t, s).Name(context.Background())
	if want := "local/" + filepath.Base(s.Dir) + "-" + root[:6]; err != nil || string(name) != want {
		t.Errorf("name = %q, %v; want %q", name, err, want)
	}
	s.Git("config", "remote.origin.url", "https://forge.example/owner/repo.git")
	if name, err := open(t, s).Name(context.Background()); err != nil || name != "owner/repo" {
		t.Errorf("name = %q, %v", name, err)
	}
	if _, err := open(t, gittest.New(t)).Name(context.Background()); err == nil {
		t.Error("a repository without commits has a name")
	}
}

// Looking at a checkout runs none of the repository's filters. (cases W17, W22)
func TestDirty(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("f", "text\n")
	s.Commit("one")
	repo := open(t, s)
	marker := filepath.Join(t.TempDir(), "ran")
	for _, kind := range []string{"clean", "smudge", "process"} {
		s.Git("config", "filter.evil."+kind, "touch "+marker)
	}
	s.Git("config", "filter.lfs.required", "true")
	s.Git("config", "filter.lfs.clean", "false")
	s.Git("config", "core.fsmonitor", "touch "+marker)
	dirty := func() bool {
		got, err := repo.Dirty(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if dirty() {
		t.Error("a clean checkout is dirty")
	}
	s.Write(".git/info/attributes", "f filter=evil\ng filter=lfs\n")
	s.Write("f", "other\n")
	if !dirty() {
		t.Error("a changed file is not dirty")
	}
	s.Git("-c", "filter.evil.process=", "-c", "filter.evil.clean=", "-c", "core.fsmonitor=false", "checkout", "-q", "--", "f")
	s.Write("g", "new\n")
	if !dirty() {
		t.Error("a new file is not dirty")
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("git ran the repository's filter")
	}
}
